// Mcpgo is the client of mcp-go.
package main

import (
	"context"
	"encoding/json"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/mcpgen/mcpgen/interop/hostile/probe"
)

// answers answers questions to the user.
type answers struct{ asked func() }

func (a answers) Elicit(context.Context, mcp.ElicitationRequest) (*mcp.ElicitationResult, error) {
	a.asked()
	return &mcp.ElicitationResult{ElicitationResponse: mcp.ElicitationResponse{Action: mcp.ElicitationResponseActionAccept, Content: map[string]any{}}}, nil
}

func main() {
	probe.Main(func(ctx context.Context, to probe.Server, asked func()) (*probe.Client, error) {
		var way transport.Interface
		var err error
		switch to.Over {
		case "stdio":
			way = transport.NewStdioWithOptions(to.Path, nil, []string{to.Row})
		case "http":
			way, err = transport.NewStreamableHTTP(to.URL)
		case "sse":
			way, err = transport.NewSSE(to.URL)
		}
		if err != nil {
			return nil, err
		}
		c := client.NewClient(way, client.WithElicitationHandler(answers{asked}))
		if err := c.Start(ctx); err != nil {
			return nil, err
		}
		request := mcp.InitializeRequest{}
		request.Params.ProtocolVersion = mcp.LATEST_PROTOCOL_VERSION
		request.Params.ClientInfo = mcp.Implementation{Name: "probe", Version: "1"}
		if _, err := c.Initialize(ctx, request); err != nil {
			return nil, err
		}
		return &probe.Client{
			Call: func(ctx context.Context) (string, error) {
				call := mcp.CallToolRequest{}
				call.Params.Name = "tool"
				r, err := c.CallTool(ctx, call)
				if err != nil {
					return "", err
				}
				text := ""
				for _, block := range r.Content {
					if t, ok := block.(mcp.TextContent); ok {
						text += t.Text
					}
				}
				if r.StructuredContent != nil {
					structured, err := json.Marshal(r.StructuredContent)
					return text + string(structured), err
				}
				return text, nil
			},
			List: func(ctx context.Context) (int, error) {
				r, err := c.ListTools(ctx, mcp.ListToolsRequest{})
				if err != nil {
					return 0, err
				}
				return len(r.Tools), nil
			},
			Close: c.Close,
		}, nil
	})
}
