package mcp_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/transport"
	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// Calls that wait for a begin which takes too long do not belong to a session: they do not run
// beside or after its end.
func TestSessionHookLateCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var e events
		s := newHooked(&e, nil, mcp.WithLimits(mcp.Limits{CallTime: time.Minute}),
			mcp.WithSessionHook(func(ctx context.Context, _ mcp.SessionInfo) func() {
				<-ctx.Done()
				return func() { e.add("end") }
			}))
		p := dial(t, s, "memory")
		p.send(initialize("2025-11-25") + "\n")
		time.Sleep(30 * time.Second)
		p.send(call(1, "where", "{}") + "\n")
		time.Sleep(40 * time.Second)
		e.want(t, "end")
		got := p.received()
		if len(got) != 2 || !strings.Contains(got[0]+got[1], "timed out after 1m0s") || !strings.Contains(got[0]+got[1], "send initialize first") {
			t.Errorf("received %q", got)
		}
		p.hangUp()
		e.want(t)
	})
}

// If a connection opens a session after another one was refused, the session has another id, since
// the end of the first one may run while the second one begins.
func TestSessionHookIDs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var e events
		var ids []string
		refuse := true
		release := make(chan struct{})
		s := newHooked(&e, nil, mcp.WithSessionHook(func(_ context.Context, info mcp.SessionInfo) func() {
			e.add("begin")
			ids = append(ids, info.ID)
			return func() { <-release; e.add("end") }
		}), mcp.WithInterceptors(func(next mcp.Handler) mcp.Handler {
			return func(ctx context.Context, req *mcp.Request) (mcp.Reply, error) {
				reply, err := next(ctx, req)
				if refuse {
					return nil, errors.New("no")
				}
				return reply, err
			}
		}))
		host := s.Transport()
		conn := host.Open(t.Context(), transport.Options{Transport: "test", SessionID: "id"})
		for _, refuse = range []bool{true, true, false} {
			give(t, host, conn, initialize("2025-11-25"))
			e.want(t, "begin")
		}
		if len(ids) != 3 || ids[0] != "id" || ids[1] == ids[0] || ids[2] == ids[0] || ids[1] == ids[2] || ids[1] == "" {
			t.Errorf("sessions %q", ids)
		}
		if log := give(t, host, conn, call(1, "where", "{}")); !strings.Contains(log.replies[0], "session "+ids[2]+" over test") {
			t.Errorf("replies %q", log.replies)
		}
		close(release)
		e.want(t, "call", "end", "end")
		conn.Close()
		e.want(t, "end")
		gaveBack(t, s)
	})
}

// Serve waits for the ends of all sessions of its connection, including refused ones.
func TestSessionHookWaitsForRefused(t *testing.T) {
	for _, late := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			var e events
			s := newHooked(&e, nil, mcp.WithLimits(mcp.Limits{DrainTime: 20 * time.Second, CallTime: time.Minute}),
				mcp.WithSessionHook(func(ctx context.Context, _ mcp.SessionInfo) func() {
					if late {
						<-ctx.Done()
						time.Sleep(5 * time.Second)
					}
					return func() { time.Sleep(5 * time.Second); e.add("end") }
				}), mcp.WithInterceptors(func(next mcp.Handler) mcp.Handler {
					return func(ctx context.Context, req *mcp.Request) (mcp.Reply, error) {
						_, _ = next(ctx, req)
						return nil, errors.New("no")
					}
				}))
			p := dial(t, s, "memory")
			p.send(initialize("2025-11-25") + "\n")
			if late {
				time.Sleep(time.Minute + time.Second)
			}
			synctest.Wait()
			if got := p.received(); len(got) != 1 || !strings.Contains(got[0], "error") {
				t.Errorf("received %q", got)
			}
			p.hangUp() // which waits until Serve returns
			e.want(t, "end")
		})
	}
}

// No client can use a session before begin returns, even if an interceptor replies while its
// handler still runs.
func TestSessionHookBesideInterceptor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var e events
		s := newHooked(&e, nil, mcp.WithSessionHook(func(context.Context, mcp.SessionInfo) func() {
			time.Sleep(time.Second)
			e.add("begin")
			return nil
		}), mcp.WithInterceptors(func(next mcp.Handler) mcp.Handler {
			return func(ctx context.Context, req *mcp.Request) (mcp.Reply, error) {
				go func() { _, _ = next(ctx, req) }()
				synctest.Wait()
				return &mcp.RawReply{JSON: []byte(`{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"other","version":"1"}}`)}, nil
			}
		}))
		p := dial(t, s, "memory")
		p.send(initialize("2025-11-25") + "\n")
		time.Sleep(time.Second - 1)
		if got := p.received(); len(got) != 0 {
			t.Errorf("received %q before the session has begun", got)
		}
		time.Sleep(time.Nanosecond)
		e.want(t, "begin")
		if got := p.received(); len(got) != 1 || !strings.Contains(got[0], `"other"`) {
			t.Errorf("received %q", got)
		}
		p.hangUp()
	})
}
