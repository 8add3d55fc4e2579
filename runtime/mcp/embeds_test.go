package mcp_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/mcpgen/mcpgen/internal/proof/spec"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpimpl"
)

// A server with tools that may embed resources declares resources, even without any; a server with
// other tools does not.
func TestToolsThatEmbed(t *testing.T) {
	spec.Holds(t, "S207")
	call := func(context.Context, *mcp.Request) (*mcp.ToolResult, error) { return mcp.TextResult("done"), nil }
	offersResources(t, "a tool of a function", mcpimpl.FuncTool(empty("a", false), call), false)
	offersResources(t, "a tool that embeds",
		mcpimpl.FuncTool(&mcp.ToolInfo{Name: "a", InputSchema: `{"type":"object"}`, Embeds: true}, call), true)
	offersResources(t, "a tool by hand",
		mcp.NewTool(mcp.ToolInfo{Name: "a"}, func(context.Context, json.RawMessage) (*mcp.ToolResult, error) {
			return mcp.ContentResult(mcp.EmbeddedResource{URI: "a:b", Text: "x"}), nil
		}), true)
}

// The same holds for prompts.
func TestPromptsThatEmbed(t *testing.T) {
	embedded := mcp.PromptMessages(mcp.FromUser(mcp.EmbeddedResource{URI: "a:b", Text: "x"}))
	get := func(context.Context, *mcp.Request) (*mcp.PromptResult, error) { return embedded, nil }
	text := func(context.Context, *mcp.Request) (*mcp.PromptResult, error) { return mcp.PromptText("x"), nil }
	offersResources(t, "a prompt of a function", mcpimpl.FuncPrompt(&mcp.PromptInfo{Name: "a"}, text), false)
	offersResources(t, "a prompt that embeds", mcpimpl.FuncPrompt(&mcp.PromptInfo{Name: "a", Embeds: true}, get), true)
	offersResources(t, "a prompt by hand",
		mcp.NewPrompt(mcp.PromptInfo{Name: "a"}, func(context.Context, map[string]string) (*mcp.PromptResult, error) {
			return embedded, nil
		}), true)
}

// offersResources checks, in each revision, whether a server with this feature only declares the
// capability resources and answers their lists.
func offersResources(t *testing.T, name string, feature mcp.Feature, want bool) {
	t.Helper()
	for _, revision := range everyRevision {
		synctest.Test(t, func(t *testing.T) {
			c, s := clientIn(t, revision)
			s.Register(feature)
			c.peer = dial(t, s, "memory")
			defer c.hangUp()
			method, members := "initialize", `"protocolVersion":"`+revision+`","capabilities":{},"clientInfo":{"name":"c","version":"1"}`
			if revision >= "2026" {
				method, members = "server/discover", ""
			}
			said := c.ask(method, members)
			if declared := strings.Contains(said[0], `"resources":{`); declared != want {
				t.Errorf("%s in %s: %s", name, revision, said[0])
			}
			c.send(initialized + "\n")
			for _, list := range []string{"resources/list", "resources/templates/list"} {
				if said := c.ask(list, ""); strings.Contains(said[0], `[]`) != want {
					t.Errorf("%s in %s: %s", name, revision, said[0])
				}
			}
		})
	}
}

// A server that declares resources because its tools embed some notifies clients of the first
// resource and of the first template that is added.
func TestFirstResourceOfToolsThatEmbed(t *testing.T) {
	const changed = "notifications/resources/list_changed"
	tool := mcpimpl.FuncTool(&mcp.ToolInfo{Name: "a", InputSchema: `{"type":"object"}`, Embeds: true},
		func(context.Context, *mcp.Request) (*mcp.ToolResult, error) { return mcp.TextResult("done"), nil })
	template := mcp.NewTemplate(mcp.TemplateInfo{URITemplate: "test://{name}", Name: "part"},
		func(context.Context, string, map[string]string) (*mcp.ResourceResult, error) {
			return nil, mcp.ErrNotFound
		})
	for _, added := range []mcp.Feature{motto, template} {
		for _, revision := range everyRevision {
			for _, left := range [][]mcp.ServerCapability{nil, {mcp.ServerResourcesListChanged}} {
				synctest.Test(t, func(t *testing.T) {
					c, s := clientIn(t, revision, mcp.WithoutCapabilities(left...))
					s.Register(tool)
					c.dial(t, s)
					defer c.hangUp()
					if revision >= "2026" {
						said := c.ask("subscriptions/listen", `"notifications":{"toolsListChanged":true,"resourcesListChanged":true}`)
						if got := strings.Contains(strings.Join(said, ""), `"resourcesListChanged":true`); got != (left == nil) {
							t.Errorf("%s without %v: acknowledged %s", revision, left, said)
						}
					}
					if left != nil {
						return // registering a resource now panics
					}
					s.Register(added)
					synctest.Wait()
					if got := c.received(); len(got) != 1 || !strings.Contains(got[0], changed) {
						t.Errorf("%s: %s is registered, received %q", revision, added.Info().Name, got)
					}
				})
			}
		}
	}
}
