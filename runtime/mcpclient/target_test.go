package mcpclient_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"os"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/dial"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpclient"
)

// stubbornConn is a connection whose Close does not return.
type stubbornConn struct{ jsonrpc.Conn }

func (c stubbornConn) Close() error {
	_ = c.Conn.Close()
	time.Sleep(time.Hour)
	return nil
}

func TestDialer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		options := dialOptions(t)
		target := mcpclient.Dialer("pipe", func(ctx context.Context) (jsonrpc.Conn, error) {
			client, server := jsonrpc.Pipe()
			go func() {
				_ = server.Write([]byte("{}\n" + `{"id":7,"result":"` + strings.Repeat("x", 2<<20) + `"}` + "\n"))
				_, _ = server.Read()
				_ = server.Close()
			}()
			return stubbornConn{client}, ctx.Err()
		})
		if target.Name() != "pipe" || !strings.Contains(target.Key(), "pipe") {
			t.Errorf("name %q, key %q", target.Name(), target.Key())
		}
		conn, err := target.Dial(t.Context(), options)
		if err != nil {
			t.Fatal(err)
		}
		stream := conn.(dial.Stream)
		if m, err := stream.Read(); string(m) != "{}" || err != nil {
			t.Errorf("%q, %v", m, err)
		}
		_, err = stream.Read()
		if long, ok := errors.AsType[*jsonrpc.FrameError](err); !ok || long.Limit != 1<<20 || long.ID.String() != "7" {
			t.Errorf("a message of 2 MiB: %v", err)
		}
		begin := time.Now()
		for range 2 {
			if err := conn.Close(); err != nil {
				t.Errorf("close: %v", err)
			}
		}
		if d := time.Since(begin); d > 2*options.Limits.CloseTime {
			t.Errorf("Close has taken %v", d)
		}
		if _, err := stream.Read(); err != io.EOF {
			t.Errorf("read after Close: %v", err)
		}
		time.Sleep(2 * time.Hour) // until the stubborn Close has returned
	})
}

// TestDialerFails: a dial function that ignores its context delays no other caller, and its
// connection is closed.
func TestDialerFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := make(chan jsonrpc.Conn, 1)
		cause := errors.New("a cause")
		for name, c := range map[string]struct {
			dial  func(context.Context) (jsonrpc.Conn, error)
			want  string
			again bool
		}{
			"late": {func(context.Context) (jsonrpc.Conn, error) {
				time.Sleep(time.Hour)
				client, end := jsonrpc.Pipe()
				server <- end
				return client, nil
			}, "a cause", true},
			"error":   {func(context.Context) (jsonrpc.Conn, error) { return nil, os.ErrPermission }, "permission denied", true},
			"neither": {func(context.Context) (jsonrpc.Conn, error) { return nil, nil }, "neither a connection nor an error", false},
			"panic":   {func(context.Context) (jsonrpc.Conn, error) { panic("oh") }, "the dial function has failed: oh", true},
			"exit": {func(context.Context) (jsonrpc.Conn, error) { runtime.Goexit(); return nil, nil },
				"the dial function has failed: runtime.Goexit called", true},
		} {
			ctx, cancel := context.WithTimeoutCause(t.Context(), time.Minute, cause)
			begin := time.Now()
			conn, err := mcpclient.Dialer(name, c.dial).Dial(ctx, dialOptions(t))
			failed, ok := errors.AsType[*dial.Error](err)
			if conn != nil || !ok || failed.Again != c.again || failed.Sent || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: %v", name, err)
			}
			if d := time.Since(begin); d > time.Minute {
				t.Errorf("%s: after %v", name, d)
			}
			cancel()
		}
		if _, err := (<-server).Read(); err != io.EOF {
			t.Errorf("the late connection: %v", err)
		}
	})
}

// TestInMemory: a long reply is skipped, and a tool that ignores its context delays Close by
// CloseTime at most.
func TestInMemory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		running := make(chan struct{})
		server := mcp.NewServer(mcp.ServerInfo{Name: "test"}, mcp.WithLogger(slog.New(slog.DiscardHandler)))
		server.Register(mcp.NewTool(mcp.ToolInfo{Name: "big"}, func(context.Context, json.RawMessage) (*mcp.ToolResult, error) {
			return mcp.TextResult(strings.Repeat("x", 3<<20)), nil
		}))
		server.Register(mcp.NewTool(mcp.ToolInfo{Name: "stuck"}, func(context.Context, json.RawMessage) (*mcp.ToolResult, error) {
			close(running)
			time.Sleep(time.Hour)
			return mcp.TextResult(""), nil
		}))
		target := mcpclient.InMemory(server)
		if target.Key() != mcpclient.InMemory(server).Key() || target.Key() == mcpclient.InMemory(mcp.NewServer(mcp.ServerInfo{Name: "test"})).Key() {
			t.Errorf("key %q", target.Key())
		}
		options := dialOptions(t)
		conn, err := target.Dial(t.Context(), options)
		if err != nil {
			t.Fatal(err)
		}
		stream := conn.(dial.Stream)
		call := func(id, tool string) {
			t.Helper()
			text := `{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"` + tool + `","arguments":{},"_meta":{` +
				`"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`
			if err := stream.Write([]byte(text + "\n")); err != nil {
				t.Fatal(err)
			}
		}
		call("1", "none")
		if m, err := stream.Read(); err != nil || !strings.Contains(string(m), `"error"`) {
			t.Errorf("%s, %v", m, err)
		}
		call("2", "big")
		_, err = stream.Read()
		if long, ok := errors.AsType[*jsonrpc.FrameError](err); !ok || long.ID.String() != "2" || long.Kind != jsonrpc.Response {
			t.Errorf("a long reply: %v", err)
		}
		call("3", "stuck")
		<-running
		begin := time.Now()
		if err := conn.Close(); err != nil {
			t.Error(err)
		}
		if d := time.Since(begin); d > options.Limits.CloseTime {
			t.Errorf("Close has taken %v", d)
		}
		if _, err := stream.Read(); err == nil {
			t.Error("the connection is open after Close")
		}
		time.Sleep(2 * time.Hour) // until the tool has returned
	})
}
