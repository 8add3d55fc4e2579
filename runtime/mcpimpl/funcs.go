package mcpimpl

import (
	"context"

	"github.com/mcpgen/mcpgen/runtime/internal/friend"
	"github.com/mcpgen/mcpgen/runtime/mcp"
)

type (
	toolFunc     = func(ctx context.Context, req *mcp.Request) (*mcp.ToolResult, error)
	resourceFunc = func(ctx context.Context, req *mcp.Request) (*mcp.ResourceResult, error)
	promptFunc   = func(ctx context.Context, req *mcp.Request) (*mcp.PromptResult, error)
	completers   = map[string]mcp.CompleteFunc
)

// funcs are functions of package mcp that it does not export.
var funcs = mcp.ImplFuncs(friend.Key{})
