package mcpnet_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/internal/proof/spec"
	"github.com/mcpgen/mcpgen/runtime/internal/testbed"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpnet"
)

var networks = []string{"tcp", "unix"}

func serveEachNetwork(t *testing.T, c setup, f func(t *testing.T, s *testServer)) {
	for _, network := range networks {
		t.Run(network, func(t *testing.T) {
			serveReal(t, network, c, func(s *testServer) { f(t, s) })
		})
	}
}

func TestManyClients(t *testing.T) {
	serveEachNetwork(t, setup{}, func(t *testing.T, s *testServer) {
		var all sync.WaitGroup
		for i := range 4 {
			c := s.dial()
			all.Go(func() {
				const n = 100
				go func() {
					for id := range n {
						c.send(testbed.Call(id, "echo", fmt.Sprintf(`{"x":"%d %d %s"}`, i, id, strings.Repeat("y", id*id))))
					}
				}()
				seen := map[string]bool{}
				for range n {
					text, err := c.conn.Read()
					if err != nil {
						t.Errorf("read: %v", err)
						return
					}
					m, _ := jsonrpc.Parse(text)
					id := m.ID.String()
					if seen[id] || !strings.Contains(string(text), fmt.Sprintf(`\"%d %s y`, i, id)) && id != "0" {
						t.Errorf("received %.200s", text)
					}
					seen[id] = true
				}
			})
		}
		all.Wait()
	})
}

// Lines are framed as in the stdio transport.
func TestLines(t *testing.T) {
	spec.Holds(t, "S089", "S091")
	serve(t, setup{server: []mcp.Option{mcp.WithLimits(mcp.Limits{MessageBytes: 400})}}, func(t *testing.T, s *testServer) {
		c := s.open()
		c.write("\r\n\n " + testbed.Ping(1) + "\r\n\n" + testbed.Ping(2) + "\n" + testbed.Ping(3)[:10])
		c.want(testbed.Pong(1), testbed.Pong(2))
		c.write(testbed.Ping(3)[10:] + "\n")
		c.want(testbed.Pong(3))
		c.send(spec.Invalid("hello"), spec.Invalid("hello world"), spec.Invalid("{"), testbed.Ping(4))
		c.want("-32700", "-32700", "-32700", testbed.Pong(4))
		c.writeInvalid(strings.Repeat("x", 500))
		c.want("longer than 400 bytes")
		c.tap.Client(testbed.Ping(5))
		c.writeInvalid(strings.Repeat("x", 100_000) + "\n" + testbed.Ping(5) + "\n")
		c.want(testbed.Pong(5))
		// HTTP and TLS are detected only at the beginning of a connection.
		c.send(spec.Invalid("GET / HTTP/1.1"), testbed.Ping(6))
		c.want("-32700", testbed.Pong(6))
	})
}

// The requests of a client that closes its write side are answered.
func TestHalfClose(t *testing.T) {
	serveEachNetwork(t, setup{}, func(t *testing.T, s *testServer) {
		c := s.dial()
		c.send(testbed.Call(1, "gate", "{}"))
		c.write(testbed.Ping(2)) // without a newline
		c.tap.Client(testbed.Ping(2))
		if err := c.conn.(interface{ CloseWrite() error }).CloseWrite(); err != nil {
			t.Fatal(err)
		}
		c.wantNext(testbed.Pong(2))
		close(s.tools.Release)
		c.wantNext("released")
		c.wantEnd()
	})
}

func TestNoHalfClose(t *testing.T) {
	near, far := net.Pipe()
	defer far.Close()
	c := mcpnet.NewConn(near, 0)
	defer c.Close()
	if err := c.(interface{ CloseWrite() error }).CloseWrite(); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("CloseWrite: %v", err)
	}
}

func TestConnectionLost(t *testing.T) {
	serveReal(t, "tcp", setup{}, func(s *testServer) {
		c := s.dial()
		c.send(testbed.Call(1, "block", "{}"), testbed.Ping(2))
		c.wantNext(testbed.Pong(2))
		c.raw.(*net.TCPConn).SetLinger(0)
		c.raw.Close()
		s.wantCancelled()
	})
}

// Replies are not lost if the client continues to write while the server closes.
func TestEndWithUnreadInput(t *testing.T) {
	serveEachNetwork(t, setup{}, func(t *testing.T, s *testServer) {
		c := s.dial()
		c.send(testbed.Call(1, "gate", `{"bytes":3000000}`), testbed.Ping(2))
		c.wantNext(testbed.Pong(2))
		s.stop()
		// When the server no longer reads, the buffers in between fill up.
		note := []byte(`{"jsonrpc":"2.0","method":"notifications/x","params":{"x":"` + strings.Repeat("y", 100_000) + `"}}` + "\n")
		for {
			c.raw.SetWriteDeadline(time.Now().Add(200 * time.Millisecond))
			if _, err := c.raw.Write(note); errors.Is(err, os.ErrDeadlineExceeded) {
				break
			} else if err != nil {
				t.Fatal(err)
			}
		}
		close(s.tools.Release)
		c.wantNext("released")
		c.wantEnd()
	})
}

func TestEndedBefore(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if err := mcpnet.Serve(ctx, mcp.NewServer(mcp.ServerInfo{Name: "x"}), l); err != nil {
		t.Errorf("Serve: %v", err)
	}
	if _, err := l.Accept(); !errors.Is(err, net.ErrClosed) {
		t.Errorf("the listener is open: %v", err)
	}
}

func TestUnixSocketIsRemoved(t *testing.T) {
	var path string
	serveReal(t, "unix", setup{}, func(s *testServer) { path = s.addr.String() })
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("stat: %v", err)
	}
}

