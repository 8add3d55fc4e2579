package mcptaskclient_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/internal/proof/spec"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpclient"
	"github.com/mcpgen/mcpgen/runtime/mcptask"
	"github.com/mcpgen/mcpgen/runtime/mcptaskclient"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// The revisions with tasks, one for each form.
const (
	modern  = "2026-07-28"
	session = "2025-11-25"
)

// inBoth runs a test in a bubble, in both forms.
func inBoth(t *testing.T, test func(t *testing.T, revision string)) {
	t.Helper()
	for _, revision := range []string{modern, session} {
		t.Run(revision, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { test(t, revision) })
		})
	}
}

func newServer(options ...mcp.Option) *mcp.Server {
	options = append([]mcp.Option{mcp.WithLogger(slog.New(slog.DiscardHandler))}, options...)
	return mcp.NewServer(mcp.ServerInfo{Name: "fixture", Version: "1"}, options...)
}

func add(s *mcp.Server, name string, support mcptask.Support, f func(ctx context.Context) (string, error)) {
	tool := mcp.NewTool(mcp.ToolInfo{Name: name, InputSchema: `{"type":"object"}`}, func(ctx context.Context, _ json.RawMessage) (*mcp.ToolResult, error) {
		text, err := f(ctx)
		if err != nil {
			return nil, err
		}
		return mcp.TextResult(text), nil
	})
	s.Register(mcptask.Tool(tool, support))
}

var required = mcptask.Support{Required: true}

// connect returns a client of a server in memory, and closes it at the end of the test.
func connect(t *testing.T, s *mcp.Server, o mcpclient.Options, options ...mcptaskclient.Option) *mcpclient.Client {
	t.Helper()
	mcptaskclient.Enable(&o, options...)
	c, err := mcpclient.Connect(t.Context(), inMemory(t, s), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}

// inMemory is a server in memory whose messages are validated.
func inMemory(t *testing.T, s *mcp.Server) mcpclient.Target {
	return mcpclient.Dialer("memory", func(ctx context.Context) (jsonrpc.Conn, error) {
		ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
		conn, wait := s.Connect(ctx)
		t.Cleanup(func() {
			cancel()
			_ = wait() // the error is the end of the context
		})
		return spec.NewConn(t, conn), nil
	})
}

// sure is the form of the questions in these tests.
type sure struct{ Yes bool }

var sureForm = mcp.FormInfo{Fields: []mcp.FormField{{Name: "yes", Kind: mcp.BooleanField, Required: true}}}

func (f *sure) MCPFormNeedsDirective() (*mcp.FormInfo, func(*wire.Decoder)) {
	return &sureForm, func(d *wire.Decoder) {
		for o := d.Object(wire.Fields{{Must: "yes"}}); o.Next(); {
			wire.Bool(d, &f.Yes)
		}
	}
}

func confirm(ctx context.Context, message string) (string, error) {
	a, err := mcp.Elicit[sure](ctx, message)
	if err != nil {
		return "", err
	}
	return fmt.Sprint(a.Action, a.Value.Yes), nil
}

// yes answers questions after a delay, and counts them.
func yes(after time.Duration, asked *atomic.Int32) func(context.Context, *mcpclient.Elicitation) (mcpclient.ElicitAnswer, error) {
	return func(ctx context.Context, _ *mcpclient.Elicitation) (mcpclient.ElicitAnswer, error) {
		asked.Add(1)
		select {
		case <-time.After(after):
			return mcpclient.Accept(map[string]any{"yes": true}), nil
		case <-ctx.Done():
			return mcpclient.Cancel(), context.Cause(ctx)
		}
	}
}

// wantText checks a result.
func wantText(t *testing.T, result *mcp.ToolResult, err error, want string) {
	t.Helper()
	if err != nil || result.Text() != want {
		t.Errorf("%+v, %v; want %q", result, err, want)
	}
}
