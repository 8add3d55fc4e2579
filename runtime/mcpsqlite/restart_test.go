package mcpsqlite_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpclient"
	"github.com/mcpgen/mcpgen/runtime/mcpsqlite"
	"github.com/mcpgen/mcpgen/runtime/mcptask"
	"github.com/mcpgen/mcpgen/runtime/mcptaskclient"
)

// restarting is a server that is replaced by another on the same file.
type restarting struct {
	path    string
	mu      sync.Mutex
	current *mcp.Server     // nil between two servers
	life    context.Context // of the connections of current
}

// dial connects to the current server.
func (r *restarting) dial(context.Context) (jsonrpc.Conn, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.current == nil {
		return nil, errors.New("the server is not there")
	}
	client, _ := r.current.Connect(r.life)
	return client, nil
}

// start starts a server with a tool, and returns the function that stops it.
func (r *restarting) start(t *testing.T, f func(ctx context.Context) (string, error)) (stop func()) {
	t.Helper()
	store, err := mcpsqlite.Open(r.path)
	if err != nil {
		t.Fatal(err)
	}
	s := mcp.NewServer(mcp.ServerInfo{Name: "restarting", Version: "1"}, mcp.WithLogger(slog.New(slog.DiscardHandler)), mcptask.WithStore(store))
	tool := mcp.NewTool(mcp.ToolInfo{Name: "count", InputSchema: `{"type":"object"}`}, func(ctx context.Context, _ json.RawMessage) (*mcp.ToolResult, error) {
		text, err := f(ctx)
		if err != nil {
			return nil, err
		}
		return mcp.TextResult(text), nil
	})
	s.Register(mcptask.Tool(tool, mcptask.Support{Required: true, Restart: true}))
	life, end := context.WithCancel(context.Background())
	r.mu.Lock()
	r.current, r.life = s, life
	r.mu.Unlock()
	return sync.OnceFunc(func() {
		r.mu.Lock()
		r.current = nil
		r.mu.Unlock()
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		if err := mcptask.Shutdown(ctx, s); err != nil {
			t.Errorf("shut down: %v", err)
		}
		end()
		if err := store.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
}

// A client waits for a task while another server on the same file replaces its server after a
// second. The call returns the result of the second run.
func TestClientOutlivesServer(t *testing.T) {
	for _, revision := range []string{"2025-11-25", "2026-07-28"} {
		t.Run(revision, func(t *testing.T) {
			t.Parallel()
			r := &restarting{path: filepath.Join(t.TempDir(), "tasks.db")}
			begun := make(chan struct{})
			first := r.start(t, func(ctx context.Context) (string, error) {
				close(begun)
				<-ctx.Done()
				return "", context.Cause(ctx)
			})
			t.Cleanup(first)
			o := mcpclient.Options{Revision: revision, Logger: slog.New(slog.DiscardHandler)}
			mcptaskclient.Enable(&o)
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			c, err := mcpclient.Connect(ctx, mcpclient.Dialer("restarting", r.dial), o)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = c.Close() })
			type outcome struct {
				result *mcp.ToolResult
				err    error
			}
			ended := make(chan outcome, 1)
			go func() {
				result, err := c.Call(ctx, "count", nil)
				ended <- outcome{result, err}
			}()
			select {
			case <-begun:
			case e := <-ended:
				t.Fatalf("the call: %+v: %v", e.result, e.err)
			}
			first()
			time.Sleep(time.Second) // the client polls in the meantime
			t.Cleanup(r.start(t, func(ctx context.Context) (string, error) {
				if task := mcptask.FromContext(ctx); task == nil || task.Attempt != 2 {
					t.Errorf("the second run is %+v", task)
				}
				return "counted", nil
			}))
			if e := <-ended; e.err != nil || e.result.IsError || e.result.Text() != "counted" {
				t.Errorf("%+v: %v", e.result, e.err)
			}
		})
	}
}
