package mcpgo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/mcpgen/mcpgen/runtime/internal/bridge"
	"github.com/mcpgen/mcpgen/runtime/internal/uimeta"
	ours "github.com/mcpgen/mcpgen/runtime/mcp"
)

// Tool returns a tool of mcp-go as a feature for a server of package mcp. The handler gets the
// arguments unchecked, as in mcp-go. Its context contains neither a session nor a server of mcp-go,
// so it cannot send notifications or ask the client; a result that asks for input is an error.
//
// It panics where [ours.NewTool] does, and if the tool cannot be encoded as JSON.
func Tool(t mcp.Tool, h server.ToolHandlerFunc) ours.Feature {
	text, err := json.Marshal(t)
	if err != nil {
		panic(fmt.Sprintf("mcpgo: tool %q: %v", t.Name, err))
	}
	var schemas struct {
		InputSchema, OutputSchema json.RawMessage
		Meta                      ours.Meta `json:"_meta"`
	}
	if err := json.Unmarshal(text, &schemas); err != nil {
		panic(fmt.Sprintf("mcpgo: tool %q: %v", t.Name, err))
	}
	a := t.Annotations
	hint := func(p *bool, otherwise bool) bool {
		if p == nil {
			return otherwise
		}
		return *p
	}
	readOnly := hint(a.ReadOnlyHint, false)
	info := ours.ToolInfo{
		Name: t.Name, Title: t.Title, Description: t.Description,
		InputSchema: string(schemas.InputSchema), OutputSchema: string(schemas.OutputSchema), UI: uimeta.Take(schemas.Meta), Meta: schemas.Meta,
		Hints: ours.ToolHints{
			ReadOnly: readOnly, Destructive: hint(a.DestructiveHint, !readOnly),
			Idempotent: hint(a.IdempotentHint, false), OpenWorld: hint(a.OpenWorldHint, true),
		},
	}
	if info.Title == "" {
		info.Title = a.Title
	}
	return ours.NewTool(info, func(ctx context.Context, arguments json.RawMessage) (*ours.ToolResult, error) {
		req := mcp.CallToolRequest{Header: ours.CallFrom(ctx).Header()}
		req.Method = string(mcp.MethodToolsCall)
		req.Params.Name, req.Params.RawArguments = t.Name, arguments
		if err := json.Unmarshal(arguments, &req.Params.Arguments); err != nil {
			return nil, fmt.Errorf("read arguments: %w", err)
		}
		result, err := h(ctx, req)
		if err != nil {
			return nil, err
		}
		if result == nil {
			return nil, errors.New("the tool of mcp-go has returned no result")
		}
		text, err := json.Marshal(result)
		if err != nil {
			return nil, fmt.Errorf("write result: %w", err)
		}
		return bridge.ToolResult(text)
	})
}
