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

	"github.com/mcpgen/mcpgen/internal/spec"
	"github.com/mcpgen/mcpgen/runtime/internal/faultconn"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpnet"
)

var networks = []string{"tcp", "unix"}

func eachNetwork(t *testing.T, c setup, f func(t *testing.T, p *place)) {
	for _, network := range networks {
		t.Run(network, func(t *testing.T) {
			over(t, network, c, func(p *place) { f(t, p) })
		})
	}
}

func TestManyClients(t *testing.T) {
	eachNetwork(t, setup{}, func(t *testing.T, p *place) {
		var all sync.WaitGroup
		for i := range 4 {
			c := p.dial()
			all.Go(func() {
				const n = 100
				go func() {
					for id := range n {
						c.say(call(id, "echo", fmt.Sprintf(`{"x":"%d %d %s"}`, i, id, strings.Repeat("y", id*id))))
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
						t.Errorf("heard %.200s", text)
					}
					seen[id] = true
				}
			})
		}
		all.Wait()
	})
}

// The rules of lines are those of stdio.
func TestLines(t *testing.T) {
	spec.Holds(t, "S089", "S091")
	visit(t, setup{server: []mcp.Option{mcp.WithLimits(mcp.Limits{MessageBytes: 400})}}, func(t *testing.T, p *place) {
		c := p.open()
		c.write("\r\n\n " + ping(1) + "\r\n\n" + ping(2) + "\n" + ping(3)[:10])
		c.wants(pong(1), pong(2))
		c.write(ping(3)[10:] + "\n")
		c.wants(pong(3))
		c.say(spec.Invalid("hello"), spec.Invalid("hello world"), spec.Invalid("{"), ping(4))
		c.wants("-32700", "-32700", "-32700", pong(4))
		c.garble(strings.Repeat("x", 500))
		c.wants("longer than 400 bytes")
		c.tap.Client(ping(5))
		c.garble(strings.Repeat("x", 100_000) + "\n" + ping(5) + "\n")
		c.wants(pong(5))
		// Only the beginning of a connection can be of another protocol.
		c.say(spec.Invalid("GET / HTTP/1.1"), ping(6))
		c.wants("-32700", pong(6))
	})
}

