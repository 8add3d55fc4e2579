package hardening_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/internal/proof/spec"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcphttp"
)

func testBlocked(t *testing.T, v target) {
	t.Run("ping", func(t *testing.T) {
		v.visit(t, setup{}, func(t *testing.T, s *site) {
			c := s.open()
			h := s.hold("blocked")
			ids := map[string]bool{}
			for range 200 {
				id, _ := c.say("tools/call", h.params())
				ids[id] = true
			}
			for range 200 {
				await(s, h.in, "call")
			}
			started := time.Now()
			for _, m := range []struct{ method, params string }{
				{c.era.harmless(), ""}, {"tools/list", ""}, {"tools/call", call("echo", `{}`)},
			} {
				if m := c.ask(m.method, m.params); m.failed() {
					t.Errorf("beside them: %v", m)
				}
			}
			if d := time.Since(started); d > 0 {
				t.Errorf("that took %v", d)
			}
			for range 200 {
				h.answer("done")
			}
			for range 200 {
				m := c.wait("reply", func(m message) bool { return m.Method == "" })
				if !ids[m.id()] || m.text() != "done" {
					t.Errorf("%v", m)
				}
				delete(ids, m.id())
			}
		})
	})
	t.Run("limit", func(t *testing.T) {
		spec.Holds(t, "S180")
		const most = 5
		c := setup{limits: mcp.Limits{InFlight: most}}
		if v.is(httpModern) {
			c.http.Requests, c.limits.ClientShare = most, 100 // each request is a connection of its own
		}
		v.visit(t, c, func(t *testing.T, s *site) {
			c, other := s.open(), s.open()
			h := s.hold("blocked")
			for range most {
				c.say("tools/call", h.params())
				await(s, h.in, "call")
			}
			started := time.Now()
			id, d := c.say("tools/call", h.params())
			m := c.wait("refusal", func(m message) bool { return m.Method == "" })
			want := map[string]int{httpModern: 503, httpLegacy: 200, httpSSE: 202}[v.name]
			if m.code() != jsonrpc.CodeInternal || string(m.Error.Data) != `{"reason":"overloaded"}` || (m.id() != id && !v.is(httpModern)) {
				t.Errorf("one more: %v", m)
			}
			c.wantStatus("one more", c.status(d), want)
			if v.is(httpModern) {
				// All clients share the limit; a notification counts too.
				d := other.put(cancelled("1"))
				other.wantStatus("one more", other.status(d), 503)
				s.settle()
				other.in.all()
			} else {
				other.alive("another client is at its limit")
				if m := c.ask(c.era.harmless(), ""); m.failed() {
					t.Errorf("what takes no time: %v", m)
				}
			}
			if d := time.Since(started); d > 0 {
				t.Errorf("that took %v", d)
			}
			h.answer("done")
			c.wait("reply", func(m message) bool { return m.text() == "done" })
			s.settle()
			c.alive("there is room again")
		})
	})
}

// testUserCode blocks all functions of users. The goroutine that reads messages does not call them,
// so others are answered, and the calls can be cancelled.
func testUserCode(t *testing.T, v target) {
	blocked := make(chan context.Context, 100)
	block := func(ctx context.Context) error {
		blocked <- ctx
		<-ctx.Done()
		return context.Cause(ctx)
	}
	intercept := func(next mcp.Handler) mcp.Handler {
		return func(ctx context.Context, req *mcp.Request) (mcp.Reply, error) {
			if req.Method == "prompts/list" {
				return nil, block(ctx)
			}
			return next(ctx, req)
		}
	}
	c := setup{
		server: []mcp.Option{mcp.WithInterceptors(intercept), mcp.WithAccess(mcp.Visible(func(ctx context.Context, f mcp.FeatureInfo) bool {
			return f.Name != "large" || block(ctx) == nil
		}))},
		register: func(s *site) {
			s.server.Register(mcp.NewTemplate(mcp.TemplateInfo{URITemplate: "block://{x}", Name: "block", List: func(ctx context.Context) ([]mcp.ResourceInfo, error) { return nil, block(ctx) }, Variables: []mcp.TemplateVariable{{Name: "x", Complete: func(ctx context.Context, _ string, _ map[string]string) (mcp.Completion, error) {
				return mcp.Completion{}, block(ctx)
			}}}}, func(ctx context.Context, _ string, _ map[string]string) (*mcp.ResourceResult, error) {
				return nil, block(ctx)
			}))
		},
	}
	v.visit(t, c, func(t *testing.T, s *site) {
		blocked = make(chan context.Context, 100) // belongs to the bubble
		c, other := s.open(), s.open()
		for _, q := range []struct{ method, params string }{
			{"prompts/list", ""}, {"tools/call", call("large", `{}`)}, {"tools/list", ""}, {"resources/list", ""}, {"resources/read", `"uri":"block://1"`},
			{"completion/complete", `"ref":{"type":"ref/resource","uri":"block://{x}"},"argument":{"name":"x","value":""}`},
		} {
			id, d := c.say(q.method, q.params)
			ctx := await(s, blocked, "call of "+q.method)
			started := time.Now()
			c.alive(q.method)
			other.alive(q.method)
			if took := time.Since(started); took > 0 {
				t.Errorf("%s: the others have waited %v", q.method, took)
			}
			if v.is(httpModern) {
				d.cancel()
			} else {
				c.put(cancelled(id))
			}
			await(s, ctx.Done(), "end of "+q.method)
			c.quiet(q.method)
		}
	})
}

