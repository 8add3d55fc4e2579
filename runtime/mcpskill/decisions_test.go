package mcpskill_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/internal/proof/spec"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcphttp"
	"github.com/mcpgen/mcpgen/runtime/mcpskill"
	"github.com/mcpgen/mcpgen/runtime/mcptest"
)

// view is what a client can reach of the skill of refunds.
func view(t *testing.T, c *mcptest.Client) string {
	t.Helper()
	const dir = "skill://acme/refunds"
	list, _ := call(t, c, "skills/list", nil)
	listed := slices.ContainsFunc(list.Skills, func(e entry) bool { return e.URI == dir+"/SKILL.md" })
	_, get := call(t, c, "skills/get", map[string]any{"uri": dir + "/SKILL.md"})
	_, main := call(t, c, "resources/read", map[string]any{"uri": dir + "/SKILL.md"})
	_, file := call(t, c, "resources/read", map[string]any{"uri": dir + "/notes.md"})
	_, directory := call(t, c, "resources/directory/read", map[string]any{"uri": dir + "/templates"})
	_, above := call(t, c, "resources/directory/read", map[string]any{"uri": "skill://acme"})
	all, _ := call(t, c, "resources/list", nil)
	resource := slices.ContainsFunc(all.Resources, func(r resource) bool { return r.URI == dir+"/SKILL.md" })
	return fmt.Sprint(listed, get, main, file, directory, above, resource)
}

const (
	seen   = "true 0 0 0 0 0 true"
	unseen = "false -32602 -32602 -32602 -32602 -32602 false"
	none   = "false -32601 -32602 -32602 -32601 -32601 false" // the server has no skill
)

func skillWith(change func(*mcpskill.Info)) mcp.Feature {
	info := mcpskill.Info{URI: "skill://acme/refunds", Frontmatter: front("refunds")}
	change(&info)
	return mcpskill.New(info, files("SKILL.md", text("refunds"), "notes.md", "n", "templates/a.md", "a"))
}

func toolOf(name string, groups ...string) mcp.Feature {
	return mcp.NewTool(mcp.ToolInfo{Name: name, Groups: groups, InputSchema: `{"type":"object"}`}, func(context.Context, json.RawMessage) (*mcp.ToolResult, error) { return nil, nil })
}

// What decides on resources decides on all parts of a skill alike.
func TestOneDecision(t *testing.T) {
	grouped := skillWith(func(i *mcpskill.Info) { i.Groups = []string{"shop"} })
	hides := func(name string) mcp.Option {
		return mcp.WithAccess(mcp.Visible(func(_ context.Context, f mcp.FeatureInfo) bool { return f.Name != name }))
	}
	policy := func(p mcp.Policy) []mcp.Option {
		return []mcp.Option{mcp.WithPolicy(p), mcp.WithAccess(mcp.PolicyAccess(p))}
	}
	spec.Holds(t, "S375") // of a file that is not served
	for _, c := range []struct {
		name   string
		want   string
		either []mcp.Option // each alone; a policy of the server is the first
	}{
		{"visible", seen, []mcp.Option{hides("other")}},
		{"hidden", unseen, []mcp.Option{hides("refunds")}},
		{"hidden tool", unseen, []mcp.Option{hides("search")}},
		{"denied by its group", unseen, policy(mcp.Policy{Deny: []string{"group:shop"}})},
		{"denied by its URI", unseen, policy(mcp.Policy{Deny: []string{"skill://acme/refunds/SKILL.md"}})},
		{"denied by the URI of a file", unseen, policy(mcp.Policy{Deny: []string{"skill://acme/refunds/templates/*"}})},
		{"denied in another spelling", unseen, policy(mcp.Policy{Deny: []string{"SKILL://acme/refunds/NOTES.md"}})},
		{"other URI denied", seen, policy(mcp.Policy{Deny: []string{"skill://acme/refunds/none/*"}})},
		{"allowed by SKILL.md alone", seen, policy(mcp.Policy{Allow: []string{"skill://acme/refunds/SKILL.md", "search"}})},
		{"other allowed", unseen, policy(mcp.Policy{Allow: []string{"skill://acme/other/*", "search"}})},
		{"tool not allowed", unseen, policy(mcp.Policy{Allow: []string{"group:shop"}, Deny: []string{"search"}})},
		{"left out by a function", unseen, policy(mcp.Policy{Select: func(f mcp.FeatureInfo) bool { return f.Name != "refunds" }})},
	} {
		for i, option := range c.either {
			skill := grouped
			if strings.Contains(c.name, "tool") || c.name == "visible" {
				skill = skillWith(func(i *mcpskill.Info) { i.Groups, i.Tools = []string{"shop"}, []string{"search"} })
			}
			other := mcp.TextResource(&mcp.ResourceInfo{URI: "book://1", Name: "other", Groups: []string{"shop"}}, "1")
			want := c.want
			if want == unseen && len(c.either) == 2 && i == 0 && c.name != "tool not allowed" {
				want = none
			}
			if got := view(t, connect(t, server([]mcp.Feature{skill, toolOf("search"), other}, option))); got != want {
				t.Errorf("%s: %s", c.name, got)
			}
		}
	}
}

