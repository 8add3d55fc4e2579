package mcpimpl

import (
	"context"

	"github.com/mcpgen/mcpgen/runtime/internal/friend"
	"github.com/mcpgen/mcpgen/runtime/mcp"
)

type (
	resourceFunc = func(ctx context.Context, req *mcp.Request) (*mcp.ResourceResult, error)
	completers   = map[string]mcp.CompleteFunc
)

// funcs are functions of package mcp that it does not export.
var funcs = mcp.ImplFuncs(friend.Key{})
