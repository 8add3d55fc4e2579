package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/generator/internal/diag"
	"github.com/mcpgen/mcpgen/generator/internal/model"
	"github.com/mcpgen/mcpgen/internal/uritemplate"
	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// read reads one resource of a package, built from its source.
func (c *command) read(args []string) int {
	f := newFlags("read")
	new(serverFlags).define(f)
	rest, code, ok := c.parse(f, args)
	if !ok {
		return code
	}
	if r, others, code, done := c.onServer(f, rest); done || code != exitDone {
		if code != exitDone {
			return code
		}
		return r.read(others)
	}
	switch {
	case len(rest) == 0:
		return c.usage("read", "the package is missing", "")
	case len(rest) > 2:
		return c.usage("read", "read takes a package and one URI", "")
	}
	p, code, ok := c.load(f, rest[0])
	if !ok {
		return code
	}
	if len(rest) == 1 {
		code := c.usage("read", "the URI is missing", "one of these:")
		c.listResources(p.Model)
		return code
	}
	if !hasResource(p.Model, rest[1]) {
		return c.unknownResource(p.Model, rest[1])
	}
	built, code, ok := c.build(p, false, false)
	if !ok {
		return code
	}
	defer c.remove(built)
	return c.onBuilt("read", built).readResource(rest[1])
}

// hasResource reports whether the package may serve a URI.
func hasResource(m *model.Package, uri string) bool {
	for _, r := range m.Resources {
		if uritemplate.Normal(r.URI) == uritemplate.Normal(uri) {
			return true
		}
	}
	if slices.Contains(skillURIs(m), uritemplate.Normal(uri)) {
		return true
	}
	for _, r := range m.Templates {
		t, err := uritemplate.Parse(r.Template())
		if err != nil {
			continue
		}
		if _, ok := t.Match(uri, false); ok {
			return true
		}
	}
	return false
}

func (c *command) unknownResource(m *model.Package, uri string) int {
	if len(m.Resources)+len(m.Templates)+len(m.Skills) == 0 {
		return c.usage("read", "unknown resource "+uri, "the package has no resources")
	}
	hint := "the resources are:"
	var uris []string
	for _, r := range m.Resources {
		uris = append(uris, r.URI)
	}
	if near := diag.Nearest(uri, append(uris, skillURIs(m)...)); near != "" {
		hint = "did you mean " + near + "? The resources are:"
	}
	code := c.usage("read", "no resource has the URI "+uri, hint)
	c.listResources(m)
	return code
}

// listResources lists the resources, for users who did not name one.
func (c *command) listResources(m *model.Package) {
	for _, r := range m.Resources {
		c.noteln("\t%s", r.URI)
	}
	for _, r := range m.Templates {
		c.noteln("\t%s", r.Template())
	}
	for _, s := range m.AllSkills() {
		c.noteln("\t%s", s.MainURI())
	}
}

// skillURIs returns the URIs of the files of all skills, normalized.
func skillURIs(m *model.Package) []string {
	var all []string
	for _, s := range m.AllSkills() {
		all = append(all, uritemplate.Normal(s.MainURI()))
		for _, f := range s.Files {
			all = append(all, uritemplate.Normal(f.URI))
		}
	}
	return all
}

// printResource prints the only part of a resource unchanged. Of several parts, it prints text
// unchanged and describes blobs.
func (c *command) printResource(r *mcp.ResourceResult) int {
	c.progress.clear()
	if len(r.Contents) == 1 {
		return c.printPart(r.Contents[0])
	}
	for _, part := range r.Contents {
		words := []string{part.URI, part.MIMEType}
		if part.Blob != nil {
			words = append(words, size(part.Blob))
		}
		fmt.Fprintf(c.data, "[resource %s]\n", joined(words...))
		if part.Blob == nil {
			printText(c.data, part.Text)
		}
	}
	return exitDone
}

func (c *command) printPart(part mcp.ResourceContents) int {
	data := part.Blob
	if data == nil {
		data = []byte(strings.TrimSuffix(part.Text, "\n") + "\n")
	}
	if _, err := c.data.Write(data); err != nil {
		return c.fail(err)
	}
	return exitDone
}