// testLimits lowers all limits that can be lowered, and exceeds them.
func testLimits(t *testing.T, v target) {
	t.Run("result", func(t *testing.T) {
		v.visit(t, setup{limits: mcp.Limits{ResultBytes: 10_000, ResourceBytes: 1000}, register: func(s *site) {
			s.server.Register(mcp.TextResource(&mcp.ResourceInfo{URI: "test://long", Name: "long"}, strings.Repeat("x", 1001)))
		}}, func(t *testing.T, s *site) {
			c := s.open()
			if m := c.ask("tools/call", call("large", `{"n":9000}`)); m.failed() {
				t.Errorf("within the limit: %v", m)
			}
			if m := c.ask("tools/call", call("large", `{"n":10001}`)); !m.failed() || m.code() != 0 || !strings.Contains(m.text(), "10000") || len(m.raw) > 1000 {
				t.Errorf("over it: %v", m)
			}
			if m := c.ask("resources/read", `"uri":"test://long"`); m.code() != jsonrpc.CodeInternal || !strings.Contains(m.raw, `"reason":"too large"`) {
				t.Errorf("resource: %v", m)
			}
			c.alive("results over the limit")
		})
	})
	t.Run("time", func(t *testing.T) {
		v.visit(t, setup{server: []mcp.Option{mcp.WithTimeout(2 * time.Second)}}, func(t *testing.T, s *site) {
			for _, ignores := range []bool{false, true} {
				c := s.open()
				h := s.hold(fmt.Sprint(ignores))
				h.ignoreContext = ignores
				started := time.Now()
				m := c.ask("tools/call", h.params())
				if d := time.Since(started); !m.failed() || m.code() != 0 || !strings.Contains(m.text(), "2s") || d > 4*time.Second {
					t.Errorf("ignores its context %v, after %v: %v", ignores, d, m)
				}
				if ignores {
					h.answer("late")
				}
				c.quiet("too late")
				c.alive("a call that is late")
			}
		})
	})
	t.Run("subscriptions", func(t *testing.T) {
		v.visit(t, setup{limits: mcp.Limits{Subscriptions: 2}}, func(t *testing.T, s *site) {
			c := s.open()
			if v.era == modern {
				id, _ := c.say("subscriptions/listen", `"notifications":{"resourceSubscriptions":["item://1","item://2","item://3"]}`)
				if m := c.reply(id); !m.failed() {
					t.Errorf("three at once: %v", m)
				}
				c.alive("too many subscriptions")
				return
			}
			for i := range 3 {
				if m := c.ask("resources/subscribe", fmt.Sprintf(`"uri":"item://%d"`, i)); m.failed() != (i == 2) {
					t.Errorf("subscription %d: %v", i, m)
				}
			}
			c.ask("resources/unsubscribe", `"uri":"item://1"`)
			if m := c.ask("resources/subscribe", `"uri":"item://3"`); m.failed() {
				t.Errorf("with room again: %v", m)
			}
			c.alive("too many subscriptions")
		})
	})
	t.Run("clients", func(t *testing.T) { testManyClients(t, v) })
	t.Run("streams", func(t *testing.T) { testManyStreams(t, v) })
}

// testManyClients opens one client more than the limit.
func testManyClients(t *testing.T, v target) {
	if v.is(stdio, memory, httpModern) {
		t.Log("does not apply: there are no clients to count")
		return
	}
	v.visit(t, setup{limits: mcp.Limits{ClientShare: 100}, connections: 2, http: mcphttp.Limits{Sessions: 2}}, func(t *testing.T, s *site) {
		one := s.open()
		s.open()
		switch v.name {
		case tcp:
			c := s.connect("")
			c.gone("one too many")
		case webSocket, httpSSE:
			if status, _ := s.knock("GET"); status != 503 {
				t.Errorf("one too many: status %d", status)
			}
		default:
			c := s.connect("")
			_, d := c.say("initialize", initialize)
			c.wantStatus("one too many", c.status(d), 503)
		}
		one.alive("one client too many")
		if v.is(httpLegacy) {
			one.status(one.link.(*httpLink).delete())
		} else {
			one.vanish()
		}
		s.settle()
		s.open().alive("there is room again")
	})
}

// testManyStreams opens one standalone stream more than the limit.
func testManyStreams(t *testing.T, v target) {
	if !v.http {
		t.Log("does not apply: all clients have a stream of their own, and no more")
		return
	}
	v.visit(t, setup{limits: mcp.Limits{ClientShare: 100}, http: mcphttp.Limits{Streams: 2}}, func(t *testing.T, s *site) {
		listen := func(c *client) *delivery {
			switch v.name {
			case httpLegacy:
				return c.link.(*httpLink).get()
			case httpModern:
				_, d := c.say("subscriptions/listen", `"notifications":{"toolsListChanged":true}`)
				return d
			}
			return nil
		}
		one, two := s.open(), s.open()
		if v.is(httpSSE) {
			if status, _ := s.knock("GET"); status != 503 {
				t.Errorf("one too many: status %d", status)
			}
			one.vanish()
			s.settle()
			s.open().alive("there is room again")
			return
		}
		first := listen(one)
		one.wantStatus("the first", one.status(first), 200)
		two.wantStatus("the second", two.status(listen(two)), 200)
		three := s.open()
		three.wantStatus("the third", three.status(listen(three)), 503)
		s.settle()
		three.in.all()
		three.alive("one stream too many")
		first.cancel()
		s.settle()
		three.wantStatus("with room again", three.status(listen(three)), 200)
	})
}
