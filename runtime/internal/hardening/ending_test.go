package hardening_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/internal/proof/spec"
	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// testInputEnds closes the input while calls run, as the parent of a process does.
func testInputEnds(t *testing.T, v target) {
	visit := v.visit
	if v.is(tcp) {
		visit = v.visitReal // pipes cannot be closed in one direction
	}
	t.Run("answered", func(t *testing.T) {
		visit(t, setup{}, func(t *testing.T, s *site) {
			c := s.open()
			l := c.link.(*lineLink)
			h := s.hold("answered")
			id, _ := c.say("tools/call", h.params())
			ctx := await(s, h.in, "call")
			asked := ""
			if v.era == legacy {
				asked, _ = c.say("tools/call", call("asks", `{}`))
				c.wait("question", func(m message) bool { return m.Method == "elicitation/create" })
			}
			if err := l.finish(); err != nil {
				t.Fatal(err)
			}
			if asked != "" {
				if m := c.reply(asked); !m.failed() {
					t.Errorf("a question that nobody can answer any more: %v", m)
				}
			}
			s.settle()
			if ctx.Err() != nil {
				t.Errorf("cancelled: %v", context.Cause(ctx))
			}
			h.run(func(ctx context.Context) { mcp.Progress(ctx, 1, 2, "") })
			c.wait("progress", func(m message) bool { return m.Method == "notifications/progress" })
			h.answer("to the end")
			if m := c.reply(id); m.text() != "to the end" {
				t.Errorf("%v", m)
			}
			c.gone("the end of the input")
			if v.is(stdio, memory) {
				if err := await(s, l.served, "end of Serve"); err != nil {
					t.Errorf("Serve: %v", err)
				}
			}
		})
	})
	t.Run("deadline", func(t *testing.T) {
		drain, grace := 2*time.Second, 500*time.Millisecond
		if v.is(tcp) {
			drain, grace = drain/10, grace/10
		}
		visit(t, setup{limits: mcp.Limits{DrainTime: drain, GraceTime: grace}}, func(t *testing.T, s *site) {
			c := s.open()
			l := c.link.(*lineLink)
			h, stuck := s.hold("waits"), s.hold("stuck")
			stuck.ignoreContext = true
			id, _ := c.say("tools/call", h.params())
			c.say("tools/call", stuck.params())
			await(s, h.in, "call")
			await(s, stuck.in, "call")
			started := time.Now()
			if err := l.finish(); err != nil {
				t.Fatal(err)
			}
			if err := await(s, h.out, "end of the call"); !errors.Is(err, mcp.ErrConnectionClosed) {
				t.Errorf("the cause is %v", err)
			}
			c.gone("the deadline")
			if took := time.Since(started); took < drain || took > drain+grace+time.Second && !s.setup.real {
				t.Errorf("it took %v", took)
			}
			for _, m := range c.in.all() {
				if m.id() != id || !m.failed() {
					t.Errorf("got %v", m)
				}
			}
			spec.Holds(t, "S088")
			stuck.answer("too late")
		})
	})
}

// shutdown shuts the server down, and returns its result.
func (s *site) shutdown(ctx context.Context) <-chan error {
	done := make(chan error, 1)
	if s.target.is(tcp) {
		s.stop(errTestOver)
		s.served.Go(func() {
			<-ctx.Done() // only the deadline of the server applies
			done <- nil
		})
		return done
	}
	s.served.Go(func() { done <- s.handler.Shutdown(ctx) })
	return done
}

