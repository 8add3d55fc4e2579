package bundle

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/internal/jsontree"
)

const (
	manifestFile = "manifest.json"
	programDir   = "server/"

	// manifestVersion is the version that the project's schema calls the latest. Version 0.4
	// differs only for Python programs, and its authors call it experimental: clients that do not
	// know it would refuse the bundle without need.
	manifestVersion = "0.3"
)

// Server contains the parts of a server's contract that manifests repeat.
type Server struct {
	Name, Title, Version, Description, Website string

	Tools   []Feature
	Prompts []Feature
}

// Feature is a tool or a prompt.
type Feature struct {
	Name, Description string
	Arguments         []string // for a prompt
}

// file returns the path of a platform's program in the bundle.
func (p Platform) file(server string) string {
	if p.claim == "win32" {
		server += ".exe"
	}
	return programDir + server
}

// Manifest returns the manifest of the bundle. Members of the configuration take precedence over
// the source.
func (b *Bundle) Manifest(s *Server, c *Config) ([]byte, error) {
	if !named.MatchString(s.Name) {
		return nil, &Error{Problem: "the name of the server, " + s.Name + ", cannot name a file", Hint: "write //mcp:server name=NAME, with letters, digits, dots, dashes and underscores"}
	}
	var m tree
	m.text("manifest_version", manifestVersion)
	m.either("name", c, s.Name)
	m.either("display_name", c, s.Title)
	m.either("version", c, s.Version)
	m.either("description", c, s.Description)
	m.copy(c, "long_description", "author", "repository")
	m.either("homepage", c, s.Website)
	m.copy(c, "documentation", "support", "icon", "icons", "screenshots", "localization")
	if err := m.complete(c); err != nil {
		return nil, err
	}
	m.value("server", b.server(s, c))
	m.list("tools", s.Tools, toolEntry)
	m.copy(c, "tools_generated")
	m.list("prompts", s.Prompts, promptEntry)
	// The manifest requires a text for each prompt, but the server makes it: the client must
	// request it.
	if generated := c.get("prompts_generated"); generated != nil || len(s.Prompts) > 0 {
		m.value("prompts_generated", or(generated, jsontree.True))
	}
	m.copy(c, "keywords", "license", "privacy_policies")
	m.value("compatibility", b.compatibility(c))
	m.copy(c, "user_config", "_meta")
	var out bytes.Buffer
	if err := json.Indent(&out, m.object().JSON(), "", "  "); err != nil {
		return nil, fmt.Errorf("write manifest: %w", err)
	}
	out.WriteByte('\n')
	return out.Bytes(), nil
}

// complete checks the members that every manifest needs.
func (t *tree) complete(c *Config) error {
	var missing, sample []string
	for _, need := range []struct{ name, sample string }{
		{"version", `"version": "1.0.0"`}, {"description", `"description": "What the server does"`}, {"author", `"author": {"name": "Ada"}`},
	} {
		if t.object().Get(need.name) == nil {
			missing, sample = append(missing, need.name), append(sample, need.sample)
		}
	}
	if len(missing) > 0 {
		e := &Error{
			Problem: "a bundle needs " + strings.Join(missing, " and ") + " of the server, which neither the source nor -config contains",
			Hint:    "write {" + strings.Join(sample, ", ") + "} into a file, and name it: -config FILE",
		}
		if c != nil && c.name != "" {
			e.Hint = "write " + strings.Join(sample, ", ") + " into " + c.name
		}
		if slices.Contains(missing, "version") || slices.Contains(missing, "description") {
			e.Hint += "; //mcp:server has version= and description= too"
		}
		return e
	}
	if v := t.object().Str("version"); !semantic.MatchString(v) {
		return &Error{Problem: "the version of the server, " + v + ", is not a semantic version", Hint: "write //mcp:server version=1.4.0, or version in -config"}
	}
	return nil
}

