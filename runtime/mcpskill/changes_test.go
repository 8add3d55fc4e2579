package mcpskill_test

import (
	"context"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/mcpgen/mcpgen/internal/proof/spec"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpclient"
	"github.com/mcpgen/mcpgen/runtime/mcpskill"
	"github.com/mcpgen/mcpgen/runtime/mcptest"
)

// Skills that are registered and removed while the server serves change the list of resources. The
// extension stays declared, and a skill follows the tools that it names.
func TestChanges(t *testing.T) {
	s := server([]mcp.Feature{toolOf("search")})
	c := connect(t, s)
	w := c.Watch(mcpclient.Filter{Resources: true})
	if _, code := call(t, c, "skills/list", nil); code != -32601 {
		t.Errorf("without a skill: code %d", code)
	}
	s.Register(skillWith(func(i *mcpskill.Info) { i.Tools = []string{"search"} }))
	changed(t, w)
	if got := view(t, c); got != seen {
		t.Error(got)
	}
	s.Unregister(mcp.KindTool, "search")
	changed(t, w)
	if got := view(t, c); got != unseen {
		t.Errorf("without its tool: %s", got)
	}
	s.Register(toolOf("search"))
	changed(t, w)
	if got := view(t, c); got != seen {
		t.Error(got)
	}
	if s.Unregister(mcp.KindResource, "skill://acme/refunds/notes.md") || !s.Unregister(mcp.KindResource, "skill://acme/refunds/SKILL.md") {
		t.Error("a skill is removed by the URI of its SKILL.md")
	}
	changed(t, w)
	if got := view(t, c); got != unseen {
		t.Error(got)
	}
}

// A client subscribes to each file, and is notified of it.
func TestSubscriptions(t *testing.T) {
	for _, option := range []mcp.Option{quiet, mcp.WithPolicy(mcp.Policy{Allow: []string{"skill://acme/refunds/SKILL.md"}})} {
		s := server([]mcp.Feature{refunds()}, option)
		const file = "skill://acme/refunds/notes.md"
		c := connect(t, s)
		w := c.Watch(mcpclient.Filter{URIs: []string{file}})
		s.ResourceUpdated(file)
		if got := w.Next(); got.URI != file {
			t.Errorf("%+v", got)
		}
		old := mcptest.New(t, s, mcptest.Options{Revision: "2025-11-25"})
		if _, code := call(t, old, "resources/subscribe", map[string]any{"uri": "skill://acme/refunds/none.md"}); code != -32002 {
			t.Errorf("code %d", code)
		}
	}
}

// Pages have whole entries, and go on at their position.
func TestPages(t *testing.T) {
	var features []mcp.Feature
	for i := range 7 {
		name := fmt.Sprintf("skill-%d", i)
		features = append(features,
			mcp.TextResource(&mcp.ResourceInfo{URI: "book://" + name, Name: name}, ""),
			mcpskill.New(mcpskill.Info{URI: "skill://many/" + name, Frontmatter: front(name)}, files("SKILL.md", text(name), "a.md", "a", "b/c.md", "b")))
	}
	everyone := mcp.WithAccess(mcp.Visible(func(context.Context, mcp.FeatureInfo) bool { return true }))
	for _, option := range []mcp.Option{quiet, everyone} {
		c := connect(t, server(features, option, mcp.WithLimits(mcp.Limits{PageSize: 3})))
		var sizes []int
		var uris []string
		for cursor, params := "-", map[string]any{}; cursor != ""; {
			page, code := call(t, c, "skills/list", params)
			if code != 0 {
				t.Fatalf("code %d", code)
			}
			sizes = append(sizes, len(page.Skills))
			for _, e := range page.Skills {
				uris = append(uris, e.URI)
				verify(t, c, e.Resources)
			}
			cursor = page.NextCursor
			params = map[string]any{"cursor": cursor}
		}
		if !slices.Equal(sizes, []int{3, 3, 1}) || len(slices.Compact(slices.Sorted(slices.Values(uris)))) != 7 {
			t.Errorf("pages of %v: %q", sizes, uris)
		}
		first, _ := call(t, c, "skills/list", nil)
		directory, _ := call(t, c, "resources/directory/read", map[string]any{"uri": "skill://many"})
		resources, _ := call(t, c, "resources/list", nil)
		got := slices.Clone(directory.Resources)
		for next := directory.NextCursor; next != ""; {
			page, code := call(t, c, "resources/directory/read", map[string]any{"uri": "skill://many", "cursor": next})
			if code != 0 {
				t.Fatalf("code %d", code)
			}
			got, next = append(got, page.Resources...), page.NextCursor
		}
		if len(got) != 7 || got[6].URI != "skill://many/skill-6" {
			t.Errorf("%+v", got)
		}
		// A cursor is one of its list, and of its directory.
		for _, wrong := range []struct{ method, uri, cursor string }{
			{"skills/list", "", resources.NextCursor},
			{"skills/list", "", directory.NextCursor},
			{"resources/list", "", first.NextCursor},
			{"resources/directory/read", "skill://many", first.NextCursor},
			{"resources/directory/read", "skill://many", resources.NextCursor},
			{"resources/directory/read", "skill://many/skill-1", directory.NextCursor},
			{"resources/directory/read", "skill://many", "x"},
			{"resources/directory/read", "skill://many", ""},
			{"skills/list", "", ""},
		} {
			if _, code := call(t, c, wrong.method, map[string]any{"uri": wrong.uri, "cursor": wrong.cursor}); code != -32602 {
				t.Errorf("%+v: code %d", wrong, code)
			}
		}
	}
}

