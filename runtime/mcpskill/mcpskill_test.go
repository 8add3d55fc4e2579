package mcpskill_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/internal/proof/spec"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpskill"
	"github.com/mcpgen/mcpgen/runtime/mcptest"
)

// verify reads every file of a manifest, and compares size and digest.
func verify(t testing.TB, c *mcptest.Client, manifest json.RawMessage) (uris []string) {
	t.Helper()
	var all []resource
	if err := json.Unmarshal(manifest, &all); err != nil {
		t.Fatalf("%s: %v", manifest, err)
	}
	for _, f := range all {
		got := c.Read(f.URI)
		data := got.Blob()
		if data == nil {
			data = []byte(got.Text())
		}
		if sum := sha256.Sum256(data); f.Digest != "sha256:"+hex.EncodeToString(sum[:]) || f.Size != len(data) {
			t.Errorf("%s: the entry has %s and %d bytes, and a read %d", f.URI, f.Digest, f.Size, len(data))
		}
		uris = append(uris, f.URI)
	}
	return uris
}

func TestListGetAndRead(t *testing.T) {
	spec.Holds(t, "S355", "S361", "S364", "S366", "S369", "S370", "S372")
	c := connect(t, server([]mcp.Feature{refunds()}))
	list, _ := call(t, c, "skills/list", nil)
	if len(list.Skills) != 1 || list.ResultType != "complete" || list.TTL == nil || list.CacheScope != "public" {
		t.Fatalf("%+v", list)
	}
	e := list.Skills[0]
	if e.URI != "skill://acme/refunds/SKILL.md" || string(e.Frontmatter) != string(front("refunds")) {
		t.Errorf("entry %s %s", e.URI, e.Frontmatter)
	}
	want := []string{
		"skill://acme/refunds/SKILL.md", "skill://acme/refunds/data/table.bin", "skill://acme/refunds/notes.md",
		"skill://acme/refunds/scripts/run%20me.py", "skill://acme/refunds/templates/de/mail.md", "skill://acme/refunds/templates/mail.md",
	}
	if got := verify(t, c, e.Resources); !slices.Equal(got, want) {
		t.Errorf("files %q", got)
	}
	got, _ := call(t, c, "skills/get", map[string]any{"uri": e.URI})
	if got.Skill.URI != e.URI || string(got.Skill.Resources) != string(e.Resources) || got.TTL == nil || got.CacheScope == "" || got.ResultType != "complete" {
		t.Errorf("%+v", got)
	}
	for _, uri := range []string{"skill://acme/refunds", "skill://acme/refunds/notes.md", "skill://acme/other/SKILL.md", ""} {
		if _, code := call(t, c, "skills/get", map[string]any{"uri": uri}); code != -32602 {
			t.Errorf("get %q: code %d", uri, code)
		}
		spec.Holds(t, "S376")
		if _, err := c.Request("skills/get", map[string]any{"uri": uri}); !strings.Contains(err.Error(), "no skill is served at "+uri) {
			t.Errorf("get %q: %v", uri, err)
		}
	}
	// SKILL.md alone is in the list of resources.
	all := c.Resources()
	if len(all) != 1 || all[0].URI != e.URI || all[0].Name != "refunds" || all[0].Description != "Does refunds." ||
		all[0].MIMEType != "text/markdown" || all[0].Size != int64(len(text("refunds"))) {
		t.Errorf("resources %+v", all)
	}
	if got := c.Read("skill://acme/refunds/data/table.bin"); got.Contents[0].MIMEType != "application/octet-stream" || got.Blob() == nil {
		t.Errorf("%+v", got.Contents)
	}
	if got := c.Read("skill://acme/refunds/scripts/run%20me.py"); got.Contents[0].MIMEType != "text/x-python" || got.Text() != "print(1)\n" {
		t.Errorf("%+v", got.Contents)
	}
}

