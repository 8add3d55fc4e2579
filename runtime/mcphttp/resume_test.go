package mcphttp_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcphttp"
)

// resumable are the revisions whose clients can come back for what they have
// missed.
var resumable = []string{revisionB, revisionC, revisionD}

func eachResumable(t *testing.T, c setup, f func(t *testing.T, s *site, x *session)) {
	t.Helper()
	for _, version := range resumable {
		t.Run(version, func(t *testing.T) {
			overBoth(t, c, func(t *testing.T, s *site) { f(t, s, s.open(version)) })
		})
	}
}

// The client of a session vanishes, and its call goes on: it fetches what it has
// missed, the answer too, after the last event that it has seen.
func TestResumeACall(t *testing.T) {
	eachResumable(t, setup{}, func(t *testing.T, s *site, x *session) {
		p, q := s.puppet("p"), s.puppet("q")
		a, other := x.start(dance(p).as("1").legacy()), x.start(dance(q).as("2").legacy())
		ctx := p.called()
		q.called()
		p.says("one")
		q.says("other")
		id := idOf(t, a.streaming().next())
		a.vanish()
		p.says("two")
		q.says("other")
		s.change()
		if err := ctx.Err(); err != nil {
			t.Fatalf("the call has been cancelled: %v", context.Cause(ctx))
		}
		b := x.resume(id)
		if m := b.hears("notifications/message")[0]; !strings.Contains(string(m.Params), "two") {
			b.fail("the message is %s", m.Params)
		}
		p.says("three")
		b.hears("notifications/message")
		p.answers("done")
		r := b.ends().hears("result 1")[0]
		if got := textOf(t, r.Result); got != "done" {
			b.fail("the result is %q", got)
		}
		other.stays().hears("notifications/message", "notifications/message")
		q.answers("done")
		other.ends()
	})
}

// The answer is there for who comes back after it has been given; and again, for
// who breaks off while it is read.
func TestResumeAnEndedCall(t *testing.T) {
	eachResumable(t, setup{}, func(t *testing.T, s *site, x *session) {
		p := s.puppet("p")
		a := x.start(dance(p).legacy())
		p.called()
		p.says("one")
		first := idOf(t, a.streaming().next())
		p.says("two")
		second := idOf(t, a.next())
		a.vanish()
		p.answers("done")
		for range 3 {
			x.resume(second).ends().hears("result 1")
			x.resume(first).ends().hears("notifications/message", "result 1")
		}
		// Nothing follows the last event.
		last := idOf(t, x.resume(second).events())
		b := s.do(x.as(request{method: "GET"}.with("Last-Event-ID: " + last)))
		if b.code() == 200 {
			b.ends().hears()
		} else {
			b.turnedDown(400)
		}
	})
}

// Who has read everything can still come back to it.
func TestResumeACompleteStream(t *testing.T) {
	eachResumable(t, setup{}, func(t *testing.T, s *site, x *session) {
		a := x.do(call("steps", `{"n":3}`).legacy())
		events := a.streaming().events()
		first := ""
		for _, e := range events {
			if e.hasID && e.data != "" {
				first = e.id
				break
			}
		}
		b := x.resume(first)
		b.ends().hears("notifications/progress", "notifications/progress", "result 1")
		// The ids are what they have been.
		if got, want := idOf(t, b.events()), idOf(t, events); got != want {
			b.fail("the last id is %q, was %q", got, want)
		}
	})
}

// From the event without data on, nothing is missed.
func TestResumeFromThePrimingEvent(t *testing.T) {
	overBoth(t, setup{}, func(t *testing.T, s *site) {
		x := s.open(revisionD)
		p := s.puppet("p")
		a := x.start(dance(p).legacy())
		p.called()
		time.Sleep(11 * time.Second)
		id := idOf(t, a.streaming().next())
		a.vanish()
		p.says("one")
		p.answers("done")
		x.resume(id).ends().hears("notifications/message", "result 1")
		standing := x.listen()
		id = idOf(t, standing.next())
		standing.vanish()
		s.change()
		again := x.resume(id)
		again.stays().hears("notifications/tools/list_changed")
	})
}

// The standing stream is resumed by its own events, and goes on from there.
func TestResumeTheStandingStream(t *testing.T) {
	eachResumable(t, setup{}, func(t *testing.T, s *site, x *session) {
		p := s.puppet("p")
		call := x.start(dance(p).legacy())
		p.called()
		standing := x.listen()
		s.change()
		id := idOf(t, standing.next())
		standing.vanish()
		s.change()
		p.says("not here")
		x.do(rpc{method: "resources/subscribe", id: "2", params: `"uri":"test://text"`}.legacy()).replied("2")
		s.ResourceUpdated("test://text")
		again := x.resume(id)
		again.hears("notifications/tools/list_changed", "notifications/resources/updated")
		s.change()
		again.stays().hears("notifications/tools/list_changed")
		p.answers("done")
		call.ends().hears("notifications/message", "result 1")
		again.hears()
	})
}

