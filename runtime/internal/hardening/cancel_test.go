package hardening_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/internal/proof/spec"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/mcp"
)

func testReplyAfterCancelled(t *testing.T, v target) {
	spec.Holds(t, "S086", "S087", "S171", "S173", "S193")
	for _, ignores := range []bool{false, true} {
		v.visit(t, setup{}, func(t *testing.T, s *site) {
			c := s.open()
			h := s.hold("cancelled")
			h.ignoreContext = ignores
			id, d := c.say("tools/call", h.params())
			ctx := await(s, h.in, "call")
			c.wantStatus("cancelled", c.status(c.put(cancelled(id))), 202)
			if v.is(httpModern) {
				s.settle()
				if ctx.Err() != nil {
					t.Error("a notification has cancelled a request whose end does so")
				}
				d.cancel()
			}
			await(s, ctx.Done(), "end of the context")
			if err := context.Cause(ctx); !errors.Is(err, mcp.ErrCancelled) {
				t.Errorf("the cause is %v", err)
			}
			if ignores {
				h.run(func(ctx context.Context) {
					mcp.Progress(ctx, 1, 2, "late")
					mcp.Logger(ctx).Error("late")
				})
				h.answer("late")
			}
			c.quiet("a cancelled request")
			if v.is(httpLegacy) {
				await(s, d.done, "end of the answer")
				if d.status != 200 || !strings.HasPrefix(d.kind, "text/event-stream") || d.err != nil {
					t.Errorf("status %d, %s, %v", d.status, d.kind, d.err)
				}
			}
			c.put(c.era.text(id, "tools/call", call("echo", `{}`)))
			if m := c.reply(id); m.failed() {
				t.Errorf("the id is not free again: %v", m)
			}
			c.alive("a cancelled request")
			// Neither a request that is done nor one that never existed can be cancelled.
			spec.Holds(t, "S177", "S178", "S179")
			for _, id := range []string{id, "99", `"99"`} {
				c.put(cancelled(id))
			}
			for _, id := range []string{"null", "{}", "1.5"} {
				c.put(cancelled(id), spec.InvalidField)
			}
			c.put(`{"jsonrpc":"2.0","method":"notifications/cancelled"}`, spec.InvalidField)
			c.quiet("cancelled too late")
			c.alive("cancelled too late")
		})
	}
	if v.era == modern {
		v.visit(t, setup{}, testCancelledListen)
	}
}

// testCancelledListen cancels a request that only waits for changes.
func testCancelledListen(t *testing.T, s *site) {
	c := s.open()
	id, d := c.say("subscriptions/listen", `"notifications":{"toolsListChanged":true}`)
	c.wait("acknowledgement", func(m message) bool { return strings.HasSuffix(m.Method, "subscriptions/acknowledged") })
	if s.target.is(httpModern) {
		d.cancel()
	} else {
		c.put(cancelled(id))
	}
	s.settle()
	s.tool(s.server, mcp.ToolInfo{Name: "another"}, nil)
	c.quiet("a cancelled listen")
	c.alive("a cancelled listen")
}

func testSameIDs(t *testing.T, v target) {
	v.visit(t, setup{}, func(t *testing.T, s *site) {
		one, two := s.open(), s.open()
		h := map[*client]*hold{one: s.hold("one"), two: s.hold("two")}
		d := map[*client]*delivery{}
		for _, c := range []*client{one, two} {
			for _, id := range []string{`7`, `"7"`} {
				d[c] = c.put(c.era.text(id, "tools/call", h[c].params()))
				await(s, h[c].in, "call")
			}
		}
		if v.is(httpModern) {
			d[one].cancel()
		} else {
			one.put(cancelled(`"7"`))
		}
		if err := await(s, h[one].out, "end of the cancelled call"); !errors.Is(err, mcp.ErrCancelled) {
			t.Errorf("the cause is %v", err)
		}
		s.settle()
		if len(h[two].out) > 0 {
			t.Error("one client has cancelled a call of the other")
		}
		h[one].answer("one")
		h[two].answer("two")
		h[two].answer("two")
		if m := one.reply(`7`); m.text() != "one" {
			t.Errorf("the first client hears %v", m)
		}
		for _, id := range []string{`7`, `"7"`} {
			if m := two.reply(id); m.text() != "two" {
				t.Errorf("the second client hears %v", m)
			}
		}
		one.quiet("the same ids")
		two.quiet("the same ids")

		// The same client may not have the same id in flight twice, unless the channel identifies
		// the request.
		id, _ := one.say("tools/call", h[one].params())
		await(s, h[one].in, "call")
		m, _ := one.try(one.era.text(id, "tools/call", call("echo", `{}`)))
		if want := !v.is(httpModern); m.failed() != want || (want && m.code() != jsonrpc.CodeInvalidRequest) {
			t.Errorf("the id of a call in flight: %v", m)
		}
		h[one].answer("untouched")
		if m := one.reply(id); m.text() != "untouched" {
			t.Errorf("the call in flight: %v", m)
		}
	})
}

