package mcphttp_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/internal/spec"
	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// A request by itself is cancelled by closing its response, whether anything has
// been sent or not. Nobody else notices.
func TestVanishedClientCancels(t *testing.T) {
	spec.Holds(t, "S128", "S132", "S133", "S170")
	overBoth(t, setup{}, func(t *testing.T, s *site) {
		silent, loud, other := s.puppet("silent"), s.puppet("loud"), s.puppet("other")
		a, b := s.start(dance(silent).as("1").post()), s.start(dance(loud).as("1").post())
		c := s.start(dance(other).as("1").post())
		contexts := []context.Context{silent.called(), loud.called()}
		other.called()
		loud.says("nothing") // it has not asked for messages
		loud.advances(1)
		b.streaming().hears("notifications/progress")

		a.vanish()
		b.vanish()
		synctest.Wait()
		for i, p := range []*puppet{silent, loud} {
			if err := p.cause(); !errors.Is(err, mcp.ErrCancelled) {
				t.Errorf("the cause is %v", err)
			}
			if err := contexts[i].Err(); !errors.Is(err, context.Canceled) {
				t.Errorf("the error of the context is %v", err)
			}
		}
		c.silent()
		other.answers("done")
		c.wait()
		c.replied("1")
	})
}

// Closing the response of a session's call cancels nothing.
func TestVanishedClientOfASession(t *testing.T) {
	spec.Holds(t, "S107")
	for _, version := range legacy {
		overBoth(t, setup{}, func(t *testing.T, s *site) {
			x := s.open(version)
			silent, loud := s.puppet("silent"), s.puppet("loud")
			a, b := x.start(dance(silent).as("1").legacy()), x.start(dance(loud).as("2").legacy())
			one, two := silent.called(), loud.called()
			loud.says("hello")
			b.streaming()
			a.vanish()
			b.vanish()
			time.Sleep(time.Minute)
			if one.Err() != nil || two.Err() != nil {
				t.Fatalf("cancelled: %v, %v", context.Cause(one), context.Cause(two))
			}
			// They can still be cancelled the way that sessions have.
			x.do(cancelled("1")).accepted()
			x.do(cancelled("2")).accepted()
			for _, p := range []*puppet{silent, loud} {
				if err := p.cause(); !errors.Is(err, mcp.ErrCancelled) {
					t.Errorf("the cause is %v", err)
				}
			}
		})
	}
}

// A call that is cancelled by a notification gets no answer: the response is an
// event stream that ends without one.
func TestCancelledCall(t *testing.T) {
	for _, version := range legacy {
		for _, deaf := range []bool{false, true} {
			overBoth(t, setup{}, func(t *testing.T, s *site) {
				x := s.open(version)
				silent, loud, other := s.puppet("silent"), s.puppet("loud"), s.puppet("other")
				silent.deaf, loud.deaf = deaf, deaf
				a, b := x.start(dance(silent).as("1").legacy()), x.start(dance(loud).as(`"2"`).legacy())
				c := x.start(dance(other).as(`"1"`).legacy())
				one, two := silent.called(), loud.called()
				other.called()
				loud.says("hello")
				b.streaming().hears("notifications/message")

				x.do(cancelled("1")).accepted()
				a.streaming().ends().hears()
				x.do(cancelled(`"2"`)).accepted()
				b.ends().hears()
				for _, ctx := range []context.Context{one, two} {
					if err := context.Cause(ctx); !errors.Is(err, mcp.ErrCancelled) {
						t.Errorf("the cause is %v", err)
					}
				}
				if deaf { // what it says later, nobody hears
					silent.says("late")
					silent.answers("late")
					loud.says("late")
					loud.answers("late")
				}
				b.hears()
				c.silent()
				x.do(call("echo", "{}").as("1").legacy()).replied("1")
				other.answers("done")
				c.wait()
				c.replied(`"1"`)
			})
		}
	}
}

