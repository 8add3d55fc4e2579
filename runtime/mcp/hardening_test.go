package mcp_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/internal/spec"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpimpl"
)

var quiet = mcp.WithLogger(slog.New(slog.DiscardHandler))

// eachWay runs a test over the framing of stdio and in memory.
func eachWay(t *testing.T, f func(t *testing.T, way string)) {
	for _, way := range []string{"stdio", "memory"} {
		t.Run(way, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { f(t, way) })
		})
	}
}

func TestBlockedCallsThenPing(t *testing.T) {
	spec.Holds(t, "S180")
	eachWay(t, func(t *testing.T, way string) {
		p := dial(t, newFixture(quiet), way)
		p.send(initialize("2025-11-25") + "\n")
		synctest.Wait()
		p.received()
		for i := range 200 {
			p.send(call(i+1, "block", "{}") + "\n")
		}
		p.send(request(999, "ping", "{}") + "\n")
		synctest.Wait()
		if got := p.received(); len(got) != 1 || !strings.Contains(got[0], `"id":999,"result":{}`) {
			t.Errorf("the ping was answered with %v", got)
		}
		p.hangUp()
	})
}

func TestContextEndsServing(t *testing.T) {
	eachWay(t, func(t *testing.T, way string) {
		ctx, cancel := context.WithCancel(t.Context())
		p := dialContext(t, ctx, newFixture(quiet), way)
		p.send(lines(initialize("2025-11-25"), call(1, "block", "{}"), call(2, "ignoring", "{}")))
		synctest.Wait()
		p.received()
		started := time.Now()
		cancel()
		<-p.done
		if d := time.Since(started); d > 2*time.Second || p.ended() != "canceled" {
			t.Errorf("ended with %s after %v", p.ended(), d)
		}
		if got := p.received(); len(got) != 1 || !strings.Contains(got[0], `"id":1`) {
			t.Errorf("got %v", got)
		}
		time.Sleep(2 * time.Minute)
		p.gone()
	})
}

func TestHandlerContextHasCause(t *testing.T) {
	spec.Holds(t, "S171")
	eachWay(t, func(t *testing.T, way string) {
		causes := make(chan error, 3)
		s := mcp.NewServer(fixtureInfo(), quiet)
		s.Register(mcpimpl.FuncTool(empty("wait", false), noArguments(func(ctx context.Context, _ *mcp.Request) (*mcp.ToolResult, error) {
			<-ctx.Done()
			causes <- context.Cause(ctx)
			return nil, ctx.Err()
		})))
		p := dial(t, s, way)
		p.send(lines(initialize("2025-11-25"), call(1, "wait", "{}"),
			`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1,"reason":"too slow"}}`))
		if err := <-causes; !errors.Is(err, mcp.ErrCancelled) || !strings.Contains(err.Error(), "too slow") {
			t.Errorf("cause %v", err)
		}
		p.send(lines(call(2, "wait", "{}")))
		synctest.Wait()
		p.gone()
		if err := <-causes; !errors.Is(err, mcp.ErrConnectionClosed) {
			t.Errorf("cause %v", err)
		}
		<-p.done
	})
}

// stuck is a connection whose client does not read.
type stuck struct {
	jsonrpc.Conn
	closed chan struct{}
	once   sync.Once
	wrote  atomic.Int64
}

func (s *stuck) Write(b []byte) error {
	s.wrote.Add(int64(len(b)))
	<-s.closed
	return io.ErrClosedPipe
}

func (s *stuck) Close() error {
	s.once.Do(func() { close(s.closed) })
	return s.Conn.Close()
}

func TestSlowReader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, server := jsonrpc.Pipe()
		client = spec.NewConn(t, client)
		conn := &stuck{Conn: server, closed: make(chan struct{})}
		s := newFixture(quiet, mcp.WithLimits(mcp.Limits{QueueBytes: 1000, WriteTime: 5 * time.Second}))
		done := make(chan error, 1)
		started := time.Now()
		go func() { done <- s.Serve(t.Context(), conn) }()
		client.Write([]byte(initialize("2025-11-25") + "\n"))
		for i := range 50 {
			client.Write([]byte(call(i+1, "echo", `{"x":"`+strings.Repeat("y", 500)+`"}`) + "\n"))
		}
		synctest.Wait()
		// The others wait, with the reader still at work: it takes a
		// cancellation of one that waits.
		client.Write([]byte(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":50}}` + "\n"))
		synctest.Wait()
		err := <-done
		if d := time.Since(started); err == nil || d > 7*time.Second {
			t.Errorf("Serve returned %v after %v", err, d)
		}
		client.Close()
	})
}