func TestDirectories(t *testing.T) {
	spec.Holds(t, "S356", "S369", "S373", "S374")
	c := connect(t, server([]mcp.Feature{refunds()}))
	for uri, want := range map[string][]string{
		"skill://acme":                        {"skill://acme/refunds inode/directory"},
		"skill://acme/refunds/templates/de":   {"skill://acme/refunds/templates/de/mail.md text/markdown"},
		"skill://acme/refunds/templates":      {"skill://acme/refunds/templates/de inode/directory", "skill://acme/refunds/templates/mail.md text/markdown"},
		"skill://acme/refunds":                {"skill://acme/refunds/SKILL.md text/markdown", "skill://acme/refunds/data inode/directory", "skill://acme/refunds/notes.md text/markdown", "skill://acme/refunds/scripts inode/directory", "skill://acme/refunds/templates inode/directory"},
		"skill://acme/refunds/":               nil,
		"skill://acme/refunds/SKILL.md":       nil,
		"skill://acme/refunds/templates/none": nil,
		"skill://acm":                         nil,
		"skill://":                            nil,
		"skill:":                              nil,
	} {
		got, code := call(t, c, "resources/directory/read", map[string]any{"uri": uri})
		var have []string
		for _, r := range got.Resources {
			have = append(have, r.URI+" "+r.MIMEType)
		}
		if !slices.Equal(have, want) || (code == -32602) != (want == nil) {
			t.Errorf("%s: %q, code %d", uri, have, code)
		}
	}
}

func TestTreeWithNestedSkills(t *testing.T) {
	spec.Holds(t, "S364")
	fsys := files("skills/outer/SKILL.md", text("outer"), "skills/outer/a.md", "a", "skills/outer/deep/inner/SKILL.md", text("inner"),
		"skills/outer/deep/inner/b.md", "b", "skills/readme.md", "not of a skill")
	info := &mcpskill.TreeInfo{URI: "skill://acme/", Root: "skills", Blocks: []mcpskill.Block{block("outer", "outer"), block("outer/deep/inner", "inner")}}
	s := server(mcpskill.Tree(info, fsys))
	c := connect(t, s)
	list, _ := call(t, c, "skills/list", nil)
	if len(list.Skills) != 2 {
		t.Fatalf("%+v", list)
	}
	if got := verify(t, c, list.Skills[0].Resources); len(got) != 4 {
		t.Errorf("outer has %q", got)
	}
	if got := verify(t, c, list.Skills[1].Resources); len(got) != 2 {
		t.Errorf("inner has %q", got)
	}
	// Without the nested skill, the manifest of the outer one would name files without a feature.
	s.Unregister(mcp.KindResource, "skill://acme/outer/deep/inner/SKILL.md")
	if list, _ := call(t, c, "skills/list", nil); len(list.Skills) != 0 || len(c.Resources()) != 0 {
		t.Errorf("%+v", list)
	}
	if _, code := call(t, c, "skills/get", map[string]any{"uri": "skill://acme/outer/SKILL.md"}); code != -32602 {
		t.Errorf("code %d", code)
	}
}

func TestDynamic(t *testing.T) {
	spec.Holds(t, "S367", "S375")
	now := text("daily")
	var failure error
	f := mcpskill.Dynamic(mcpskill.Info{URI: "skill://reports/daily", Frontmatter: front("daily")}, func(context.Context) (string, error) { return now, failure })
	data := mcp.TextResource(&mcp.ResourceInfo{URI: "skill://reports/daily/data.csv", Name: "data"}, "1,2")
	c := connect(t, server([]mcp.Feature{f, data}))
	list, _ := call(t, c, "skills/list", nil)
	if len(list.Skills) != 1 || string(list.Skills[0].Resources) != `"dynamic"` {
		t.Fatalf("%+v", list)
	}
	now += "changed"
	if got := c.Read("skill://reports/daily/SKILL.md"); got.Text() != now || got.Contents[0].MIMEType != "text/markdown" {
		t.Errorf("%+v", got)
	}
	if got, _ := call(t, c, "resources/directory/read", map[string]any{"uri": "skill://reports/daily"}); len(got.Resources) != 2 {
		t.Errorf("%+v", got)
	}
	for _, wrong := range []string{"no frontmatter", ""} {
		now = wrong
		if _, code := call(t, c, "resources/read", map[string]any{"uri": "skill://reports/daily/SKILL.md"}); code != -32603 {
			t.Errorf("code %d", code)
		}
	}
	failure = errors.New("no")
	if _, code := call(t, c, "resources/read", map[string]any{"uri": "skill://reports/daily/SKILL.md"}); code != -32603 {
		t.Errorf("code %d", code)
	}
}