// Coming back while the first response is still open takes it over, as a client
// does that has not noticed yet; nothing is sent twice.
func TestResumeTakesOver(t *testing.T) {
	eachResumable(t, setup{}, func(t *testing.T, s *site, x *session) {
		p := s.puppet("p")
		a := x.start(dance(p).legacy())
		p.called()
		p.says("one")
		id := idOf(t, a.streaming().next())
		b := x.resume(id)
		a.ends().hears()
		p.says("two")
		b.hears("notifications/message")
		standing := x.listen() // another stream
		b.stays()
		p.answers("done")
		b.ends().hears("result 1")
		a.hears()
		standing.stays()
	})
}

// What has been let go of the store is lost, and so is what never was: 400, as the
// session is there.
func TestLostEvents(t *testing.T) {
	eachResumable(t, limits(mcphttp.Limits{EventBytes: 2000}), func(t *testing.T, s *site, x *session) {
		p := s.puppet("p")
		a := x.start(dance(p).legacy())
		p.called()
		p.says("first")
		first := idOf(t, a.streaming().next())
		var last string
		for range 20 {
			p.says(strings.Repeat("x", 300))
			last = idOf(t, a.next())
		}
		a.vanish()
		p.answers("done")
		get := request{method: "GET"}
		e := s.do(x.as(get.with("Last-Event-ID: " + first)))
		e.turnedDown(400)
		x.resume(last).ends().hears("result 1")
		other := s.open(x.version)
		for _, id := range []string{"x", "0", "-1", "1_999999", "99999999999999999999_1", "2_1_1", last + "x", last + "0", "☃"} {
			s.do(x.as(get.with("Last-Event-ID: " + id))).turnedDown(400)
		}
		s.do(other.as(get.with("Last-Event-ID: " + last))).turnedDown(400)
		s.do(get.with("Mcp-Session-Id: no-such", "Last-Event-ID: "+last)).turnedDown(404)
		s.do(get.with("Last-Event-ID: " + last)).turnedDown(400)
		x.end()
		s.do(x.as(get.with("Last-Event-ID: " + last))).turnedDown(404)
	})
}

// What is kept is bounded for the whole session, and what a client reads at the
// moment is not taken from it.
func TestEventBytes(t *testing.T) {
	overBoth(t, limits(mcphttp.Limits{EventBytes: 1000}), func(t *testing.T, s *site) {
		x := s.open(revisionD)
		a := x.do(call("steps", `{"n":200}`).legacy())
		if got := len(a.streaming().heard()); got != 201 {
			t.Errorf("%d messages", got)
		}
		b := x.do(call("large", `{"n":50000}`).as("2").legacy())
		b.replied("2")
		events := a.events()
		kept := 0
		for _, e := range events {
			if e.hasID && s.do(x.as(request{method: "GET"}.with("Last-Event-ID: "+e.id))).code() == 200 {
				kept += len(e.data)
			}
		}
		if kept > 2000 {
			t.Errorf("%d bytes are kept", kept)
		}
	})
}

// Streams that have ended are forgotten after a while.
func TestEventTime(t *testing.T) {
	overBoth(t, setup{}, func(t *testing.T, s *site) {
		x := s.open(revisionD)
		a := x.do(call("steps", `{"n":3}`).legacy())
		id := a.streaming().next()[0].id
		time.Sleep(4 * time.Minute)
		x.resume(id).ends().hears("notifications/progress", "notifications/progress", "notifications/progress", "result 1")
		time.Sleep(20 * time.Minute)
		s.do(x.as(request{method: "GET"}.with("Last-Event-ID: " + id))).turnedDown(400)
	})
}

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

// A handler can let the response go; the client is told when to come back, and
// finds the answer.
func TestReleaseStream(t *testing.T) {
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

// A modern request resumes nothing: Last-Event-ID is not looked at, and a GET for
// it is none.
func TestNoResumingOfRequests(t *testing.T) {
	visit(t, setup{}, func(t *testing.T, s *site) {
		x := s.open(revisionD)
		p := s.puppet("p")
		a := x.start(dance(p).legacy())
		p.called()
		p.says("private")
		id := idOf(t, a.streaming().next())
		b := s.do(x.as(call("echo", "{}").post("Last-Event-ID: " + id)))
		b.replied("1")
		s.do(x.as(request{method: "GET"}.with("Last-Event-ID: "+id, "Mcp-Protocol-Version: "+modern))).allows("POST", "-GET")
		p.answers("done")
		a.ends()
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
