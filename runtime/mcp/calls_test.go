package mcp_test

import (
	"context"
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/runtime/mcp"
)

const tooManyCalls = `"error":{"code":-32603,"message":"overloaded: the limit of running calls is reached; try again later","data":{"reason":"overloaded"}}`

// from returns a peer with an address and a session.
func from(t *testing.T, s *mcp.Server, address string) *peer {
	t.Helper()
	ctx := t.Context()
	if address != "" {
		ctx = mcp.AddressContext(ctx, netip.MustParseAddr(address))
	}
	p := dialContext(t, ctx, s, "memory")
	p.send(lines(initialize("2025-11-25"), initialized))
	synctest.Wait()
	p.received()
	return p
}

// Calls count until their handlers have returned, even if the client is gone.
func TestLimitCalls(t *testing.T) {
	intercept := mcp.WithInterceptors(func(next mcp.Handler) mcp.Handler {
		return func(ctx context.Context, req *mcp.Request) (mcp.Reply, error) { return next(ctx, req) }
	})
	for name, options := range map[string][]mcp.Option{"plain": nil, "interceptors": {intercept}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				leave := make(chan struct{})
				s := newFixture(append(options, quiet, mcp.WithLimits(mcp.Limits{Calls: 3, ClientShare: 100}))...)
				tool(s, "stubborn", func(context.Context) (string, error) { <-leave; return "done", nil })
				for range 3 {
					p := from(t, s, "192.0.2.1")
					p.send(call(1, "stubborn", "{}") + "\n")
					synctest.Wait()
					p.hangUp()
				}
				time.Sleep(time.Minute)
				for _, address := range []string{"192.0.2.1", "198.51.100.1", ""} {
					p := from(t, s, address)
					if name == "interceptors" { // initialize is a call too
						p.send(initialize("2025-11-25") + "\n")
						synctest.Wait()
						if got := fmt.Sprint(p.received()); !strings.Contains(got, tooManyCalls) {
							t.Errorf("%s: got %s", address, got)
						}
					}
					p.expect(call(2, "hello", "{}"), `"error":{"code":-326`)
					p.expect(modernCall(2, "hello", "{}"), `"id":2,`+tooManyCalls)
					p.expect(request(3, "ping", "{}"), pong)
					p.hangUp()
				}
				leave <- struct{}{}
				synctest.Wait()
				p := from(t, s, "192.0.2.1")
				for i := range 10 {
					p.expect(call(i, "hello", "{}"), `"result"`)
				}
				close(leave)
				p.hangUp()
			})
		})
	}
}

// One client can use a percentage of the calls, and of the listens.
func TestLimitClientShare(t *testing.T) {
	t.Run("calls", testShareOfCalls)
	for _, c := range []struct {
		name   string
		limits mcp.Limits
	}{
		{"listens", mcp.Limits{Listens: 8}},
		{"another share", mcp.Limits{Listens: 4, ClientShare: 50}},
		{"all", mcp.Limits{Listens: 2, ClientShare: 100}},
		{"more than all", mcp.Limits{Listens: 2, ClientShare: 1000}},
	} {
		t.Run(c.name, func(t *testing.T) { testShareOfListens(t, c.limits, c.limits.ClientShare < 100) })
	}
}

func testShareOfCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		leave := make(chan struct{})
		s := newFixture(quiet, mcp.WithLimits(mcp.Limits{Calls: 8}))
		tool(s, "stubborn", func(context.Context) (string, error) { <-leave; return "done", nil })
		one, two, other, nowhere := from(t, s, "2001:db8::1"), from(t, s, "2001:db8::2"), from(t, s, "2001:db8:0:1::1"), from(t, s, "")
		one.send(call(1, "stubborn", "{}") + "\n")
		two.send(call(1, "stubborn", "{}") + "\n")
		synctest.Wait()
		one.expect(call(2, "hello", "{}"), `"id":2,`+tooManyCalls)
		two.expect(call(2, "hello", "{}"), `"id":2,`+tooManyCalls)
		one.expect(request(3, "ping", "{}"), pong)
		other.expect(call(2, "hello", "{}"), `"result"`)
		// Connections without an address belong to the program itself.
		for i := range 6 {
			nowhere.send(call(i+1, "stubborn", "{}") + "\n")
		}
		synctest.Wait()
		nowhere.expect(call(20, "hello", "{}"), `"id":20,`+tooManyCalls)
		other.expect(call(3, "hello", "{}"), `"id":3,`+tooManyCalls)
		close(leave)
		synctest.Wait()
		one.received()
		one.expect(call(4, "hello", "{}"), `"result"`)
		for _, p := range []*peer{one, two, other, nowhere} {
			p.hangUp()
		}
	})
}

func listenTo(id int) string {
	return request(id, "subscriptions/listen", `{`+modernMeta+`,"notifications":{"toolsListChanged":true}}`)
}

func TestLimitListens(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newFixture(quiet, mcp.WithLimits(mcp.Limits{Listens: 3, ClientShare: 100, Calls: 1}))
		one, two := from(t, s, "192.0.2.1"), from(t, s, "192.0.2.2")
		one.expect(listenTo(1), "acknowledged")
		one.expect(listenTo(2), "acknowledged")
		two.expect(listenTo(1), "acknowledged")
		two.expect(listenTo(2), `"id":2,`+tooManyCalls)
		two.expect(call(3, "hello", "{}"), `"result"`) // not a listen
		one.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}` + "\n")
		synctest.Wait()
		one.received()
		two.expect(listenTo(2), "acknowledged")
		two.expect(listenTo(4), tooManyCalls)
		one.hangUp()
		time.Sleep(time.Minute)
		two.expect(listenTo(4), "acknowledged")
		two.hangUp()
	})
}

// testShareOfListens has one client open its two listens; others can open one unless all are open.
func testShareOfListens(t *testing.T, limits mcp.Limits, left bool) {
	synctest.Test(t, func(t *testing.T) {
		s := newFixture(quiet, mcp.WithLimits(limits))
		one, two, other := from(t, s, "192.0.2.1"), from(t, s, "192.0.2.1"), from(t, s, "192.0.2.2")
		one.expect(listenTo(1), "acknowledged")
		two.expect(listenTo(1), "acknowledged")
		one.expect(listenTo(2), tooManyCalls)
		two.expect(listenTo(2), tooManyCalls)
		if left {
			other.expect(listenTo(1), "acknowledged")
		} else {
			other.expect(listenTo(1), tooManyCalls)
		}
		for _, p := range []*peer{one, two, other} {
			p.hangUp()
		}
	})
}
