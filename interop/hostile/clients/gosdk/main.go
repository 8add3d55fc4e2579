// Gosdk is the client of the official SDK.
package main

import (
	"context"
	"encoding/json"
	"os/exec"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpgen/mcpgen/interop/hostile/probe"
)

func main() {
	probe.Main(func(ctx context.Context, to probe.Server, asked func()) (*probe.Client, error) {
		var transport mcp.Transport
		switch to.Over {
		case "stdio":
			transport = &mcp.CommandTransport{Command: exec.Command(to.Path, to.Row)}
		case "http":
			transport = &mcp.StreamableClientTransport{Endpoint: to.URL}
		case "sse":
			transport = &mcp.SSEClientTransport{Endpoint: to.URL}
		}
		client := mcp.NewClient(&mcp.Implementation{Name: "probe", Version: "1"}, &mcp.ClientOptions{
			Capabilities: &mcp.ClientCapabilities{Elicitation: &mcp.ElicitationCapabilities{
				Form: &mcp.FormElicitationCapabilities{}, URL: &mcp.URLElicitationCapabilities{},
			}},
			ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
				asked()
				return &mcp.ElicitResult{Action: "accept", Content: map[string]any{}}, nil
			},
		})
		s, err := client.Connect(ctx, transport, nil)
		if err != nil {
			return nil, err
		}
		return &probe.Client{
			Call: func(ctx context.Context) (string, error) {
				r, err := s.CallTool(ctx, &mcp.CallToolParams{Name: "tool"})
				if err != nil {
					return "", err
				}
				text := ""
				for _, block := range r.Content {
					if t, ok := block.(*mcp.TextContent); ok {
						text += t.Text
					}
				}
				if r.StructuredContent != nil {
					structured, err := json.Marshal(r.StructuredContent)
					return text + string(structured), err
				}
				return text, nil
			},
			List: func(ctx context.Context) (n int, err error) {
				for _, err := range s.Tools(ctx, nil) {
					if err != nil {
						return n, err
					}
					n++
				}
				return n, nil
			},
			Close: s.Close,
		}, nil
	})
}