// server returns the member server, by which a client starts the program.
func (b *Bundle) server(s *Server, c *Config) *jsontree.Value {
	const here = "${__dirname}/"
	first := b.platforms[0]
	var start, overrides tree
	start.text("command", here+first.file(s.Name))
	start.value("args", or(c.get("server", "mcp_config", "args"), &jsontree.Value{Kind: jsontree.Array}))
	start.value("env", or(c.get("server", "mcp_config", "env"), &jsontree.Value{Kind: jsontree.Object}))
	written := c.get("server", "mcp_config", "platform_overrides")
	for _, p := range b.platforms {
		var o tree
		if file := p.file(s.Name); file != first.file(s.Name) {
			o.text("command", here+file)
		}
		if own := written.Get(p.claim); own != nil {
			o = append(o, own.Members...)
		}
		if len(o) > 0 {
			overrides.value(p.claim, o.object())
		}
	}
	if len(overrides) > 0 {
		start.value("platform_overrides", overrides.object())
	}
	var server tree
	server.text("type", "binary")
	server.text("entry_point", first.file(s.Name))
	server.value("mcp_config", start.object())
	return server.object()
}

// compatibility names the systems for which the bundle contains programs.
func (b *Bundle) compatibility(c *Config) *jsontree.Value {
	var m tree
	if v := c.get("compatibility"); v != nil {
		m = append(m, v.Members...)
	}
	systems := &jsontree.Value{Kind: jsontree.Array}
	for _, claim := range []string{"darwin", "win32", "linux"} {
		if b.claims(claim) {
			systems.Items = append(systems.Items, text(claim))
		}
	}
	m.value("platforms", systems)
	return m.object()
}

func toolEntry(f Feature) *jsontree.Value {
	var m tree
	m.text("name", f.Name)
	m.text("description", f.Description)
	return m.object()
}

// promptEntry returns an entry with a text for clients that show only the manifest: the description
// and arguments.
func promptEntry(f Feature) *jsontree.Value {
	shown := []string{f.Description}
	if f.Description == "" {
		shown[0] = f.Name
	}
	names := &jsontree.Value{Kind: jsontree.Array}
	for _, name := range f.Arguments {
		names.Items = append(names.Items, text(name))
		shown = append(shown, name+": ${arguments."+name+"}")
	}
	var m tree
	m.text("name", f.Name)
	m.text("description", f.Description)
	if len(names.Items) > 0 {
		m.value("arguments", names)
	}
	m.text("text", strings.Join(shown, "\n"))
	return m.object()
}

// tree is an object in progress, with its members in order.
type tree []jsontree.Member

func (t *tree) value(name string, v *jsontree.Value) {
	*t = append(*t, jsontree.Member{Name: name, Value: v})
}

// text adds a string that is not empty.
func (t *tree) text(name, s string) {
	if s != "" {
		t.value(name, text(s))
	}
}

// copy adds the members that the configuration sets.
func (t *tree) copy(c *Config, names ...string) {
	for _, name := range names {
		if v := c.get(name); v != nil {
			t.value(name, v)
		}
	}
}

// either adds a member of the configuration, or a string that is not empty.
func (t *tree) either(name string, c *Config, s string) {
	if v := c.get(name); v != nil {
		t.value(name, v)
		return
	}
	t.text(name, s)
}

// list adds features in the order of their names, unless they are empty.
func (t *tree) list(name string, features []Feature, entry func(Feature) *jsontree.Value) {
	sorted := slices.SortedFunc(slices.Values(features), func(a, b Feature) int { return strings.Compare(a.Name, b.Name) })
	array := &jsontree.Value{Kind: jsontree.Array}
	for _, f := range sorted {
		array.Items = append(array.Items, entry(f))
	}
	if len(sorted) > 0 {
		t.value(name, array)
	}
}

func (t *tree) object() *jsontree.Value { return &jsontree.Value{Kind: jsontree.Object, Members: *t} }

func text(s string) *jsontree.Value { return &jsontree.Value{Kind: jsontree.Text, Text: s} }

func or(v, otherwise *jsontree.Value) *jsontree.Value {
	if v != nil {
		return v
	}
	return otherwise
}
