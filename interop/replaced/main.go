// Command replaced is a server that becomes a newer version of itself while clients are connected:
// after a call of replace, results of its tool find contain more members.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"log/slog"

	"github.com/mcpgen/mcpgen/interop/replaced/newer"
	"github.com/mcpgen/mcpgen/interop/replaced/older"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpcmd"
)

func main() {
	options := []mcpcmd.Option{mcpcmd.WithFlags(flag.CommandLine)}
	flag.Parse()
	mcpcmd.Main(newServer(), options...)
}

func newServer() *mcp.Server {
	s := mcp.NewServer(mcp.ServerInfo{Name: "replaced", Version: "1.0.0"}, mcp.WithLogger(slog.New(slog.DiscardHandler)))
	older.RegisterMCP(s)
	s.Register(mcp.NewTool(mcp.ToolInfo{
		Name: "replace", Description: "Replaces the tool find.", InputSchema: `{"type":"object"}`,
	}, func(context.Context, json.RawMessage) (*mcp.ToolResult, error) {
		s.Unregister(mcp.KindTool, "find")
		newer.RegisterMCP(s)
		return mcp.TextResult("replaced"), nil
	}))
	return s
}
