package mcpws

import (
	"errors"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/bufpool"
	"github.com/mcpgen/mcpgen/runtime/internal/membudget"
	"github.com/mcpgen/mcpgen/runtime/internal/testbed"
)

// recorded is a connection that records calls.
type recorded struct {
	net.Conn
	calls []string
}

func (r *recorded) SetDeadline(t time.Time) error {
	if t.Before(time.Now()) {
		r.calls = append(r.calls, "expired")
	}
	return nil
}

func (r *recorded) Close() error {
	r.calls = append(r.calls, "close")
	return nil
}

// unconnected returns a connection without a WebSocket.
func unconnected(b *membudget.Budget) (*conn, *recorded) {
	c := newConn(serverSide, 1<<20, b, func(error) {})
	r := new(recorded)
	c.socket = newSocket()
	c.socket.Conn = r
	return c, r
}

// message returns a frame for which memory is charged.
func message(b *membudget.Budget) frame {
	f := frame{text: bufpool.Get(100_000)}
	f.account.Of(b)
	f.account.Take(cap(f.text))
	return f
}

// TestCut checks that cut closes a connection that may be a stuck TLS connection: TLS connections
// write when they are closed, unless the deadline has passed.
func TestCut(t *testing.T) {
	c, r := unconnected(nil)
	c.cut()
	if !slices.Equal(r.calls, []string{"expired", "close"}) {
		t.Errorf("calls %q", r.calls)
	}
}

// The memory of unread messages is released, no matter when reading ends.
func TestMessagesNotRead(t *testing.T) {
	for name, deliver := range map[string]func(c *conn, b *membudget.Budget){
		"before, draining":   func(c *conn, b *membudget.Budget) { c.drain(); c.deliver(message(b)) },
		"before, discarding": func(c *conn, b *membudget.Budget) { close(c.discarding); c.deliver(message(b)) },
		"meanwhile, draining": func(c *conn, b *membudget.Budget) {
			c.deliver(message(b))
			go c.deliver(message(b))
			synctest.Wait()
			c.drain()
		},
		"meanwhile, discarding": func(c *conn, b *membudget.Budget) {
			c.deliver(message(b))
			go c.deliver(message(b))
			synctest.Wait()
			close(c.discarding)
		},
		"afterwards": func(c *conn, b *membudget.Budget) { c.deliver(message(b)) },
		"current": func(c *conn, b *membudget.Budget) {
			c.deliver(message(b))
			if _, err := c.Read(); err != nil {
				t.Error(err)
			}
			c.deliver(message(b))
		},
	} {
		synctest.Test(t, func(t *testing.T) {
			b := membudget.New(1<<30, 1)
			c, _ := unconnected(b)
			deliver(c, b)
			synctest.Wait()
			close(c.messages) // like the pump
			current := c.current.text
			c.release()
			if current != nil && (c.current.text == nil || b.Used() == 0) {
				t.Errorf("%s: the message that the reader has is released", name)
			}
			c.Charge(nil) // like the reader at its end
			if used := b.Used(); used != 0 || c.current.text != nil {
				t.Errorf("%s: %d bytes are charged", name, used)
			}
		})
	}
}

// The client may send this many messages while the connection is being closed.
func TestIgnored(t *testing.T) {
	c, r := unconnected(nil)
	close(c.discarding)
	for range maxIgnored {
		c.deliver(frame{})
	}
	if len(r.calls) > 0 {
		t.Errorf("calls %q", r.calls)
	}
	c.deliver(frame{})
	if len(r.calls) == 0 {
		t.Error("the connection is still open")
	}
}

// partial returns the reader of a message whose connection ends.
func partial(err error) io.Reader {
	return io.MultiReader(strings.NewReader(`{"id":1,`), iotest.ErrReader(err))
}

// A message that the end of the connection cuts is incomplete, and other errors are returned
// unchanged.
func TestEndInMessage(t *testing.T) {
	failed := errors.New("failed")
	for _, end := range []error{io.EOF, failed} {
		want := end
		if end == io.EOF {
			want = io.ErrUnexpectedEOF
		}
		c, _ := unconnected(membudget.New(1<<30, 1))
		c.firstMessage = time.NewTimer(time.Hour)
		c.socket.ended.Store(true)
		if err := c.receive(partial(end)); err != want || c.Buffered() {
			t.Errorf("receive: %v, want %v; delivered: %v", err, want, c.Buffered())
		}
		if f, err := c.identifyDiscarded(partial(end), make([]byte, 0, 100)); err != want || f != nil {
			t.Errorf("identifyDiscarded: %v, %v, want %v", f, err, want)
		}
		c.firstMessage.Stop()
	}
}

// The pings end with the connection, and the memory of unread messages is released.
func TestEndOfConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, _ := testbed.NewServer()
		h := NewHandler(server, WithPing(time.Second))
		network := testbed.NewPipes(nil)
		web := &http.Server{Handler: h}
		go func() { _ = web.Serve(network) }()
		client, err := network.Dial(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			_, _ = io.WriteString(client, "GET / HTTP/1.1\r\nHost: 127.0.0.1:8080\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"+
				"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n")
			_, _ = io.Copy(io.Discard, client)
		}()
		synctest.Wait()
		var c *conn
		h.mu.Lock()
		for c = range h.conns {
		}
		h.mu.Unlock()
		if c == nil || c.pinger.timer == nil {
			t.Fatal("no connection with pings")
		}
		c.drain()
		c.messages <- message(h.memory)
		_ = h.Close()
		synctest.Wait()
		if used := h.memory.Used(); used != 0 {
			t.Errorf("%d bytes are charged", used)
		}
		if c.pinger.timer.Stop() {
			t.Error("there is still a timer")
		}
		_ = web.Close()
		_ = client.Close()
	})
}

// Pings are sent until they are stopped, even if they are stopped before they start.
func TestPingerStops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, _ := unconnected(nil)
		k := &c.pinger
		k.start(0)
		if k.timer != nil {
			t.Error("pings without an interval")
		}
		k.start(time.Second)
		k.stop()
		if k.timer.Stop() {
			t.Error("there is still a timer")
		}
		k.timer = nil
		k.start(time.Second)
		if k.timer != nil {
			t.Error("pings start after they were stopped")
		}
	})
}
