// Gosdk serves with the official SDK.
package main

import (
	"context"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpgen/mcpgen/interop/servers"
)

func main() {
	s := newServer()
	this := func(*http.Request) *mcp.Server { return s }
	servers.Run(func() error { return s.Run(context.Background(), &mcp.StdioTransport{}) }, map[string]http.Handler{
		"/mcp":       mcp.NewStreamableHTTPHandler(this, nil),
		"/stateless": mcp.NewStreamableHTTPHandler(this, &mcp.StreamableHTTPOptions{Stateless: true}),
		"/sse":       mcp.NewSSEHandler(this, nil),
	})
}

// in and out are arguments and results of the tools.
type (
	in struct {
		Text string `json:"text,omitempty"`
	}
	out struct {
		Text string `json:"text"`
	}
)

func newServer() *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "gosdk", Version: "1"}, &mcp.ServerOptions{
		CompletionHandler: func(_ context.Context, r *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
			return &mcp.CompleteResult{Completion: mcp.CompletionResultDetails{Values: []string{r.Params.Argument.Value + "tics", "math"}, Total: 2}}, nil
		},
		SubscribeHandler:   func(context.Context, *mcp.SubscribeRequest) error { return nil },
		UnsubscribeHandler: func(context.Context, *mcp.UnsubscribeRequest) error { return nil },
	})
	add := func(name string, f func(ctx context.Context, text string) (string, error)) {
		mcp.AddTool(s, &mcp.Tool{Name: name}, func(ctx context.Context, _ *mcp.CallToolRequest, a in) (*mcp.CallToolResult, out, error) {
			text, err := f(ctx, a.Text)
			return nil, out{text}, err
		})
	}
	add("echo", func(_ context.Context, text string) (string, error) { return servers.Echo(text) })
	add("wait", func(ctx context.Context, _ string) (string, error) { return servers.Wait(ctx) })
	add("cancelled", func(ctx context.Context, _ string) (string, error) { return servers.Cancelled(ctx) })
	add("once", func(ctx context.Context, _ string) (string, error) { return servers.Once(ctx) })
	add("pid", func(context.Context, string) (string, error) { return servers.PID(), nil })
	add("proceed", func(context.Context, string) (string, error) { return servers.Proceed(), nil })
	add("touch", func(ctx context.Context, _ string) (string, error) {
		return "touched", s.ResourceUpdated(ctx, &mcp.ResourceUpdatedNotificationParams{URI: "test://a"})
	})
	add("grow", func(_ context.Context, name string) (string, error) {
		add(name, func(context.Context, string) (string, error) { return "new", nil })
		return "grown", nil
	})
	mcp.AddTool(s, &mcp.Tool{Name: "steps"}, func(ctx context.Context, r *mcp.CallToolRequest, _ in) (*mcp.CallToolResult, out, error) {
		for i := range 3 {
			if token := r.Params.GetProgressToken(); token != nil {
				if err := r.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: token, Progress: float64(i + 1), Total: 3}); err != nil {
					return nil, out{}, err
				}
			}
		}
		if err := writeLog(ctx, r); err != nil {
			return nil, out{}, err
		}
		text, err := servers.Stay(ctx)
		return nil, out{text}, err
	})
	addAsk(s)
	s.AddResource(&mcp.Resource{URI: "test://a", Name: "a"}, func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: "test://a", Text: "A"}}}, nil
	})
	s.AddResourceTemplate(&mcp.ResourceTemplate{URITemplate: "test://{x}", Name: "x"}, func(_ context.Context, r *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: r.Params.URI, Blob: []byte{1, 2, 3}}}}, nil
	})
	s.AddPrompt(&mcp.Prompt{Name: "p", Arguments: []*mcp.PromptArgument{{Name: "subject", Required: true}}}, func(_ context.Context, r *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		return &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{{Role: "user", Content: &mcp.TextContent{Text: "About " + r.Params.Arguments["subject"]}}}}, nil
	})
	return s
}
