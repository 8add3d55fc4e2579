package mcp_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// A tool that clients would drop is a mistake in the program.
func TestRegisterRefusesHeaderParams(t *testing.T) {
	f := mcp.NewTool(mcp.ToolInfo{Name: "t", InputSchema: `{"type":"object","properties":{"a":{"type":"number","x-mcp-header":"A"}}}`},
		func(context.Context, json.RawMessage) (*mcp.ToolResult, error) { return nil, nil })
	s := mcp.NewServer(mcp.ServerInfo{Name: "s"})
	defer func() {
		const want = `mcp: input schema of tool "t": x-mcp-header at a: needs "type":"string", "integer" or "boolean", and no other type besides`
		if got := recover(); got != want {
			t.Errorf("%v, want %s", got, want)
		}
		if len(s.Features()) > 0 {
			t.Error("the tool is registered")
		}
	}()
	s.Register(f)
}

// Transports find the arguments under every name of the tool.
func TestHeaderParamsOfTool(t *testing.T) {
	s := mcp.NewServer(mcp.ServerInfo{Name: "s"})
	mcp.Prefix(s, "shop").Register(mcp.NewTool(mcp.ToolInfo{
		Name: "t", Aliases: []string{"old"}, InputSchema: `{"type":"object","properties":{"a":{"type":"string","x-mcp-header":"A"}}}`,
	}, func(context.Context, json.RawMessage) (*mcp.ToolResult, error) { return nil, nil }))
	for _, name := range []string{"shop_t", "shop_old"} {
		if got := s.Transport().HeaderParams(name); len(got) != 1 || got[0].Header != "Mcp-Param-A" {
			t.Errorf("%s: %v", name, got)
		}
	}
	if got := s.Transport().HeaderParams("other"); got != nil {
		t.Errorf("other: %v", got)
	}
}
