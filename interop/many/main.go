// Command many is a server with a hundred tools that lists three, which find and call the others.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"log/slog"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpcmd"
	"github.com/mcpgen/mcpgen/runtime/mcpfind"
)

func main() {
	options := []mcpcmd.Option{mcpcmd.WithFlags(flag.CommandLine)}
	flag.Parse()
	mcpcmd.Main(newServer(), options...)
}

func newServer() *mcp.Server {
	s := mcp.NewServer(mcp.ServerInfo{Name: "many", Version: "1.0.0"}, mcp.WithLogger(slog.New(slog.DiscardHandler)), mcpfind.New())
	for i := range 99 {
		s.Register(mcp.NewTool(mcp.ToolInfo{
			Name: fmt.Sprintf("room_%d", i), Description: fmt.Sprintf("Returns what is on room %d.", i), Groups: []string{"rooms"},
			Hints: mcp.ToolHints{ReadOnly: true},
		}, func(context.Context, json.RawMessage) (*mcp.ToolResult, error) {
			return mcp.TextResult(fmt.Sprintf("room %d", i)), nil
		}))
	}
	s.Register(mcp.NewTool(mcp.ToolInfo{
		Name: "borrow", Description: "Gives a book to a reader for two weeks.",
		InputSchema:  `{"type":"object","properties":{"title":{"type":"string","x-mcp-header":"Title"}},"required":["title"]}`,
		OutputSchema: `{"type":"object","properties":{"days":{"type":"integer"}},"required":["days"]}`,
	}, func(context.Context, json.RawMessage) (*mcp.ToolResult, error) {
		return &mcp.ToolResult{Structured: json.RawMessage(`{"days":14}`)}, nil
	}))
	return s
}
