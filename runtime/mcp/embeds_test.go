package mcp_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/mcpgen/mcpgen/internal/spec"
	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// A server whose tools may embed resources offers resources, if none; one whose tools
// say that they do not, offers none.
func TestToolsThatEmbed(t *testing.T) {
	spec.Holds(t, "S207")
	call := func(context.Context, *mcp.Request) (*mcp.ToolResult, error) { return mcp.DoneResult(), nil }
	for name, test := range map[string]struct {
		tool   mcp.Feature
		embeds bool
	}{
		"of a function": {mcp.FuncTool(empty("a", false), call), false},
		"that embeds":   {mcp.FuncTool(&mcp.ToolInfo{Name: "a", InputSchema: `{"type":"object"}`, Embeds: true}, call), true},
		"by hand": {mcp.NewTool(mcp.ToolInfo{Name: "a"}, func(context.Context, json.RawMessage) (*mcp.ToolResult, error) {
			return mcp.ContentResult(mcp.EmbeddedResource{URI: "a:b", Text: "x"}), nil
		}), true},
	} {
		for _, revision := range everyRevision {
			synctest.Test(t, func(t *testing.T) {
				c, s := clientIn(t, revision)
				s.Register(test.tool)
				c.peer = dial(t, s, "memory")
				defer c.hangUp()
				method, members := "initialize", `"protocolVersion":"`+revision+`","capabilities":{},"clientInfo":{"name":"c","version":"1"}`
				if revision >= "2026" {
					method, members = "server/discover", ""
				}
				said := c.ask(method, members)
				if declared := strings.Contains(said[0], `"resources":{`); declared != test.embeds {
					t.Errorf("a tool %s in %s: %s", name, revision, said[0])
				}
				c.send(initialized + "\n")
				for _, list := range []string{"resources/list", "resources/templates/list"} {
					if said := c.ask(list, ""); strings.Contains(said[0], `[]`) != test.embeds {
						t.Errorf("a tool %s in %s: %s", name, revision, said[0])
					}
				}
			})
		}
	}
}
