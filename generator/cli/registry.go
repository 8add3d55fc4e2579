package cli

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/mcpgen/mcpgen/generator/internal/bundle"
	"github.com/mcpgen/mcpgen/generator/internal/registry"
	"github.com/mcpgen/mcpgen/internal/linediff"
	"github.com/mcpgen/mcpgen/internal/regularfile"
)

const helpRegistry = `usage: mcpgen registry [flags] -name NAME PACKAGE

Writes server.json, by which the MCP registry lists a server: what the source
says of it, and how clients get it. PACKAGE is the program, or the package with
the features. Publishes nothing: that is done by the registry's own command,
which reads the file.

	-name NAME  the name in the registry: io.github.USER/NAME, or one that
	            begins with a reversed domain
	-bundle URL=FILE
	            a bundle that is published at URL, and its file, of which
	            the SHA-256 is written; may be repeated
	-image REF  a container image with its tag, such as
	            ghcr.io/ada/shop:1.4.0. Prints the label that it needs; may
	            be repeated
	-remote URL an endpoint that clients connect to over streamable HTTP;
	            may be repeated
	-config FILE
	            the file of mcpgen bundle: arguments and environment of
	            images, and version and description where it has them
	-o FILE     write that file; default: server.json
	-check      write nothing; exit 1 with a diff if the file is not current
` + helpFlags

// registryFlags are the flags of registry.
type registryFlags struct {
	name, config, file       string
	bundles, images, remotes []string
	check                    bool
}

func (r *registryFlags) define(f *flags) {
	repeated := func(name, usage string, to *[]string) {
		f.Func(name, usage, func(value string) error { *to = append(*to, value); return nil })
	}
	f.StringVar(&r.name, "name", "", "the `name` in the registry: io.github.USER/NAME")
	f.StringVar(&r.config, "config", "", "the `file` of mcpgen bundle")
	f.StringVar(&r.file, "o", "server.json", "write that `file`")
	f.BoolVar(&r.check, "check", false, "write nothing; exit 1 with a diff if the file is not current")
	repeated("bundle", "a bundle: `URL=FILE`", &r.bundles)
	repeated("image", "a container image with its `tag`", &r.images)
	repeated("remote", "the `URL` of an endpoint", &r.remotes)
}

// registry writes or checks server.json.
func (c *command) registry(args []string) int {
	f := newFlags("registry")
	var r registryFlags
	r.define(f)
	rest, code, ok := c.parse(f, args)
	if !ok {
		return code
	}
	switch {
	case len(rest) != 1:
		return c.usage("registry", "registry takes one package", "name the program of the server, such as ./cmd/shop-mcp, or . for this directory")
	case r.name == "":
		return c.usage("registry", "the name is missing", "write -name io.github.USER/NAME")
	case len(r.bundles)+len(r.images)+len(r.remotes) == 0:
		return c.usage("registry", "there is no way to get the server", "say how clients get it: -bundle URL=FILE, -image REF or -remote URL")
	case r.config != "" && len(r.images) == 0:
		return c.usage("registry", "flag -config has no meaning without -image: bundles contain theirs", "leave it out")
	}
	if err := registry.CheckName(r.name); err != nil {
		return c.mistakenFlag("registry", "-name", err)
	}
	for _, address := range r.remotes {
		if err := registry.Remote(address); err != nil {
			return c.mistakenFlag("registry", "-remote", err)
		}
	}
	config, _, err := c.bundleConfig(r.config)
	if err != nil {
		return c.mistake(err)
	}
	packages, opened, code := c.registryPackages(&r, config)
	if code != exitDone {
		return code
	}
	p, code, ok := c.serverPackage(f, rest[0], false)
	if !ok {
		return code
	}
	id := p.identity()
	server := &registry.Server{
		Name: r.name, Module: p.module, Website: id.Website, Icons: id.Icons, Packages: packages, Remotes: r.remotes,
		Title: cmp.Or(config.Text("display_name"), id.Title), Description: cmp.Or(config.Text("description"), id.Description), Version: cmp.Or(config.Text("version"), id.Version),
	}
	for i, o := range opened { // the source lacks the values that a bundle got from a configuration
		server.Title, server.Description, server.Version = cmp.Or(server.Title, o.Title), cmp.Or(server.Description, o.Description), cmp.Or(server.Version, o.Version)
		if o.Version != server.Version {
			c.noteln("mcpgen registry: the bundle of -bundle %s has version %s, and the server %s\n\thint: make the bundle again", r.bundles[i], o.Version, server.Version)
			return exitFound
		}
	}
	text, notes, err := server.JSON()
	if err != nil {
		return c.mistake(err)
	}
	for _, note := range notes {
		c.noteln("note: %s", note)
	}
	if code := c.serverFile(&r, text, f.verbose); code != exitDone {
		return code
	}
	if len(r.images) > 0 && !r.check {
		c.noteln("the image needs this label in its Dockerfile, by which the registry knows its owner:")
		fmt.Fprintf(c.out, "LABEL %s=%q\n", registry.Label, r.name)
	}
	return exitDone
}