// A skill that WithListed leaves out of lists can be got and read.
func TestUnlisted(t *testing.T) {
	spec.Holds(t, "S371")
	s := server([]mcp.Feature{skillWith(func(*mcpskill.Info) {})}, mcp.WithListed(func(f mcp.FeatureInfo) bool { return f.Name != "refunds" }))
	if got := view(t, connect(t, s)); got != "false 0 0 0 0 0 false" {
		t.Error(got)
	}
}

// A template does not answer for the files of a skill that the caller does not see, in whichever
// spelling.
func TestNoTemplateAnswersForHiddenFiles(t *testing.T) {
	all := mcp.NewTemplate(mcp.TemplateInfo{URITemplate: "skill://{+path}", Name: "all"}, func(context.Context, string, map[string]string) (*mcp.ResourceResult, error) {
		return mcp.TextContents("leaked"), nil
	})
	for name, option := range map[string]mcp.Option{
		"access": mcp.WithAccess(mcp.Visible(func(_ context.Context, f mcp.FeatureInfo) bool { return f.Name != "refunds" })),
		"policy": mcp.WithPolicy(mcp.Policy{Deny: []string{"group:shop"}}),
	} {
		s := server([]mcp.Feature{skillWith(func(i *mcpskill.Info) { i.Groups = []string{"shop"} }), all}, option)
		c := connect(t, s)
		for _, uri := range []string{"SKILL.md", "notes.md", "n%6Ftes.md", "templates/a.md", "templates%2Fa.md"} {
			if _, code := call(t, c, "resources/read", map[string]any{"uri": "skill://acme/refunds/" + uri}); code != -32602 {
				t.Errorf("%s: %s: code %d", name, uri, code)
			}
		}
	}
}

// Scopes of a skill and of its tools are refused together, by the same error as for resources.
func TestScopes(t *testing.T) {
	skill := skillWith(func(i *mcpskill.Info) { i.Scopes, i.Tools = []string{"refunds:read"}, []string{"search"} })
	tool := mcp.NewTool(mcp.ToolInfo{Name: "search", Scopes: []string{"shop:read"}, InputSchema: `{"type":"object"}`}, func(context.Context, json.RawMessage) (*mcp.ToolResult, error) { return nil, nil })
	s := server([]mcp.Feature{skill, tool}, mcp.WithAccess(mcp.AccessFunc(func(_ context.Context, f mcp.FeatureInfo) error {
		if len(f.Scopes) > 0 {
			return &mcp.AccessError{Scopes: f.Scopes, StepUp: true}
		}
		return nil
	})))
	c := connect(t, s)
	if got := view(t, c); got != "true -32603 -32603 -32603 0 0 true" {
		t.Error(got)
	}
	for _, method := range []string{"skills/get", "resources/read"} {
		if _, err := c.Request(method, map[string]any{"uri": "skill://acme/refunds/SKILL.md"}); err == nil || !strings.Contains(err.Error(), "scope") {
			t.Errorf("%s: %v", method, err)
		}
	}
}