func testShutdown(t *testing.T, v target) {
	t.Run("answered", func(t *testing.T) {
		v.visit(t, setup{}, func(t *testing.T, s *site) {
			c, idle := s.open(), s.open()
			h := s.hold("answered")
			id, _ := c.say("tools/call", h.params())
			ctx := await(s, h.in, "call")
			listen := ""
			if v.era == modern {
				listen, _ = c.say("subscriptions/listen", `"notifications":{"toolsListChanged":true}`)
				c.wait("acknowledgement", func(m message) bool { return strings.HasSuffix(m.Method, "/acknowledged") })
			}
			var standing *delivery
			if v.is(httpLegacy) {
				standing = c.link.(*httpLink).get()
				c.wantStatus("GET", c.status(standing), 200)
			}
			if v.is(tcp) {
				_, _ = c.link.(*lineLink).raw.Write([]byte(`{"jsonrpc"`)) // never completed
			}
			ended, over := context.WithTimeout(t.Context(), 5*time.Second)
			defer over()
			done := s.shutdown(ended)
			s.settle()
			if ctx.Err() != nil {
				t.Errorf("cancelled: %v", context.Cause(ctx))
			}
			s.refusesAll(t, idle)
			if listen != "" {
				if m := c.reply(listen); m.failed() {
					t.Errorf("listen: %v", m)
				}
			}
			if standing != nil {
				await(s, standing.done, "end of the standing stream")
			}
			h.answer("to the end")
			if m := c.reply(id); m.text() != "to the end" {
				t.Errorf("%v", m)
			}
			if err := await(s, done, "end of Shutdown"); err != nil {
				t.Errorf("Shutdown: %v", err)
			}
			if !v.is(httpLegacy, httpModern) {
				c.gone("Shutdown")
				idle.gone("Shutdown")
			}
		})
	})
	if v.is(tcp) {
		return // the deadline of InputEnds
	}
	t.Run("deadline", func(t *testing.T) {
		v.visit(t, setup{}, func(t *testing.T, s *site) {
			c := s.open()
			h := s.hold("waits")
			c.say("tools/call", h.params())
			ctx := await(s, h.in, "call")
			ended, over := context.WithTimeoutCause(t.Context(), 5*time.Second, errTestOver)
			defer over()
			started := time.Now()
			if err := await(s, s.shutdown(ended), "end of Shutdown"); !errors.Is(err, errTestOver) {
				t.Errorf("Shutdown: %v", err)
			}
			if took := time.Since(started); took != 5*time.Second {
				t.Errorf("it took %v", took)
			}
			await(s, ctx.Done(), "end of the context")
			if err := context.Cause(ctx); !errors.Is(err, mcp.ErrConnectionClosed) {
				t.Errorf("the cause is %v", err)
			}
		})
	})
}

// refusesAll checks that nothing new begins.
func (s *site) refusesAll(t *testing.T, c *client) {
	t.Helper()
	switch s.target.name {
	case tcp:
		if conn, err := s.net.Dial(t.Context()); err == nil {
			_ = conn.Close()
			t.Error("a connection is accepted")
		}
	case webSocket:
		if status, _ := s.knock(http.MethodGet); status != 503 {
			t.Errorf("upgrade: status %d", status)
		}
	case httpSSE:
		if status, _ := s.knock(http.MethodGet); status != 503 {
			t.Errorf("GET: status %d", status)
		}
	default:
		_, d := c.say("tools/call", call("echo", `{}`))
		c.wantStatus("another call", c.status(d), 503)
		if status, _ := s.knock(http.MethodPost); status != 503 {
			t.Errorf("POST: status %d", status)
		}
	}
}

// testSilentClient has one client that answers pings, and one that does not. Without pings the
// server cannot distinguish them.
func testSilentClient(t *testing.T, v target) {
	if v.era == modern && !v.is(webSocket) {
		t.Log("does not apply: clients of this revision cannot be pinged by a message")
		return
	}
	c := setup{}
	if !v.is(webSocket) { // which has pings of its own
		c.server = []mcp.Option{mcp.WithPing(time.Minute)}
	}
	v.visit(t, c, func(t *testing.T, s *site) {
		silent, polite := s.open(), s.open()
		h := map[*client]*hold{silent: s.hold("silent"), polite: s.hold("polite")}
		ctx := map[*client]context.Context{}
		for _, c := range []*client{silent, polite} {
			if v.is(httpLegacy) {
				c.wantStatus("GET", c.status(c.link.(*httpLink).get()), 200)
			}
			c.say("tools/call", h[c].params())
			ctx[c] = await(s, h[c].in, "call")
		}
		if v.is(webSocket) {
			silent.link.(*webSocketLink).ignorePings.Store(true)
		} else {
			polite.answerPings()
		}
		started := time.Now()
		await(s, ctx[silent].Done(), "end of the context")
		if d := time.Since(started); d > 5*time.Minute {
			t.Errorf("noticed after %v", d)
		}
		if v.is(httpLegacy) {
			_, d := silent.say("ping", "")
			silent.wantStatus("the session", silent.status(d), 404)
		} else {
			silent.gone("silence")
		}
		spec.Holds(t, "S185", "S186")
		s.logs("client does not answer pings")
		time.Sleep(20 * time.Minute)
		if ctx[polite].Err() != nil {
			t.Errorf("the one that answers is cut off: %v", context.Cause(ctx[polite]))
		}
		polite.alive("twenty minutes")
	})
}

// answerPings answers requests of the server, until the connection is closed.
func (c *client) answerPings() {
	c.s.served.Go(func() {
		for {
			select {
			case <-c.in.over:
				return
			case <-c.s.quit:
				return
			case <-time.After(time.Second):
			}
			for {
				m, ok := c.in.take(func(m message) bool { return m.Method == "ping" })
				if !ok {
					break
				}
				c.put(`{"jsonrpc":"2.0","id":` + m.id() + `,"result":{}}`)
			}
		}
	})
}
