package mcpws_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/mcpgen/mcpgen/runtime/internal/faultconn"
	"github.com/mcpgen/mcpgen/runtime/internal/membudget"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpws"
)

// setup says how a site is made. The zero value is a handler with its defaults.
type setup struct {
	server  []mcp.Option
	handler []mcpws.Option
	wrap    func(http.Handler) http.Handler // middleware
	local   net.Addr                        // where it listens; nil: 127.0.0.1:8080
	http2   bool
}

// site is a handler behind a server of net/http, on a network in memory and in a
// bubble of synctest.
type site struct {
	t       *testing.T
	net     *faultconn.Listener
	handler *mcpws.Handler
	memory  *membudget.Budget
	http    *http.Server
	log     journal

	release chan struct{} // what the tool "gate" waits for
	causes  chan error    // why calls of "block" have ended
}

// visit runs f in a bubble with a site.
func visit(t *testing.T, c setup, f func(t *testing.T, s *site)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := newSite(t, c)
		defer s.close()
		f(t, s)
	})
}

func newSite(t *testing.T, c setup) *site {
	s := &site{t: t, net: faultconn.NewListener(nil), release: make(chan struct{}), causes: make(chan error, 100)}
	logger := slog.New(slog.NewTextHandler(&s.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	server := s.fixture(append([]mcp.Option{mcp.WithLogger(logger)}, c.server...)...)
	s.memory = server.Transport().Memory()
	s.handler = mcpws.NewHandler(server, c.handler...)
	var h http.Handler = s.handler
	if c.wrap != nil {
		h = c.wrap(h)
	}
	var protocols http.Protocols
	protocols.SetHTTP1(!c.http2)
	protocols.SetUnencryptedHTTP2(c.http2)
	s.http = &http.Server{Handler: h, Protocols: &protocols, ErrorLog: log.New(&s.log, "http: ", 0)}
	var l net.Listener = s.net
	if c.local != nil {
		l = &elsewhere{l, c.local}
	}
	go s.http.Serve(l)
	return s
}

// fixture returns the server of the tests.
func (s *site) fixture(options ...mcp.Option) *mcp.Server {
	server := mcp.NewServer(mcp.Info{Name: "fixture", Version: "1"}, options...)
	tool := func(name string, f func(ctx context.Context, args json.RawMessage) (string, error)) {
		server.Register(mcp.NewTool(mcp.ToolInfo{Name: name}, func(ctx context.Context, args json.RawMessage) (*mcp.ToolResult, error) {
			text, err := f(ctx, args)
			if err != nil {
				return nil, err
			}
			return mcp.TextResult(text), nil
		}))
	}
	tool("echo", func(_ context.Context, args json.RawMessage) (string, error) { return string(args), nil })
	tool("big", func(_ context.Context, args json.RawMessage) (string, error) {
		var a struct{ Bytes int }
		err := json.Unmarshal(args, &a)
		return strings.Repeat("x", a.Bytes), err
	})
	tool("who", func(ctx context.Context, _ json.RawMessage) (string, error) {
		c := mcp.CallFrom(ctx)
		return fmt.Sprintf("%s %v %v", c.Principal().ID, c.Principal().Value, c.Header()["X-Test"]), nil
	})
	tool("block", func(ctx context.Context, _ json.RawMessage) (string, error) {
		<-ctx.Done()
		s.causes <- context.Cause(ctx)
		return "", ctx.Err()
	})
	tool("gate", func(ctx context.Context, _ json.RawMessage) (string, error) {
		select {
		case <-s.release:
			return "released", nil
		case <-ctx.Done():
			s.causes <- context.Cause(ctx)
			return "", ctx.Err()
		}
	})
	return server
}

func (s *site) close() {
	s.handler.Close()
	s.http.Close()
	synctest.Wait()
	if used := s.memory.Used(); used != 0 {
		s.t.Errorf("%d bytes are charged at the end", used)
	}
	if said := s.log.String(); strings.Contains(said, "http: ") {
		s.t.Errorf("the HTTP server complains: %s", said)
	}
}

// cancelled checks that one call of "block" or "gate" has been cancelled by now,
// since the connection has ended.
func (s *site) cancelled() {
	s.t.Helper()
	synctest.Wait()
	if len(s.causes) != 1 {
		s.t.Fatalf("%d calls are cancelled, want 1", len(s.causes))
	}
	if cause := <-s.causes; cause != mcp.ErrConnectionClosed {
		s.t.Errorf("the cause is %v", cause)
	}
}

// elsewhere is a listener at another address.
type elsewhere struct {
	net.Listener
	addr net.Addr
}

func (e *elsewhere) Accept() (net.Conn, error) {
	c, err := e.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &moved{c, e.addr}, nil
}

type moved struct {
	net.Conn
	addr net.Addr
}

func (m *moved) LocalAddr() net.Addr { return m.addr }

// journal is a log that many write and one reads.
type journal struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (j *journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.Write(p)
}

func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.String()
}

// Messages.

const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`

func call(id int, tool, arguments string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s,%s}}`, id, tool, arguments, meta)
}

func ping(id int) string { return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"ping"}`, id) }

func pong(id int) string { return fmt.Sprintf(`text {"jsonrpc":"2.0","id":%d,"result":{}}`, id) }
