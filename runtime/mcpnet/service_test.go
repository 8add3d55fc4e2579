package mcpnet

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"os"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/clientlimit"
	"github.com/mcpgen/mcpgen/runtime/internal/logs"
	"github.com/mcpgen/mcpgen/runtime/internal/testbed"
	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// unknown is a closed connection without addresses.
type unknown struct{ net.Conn }

func (unknown) LocalAddr() net.Addr              { return nil }
func (unknown) RemoteAddr() net.Addr             { return nil }
func (unknown) SetDeadline(time.Time) error      { return nil }
func (unknown) SetReadDeadline(time.Time) error  { return nil }
func (unknown) SetWriteDeadline(time.Time) error { return nil }
func (unknown) Read([]byte) (int, error)         { return 0, io.EOF }
func (unknown) Close() error                     { return nil }

func newService() *service {
	server, _ := testbed.NewServer()
	return &service{
		server: server, log: logs.New(slog.New(slog.DiscardHandler)), limits: Limits{Connections: 10}, each: 10, firstMessageTime: time.Hour,
		conns: map[*conn]clientlimit.Client{}, perClient: clientlimit.Table{},
	}
}

// A connection with unknown addresses is served.
func TestNoAddresses(t *testing.T) {
	s := newService()
	s.handle(t.Context(), unknown{})
	s.running.Wait()
	if len(s.conns) > 0 || len(s.perClient) > 0 {
		t.Errorf("left are %v and %v", s.conns, s.perClient)
	}
}

// Nothing begins on a connection whose reading is over.
func TestDrainedBefore(t *testing.T) {
	near, far := net.Pipe()
	defer near.Close()
	defer far.Close()
	c := newConn(near, 0)
	c.drain()
	s := newService()
	s.identify = func(net.Conn) (mcp.Principal, error) {
		t.Error("the client is identified")
		return mcp.Principal{}, nil
	}
	if _, err := s.handshake(t.Context(), c); err != errDrained {
		t.Errorf("handshake: %v", err)
	}
	if err := c.startFirstMessageTime(time.Hour); err != errDrained {
		t.Errorf("startFirstMessageTime: %v", err)
	}
	if _, err := near.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("the deadline has been moved: %v", err)
	}
}

// The error for an expired deadline names the deadline.
func TestTimeoutError(t *testing.T) {
	c := newConn(unknown{}, 0)
	if err := c.timeoutError(); err != os.ErrDeadlineExceeded {
		t.Errorf("%v", err)
	}
	if err := c.startFirstMessageTime(5 * time.Second); err != nil {
		t.Error(err)
	}
	if err := c.timeoutError(); err == nil || err.Error() != "no message has come within 5s" {
		t.Errorf("%v", err)
	}
	c.drain()
	if err := c.timeoutError(); err != errDrained {
		t.Errorf("%v", err)
	}
}

// Connections count for their client: first for its address, then for its principal.
func TestCountForPrincipal(t *testing.T) {
	s := newService()
	s.each = 2
	address := clientlimit.Of("", addressOf(unknown{}))
	conns := make([]*conn, 4)
	for i := range conns {
		conns[i] = newConn(unknown{}, 0)
		s.conns[conns[i]] = address
		s.perClient.Add(address)
	}
	for i, want := range []bool{true, true, false} {
		if got := s.countForPrincipal(conns[i], "ann"); got != want {
			t.Errorf("connection %d of ann: %v", i, got)
		}
	}
	if !s.countForPrincipal(conns[0], "ann") || !s.countForPrincipal(conns[3], "") {
		t.Error("a connection that is counted is refused")
	}
	if s.perClient[address] != 2 || s.perClient[clientlimit.Of("ann", addressOf(unknown{}))] != 2 {
		t.Errorf("counted are %v", s.perClient)
	}
	s.identify = func(net.Conn) (mcp.Principal, error) { return mcp.Principal{ID: "ann"}, nil }
	if _, err := s.handshake(context.Background(), conns[2]); err != errTooManyOfPrincipal {
		t.Errorf("handshake: %v", err)
	}
}

func TestSniffer(t *testing.T) {
	for text, want := range map[string]error{
		"GET /": errHTTP, "\r\n GET /": errHTTP, "A\tB C": nil, "A\nB ": nil, "A\rB ": nil, "\x16": errTLS, " \x16": errTLS, "A\x16B C": nil, "{A B": nil,
	} {
		var o sniffer
		if err := o.check([]byte(text)); err != want || (err == nil) != o.ruledOut {
			t.Errorf("%q: %v, ruled out: %v", text, err, o.ruledOut)
		}
	}
}
