package testbed

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// ContextKey is the key of a context value that the tool "who" returns.
type ContextKey struct{}

// Tools are the tools of a server for tests:
//
//	echo   returns its arguments
//	big    returns a text with "bytes" bytes
//	who    returns the principal, the header field X-Test, whether there is a header, and the
//	       value of ContextKey
//	block  waits until its context is cancelled
//	gate   waits until Release is closed, then returns "released" and "bytes" more bytes
type Tools struct {
	Release chan struct{}
	// Causes receives the causes with which the contexts of block and gate were cancelled.
	Causes chan error
}

// NewServer returns a server with these tools.
func NewServer(options ...mcp.Option) (*mcp.Server, *Tools) {
	s := mcp.NewServer(mcp.ServerInfo{Name: "fixture", Version: "1"}, options...)
	x := &Tools{Release: make(chan struct{}), Causes: make(chan error, 100)}
	tool := func(name string, f func(ctx context.Context, bytes int) (string, error)) {
		s.Register(mcp.NewTool(mcp.ToolInfo{Name: name}, func(ctx context.Context, args json.RawMessage) (*mcp.ToolResult, error) {
			var a struct{ Bytes int }
			if err := json.Unmarshal(args, &a); err != nil {
				return nil, err
			}
			text, err := f(ctx, a.Bytes)
			if err != nil {
				return nil, err
			}
			return mcp.TextResult(text), nil
		}))
	}
	s.Register(mcp.NewTool(mcp.ToolInfo{Name: "echo"}, func(_ context.Context, args json.RawMessage) (*mcp.ToolResult, error) {
		return mcp.TextResult(string(args)), nil
	}))
	tool("big", func(_ context.Context, bytes int) (string, error) { return strings.Repeat("x", bytes), nil })
	tool("who", func(ctx context.Context, _ int) (string, error) {
		c := mcp.CallFrom(ctx)
		return fmt.Sprintf("%s %v %v %t %v", c.Principal().ID, c.Principal().Value, c.Header()["X-Test"], len(c.Header()) > 0, ctx.Value(ContextKey{})), nil
	})
	tool("block", func(ctx context.Context, _ int) (string, error) {
		<-ctx.Done()
		x.Causes <- context.Cause(ctx)
		return "", ctx.Err()
	})
	tool("gate", func(ctx context.Context, bytes int) (string, error) {
		select {
		case <-x.Release:
			return "released" + strings.Repeat("x", bytes), nil
		case <-ctx.Done():
			x.Causes <- context.Cause(ctx)
			return "", ctx.Err()
		}
	})
	return s, x
}

// WantCancelled checks, in a bubble of testing/synctest, that one call of block or gate was
// cancelled because its connection was closed.
func (x *Tools) WantCancelled(t *testing.T) {
	t.Helper()
	synctest.Wait()
	if len(x.Causes) != 1 {
		t.Fatalf("%d calls are cancelled, want 1", len(x.Causes))
	}
	if cause := <-x.Causes; cause != mcp.ErrConnectionClosed {
		t.Errorf("the cause is %v", cause)
	}
}
