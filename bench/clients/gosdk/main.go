// Gosdk calls a server by the official SDK.
package main

import (
	"context"
	"encoding/json"
	"os/exec"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpgen/mcpgen/bench/clients/load"
)

func main() {
	load.Main(func(ctx context.Context, to load.Server) (*load.Client, error) {
		var transport mcp.Transport = &mcp.StreamableClientTransport{Endpoint: to.URL, DisableStandaloneSSE: true}
		if to.Path != "" {
			transport = &mcp.CommandTransport{Command: exec.Command(to.Path)}
		}
		s, err := mcp.NewClient(&mcp.Implementation{Name: "bench", Version: "1"}, nil).Connect(ctx, transport, nil)
		if err != nil {
			return nil, err
		}
		return &load.Client{
			Call: func(ctx context.Context, arguments json.RawMessage) (string, any, error) {
				r, err := s.CallTool(ctx, &mcp.CallToolParams{Name: "search", Arguments: arguments})
				if err != nil {
					return "", nil, err
				}
				return r.Content[0].(*mcp.TextContent).Text, r.StructuredContent, nil
			},
			Close: s.Close,
		}, nil
	})
}
