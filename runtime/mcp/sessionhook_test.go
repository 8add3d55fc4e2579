package mcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/internal/transport"
	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// events records events in order.
type events struct {
	mu  sync.Mutex
	all []string
}

func (e *events) add(format string, args ...any) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.all = append(e.all, fmt.Sprintf(format, args...))
}

// want checks the events since the last call.
func (e *events) want(t *testing.T, want ...string) {
	t.Helper()
	synctest.Wait()
	e.mu.Lock()
	defer e.mu.Unlock()
	if !slices.Equal(e.all, want) {
		t.Errorf("events %q\nwant   %q", e.all, want)
	}
	e.all = nil
}

// hook records the begin and the end of sessions by a name.
func (e *events) hook(name string) mcp.Option {
	return mcp.WithSessionHook(func(context.Context, mcp.SessionInfo) func() {
		e.add("begin %s", name)
		return func() { e.add("end %s", name) }
	})
}

// newHooked returns a server with the tool where, which records its calls, and the tool block,
// which waits for its context and then for release.
func newHooked(e *events, release <-chan struct{}, options ...mcp.Option) *mcp.Server {
	s := mcp.NewServer(fixtureInfo(), append([]mcp.Option{quiet}, options...)...)
	s.Register(mcp.NewTool(mcp.ToolInfo{Name: "where"}, func(ctx context.Context, _ json.RawMessage) (*mcp.ToolResult, error) {
		e.add("call")
		c := mcp.CallFrom(ctx)
		return mcp.TextResult(fmt.Sprintf("session %s over %s", c.Session(), c.Transport())), nil
	}))
	s.Register(mcp.NewTool(mcp.ToolInfo{Name: "block"}, func(ctx context.Context, _ json.RawMessage) (*mcp.ToolResult, error) {
		e.add("call")
		<-ctx.Done()
		<-release
		e.add("returned")
		return nil, ctx.Err()
	}))
	return s
}

// Sessions begin once, with their properties, and end once, even if the client then continues
// without a session.
func TestSessionHook(t *testing.T) {
	for _, rev := range protocol.All {
		synctest.Test(t, func(t *testing.T) {
			var e events
			var infos []mcp.SessionInfo
			var ctxs []context.Context
			s := newHooked(&e, nil, mcp.WithSessionHook(func(ctx context.Context, info mcp.SessionInfo) func() {
				e.add("begin")
				infos, ctxs = append(infos, info), append(ctxs, ctx)
				if mcp.CallFrom(ctx) != nil || ctx.Err() != nil {
					t.Errorf("call %v, error %v", mcp.CallFrom(ctx), ctx.Err())
				}
				return func() {
					if ctx.Err() == nil {
						t.Error("the context of a session has not ended")
					}
					e.add("end")
				}
			}), mcp.WithSessionHook(func(context.Context, mcp.SessionInfo) func() { return nil }), mcp.WithSessionHook(nil))
			type key struct{}
			header := map[string][]string{"X-Tenant": {"a"}}
			ctx := mcp.CallerContext(context.WithValue(t.Context(), key{}, "value"), mcp.Principal{ID: "ada", Value: 7}, header)
			p := dialContext(t, ctx, s, "memory")
			where := requestIn(rev, 1, "tools/call", `"name":"where"`)
			if rev.PerRequest {
				p.expect(where, `session  over memory`)
				p.hangUp()
				e.want(t, "call")
				return
			}
			p.send(lines(initialize(rev.Version)))
			e.want(t, "begin")
			if got := p.received(); len(got) != 1 || !strings.Contains(got[0], "serverInfo") {
				t.Fatalf("%q", got)
			}
			p.send(initialized + "\n")
			info := infos[0]
			if info.ID == "" || info.Transport != "memory" || info.Principal != (mcp.Principal{ID: "ada", Value: 7}) ||
				info.Client != (mcp.ClientInfo{Name: "c", Version: "1"}) || info.Revision != rev.Version || info.Header["X-Tenant"] == nil {
				t.Errorf("%+v", info)
			}
			if ctxs[0].Value(key{}) != "value" {
				t.Error("the context has no values of the connection")
			}
			for range 3 {
				p.expect(where, fmt.Sprintf("session %s over memory", info.ID))
			}
			// A request of a revision without sessions does not belong to the session, on the same
			// connection.
			p.expect(requestIn(protocol.All[len(protocol.All)-1], 1, "tools/call", `"name":"where"`), `session  over memory`)
			p.expect(initialize(rev.Version), "already initialized")
			e.want(t, "call", "call", "call", "call")

			other := dial(t, s, "memory")
			other.send(lines(initialize(rev.Version), initialized))
			e.want(t, "begin")
			if infos[1].ID == info.ID || ctxs[0].Err() != nil {
				t.Errorf("ids %q %q, error %v", info.ID, infos[1].ID, ctxs[0].Err())
			}
			p.hangUp()
			e.want(t, "end")
			other.hangUp()
			e.want(t, "end")
		})
	}
}

