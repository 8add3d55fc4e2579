// Interceptor runs code around every request: it logs how long each takes, and refuses tools that
// change data while the server is read-only.
//
//	go run ./interceptor            # serves the client that has started it; logs to standard error
//	go run ./interceptor -read-only # refuses set_title
package main

import (
	"context"
	"flag"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpcmd"
)

//go:generate go tool mcpgen

func main() {
	readOnly := flag.Bool("read-only", false, "refuse tools that change something")
	flags := mcpcmd.WithFlags(flag.CommandLine)
	flag.Parse()
	mcpcmd.Main(NewMCPServer(&Page{}, mcp.WithInterceptors(timed(slog.Default()), guarded(*readOnly))), flags)
}

// timed logs every request with its duration. mcp.LogCalls logs this and more.
func timed(logger *slog.Logger) mcp.Interceptor {
	return func(next mcp.Handler) mcp.Handler {
		return func(ctx context.Context, req *mcp.Request) (mcp.Reply, error) {
			start := time.Now()
			reply, err := next(ctx, req)
			logger.Info("request", "method", req.Method, "name", req.Name, "duration", time.Since(start), "error", err)
			return reply, err
		}
	}
}

// guarded refuses tools without the hint readonly. The model reads the error.
func guarded(readOnly bool) mcp.Interceptor {
	return func(next mcp.Handler) mcp.Handler {
		return func(ctx context.Context, req *mcp.Request) (mcp.Reply, error) {
			if tool, ok := req.Tool(); ok && readOnly && !tool.Hints.ReadOnly {
				return nil, mcp.Errorf("the server is read-only: %s cannot be called", tool.Name)
			}
			return next(ctx, req)
		}
	}
}

// Page has a title.
type Page struct{ title atomic.Value }

// Title returns the title of the page.
//
//mcp:tool name=get_title readonly closedworld
func (p *Page) Title() string {
	title, _ := p.title.Load().(string)
	return title
}

// SetTitle changes the title of the page.
//
//mcp:tool destructive idempotent closedworld
func (p *Page) SetTitle(
	title string, // the new title
) {
	p.title.Store(title)
}
