package mcpnet_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/mcpgen/mcpgen/internal/proof/spec"
	"github.com/mcpgen/mcpgen/runtime/internal/testbed"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpnet"
)

// setup configures a testServer. The zero value is a server with its defaults.
type setup struct {
	server  []mcp.Option
	options []mcpnet.Option
	listen  func(net.Listener) net.Listener // wraps the listener in memory
	ctx     context.Context
}

// testServer is a server at a listener.
type testServer struct {
	t       *testing.T
	network *testbed.Pipes // nil outside of bubbles
	addr    net.Addr
	log     testbed.Log
	stop    context.CancelFunc
	ended   chan struct{}
	result  error
	tools   *testbed.Tools
}

// serve runs f in a bubble of synctest with a server at a listener in memory.
func serve(t *testing.T, c setup, f func(t *testing.T, s *testServer)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		l := testbed.NewPipes(nil)
		s := newTestServer(t)
		s.network = l
		var outer net.Listener = l
		if c.listen != nil {
			outer = c.listen(l)
		}
		s.start(c, outer)
		defer s.end()
		f(t, s)
	})
}

// serveReal runs f with a server at a real socket.
func serveReal(t *testing.T, network string, c setup, f func(s *testServer)) {
	t.Helper()
	address := "127.0.0.1:0"
	if network == "unix" {
		address = t.TempDir() + "/s"
	}
	l, err := net.Listen(network, address)
	if err != nil {
		t.Fatal(err)
	}
	s := newTestServer(t)
	s.addr = l.Addr()
	if c.listen != nil {
		l = c.listen(l)
	}
	s.start(c, l)
	defer s.end()
	f(s)
}

func newTestServer(t *testing.T) *testServer {
	return &testServer{t: t, ended: make(chan struct{})}
}

func (s *testServer) start(c setup, l net.Listener) {
	server, tools := testbed.NewServer(append([]mcp.Option{mcp.WithLogger(s.log.Logger())}, c.server...)...)
	s.tools = tools
	if c.ctx == nil {
		c.ctx = context.Background()
	}
	ctx, cancel := context.WithCancel(c.ctx)
	s.stop = cancel
	go func() {
		defer close(s.ended)
		s.result = mcpnet.Serve(ctx, server, l, c.options...)
	}()
}

// end stops the server and checks that Serve returns nil.
func (s *testServer) end() {
	s.t.Helper()
	s.stop()
	<-s.ended
	if s.result != nil {
		s.t.Errorf("Serve: %v", s.result)
	}
}

// wantCancelled checks that one call of "block" or "gate" was cancelled by the end of its
// connection.
func (s *testServer) wantCancelled() {
	s.t.Helper()
	if s.network != nil {
		s.tools.WantCancelled(s.t)
		return
	}
	if cause := <-s.tools.Causes; cause != mcp.ErrConnectionClosed {
		s.t.Errorf("the cause is %v", cause)
	}
}

// client is a client that sends valid and invalid messages.
type client struct {
	t    *testing.T
	raw  net.Conn
	conn jsonrpc.Conn
	tap  *spec.Conversation
	sent spec.Lines // of messages, for the tap

	inbox testbed.Inbox
}

// dial connects without reading.
func (s *testServer) dial() *client {
	s.t.Helper()
	var c net.Conn
	var err error
	if s.network != nil {
		c, err = s.network.Dial(s.t.Context())
	} else {
		c, err = net.Dial(s.addr.Network(), s.addr.String())
	}
	if err != nil {
		s.t.Fatal(err)
	}
	return newClient(s.t, c)
}

func newClient(t *testing.T, c net.Conn) *client {
	t.Cleanup(func() { c.Close() })
	tap := spec.NewTap(t).Conversation()
	return &client{t: t, raw: c, conn: mcpnet.NewConn(c, 64<<20), tap: tap, sent: spec.Lines{Take: tap.Client}}
}

// open connects and reads messages, in a bubble.
func (s *testServer) open() *client {
	s.t.Helper()
	c := s.dial()
	go c.readMessages()
	return c
}

func (c *client) readMessages() {
	for {
		m, err := c.conn.Read()
		if err != nil {
			c.inbox.Add(fmt.Sprintf("end %v", err))
			return
		}
		c.tap.Server(string(m))
		c.inbox.Add(string(m))
	}
}

// send sends each message as a line.
func (c *client) send(lines ...string) {
	c.t.Helper()
	c.write(strings.Join(lines, "\n") + "\n")
}

func (c *client) write(text string) {
	c.t.Helper()
	_, _ = c.sent.Write([]byte(text))
	c.writeInvalid(text)
}

// writeInvalid writes text that is not a message.
func (c *client) writeInvalid(text string) {
	c.t.Helper()
	if _, err := io.WriteString(c.raw, text); err != nil {
		c.t.Errorf("client writes: %v", err)
	}
}

// want checks, in a bubble, the messages since the last call: each contains its text.
func (c *client) want(want ...string) {
	c.t.Helper()
	c.inbox.Want(c.t, want...)
}

// wantNext checks the next message, outside of bubbles.
func (c *client) wantNext(want string) {
	c.t.Helper()
	m, err := c.conn.Read()
	if err != nil {
		c.t.Fatalf("%v, want %s", err, want)
	}
	c.tap.Server(string(m))
	if !strings.Contains(string(m), want) {
		c.t.Errorf("received %.500s, want %s", m, want)
	}
}

// wantEnd checks that the connection is closed, outside of bubbles.
func (c *client) wantEnd() {
	c.t.Helper()
	if m, err := c.conn.Read(); err != io.EOF {
		c.t.Errorf("received %.500s, %v; want the end", m, err)
	}
}

// wantLog checks that the log contains a text.
func (s *testServer) wantLog(text string) {
	s.t.Helper()
	synctest.Wait()
	if log := s.log.String(); !strings.Contains(log, text) {
		s.t.Errorf("%q is not in the log:\n%s", text, log)
	}
}