// A URL with groups narrows skills as it narrows resources.
func TestGroupsOfAURL(t *testing.T) {
	s := server([]mcp.Feature{
		skillWith(func(i *mcpskill.Info) { i.Groups = []string{"shop"} }),
		mcp.TextResource(&mcp.ResourceInfo{URI: "book://1", Name: "other", Groups: []string{"books"}}, "1"),
	})
	web := httptest.NewServer(mcphttp.NewHandler(s, mcphttp.WithGroups()))
	defer web.Close()
	for group, want := range map[string]bool{"shop": true, "books": false} {
		body := `{"jsonrpc":"2.0","id":1,"method":"skills/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}}`
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, web.URL+"?groups="+group, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Accept", "application/json, text/event-stream")
		req.Header.Set("MCP-Protocol-Version", "2026-07-28")
		req.Header.Set("Mcp-Method", "skills/list")
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		if err := resp.Body.Close(); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(got), "skill://acme/refunds/SKILL.md") != want || resp.StatusCode != http.StatusOK {
			t.Errorf("%s: %d %s", group, resp.StatusCode, got)
		}
	}
}

// Prefixes rename the skill and the tools that it names; Override changes what is listed, not the
// entry, and Select leaves a skill out.
func TestRegistrars(t *testing.T) {
	skill := skillWith(func(i *mcpskill.Info) { i.Tools = []string{"search"} })
	s := server(nil)
	renamed := mcp.Override(mcp.Prefix(s, "shop"), mcp.Overrides{Resource: func(i *mcp.ResourceInfo) { i.Description = "Changed." }})
	renamed.Register(skill)
	renamed.Register(toolOf("search"))
	c := connect(t, s)
	if got := view(t, c); got != seen {
		t.Error(got)
	}
	if r := c.Resources()[0]; r.Name != "shop_refunds" || r.Description != "Changed." {
		t.Errorf("%+v", r)
	}
	got, _ := call(t, c, "skills/get", map[string]any{"uri": "skill://acme/refunds/SKILL.md"})
	if string(got.Skill.Frontmatter) != string(front("refunds")) {
		t.Errorf("%s", got.Skill.Frontmatter)
	}
	verify(t, c, got.Skill.Resources)

	bare := server(nil)
	mcp.Select(bare, func(f mcp.FeatureInfo) bool { return len(f.Files) == 0 }).Register(skill)
	if _, err := connect(t, bare).Request("skills/list", nil); err == nil {
		t.Error("a server without skills answers skills/list")
	}
}

// In revisions before 2026-07-28 the files are resources, and the methods of skills do not exist.
func TestRevisions(t *testing.T) {
	spec.Holds(t, "S355", "S356", "S357")
	for _, revision := range mcptest.Revisions() {
		c := mcptest.New(t, server([]mcp.Feature{refunds()}), mcptest.Options{Revision: revision})
		newest := revision == "2026-07-28"
		for _, method := range []string{"skills/list", "skills/get", "resources/directory/read"} {
			if _, code := call(t, c, method, map[string]any{"uri": "skill://acme/refunds/SKILL.md"}); !newest && code != -32601 || newest && code == -32601 {
				t.Errorf("%s: %s: code %d", revision, method, code)
			}
		}
		declared := string(c.Server().Capabilities["extensions"])
		if want := map[bool]string{true: `{"io.modelcontextprotocol/skills":{"directoryRead":true}}`}[newest]; declared != want {
			t.Errorf("%s declares %q", revision, declared)
		}
		if c.Server().Capabilities["resources"] == nil {
			t.Errorf("%s: the capability resources is not declared", revision)
		}
		if c.Resources()[0].URI != "skill://acme/refunds/SKILL.md" || c.Read("skill://acme/refunds/notes.md").Text() != "# Notes\n" {
			t.Errorf("%s: the files are not resources", revision)
		}
	}
	plain := connect(t, server([]mcp.Feature{mcp.TextResource(&mcp.ResourceInfo{URI: "book://1", Name: "b"}, "1")}))
	if _, code := call(t, plain, "skills/list", nil); code != -32601 || plain.Server().Capabilities["extensions"] != nil {
		t.Errorf("a server without skills: code %d, %s", code, plain.Server().Capabilities["extensions"])
	}
}