// The cancelled call has nothing to come back to but what was sent before.
func TestResumeACancelledCall(t *testing.T) {
	visit(t, setup{}, func(t *testing.T, s *site) {
		x := s.open(revisionD)
		p := s.puppet("p")
		a := x.start(dance(p).legacy())
		p.called()
		p.says("one")
		id := idOf(t, a.streaming().next())
		a.vanish()
		p.says("two")
		x.do(cancelled("1")).accepted()
		p.cause()
		x.resume(id).ends().hears("notifications/message")
	})
}

// What has been cancelled twice, or answered, or is not there, is cancelled by
// nobody.
func TestCancelNothing(t *testing.T) {
	visit(t, setup{}, func(t *testing.T, s *site) {
		x, y := s.open(revisionD), s.open(revisionD)
		p := s.puppet("p")
		a := x.start(dance(p).as("1").legacy())
		p.called()
		y.do(cancelled("1")).accepted()
		spec.Holds(t, "S177")
		x.do(cancelled("2")).accepted()
		x.do(cancelled(`"1"`)).accepted()
		spec.Holds(t, "S179")
		x.do(`{"jsonrpc":"2.0","method":"notifications/cancelled"}`, spec.InvalidField).accepted()
		x.do(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":null}}`, spec.InvalidField).accepted()
		a.silent()
		p.answers("done")
		a.wait()
		a.replied("1")
		spec.Holds(t, "S178")
		x.do(cancelled("1")).accepted()
	})
}

// A handler that has been cancelled because its client has gone says nothing more,
// also where it does not care.
func TestVanishedClientHearsNothing(t *testing.T) {
	spec.Holds(t, "S134")
	overBoth(t, setup{}, func(t *testing.T, s *site) {
		p := s.puppet("p")
		p.deaf = true
		a := s.start(dance(p).post())
		ctx := p.called()
		a.vanish()
		synctest.Wait()
		if ctx.Err() == nil {
			t.Fatal("the context has not ended")
		}
		p.advances(1)
		p.says("late")
		p.run(func(ctx context.Context) {
			if _, err := askName(ctx, "Who?"); err == nil {
				t.Error("a question has been answered")
			}
		})
		p.answers("late")
		if log := s.log.String(); len(log) > 0 && containsAny(log, "panic", "ERROR") {
			t.Errorf("the log says %s", log)
		}
	})
}

// A question that nobody will answer ends with the call that asks it.
func TestCancelAmidAQuestion(t *testing.T) {
	visit(t, setup{}, func(t *testing.T, s *site) {
		x := s.open(revisionD)
		p := s.puppet("p")
		a := x.start(dance(p).legacy())
		p.called()
		failed := make(chan error, 1)
		p.begin(func(ctx context.Context) *mcp.ToolResult {
			_, err := askName(ctx, "Who?")
			failed <- err
			return nil
		})
		q := a.streaming().hears("elicitation/create")[0]
		x.do(cancelled("1")).accepted()
		if err := await(t, failed, "the question to fail"); !errors.Is(err, mcp.ErrCancelled) {
			t.Errorf("the question ends with %v", err)
		}
		a.ends()
		x.do(reply(q.ID, named("late"))).accepted()
	})
}

// The context of a call by itself ends with the call, not with what follows on the
// same connection.
func TestContextEndsWithTheCall(t *testing.T) {
	overBoth(t, setup{}, func(t *testing.T, s *site) {
		x := s.open(revisionD)
		p := s.puppet("p")
		for _, start := range []func() *answer{
			func() *answer { return s.start(dance(p).post()) }, func() *answer { return x.start(dance(p).legacy()) },
		} {
			a := start()
			ctx := p.called()
			if ctx.Err() != nil {
				t.Error("the context has ended already")
			}
			p.answers("done")
			a.wait()
			synctest.Wait()
			if ctx.Err() == nil {
				t.Error("the context goes on")
			}
		}
	})
}

func containsAny(text string, parts ...string) bool {
	for _, part := range parts {
		if strings.Contains(text, part) {
			return true
		}
	}
	return false
}
