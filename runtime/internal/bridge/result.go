package bridge

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpclient"
)

// ToolResult reads the CallToolResult of a tool of another library, for the reverse: such a tool on
// a server of package mcp. The result aliases text.
func ToolResult(text json.RawMessage) (*mcp.ToolResult, error) {
	asks := false
	jsonrpc.Members(text, func(name, _ []byte) bool {
		asks = asks || string(name) == "inputRequests"
		return true
	})
	if asks {
		return nil, errors.New("the tool asks the client, which it cannot on a server of another library")
	}
	r, err := mcpclient.ReadToolResult(text)
	if err != nil {
		return nil, fmt.Errorf("read result: %w", err)
	}
	for _, block := range r.Content {
		if raw, unknown := block.(mcp.RawContent); unknown {
			return nil, fmt.Errorf("read result: a tool cannot return a block of type %q", raw.Type)
		}
	}
	delete(r.Meta, protocol.MetaServerInfo)
	return r, nil
}