// changed waits for the notification that the list of resources has changed.
func changed(t *testing.T, w *mcptest.Watch) {
	t.Helper()
	if got := w.Next(); got.Method != mcpclient.ResourcesChanged {
		t.Errorf("%+v", got)
	}
}

// panics returns the message of a panic.
func panics(t *testing.T, f func()) (message string) {
	t.Helper()
	defer func() { message = fmt.Sprint(recover()) }()
	f()
	return ""
}

func TestRefused(t *testing.T) {
	spec.Holds(t, "S358", "S359", "S368")
	good := files("SKILL.md", text("refunds"))
	info := mcpskill.Info{URI: "skill://acme/refunds", Frontmatter: front("refunds")}
	with := func(uri, frontmatter string) mcpskill.Info {
		return mcpskill.Info{URI: uri, Frontmatter: []byte(frontmatter)}
	}
	plus := func(pairs ...string) fstest.MapFS {
		return files(append([]string{"SKILL.md", text("refunds")}, pairs...)...)
	}
	link := plus()
	link["link.md"] = &fstest.MapFile{Data: []byte("SKILL.md"), Mode: fs.ModeSymlink | 0o777}
	var many []string
	for i := range 512 {
		many = append(many, fmt.Sprintf("f%03d", i), "x")
	}
	for _, c := range []struct {
		want string
		make func()
	}{
		{"differs from \"returns\"", func() { mcpskill.New(with("skill://acme/returns", string(front("refunds"))), good) }},
		{"has no description", func() { mcpskill.New(with("skill://acme/refunds", `{"name":"refunds"}`), good) }},
		{"ends with a slash", func() { mcpskill.New(with("skill://acme/refunds/", string(front("refunds"))), good) }},
		{"has no SKILL.md", func() { mcpskill.New(info, files("skill.md", text("refunds"))) }},
		{"does not begin with a frontmatter", func() { mcpskill.New(info, files("SKILL.md", "# Refunds")) }},
		{"is not UTF-8", func() { mcpskill.New(info, files("SKILL.md", text("refunds")+"\xff")) }},
		{"more than 512 files", func() { mcpskill.New(info, plus(many...)) }},
		{"more than 16777216 bytes", func() { mcpskill.New(info, plus("a", strings.Repeat("x", 16<<20))) }},
		{"link.md is not a regular file", func() { mcpskill.New(info, link) }},
		{"backslash", func() { mcpskill.New(info, plus(`a\b`, "x")) }},
		{"has no scheme", func() { mcpskill.Dynamic(with("refunds", string(front("refunds"))), nil) }},
		{"Limits.ResourceBytes", func() { server([]mcp.Feature{refunds()}, mcp.WithLimits(mcp.Limits{ResourceBytes: 20})) }},
		{"declares it itself", func() {
			server([]mcp.Feature{refunds()}, mcp.WithExtension(mcp.Extension{Name: "io.modelcontextprotocol/skills"}))
		}},
		{"needs the method skills/get", func() {
			server([]mcp.Feature{refunds()}, mcp.WithExtension(mcp.Extension{Name: "com.example/x", Methods: map[string]mcp.ExtensionFunc{"skills/get": nil}}))
		}},
		{"registered twice", func() {
			server([]mcp.Feature{refunds(), mcp.TextResource(&mcp.ResourceInfo{URI: "skill://acme/refunds/notes.md", Name: "n"}, "")})
		}},
		{`no such tool`, func() {
			s := server([]mcp.Feature{skillWith(func(i *mcpskill.Info) { i.Tools = []string{"serch"} }), toolOf("search")})
			s.Transport().NewMessage()
		}},
	} {
		if got := panics(t, c.make); !strings.Contains(got, c.want) {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
	mcpskill.New(info, plus(many[:2*511]...)) // 512 files
	mcpskill.New(info, plus("a", strings.Repeat("x", 16<<20-len(text("refunds")))))
}

func TestStaleTree(t *testing.T) {
	spec.Holds(t, "S362")
	tree := func(uri string, fsys fstest.MapFS, blocks ...mcpskill.Block) string {
		return panics(t, func() { mcpskill.Tree(&mcpskill.TreeInfo{URI: uri, Blocks: blocks, Symbol: "skills"}, fsys) })
	}
	one := files("one/SKILL.md", text("one"), "one/a.md", "a")
	if got := tree("skill://acme/", one, block("one", "one")); got != "<nil>" {
		t.Error(got)
	}
	changed := files("one/SKILL.md", text("one")+"more", "one/b.md", "b")
	if got := tree("skill://acme/", changed, block("one", "one")); got != "<nil>" {
		t.Errorf("a changed body: %s", got)
	}
	if got := tree("skill://", files("SKILL.md", text("one")), block(".", "one")); !strings.Contains(got, "skill:/") {
		t.Errorf("a root without a name: %s", got)
	}
	if got := tree("skill://one/", files("SKILL.md", text("one")), block("", "one")); got != "<nil>" {
		t.Errorf("a root that is the skill: %s", got)
	}
	for name, got := range map[string]string{
		"hash":     tree("skill://acme/", files("one/SKILL.md", strings.Replace(text("one"), "Does", "Did", 1)), block("one", "one")),
		"CRLF":     tree("skill://acme/", files("one/SKILL.md", strings.ReplaceAll(text("one"), "\n", "\r\n")), block("one", "one")),
		"no block": tree("skill://acme/", files("one/SKILL.md", text("one"), "two/SKILL.md", text("two")), block("one", "one")),
		"no file":  tree("skill://acme/", one, block("one", "one"), block("two", "two")),
	} {
		if !strings.Contains(got, "run go generate") {
			t.Errorf("%s: %s", name, got)
		}
	}
	if got := tree("skill://acme", one, block("one", "one")); !strings.Contains(got, "slash") {
		t.Error(got)
	}
}
