package mcpfind_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpfind"
	"github.com/mcpgen/mcpgen/runtime/mcptest"
)

// Tools that pages alone call are in the list, where hosts look, and no search, hint or call by
// use_tool leads a model to them.
func TestToolsForPages(t *testing.T) {
	s := newShop(mcpfind.New())
	add := func(name string, ui *mcp.ToolUI) {
		s.Register(mcp.NewTool(mcp.ToolInfo{Name: name, Description: "Refreshes the dashboard.", Groups: []string{"pages"}, UI: ui, Hints: readOnly},
			func(context.Context, json.RawMessage) (*mcp.ToolResult, error) { return mcp.TextResult("done"), nil }))
	}
	add("dashboard", &mcp.ToolUI{ResourceURI: "ui://shop/dashboard"})
	add("dashboard_refresh", &mcp.ToolUI{Visibility: mcp.VisibleToApp})
	s.Register(mcp.TextResource(&mcp.ResourceInfo{URI: "ui://shop/dashboard", Name: "dashboard"}, "<!doctype html><title>a</title>"))
	c := mcptest.New(t, s, mcptest.Options{})
	var listed []string
	for _, tool := range c.Tools() {
		listed = append(listed, tool.Name)
	}
	for _, name := range []string{"dashboard", "dashboard_refresh", "search_tools"} {
		if !strings.Contains(strings.Join(listed, " ")+" ", name+" ") {
			t.Errorf("%s is not in the list %q", name, listed)
		}
	}
	if len(listed) > 10 {
		t.Errorf("the list has %d tools", len(listed))
	}
	if found := c.Call("search_tools", map[string]any{"query": "refresh dashboard"}).Text(); !strings.Contains(found, "dashboard") || strings.Contains(found, "dashboard_refresh") {
		t.Errorf("found %s", found)
	}
	refused := c.CallError("use_tool", map[string]any{"name": "dashboard_refresh", "arguments": map[string]any{}})
	if text := refused; !strings.Contains(text, `there is no tool "dashboard_refresh"`) || strings.Contains(text, "are dashboard_refresh") {
		t.Errorf("use_tool: %s", text)
	}
	if text := c.Call("dashboard_refresh", map[string]any{}).Text(); text != "done" {
		t.Errorf("the page gets %q", text)
	}
}
