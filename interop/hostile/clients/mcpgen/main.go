// Mcpgen is mcpgen's client.
package main

import (
	"context"
	"log/slog"

	"github.com/mcpgen/mcpgen/interop/hostile/probe"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpclient"
	"github.com/mcpgen/mcpgen/runtime/mcphttpclient"
)

func main() {
	probe.Main(func(ctx context.Context, to probe.Server, asked func()) (*probe.Client, error) {
		var target mcpclient.Target
		switch to.Over {
		case "stdio":
			target = mcpclient.Command{Path: to.Path, Args: []string{to.Row}}
		case "http":
			target = mcphttpclient.Endpoint{URL: to.URL}
		case "sse":
			target = mcphttpclient.Endpoint{URL: to.URL, SSE: mcphttpclient.SSEOnly}
		}
		c, err := mcpclient.Connect(ctx, target, mcpclient.Options{
			Logger: slog.New(slog.DiscardHandler),
			Elicit: func(context.Context, *mcpclient.Elicitation) (mcpclient.ElicitAnswer, error) {
				asked()
				return mcpclient.Accept(map[string]any{}), nil
			},
			OpenURL: func(context.Context, *mcpclient.Elicitation) (mcp.ElicitAction, error) {
				asked()
				return mcp.ActionAccept, nil
			},
		})
		if err != nil {
			return nil, err
		}
		return &probe.Client{
			Call: func(ctx context.Context) (string, error) {
				r, err := c.Call(ctx, "tool", nil)
				if err != nil {
					return "", err
				}
				return r.Text() + string(r.Structured), nil
			},
			List: func(ctx context.Context) (int, error) {
				tools, err := c.Tools(ctx)
				return len(tools), err
			},
			Close: c.Close,
		}, nil
	})
}