// registryPackages returns the packages, and the manifests of the bundles among them.
func (c *command) registryPackages(r *registryFlags, config *bundle.Config) ([]*registry.Package, []*bundle.Opened, int) {
	var packages []*registry.Package
	var all []*bundle.Opened
	for _, value := range r.bundles {
		at := strings.LastIndexByte(value, '=')
		if at < 0 {
			return nil, nil, c.usage("registry", "flag -bundle: "+value+" names no file", "write URL=FILE: where the bundle is published, and its file here")
		}
		address, file := value[:at], value[at+1:]
		archive, err := regularfile.Read(c.absolute(file))
		if err != nil {
			return nil, nil, c.fail(fmt.Errorf("read bundle: %w", err))
		}
		opened, err := bundle.Open(archive)
		if err != nil {
			return nil, nil, c.mistake(&bundle.Error{Problem: file + ": " + err.Error(), Hint: "make it: " + c.invoked + " bundle"})
		}
		p, err := registry.Bundle(address, archive, opened)
		if err != nil {
			return nil, nil, c.mistakenFlag("registry", "-bundle", err)
		}
		packages, all = append(packages, p), append(all, opened)
	}
	for _, reference := range r.images {
		p, err := registry.Image(reference, config)
		if err != nil {
			return nil, nil, c.mistakenFlag("registry", "-image", err)
		}
		packages = append(packages, p)
	}
	return packages, all, exitDone
}

// serverFile writes server.json, or shows how the present file differs.
func (c *command) serverFile(r *registryFlags, text []byte, verbose bool) int {
	path, err := c.follow(c.absolute(r.file))
	var old []byte
	if err == nil {
		old, err = regularfile.Read(path)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return c.fail(fmt.Errorf("read %s: %w", r.file, err))
	}
	old = bytes.ReplaceAll(old, []byte("\r\n"), []byte("\n")) // depends on how git checks it out
	switch current := err == nil && bytes.Equal(old, text); {
	case current && verbose:
		c.noteln("%s is current", r.file)
	case current:
	case r.check:
		before := r.file
		if err != nil {
			before = "/dev/null"
		}
		_, _ = c.out.Write(linediff.Unified(before, old, r.file, text))
		c.noteln("%s is not current\n\thint: run the same command without -check", r.file)
		return exitFound
	case err == nil && !isServerFile(old):
		return c.mistake(&bundle.Error{Problem: r.file + " is not a server.json of the registry, and would be overwritten", Hint: "name another file: -o FILE, or delete it"})
	default:
		if err := writeNamed(path, text); err != nil {
			return c.fail(err)
		}
		c.noteln("wrote %s", r.file)
	}
	return exitDone
}

// isServerFile reports whether a file follows a schema of the registry, of any date.
func isServerFile(text []byte) bool {
	var file struct {
		Schema string `json:"$schema"`
	}
	return json.Unmarshal(text, &file) == nil && strings.HasSuffix(file.Schema, "/server.schema.json")
}
