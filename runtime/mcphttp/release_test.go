package mcphttp_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/internal/spec"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcphttp"
)

// Calls whose response ends before they do.

// A call whose client has gone before there was an event has nobody to tell, and
// goes on nevertheless.
func TestVanishedBeforeTheStream(t *testing.T) {
	eachResumable(t, setup{}, func(t *testing.T, s *site, x *session) {
		p := s.puppet("p")
		a := x.start(dance(p).as("3").legacy())
		ctx := p.called()
		a.vanish()
		time.Sleep(time.Minute)
		if err := ctx.Err(); err != nil {
			t.Fatalf("the call has been cancelled: %v", context.Cause(ctx))
		}
		p.says("to nobody")
		p.answers("done")
		x.listen().stays().hears()
		x.do(call("echo", "{}").as("3").legacy()).replied("3")
	})
}

// A question that is put while the client is away is asked when it comes back.
func TestQuestionToAnAbsentClient(t *testing.T) {
	for _, version := range []string{revisionC, revisionD} {
		overBoth(t, setup{}, func(t *testing.T, s *site) {
			x := s.open(version)
			p := s.puppet("p")
			a := x.start(dance(p).legacy())
			p.called()
			p.says("one")
			id := idOf(t, a.streaming().next())
			a.vanish()
			p.begin(func(ctx context.Context) *mcp.ToolResult {
				name, err := askName(ctx, "Who?")
				return mcp.TextResult(fmt.Sprint(name, err))
			})
			b := x.resume(id)
			q := b.hears("elicitation/create")[0]
			x.do(reply(q.ID, named("Ann"))).accepted()
			if got := textOf(t, b.ends().hears("result 1")[0].Result); got != "Ann<nil>" {
				t.Errorf("the result is %q", got)
			}
		})
	}
}

// A question that nobody will ever see is not waited for.
func TestQuestionToNobody(t *testing.T) {
	for _, version := range []string{revisionC, revisionD} {
		overBoth(t, setup{}, func(t *testing.T, s *site) {
			x := s.open(version)
			p := s.puppet("p")
			a := x.start(dance(p).legacy())
			p.called()
			a.vanish()
			synctest.Wait()
			p.run(func(ctx context.Context) {
				began := time.Now()
				if _, err := askName(ctx, "Who?"); err == nil || time.Since(began) != 0 {
					t.Errorf("the question ends after %v with %v", time.Since(began), err)
				}
			})
			p.answers("done")
		})
	}
}

// A handler can let the response go; the client is told when to come back, and
// finds the answer.
func TestReleaseStream(t *testing.T) {
	spec.Holds(t, "S122")
	for _, silent := range []bool{true, false} {
		overBoth(t, setup{}, func(t *testing.T, s *site) {
			x := s.open(revisionD)
			p := s.puppet("p")
			a := x.start(dance(p).legacy())
			p.called()
			if !silent {
				p.says("before")
			}
			p.run(func(ctx context.Context) {
				if !mcp.ReleaseStream(ctx, 1500*time.Millisecond) {
					t.Error("the stream is not let go")
				}
			})
			a.streaming().ends()
			events := a.events()
			if !events[0].hasID || events[0].data != "" {
				a.fail("no event without data")
			}
			retry := ""
			for _, e := range events {
				if e.retry != "" {
					retry = e.retry
				}
			}
			if retry != "1500" {
				a.fail("retry is %q", retry)
			}
			if silent && len(events) != 1 { // when to come back, and what with
				a.fail("there is %+v", events)
			}
			id := idOf(t, events)
			p.says("meanwhile")
			b := x.resume(id)
			b.stays().hears("notifications/message")
			// Once more, and the call ends while nobody is there.
			p.run(func(ctx context.Context) { mcp.ReleaseStream(ctx, time.Second) })
			id = idOf(t, b.ends().events())
			p.answers("done")
			x.resume(id).ends().hears("result 1")
		})
	}
}

// Where the client would not come back, the response is not let go.
func TestReleaseStreamElsewhere(t *testing.T) {
	spec.Holds(t, "S105")
	eachWay(t, setup{}, func(t *testing.T, s *site, w way, start func(rpc) *answer) {
		if w.version == revisionD {
			return
		}
		p := s.puppet("p")
		a := start(dance(p))
		p.called()
		p.run(func(ctx context.Context) {
			if mcp.ReleaseStream(ctx, time.Second) {
				t.Error("the stream is let go")
			}
		})
		a.silent()
		p.answers("done")
		a.wait()
		a.replied("1")
	})
	visit(t, setup{handler: []mcphttp.Option{mcphttp.WithoutSessions()}}, func(t *testing.T, s *site) {
		p := s.puppet("p")
		a := s.start(bare(dance(p).legacy(), "Mcp-Protocol-Version: "+revisionD))
		p.called()
		p.run(func(ctx context.Context) {
			if mcp.ReleaseStream(ctx, time.Second) {
				t.Error("the stream is let go")
			}
		})
		p.answers("done")
		a.wait()
		a.replied("1")
	})
}

// A connection that breaks is like a client that goes.
func TestBrokenConnection(t *testing.T) {
	eachResumable(t, setup{noisy: true}, func(t *testing.T, s *site, x *session) {
		p := s.puppet("p")
		a := x.start(dance(p).legacy())
		ctx := p.called()
		p.says("one")
		id := idOf(t, a.streaming().next())
		s.net.cut()
		a.broken()
		p.says("two")
		p.says("three")
		if ctx.Err() != nil {
			t.Errorf("the call has been cancelled: %v", context.Cause(ctx))
		}
		b := x.resume(id)
		b.hears("notifications/message", "notifications/message")
		x.do(cancelled("1")).accepted()
		if err := p.cause(); !errors.Is(err, mcp.ErrCancelled) {
			t.Errorf("the cause is %v", err)
		}
		b.ends().hears()
	})
}