// No function of the program is called for a session before begin returns, and end is called after
// all of them have returned.
func TestSessionHookOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var e events
		begin, release := make(chan struct{}), make(chan struct{})
		s := newHooked(&e, release, e.hook("outer"), mcp.WithSessionHook(func(context.Context, mcp.SessionInfo) func() {
			<-begin
			e.add("begin inner")
			return func() { e.add("end inner") }
		}), mcp.WithInterceptors(func(next mcp.Handler) mcp.Handler {
			return func(ctx context.Context, req *mcp.Request) (mcp.Reply, error) {
				e.add("%s", req.Method)
				return next(ctx, req)
			}
		}), mcp.WithExtension(mcp.Extension{Name: "com.example/x", Notifications: map[string]func(context.Context, json.RawMessage){
			"notifications/x": func(context.Context, json.RawMessage) { e.add("notified") },
		}}))
		ctx, stop := context.WithCancel(t.Context())
		p := dialContext(t, ctx, s, "memory")
		p.send(initialize("2025-11-25") + "\n")
		e.want(t, "initialize", "begin outer")
		p.send(lines(`{"jsonrpc":"2.0","method":"notifications/x"}`, initialized, call(1, "block", "{}")))
		synctest.Wait()
		time.Sleep(time.Minute)
		e.want(t)
		if got := p.received(); len(got) != 0 {
			t.Errorf("received %q", got)
		}
		close(begin)
		synctest.Wait()
		e.mu.Lock()
		slices.Sort(e.all[1:])
		e.mu.Unlock()
		e.want(t, "begin inner", "call", "notified", "tools/call")
		stop()
		time.Sleep(500 * time.Millisecond) // less than GraceTime
		e.want(t)
		close(release)
		e.want(t, "returned", "end inner", "end outer")
		<-p.done
		e.want(t)
	})
}

// The server does not wait for ever for handlers and ends that do not return.
func TestSessionHookWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var e events
		release, end := make(chan struct{}), make(chan struct{})
		s := newHooked(&e, release, mcp.WithLimits(mcp.Limits{GraceTime: 2 * time.Second, DrainTime: 5 * time.Second}),
			mcp.WithSessionHook(func(context.Context, mcp.SessionInfo) func() {
				return func() { e.add("end"); <-end; e.add("ended") }
			}))
		ctx, stop := context.WithCancel(t.Context())
		p := dialContext(t, ctx, s, "memory")
		p.send(lines(initialize("2025-11-25"), initialized, call(1, "block", "{}")))
		e.want(t, "call")
		stop()
		time.Sleep(2*time.Second - 1)
		e.want(t)
		time.Sleep(2 * time.Nanosecond)
		e.want(t, "end")
		time.Sleep(time.Second)
		if got := p.ended(); got != "not yet" {
			t.Errorf("Serve has returned: %s", got)
		}
		time.Sleep(6 * time.Second)
		if got := p.ended(); got == "not yet" {
			t.Error("Serve waits")
		}
		close(end)
		e.want(t, "ended")
		close(release)
		e.want(t, "returned")
	})
}

// A session that is closed while begin runs ends when begin has returned.
func TestSessionHookRunsOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var e events
		begin := make(chan struct{})
		s := newHooked(&e, nil, e.hook("outer"), mcp.WithSessionHook(func(ctx context.Context, _ mcp.SessionInfo) func() {
			<-ctx.Done()
			e.add("done")
			<-begin
			return func() { e.add("end inner") }
		}))
		p := dial(t, s, "memory")
		p.send(initialize("2025-11-25") + "\n")
		e.want(t, "begin outer")
		p.hangUp() // which waits until Serve returns
		e.want(t, "done")
		close(begin)
		e.want(t, "end inner", "end outer")
	})
}

// A hook that fails refuses the session, and the ends of earlier hooks are called. Calls that were
// sent with it do not run.
func TestSessionHookFails(t *testing.T) {
	for name, fail := range map[string]func(){"panic": func() { panic("at the disco") }, "Goexit": runtime.Goexit} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var e events
				var log strings.Builder
				failing := true
				s := newHooked(&e, nil, mcp.WithLogger(slog.New(slog.NewTextHandler(&log, nil))), e.hook("outer"),
					mcp.WithSessionHook(func(context.Context, mcp.SessionInfo) func() {
						time.Sleep(time.Second)
						if failing {
							fail()
						}
						e.add("begin")
						return func() { e.add("end"); fail() }
					}), e.hook("inner"))
				p := dial(t, s, "memory")
				p.send(lines(initialize("2025-11-25"), call(1, "where", "{}")))
				time.Sleep(2 * time.Second)
				e.want(t, "begin outer", "end outer")
				got := p.received()
				slices.Sort(got)
				if len(got) != 2 || !strings.Contains(got[0], "internal error, reference") || !strings.Contains(got[1], "send initialize first") {
					t.Errorf("received %q", got)
				}
				if name == "panic" && strings.Count(log.String(), "disco") != 1 || !strings.Contains(log.String(), "reference") {
					t.Errorf("log %s", log.String())
				}
				p.expect(call(2, "where", "{}"), "send initialize first")
				failing = false
				p.send(initialize("2025-11-25") + "\n")
				time.Sleep(2 * time.Second)
				e.want(t, "begin outer", "begin", "begin inner")
				p.received()
				p.hangUp()
				e.want(t, "end inner", "end", "end outer")
				if !strings.Contains(log.String(), "end of a session") {
					t.Errorf("log %s", log.String())
				}
			})
		})
	}
}

