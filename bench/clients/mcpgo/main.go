// Mcpgo calls a server by mcp-go.
package main

import (
	"context"
	"encoding/json"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/mcpgen/mcpgen/bench/clients/load"
)

func main() {
	load.Main(func(ctx context.Context, to load.Server) (*load.Client, error) {
		c, err := connect(ctx, to)
		if err != nil {
			return nil, err
		}
		request := mcp.InitializeRequest{}
		request.Params.ProtocolVersion = mcp.LATEST_PROTOCOL_VERSION
		request.Params.ClientInfo = mcp.Implementation{Name: "bench", Version: "1"}
		if _, err := c.Initialize(ctx, request); err != nil {
			return nil, err
		}
		return &load.Client{
			Call: func(ctx context.Context, arguments json.RawMessage) (string, any, error) {
				call := mcp.CallToolRequest{}
				call.Params.Name, call.Params.Arguments = "search", arguments
				r, err := c.CallTool(ctx, call)
				if err != nil {
					return "", nil, err
				}
				return r.Content[0].(mcp.TextContent).Text, r.StructuredContent, nil
			},
			Close: c.Close,
		}, nil
	})
}

func connect(ctx context.Context, to load.Server) (*client.Client, error) {
	if to.Path != "" {
		return client.NewStdioMCPClient(to.Path, nil)
	}
	c, err := client.NewStreamableHttpClient(to.URL)
	if err != nil {
		return nil, err
	}
	return c, c.Start(ctx)
}
