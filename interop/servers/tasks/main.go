// Tasks serves tools whose calls are tasks.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"time"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpcmd"
	"github.com/mcpgen/mcpgen/runtime/mcptask"
)

func main() {
	flags := mcpcmd.WithFlags(flag.CommandLine)
	flag.Parse()
	mcpcmd.Main(newServer(), flags)
}

// step is the duration of a part of a call.
const step = 100 * time.Millisecond

func newServer() *mcp.Server {
	s := mcp.NewServer(mcp.ServerInfo{Name: "tasks", Version: "1"}, mcp.WithLogger(slog.New(slog.DiscardHandler)))
	add := func(name string, required bool, f func(ctx context.Context) (string, error)) {
		s.Register(mcptask.Tool(mcp.NewTool(mcp.ToolInfo{Name: name, InputSchema: `{"type":"object"}`},
			func(ctx context.Context, _ json.RawMessage) (*mcp.ToolResult, error) {
				text, err := f(ctx)
				if err != nil {
					return nil, err
				}
				return mcp.TextResult(text), nil
			}), mcptask.Support{Required: required, Poll: step}))
	}
	add("count", false, func(ctx context.Context) (string, error) {
		for i := range 3 {
			mcp.Progress(ctx, float64(i+1), 3, "counting")
			if err := pass(ctx, step); err != nil {
				return "", err
			}
		}
		return "counted", nil
	})
	add("import", true, func(ctx context.Context) (string, error) { return "imported", pass(ctx, step) })
	add("wait", false, func(ctx context.Context) (string, error) { return "waited", pass(ctx, time.Hour) })
	add("fail", false, func(context.Context) (string, error) { return "", errors.New("no such book") })
	form := mcp.FormInfo{Fields: []mcp.FormField{{Name: "name", Kind: mcp.StringField, Required: true}}}
	add("ask", false, func(ctx context.Context) (string, error) {
		a, err := mcp.ElicitFields(ctx, "Who are you?", &form, mcp.WithKey("who"))
		if err != nil {
			return "", err
		}
		return fmt.Sprintf("%s %s", a.Action, a.Value["name"]), nil
	})
	return s
}

// pass waits until the time is over or ctx is done.
func pass(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