// What a client has asked for that ends its input is answered.
func TestHalfClose(t *testing.T) {
	eachNetwork(t, setup{}, func(t *testing.T, p *place) {
		c := p.dial()
		c.say(call(1, "gate", "{}"))
		c.write(ping(2)) // without a newline
		c.tap.Client(ping(2))
		if err := c.conn.(interface{ CloseWrite() error }).CloseWrite(); err != nil {
			t.Fatal(err)
		}
		c.next(pong(2))
		close(p.release)
		c.next("released")
		c.gone()
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
	over(t, "tcp", setup{}, func(p *place) {
		c := p.dial()
		c.say(call(1, "block", "{}"), ping(2))
		c.next(pong(2))
		c.raw.(*net.TCPConn).SetLinger(0)
		c.raw.Close()
		p.cancelled()
	})
}

// A client that is gone looks like one that has ended its input: it is answered,
// but not for ever.
func TestClientGone(t *testing.T) {
	visit(t, setup{}, func(t *testing.T, p *place) {
		c := p.open()
		c.say(call(1, "block", "{}"))
		synctest.Wait()
		c.raw.Close()
		time.Sleep(9 * time.Second)
		if len(p.causes) > 0 {
			t.Error("cancelled too early")
		}
		time.Sleep(2 * time.Second)
		p.cancelled()
	})
}

func TestEnd(t *testing.T) {
	visit(t, setup{}, func(t *testing.T, p *place) {
		busy, idle := p.open(), p.open()
		busy.say(call(1, "gate", "{}"))
		busy.write(ping(2)[:10]) // never to be finished
		synctest.Wait()
		p.stop()
		idle.wants("end EOF")
		busy.wants()
		if _, err := p.net.Dial(t.Context()); err == nil {
			t.Error("a connection is accepted after the end")
		}
		time.Sleep(5 * time.Second)
		close(p.release)
		busy.wants("released", "end EOF")
	})
}

// Nothing that has been written is lost because the client goes on writing.
func TestEndWithUnreadInput(t *testing.T) {
	eachNetwork(t, setup{}, func(t *testing.T, p *place) {
		c := p.dial()
		c.say(call(1, "gate", `{"bytes":3000000}`), ping(2))
		c.next(pong(2))
		p.stop()
		// Once nobody reads, writing fills what lies between.
		note := []byte(`{"jsonrpc":"2.0","method":"notifications/x","params":{"x":"` + strings.Repeat("y", 100_000) + `"}}` + "\n")
		for {
			c.raw.SetWriteDeadline(time.Now().Add(200 * time.Millisecond))
			if _, err := c.raw.Write(note); errors.Is(err, os.ErrDeadlineExceeded) {
				break
			} else if err != nil {
				t.Fatal(err)
			}
		}
		close(p.release)
		c.next("released")
		c.gone()
	})
}

func TestEndIsBounded(t *testing.T) {
	limits := mcp.WithLimits(mcp.Limits{DrainTime: 3 * time.Second})
	visit(t, setup{server: []mcp.Option{limits}}, func(t *testing.T, p *place) {
		c := p.open()
		c.say(call(1, "block", "{}"))
		synctest.Wait()
		started := time.Now()
		p.stop()
		<-p.ended
		if d := time.Since(started); d > 5*time.Second {
			t.Errorf("it took %v", d)
		}
		p.cancelled()
		c.wants("context canceled", "end EOF")
	})
}

func TestEndedBefore(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if err := mcpnet.Serve(ctx, mcp.NewServer(mcp.Info{Name: "x"}), l); err != nil {
		t.Errorf("Serve: %v", err)
	}
	if _, err := l.Accept(); !errors.Is(err, net.ErrClosed) {
		t.Errorf("the listener is open: %v", err)
	}
}

func TestUnixSocketIsRemoved(t *testing.T) {
	var path string
	over(t, "unix", setup{}, func(p *place) { path = p.addr.String() })
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("stat: %v", err)
	}
}

// A client that does not read is cut off, and nobody else waits for it.
func TestSlowReader(t *testing.T) {
	limits := mcp.WithLimits(mcp.Limits{QueueBytes: 10_000, WriteTime: 5 * time.Second})
	visit(t, setup{server: []mcp.Option{limits}}, func(t *testing.T, p *place) {
		c, other := p.dial(), p.open()
		for i := range 50 {
			c.say(call(i, "big", `{"bytes":500}`))
		}
		c.say(call(100, "block", "{}"))
		synctest.Wait()
		c.say(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":100}}`)
		synctest.Wait()
		if len(p.causes) != 1 {
			t.Error("a cancellation is not heard")
		}
		other.say(ping(1))
		other.wants(pong(1))
		time.Sleep(8 * time.Second)
		if _, err := c.conn.Read(); err == nil {
			t.Error("not cut off")
		}
		p.logged("client does not read")
	})
}

func TestConnections(t *testing.T) {
	visit(t, setup{options: []mcpnet.Option{mcpnet.WithConnections(2), mcpnet.WithConnections(0), mcpnet.WithConnectionsPerClient(2)}}, func(t *testing.T, p *place) {
		first, second := p.open(), p.open()
		for range 3 {
			p.open().wants("end EOF")
		}
		if n := strings.Count(p.log.String(), "connections refused"); n != 1 {
			t.Errorf("the refusal is logged %d times", n)
		}
		second.say(ping(1))
		second.wants(pong(1))
		first.raw.Close()
		synctest.Wait()
		third := p.open()
		third.say(ping(1))
		third.wants(pong(1))
		p.open().wants("end EOF")
		if n := strings.Count(p.log.String(), "connections refused"); n != 2 {
			t.Errorf("the refusal is logged %d times", n)
		}
	})
}

// unlucky is a listener that cannot accept a few times.
type unlucky struct {
	net.Listener
	mu   sync.Mutex
	errs []error
}

func (u *unlucky) Accept() (net.Conn, error) {
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
		return &unlucky{Listener: l, errs: []error{full, full, full, full, full, full, full, full, full, full}}
	}
	visit(t, setup{listen: listen}, func(t *testing.T, p *place) {
		started := time.Now()
		c := p.open() // once it is accepted
		if d := time.Since(started); d < time.Second || d > 5*time.Second {
			t.Errorf("it took %v", d)
		}
		c.say(ping(1))
		c.wants(pong(1))
		p.logged("too many open files")
	})
	// The end of the context ends the waiting.
	forever := make([]error, 1000)
	for i := range forever {
		forever[i] = full
	}
	visit(t, setup{listen: func(l net.Listener) net.Listener { return &unlucky{Listener: l, errs: forever} }}, func(t *testing.T, p *place) {
		time.Sleep(time.Minute)
		started := time.Now()
		p.stop()
		<-p.ended
		if time.Since(started) > 0 {
			t.Error("waits on")
		}
	})
}

// A listener that fails ends Serve, but not before what runs is answered.
func TestListenerFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPlace(t)
		p.net = faultconn.NewListener(nil)
		p.start(setup{}, p.net)
		defer p.stop()
		c := p.open()
		c.say(call(1, "gate", "{}"))
		synctest.Wait()
		p.net.Close()
		synctest.Wait()
		select {
		case <-p.ended:
			t.Error("does not wait for the call")
		default:
		}
		close(p.release)
		c.wants("released", "end EOF")
		<-p.ended
		if !errors.Is(p.result, net.ErrClosed) || !strings.HasPrefix(p.result.Error(), "accept connection: ") {
			t.Errorf("Serve: %v", p.result)
		}
	})
}

func TestContext(t *testing.T) {
	ctx := context.WithValue(context.Background(), key{}, "value")
	visit(t, setup{ctx: ctx}, func(t *testing.T, p *place) {
		c := p.open()
		c.say(call(1, "who", "{}"))
		c.wants(`"text":"\"\" <nil> map[] value"`)
	})
}