// A client that sends and never reads is cut off before its replies fill the
// memory.
func TestFloodWithoutReading(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, server := jsonrpc.Pipe()
		client = spec.NewConn(t, client)
		conn := &stuck{Conn: server, closed: make(chan struct{})}
		s := newFixture(quiet, mcp.WithLimits(mcp.Limits{QueueBytes: 10_000}))
		done := make(chan error, 1)
		go func() { done <- s.Serve(t.Context(), conn) }()
		flood := []byte(strings.Repeat(request(1, "ping", "{}")+"\n", 100))
		sent := 0
		for client.Write(flood) == nil {
			if sent += len(flood); sent > 10<<20 {
				t.Error("goes on reading")
				break
			}
		}
		if err := <-done; err == nil {
			t.Error("Serve returned nil")
		}
		client.Close()
	})
}

// One answer may be larger than all that may wait: a long list for a client that
// reads it.
func TestLongAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, wait := newFixture(quiet, mcp.WithLimits(mcp.Limits{QueueBytes: 10})).Connect(t.Context())
		client = spec.NewConn(t, client)
		for _, ask := range []string{initialize("2025-11-25"), request(1, "tools/list", "{}"), request(2, "ping", "{}")} {
			client.Write([]byte(ask + "\n"))
			synctest.Wait()
			if data, err := client.Read(); err != nil || !strings.Contains(string(data), `"result"`) {
				t.Fatalf("%s: %s %v", ask, data, err)
			}
		}
		client.Close()
		if err := wait(); err != nil {
			t.Error(err)
		}
	})
}

func TestManyCancelled(t *testing.T) {
	spec.Holds(t, "S175")
	client, wait := newFixture(quiet).Connect(t.Context())
	client = spec.NewConn(t, client)
	defer wait()
	defer client.Close()
	client.Write([]byte(initialize("2025-11-25") + "\n"))
	client.Read()
	const n = 2000
	go func() {
		for i := 1; i <= n; i++ {
			client.Write([]byte(call(i, "hello", "{}") + "\n"))
			if i%10 == 0 {
				client.Write(fmt.Appendf(nil, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`+"\n", i))
			}
		}
		client.Write([]byte(request(0, "ping", "{}") + "\n"))
	}()
	seen := map[string]bool{}
	for {
		data, err := client.Read()
		if err != nil {
			t.Fatal(err)
		}
		m, _ := jsonrpc.Parse(data)
		if seen[m.ID.String()] {
			t.Fatalf("answered twice: %s", data)
		}
		seen[m.ID.String()] = true
		if len(seen) == n+1 || m.ID.String() == "0" {
			return
		}
	}
}

func TestPanicGoesToTheLogOnly(t *testing.T) {
	eachWay(t, func(t *testing.T, way string) {
		var log strings.Builder
		s := newFixture(mcp.WithLogger(slog.New(slog.NewTextHandler(&log, nil))),
			mcp.WithInterceptors(func(next mcp.Handler) mcp.Handler {
				return func(ctx context.Context, req *mcp.Request) (mcp.Reply, error) {
					if req.Method == "tools/list" {
						panic("secret of the interceptor")
					}
					reply, err := next(ctx, req)
					if req.Name == "panic" && (err == nil || strings.Contains(err.Error(), "secret")) {
						t.Errorf("the interceptor saw %v", err)
					}
					return reply, err
				}
			}))
		p := dial(t, s, way)
		for i, text := range []string{initialize("2025-11-25"), call(1, "panic", "{}"), request(2, "tools/list", "{}"), call(3, "fail_hidden", "{}")} {
			p.send(text + "\n")
			synctest.Wait()
			got := p.received()
			if len(got) != 1 || strings.Contains(got[0], "secret") || (i > 0 && !reference.MatchString(got[0])) {
				t.Fatalf("got %v", got)
			}
			if i > 0 {
				ref := strings.TrimPrefix(reference.FindString(got[0]), "reference ")
				if !strings.Contains(log.String(), "reference="+ref) {
					t.Errorf("reference %s is not in the log", ref)
				}
			}
		}
		p.hangUp()
		for _, want := range []string{"secret in a panic", "secret of the interceptor", "secret path", "fixture_test.go"} {
			if !strings.Contains(log.String(), want) {
				t.Errorf("%q is not in the log:\n%s", want, log.String())
			}
		}
	})
}
