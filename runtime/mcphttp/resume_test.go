package mcphttp_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/internal/spec"
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
	spec.Holds(t, "S113")
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
		for _, e := range b.events() {
			if e.data == "" {
				b.fail("a stream that goes on begins with %+v", e)
			}
		}
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
		b.wants(204)
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
	spec.Holds(t, "S113", "S114")
	eachResumable(t, setup{}, func(t *testing.T, s *site, x *session) {
		p := s.puppet("p")
		calling := x.start(dance(p).legacy())
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
		calling.ends().hears("notifications/message", "result 1")
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

// An id that has not been given yet is none, whoever may have had it elsewhere.
func TestEventsToCome(t *testing.T) {
	eachResumable(t, setup{}, func(t *testing.T, s *site, x *session) {
		ahead := s.open(x.version)
		for _, c := range []struct{ there, here int }{{5, 5}, {10, 4}} {
			steps := fmt.Sprintf(`{"n":%d}`, c.there) // and the reply
			id := idOf(t, ahead.do(call("steps", steps).legacy()).streaming().events())
			p := s.puppet(steps)
			a := x.start(call("puppet", fmt.Sprintf(`{"name":%q}`, steps)).legacy())
			p.called()
			for range c.here {
				p.says("hello")
			}
			if n := len(a.streaming().heard()); n != c.here {
				a.fatal("%d messages", n)
			}
			s.do(x.as(request{method: "GET"}.with("Last-Event-ID: " + id))).turnedDown(400)
			p.answers("done")
			a.ends()
		}
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

// A modern request resumes nothing: Last-Event-ID is not looked at, and a GET for
// it is none.
func TestNoResumingOfRequests(t *testing.T) {
	spec.Holds(t, "S156")
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

// Whenever the client goes and comes back, it gets every message once, in order.
func TestResumeAtRandom(t *testing.T) {
	for seed := range uint64(40) {
		http2 := seed%2 == 1
		visit(t, setup{http2: http2}, func(t *testing.T, s *site) {
			random := rand.New(rand.NewPCG(seed, 1))
			x := s.open(resumable[seed%3])
			p := s.puppet("p")
			standing := seed%5 == 0
			calling := x.start(dance(p).legacy())
			p.called()
			sends, kind := func() { p.says("hello") }, "notifications/message"
			a := calling
			if standing {
				a = x.listen()
				sends, kind = s.change, "notifications/tools/list_changed"
			}
			sends()
			sent, got := 1, 0
			last := ""
			seen := map[string]bool{}
			take := func() {
				for _, e := range a.next() {
					if e.hasID {
						last = e.id
					}
					if e.data == "" {
						continue
					}
					if m := parse(t, e.data); m.Method != kind {
						continue
					}
					if seen[e.id] {
						t.Fatalf("seed %d: event %s has come twice", seed, e.id)
					}
					seen[e.id] = true
					got++
				}
			}
			take()
			for range 30 {
				switch random.IntN(4) {
				case 0:
					if random.IntN(2) == 0 {
						a.vanish()
						take() // what has come at the last moment
					}
					for range random.IntN(3) {
						sends()
						sent++
					}
					a = x.resume(last)
				case 1:
					for range random.IntN(5) {
						sends()
						sent++
					}
				default:
					sends()
					sent++
				}
				take()
			}
			if got != sent {
				t.Errorf("seed %d: %d messages have been sent, and %d have come", seed, sent, got)
			}
			p.answers("done")
			if !standing {
				a.ends().hears("result 1")
			}
		})
	}
}