// Consecutive refused connections are logged once.
func TestConnections(t *testing.T) {
	serve(t, setup{
		server:  []mcp.Option{mcp.WithLimits(mcp.Limits{ClientShare: 100})},
		options: []mcpnet.Option{mcpnet.WithLimits(mcpnet.Limits{Connections: 2}), mcpnet.WithLimits(mcpnet.Limits{})},
	}, func(t *testing.T, s *testServer) {
		first, _ := s.open(), s.open()
		for range 3 {
			s.open().want("end EOF")
		}
		if n := strings.Count(s.log.String(), "connections refused"); n != 1 {
			t.Errorf("the refusal is logged %d times", n)
		}
		first.raw.Close()
		synctest.Wait()
		s.open().want()
		s.open().want("end EOF")
		if n := strings.Count(s.log.String(), "connections refused"); n != 2 {
			t.Errorf("the refusal is logged %d times", n)
		}
	})
}

// watched is a listener that calls a function before it closes a connection.
type watched struct {
	net.Listener
	closing func()
}

func (w *watched) Accept() (net.Conn, error) {
	c, err := w.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &watchedConn{c, w}, nil
}

type watchedConn struct {
	net.Conn
	of *watched
}

func (c *watchedConn) Close() error {
	c.of.closing()
	return c.Conn.Close()
}

// When a client notices that its connection was closed because of a limit, the reason is already in
// the log.
func TestLogBeforeRefusal(t *testing.T) {
	for reason, limits := range map[string]mcpnet.Limits{
		"connections refused: Limits.Connections is reached":                                                  {Connections: 1},
		"connection refused: its client has its share of Limits.Connections, which is mcp.Limits.ClientShare": {Connections: 2},
	} {
		t.Run(reason, func(t *testing.T) {
			w := &watched{closing: func() {}}
			listen := func(l net.Listener) net.Listener { w.Listener = l; return w }
			serve(t, setup{options: []mcpnet.Option{mcpnet.WithLimits(limits)}, listen: listen}, func(t *testing.T, s *testServer) {
				s.open()
				synctest.Wait()
				closed := 0
				w.closing = func() {
					closed++
					if !strings.Contains(s.log.String(), reason) {
						t.Errorf("the connection is closed before this is logged: %s", reason)
					}
				}
				s.open().want("end EOF")
				if closed != 1 {
					t.Errorf("%d connections are closed, want 1", closed)
				}
				w.closing = func() {}
			})
		})
	}
}

// closable records whether a listener was closed.
type closable struct {
	net.Listener
	closed bool
}

func (c *closable) Close() error { c.closed = true; return c.Listener.Close() }

// A failed listener is closed too.
func TestFailedListenerIsClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTestServer(t)
		l := &closable{Listener: &failing{Listener: testbed.NewPipes(nil), errs: []error{errors.New("failed")}}}
		s.start(setup{}, l)
		defer s.stop()
		<-s.ended
		if !l.closed || s.result == nil {
			t.Errorf("closed: %v, %v", l.closed, s.result)
		}
	})
}

// failing is a listener whose first calls of Accept fail.
type failing struct {
	net.Listener
	mu   sync.Mutex
	errs []error
}

func (u *failing) Accept() (net.Conn, error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if len(u.errs) > 0 {
		err := u.errs[0]
		u.errs = u.errs[1:]
		return nil, err
	}
	return u.Listener.Accept()
}

func TestAcceptErrorsThatPass(t *testing.T) {
	full := &net.OpError{Op: "accept", Err: os.NewSyscallError("accept", syscall.EMFILE)}
	listen := func(l net.Listener) net.Listener {
		return &failing{Listener: l, errs: []error{full, full, full, full, full, full, full, full, full, full}}
	}
	serve(t, setup{listen: listen}, func(t *testing.T, s *testServer) {
		started := time.Now()
		c := s.open() // accepted after the failures
		if d := time.Since(started); d < time.Second || d > 5*time.Second {
			t.Errorf("it took %v", d)
		}
		c.send(testbed.Ping(1))
		c.want(testbed.Pong(1))
		s.wantLog("too many open files")
	})
	// The end of the context ends the delay.
	forever := make([]error, 1000)
	for i := range forever {
		forever[i] = full
	}
	serve(t, setup{listen: func(l net.Listener) net.Listener { return &failing{Listener: l, errs: forever} }}, func(t *testing.T, s *testServer) {
		time.Sleep(time.Minute)
		started := time.Now()
		s.stop()
		<-s.ended
		if time.Since(started) > 0 {
			t.Error("waits on")
		}
	})
}

// A failed listener ends Serve, after the requests in progress are answered.
func TestListenerFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTestServer(t)
		s.network = testbed.NewPipes(nil)
		s.start(setup{}, s.network)
		defer s.stop()
		c := s.open()
		c.send(testbed.Call(1, "gate", "{}"))
		synctest.Wait()
		s.network.Close()
		synctest.Wait()
		select {
		case <-s.ended:
			t.Error("does not wait for the call")
		default:
		}
		close(s.tools.Release)
		c.want("released", "end EOF")
		<-s.ended
		if !errors.Is(s.result, net.ErrClosed) || !strings.HasPrefix(s.result.Error(), "accept connection: ") {
			t.Errorf("Serve: %v", s.result)
		}
	})
}

func TestContext(t *testing.T) {
	ctx := context.WithValue(context.Background(), testbed.ContextKey{}, "value")
	serve(t, setup{ctx: ctx}, func(t *testing.T, s *testServer) {
		c := s.open()
		c.send(testbed.Call(1, "who", "{}"))
		c.want(`"text":" <nil> [] false value"`)
	})
}
