package mcpnet_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/mcpgen/mcpgen/internal/spec"
	"github.com/mcpgen/mcpgen/runtime/internal/faultconn"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpnet"
)

// setup says how a place is made. The zero value is a server with its defaults.
type setup struct {
	server  []mcp.Option
	options []mcpnet.Option
	listen  func(net.Listener) net.Listener // around the one in memory
	ctx     context.Context
}

// place is a server at a listener.
type place struct {
	t      *testing.T
	net    *faultconn.Listener // nil outside of bubbles
	addr   net.Addr
	log    journal
	stop   context.CancelFunc
	ended  chan struct{}
	result error

	release chan struct{} // what the tool "gate" waits for
	causes  chan error    // why calls of "block" and "gate" have ended
}

// visit runs f in a bubble of synctest with a server at a listener in memory.
func visit(t *testing.T, c setup, f func(t *testing.T, p *place)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		l := faultconn.NewListener(nil)
		p := newPlace(t)
		p.net = l
		var outer net.Listener = l
		if c.listen != nil {
			outer = c.listen(l)
		}
		p.start(c, outer)
		defer p.end()
		f(t, p)
	})
}

// over runs f with a server at a real socket.
func over(t *testing.T, network string, c setup, f func(p *place)) {
	t.Helper()
	address := "127.0.0.1:0"
	if network == "unix" {
		address = t.TempDir() + "/s"
	}
	l, err := net.Listen(network, address)
	if err != nil {
		t.Fatal(err)
	}
	p := newPlace(t)
	p.addr = l.Addr()
	if c.listen != nil {
		l = c.listen(l)
	}
	p.start(c, l)
	defer p.end()
	f(p)
}

func newPlace(t *testing.T) *place {
	return &place{t: t, ended: make(chan struct{}), release: make(chan struct{}), causes: make(chan error, 100)}
}

func (p *place) start(c setup, l net.Listener) {
	logger := slog.New(slog.NewTextHandler(&p.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	server := p.fixture(append([]mcp.Option{mcp.WithLogger(logger)}, c.server...)...)
	if c.ctx == nil {
		c.ctx = context.Background()
	}
	ctx, cancel := context.WithCancel(c.ctx)
	p.stop = cancel
	go func() {
		defer close(p.ended)
		p.result = mcpnet.Serve(ctx, server, l, c.options...)
	}()
}

// end ends the server and checks that it ends well.
func (p *place) end() {
	p.t.Helper()
	p.stop()
	<-p.ended
	if p.result != nil {
		p.t.Errorf("Serve: %v", p.result)
	}
}

// fixture returns the server of the tests.
func (p *place) fixture(options ...mcp.Option) *mcp.Server {
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
		return fmt.Sprintf("%q %v %v %v", c.Principal().ID, c.Principal().Value, c.Header(), ctx.Value(key{})), nil
	})
	tool("block", func(ctx context.Context, _ json.RawMessage) (string, error) {
		<-ctx.Done()
		p.causes <- context.Cause(ctx)
		return "", ctx.Err()
	})
	tool("gate", func(ctx context.Context, args json.RawMessage) (string, error) {
		var a struct{ Bytes int }
		_ = json.Unmarshal(args, &a)
		select {
		case <-p.release:
			return "released" + strings.Repeat("x", a.Bytes), nil
		case <-ctx.Done():
			p.causes <- context.Cause(ctx)
			return "", ctx.Err()
		}
	})
	return server
}

type key struct{}

// cancelled checks that one call of "block" or "gate" has been cancelled, since the
// connection has ended.
func (p *place) cancelled() {
	p.t.Helper()
	if p.net != nil {
		synctest.Wait()
		if len(p.causes) != 1 {
			p.t.Fatalf("%d calls are cancelled, want 1", len(p.causes))
		}
	}
	if cause := <-p.causes; cause != mcp.ErrConnectionClosed {
		p.t.Errorf("the cause is %v", cause)
	}
}

// client is a client that sends what it is told.
type client struct {
	t    *testing.T
	raw  net.Conn
	conn jsonrpc.Conn
	tap  *spec.Conversation
	said spec.Lines // of messages, for the tap

	mu    sync.Mutex
	heard []string
}

// dial connects, and does not listen.
func (p *place) dial() *client {
	p.t.Helper()
	var c net.Conn
	var err error
	if p.net != nil {
		c, err = p.net.Dial(p.t.Context())
	} else {
		c, err = net.Dial(p.addr.Network(), p.addr.String())
	}
	if err != nil {
		p.t.Fatal(err)
	}
	return newClient(p.t, c)
}

func newClient(t *testing.T, c net.Conn) *client {
	t.Cleanup(func() { c.Close() })
	tap := spec.NewTap(t).Conversation()
	return &client{t: t, raw: c, conn: mcpnet.NewConn(c, 64<<20), tap: tap, said: spec.Lines{Take: tap.Client}}
}

// open connects and listens, in a bubble.
func (p *place) open() *client {
	p.t.Helper()
	c := p.dial()
	go c.listen()
	return c
}

func (c *client) listen() {
	for {
		m, err := c.conn.Read()
		c.mu.Lock()
		if err == nil {
			c.tap.Server(string(m))
			c.heard = append(c.heard, string(m))
		} else {
			c.heard = append(c.heard, fmt.Sprintf("end %v", err))
		}
		c.mu.Unlock()
		if err != nil {
			return
		}
	}
}

func (c *client) say(lines ...string) {
	c.t.Helper()
	c.write(strings.Join(lines, "\n") + "\n")
}

func (c *client) write(text string) {
	c.t.Helper()
	_, _ = c.said.Write([]byte(text))
	c.garble(text)
}

// garble writes what is no message.
func (c *client) garble(text string) {
	c.t.Helper()
	if _, err := io.WriteString(c.raw, text); err != nil {
		c.t.Errorf("client writes: %v", err)
	}
}

// wants checks, in a bubble, what is heard: each message contains its text.
func (c *client) wants(want ...string) {
	c.t.Helper()
	synctest.Wait()
	c.mu.Lock()
	got := c.heard
	c.heard = nil
	c.mu.Unlock()
	for i := range max(len(got), len(want)) {
		if i >= len(got) || i >= len(want) || !strings.Contains(got[i], want[i]) {
			c.t.Errorf("heard %.500q, want %q", got, want)
			return
		}
	}
}

// next checks the next message, outside of bubbles.
func (c *client) next(want string) {
	c.t.Helper()
	m, err := c.conn.Read()
	if err != nil {
		c.t.Fatalf("%v, want %s", err, want)
	}
	c.tap.Server(string(m))
	if !strings.Contains(string(m), want) {
		c.t.Errorf("heard %.500s, want %s", m, want)
	}
}

// gone checks that nothing more comes, outside of bubbles.
func (c *client) gone() {
	c.t.Helper()
	if m, err := c.conn.Read(); err != io.EOF {
		c.t.Errorf("heard %.500s, %v; want the end", m, err)
	}
}

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

// logged checks that the log has a text.
func (p *place) logged(text string) {
	p.t.Helper()
	synctest.Wait()
	if log := p.log.String(); !strings.Contains(log, text) {
		p.t.Errorf("%q is not in the log:\n%s", text, log)
	}
}

const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`

func call(id int, tool, arguments string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s,%s}}`, id, tool, arguments, meta)
}

func ping(id int) string { return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"ping"}`, id) }

func pong(id int) string { return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{}}`, id) }