// Sessions that are refused do not begin; a session that an interceptor refuses afterwards ends.
func TestSessionHookRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var e events
		how := ""
		s := newHooked(&e, nil, e.hook("it"), mcp.WithInterceptors(func(next mcp.Handler) mcp.Handler {
			return func(ctx context.Context, req *mcp.Request) (mcp.Reply, error) {
				if req.Method != "initialize" {
					return next(ctx, req)
				}
				switch how {
				case "before":
					return nil, errors.New("no")
				case "panic":
					panic("no")
				case "after":
					_, _ = next(ctx, req)
					return nil, errors.New("no")
				case "itself":
					return &mcp.RawReply{JSON: json.RawMessage(
						`{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"other","version":"1"}}`)}, nil
				}
				return next(ctx, req)
			}
		}))
		p := dial(t, s, "memory")
		synctest.Wait()
		s.Transport().Memory().Force(1<<31 - 1)
		p.expect(initialize("2025-11-25"), overload)
		s.Transport().Memory().Release(1<<31 - 1)
		e.want(t)
		for _, how = range []string{"before", "panic"} {
			p.expect(initialize("2025-11-25"), `"error"`)
			e.want(t)
		}
		how = "after"
		p.expect(initialize("2025-11-25"), `"error"`)
		e.want(t, "begin it", "end it")
		how = "itself"
		p.expect(initialize("2025-11-25"), `"other"`)
		e.want(t, "begin it")
		p.hangUp()
		e.want(t, "end it")
		gaveBack(t, s)
	})
}

// A begin that takes too long refuses the session.
func TestSessionHookTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var e events
		s := newHooked(&e, nil, mcp.WithLimits(mcp.Limits{CallTime: time.Minute}),
			mcp.WithSessionHook(func(ctx context.Context, _ mcp.SessionInfo) func() {
				<-ctx.Done() // cancelled when the server refuses the session
				e.add("done")
				return func() { e.add("end") }
			}))
		p := dial(t, s, "memory")
		p.send(initialize("2025-11-25") + "\n")
		time.Sleep(2 * time.Minute)
		e.want(t, "done", "end")
		if got := p.received(); len(got) != 1 || !strings.Contains(got[0], "timed out after 1m0s") {
			t.Errorf("received %q", got)
		}
		p.hangUp()
		e.want(t)
	})
}

// The name of a connection is the result of its method.
func TestTransportName(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var e events
		p := dial(t, newHooked(&e, nil), "stdio")
		p.send(lines(initialize("2025-11-25"), initialized))
		synctest.Wait()
		p.received()
		p.expect(call(1, "where", "{}"), ` over "`)
		p.hangUp()
		var none *mcp.Call
		if none.Session() != "" || none.Transport() != "" {
			t.Error("no call has a session")
		}
	})
}

// Sessions whose ends have not returned count for the memory of the server.
func TestSessionHookMemory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var e events
		release := make(chan struct{})
		s := newHooked(&e, nil, mcp.WithLimits(mcp.Limits{Memory: 100 << 10}), mcp.WithSessionHook(func(context.Context, mcp.SessionInfo) func() {
			return func() { <-release; e.add("end") }
		}))
		host := s.Transport()
		var endings transport.Endings
		opened := 0
		for range 100 {
			conn := host.Open(t.Context(), transport.Options{Transport: "test", SessionID: "id", Endings: &endings})
			log := give(t, host, conn, initialize("2025-11-25"))
			if len(log.replies) != 1 {
				t.Fatalf("replies %q", log.replies)
			}
			if conn.Negotiated() != nil {
				opened++
			}
			conn.Close()
			synctest.Wait()
		}
		if opened < 10 || opened > 25 {
			t.Errorf("%d sessions wait for their ends in 100 KiB", opened)
		}
		ctx, stop := context.WithTimeout(t.Context(), time.Second)
		defer stop()
		if err := endings.Wait(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Wait: %v", err)
		}
		close(release)
		if err := endings.Wait(t.Context()); err != nil {
			t.Error(err)
		}
		gaveBack(t, s)
	})
}