// testContextEnds cancels calls in every way, and checks the cause that they see.
func testContextEnds(t *testing.T, v target) {
	spec.Holds(t, "S172")
	const soon, drain = 3 * time.Second, 10 * time.Second
	for _, end := range []struct {
		name string
		how  func(s *site, c *client, d *delivery, id string) bool // returns false if the transport has no such way
		want error
	}{
		{"cancelled", func(s *site, c *client, d *delivery, id string) bool {
			if v.is(httpModern) {
				d.cancel()
			} else {
				c.put(cancelled(id))
			}
			return true
		}, mcp.ErrCancelled},
		{"gone", func(s *site, c *client, d *delivery, id string) bool {
			c.vanish()
			return !v.is(httpModern, httpLegacy)
		}, mcp.ErrConnectionClosed},
		{"session deleted", func(s *site, c *client, d *delivery, id string) bool {
			if v.is(httpLegacy) {
				c.wantStatus("DELETE", c.status(c.link.(*httpLink).delete()), 204)
			}
			return v.is(httpLegacy)
		}, mcp.ErrConnectionClosed},
		{"server closed", func(s *site, c *client, d *delivery, id string) bool {
			switch {
			case v.is(stdio, memory):
				s.stop(errTestOver)
			case v.is(tcp, httpModern):
				return false // calls are waited for
			default:
				_ = s.handler.Close()
			}
			return true
		}, nil},
		{"HTTP server closed", func(s *site, c *client, d *delivery, id string) bool {
			if v.is(httpModern) {
				_ = s.http.Close()
			}
			return v.is(httpModern)
		}, mcp.ErrCancelled},
	} {
		t.Run(end.name, func(t *testing.T) {
			v.visit(t, setup{}, func(t *testing.T, s *site) {
				c, other := s.open(), s.open()
				h := s.hold("ends")
				id, d := c.say("tools/call", h.params())
				ctx := await(s, h.in, "call")
				started := time.Now()
				if !end.how(s, c, d, id) {
					return
				}
				await(s, ctx.Done(), "end of the context")
				most := soon
				if end.name == "gone" && v.is(stdio, memory, tcp) {
					most += drain // the end of its input does not show that it reads no replies
				}
				if took := time.Since(started); took > most {
					t.Errorf("it took %v", took)
				}
				switch err := context.Cause(ctx); {
				case end.want != nil && !errors.Is(err, end.want):
					t.Errorf("the cause is %v, want %v", err, end.want)
				case end.want == nil && !errors.Is(err, mcp.ErrConnectionClosed) && !errors.Is(err, errTestOver):
					t.Errorf("the cause is %v", err)
				}
				if ctx.Err() != context.Canceled {
					t.Errorf("the error is %v", ctx.Err())
				}
				if !strings.Contains(end.name, "server closed") {
					other.alive(end.name)
				}
			})
		})
	}
}

func testAbortedRequest(t *testing.T, v target) {
	for _, streaming := range []bool{false, true} {
		v.visit(t, setup{}, func(t *testing.T, s *site) {
			c := s.open()
			h := s.hold("aborted")
			id, d := c.say("tools/call", h.params())
			ctx := await(s, h.in, "call")
			event := ""
			if streaming {
				h.run(func(ctx context.Context) { mcp.Progress(ctx, 1, 2, "") })
				event = c.wait("progress", func(m message) bool { return m.Method == "notifications/progress" }).event
			}
			d.cancel()
			s.settle()
			if v.era == modern {
				spec.Holds(t, "S132", "S133", "S170")
				if err := context.Cause(ctx); !errors.Is(err, mcp.ErrCancelled) {
					t.Errorf("the cause is %v", err)
				}
				c.quiet("an aborted request")
				c.alive("an aborted request")
				return
			}
			c.in.all() // the priming event
			if ctx.Err() != nil {
				t.Fatalf("the handler is cancelled: %v", context.Cause(ctx))
			}
			l := c.link.(*httpLink)
			standing := l.get()
			c.wantStatus("GET", c.status(standing), 200)
			h.run(func(ctx context.Context) { mcp.Progress(ctx, 2, 2, "") })
			h.answer("late")
			s.settle()
			for _, m := range c.in.all() {
				if m.Method != "priming" {
					t.Errorf("on the standing stream: %v", m)
				}
			}
			if !streaming {
				c.alive("an aborted request")
				return
			}
			c.wantStatus("resume", c.status(l.get("Last-Event-ID: "+event)), 200)
			if m := c.wait("progress", func(m message) bool { return m.Method == "notifications/progress" }); !strings.Contains(string(m.Params), `"progress":2`) {
				t.Errorf("resumed: %v", m)
			}
			if m := c.reply(id); m.text() != "late" {
				t.Errorf("resumed: %v", m)
			}
			s.settle()
			select {
			case <-standing.done:
				t.Error("the standing stream has ended")
			default:
			}
		})
	}
}
