package mcphttp_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/internal/proof/spec"
	"github.com/mcpgen/mcpgen/runtime/mcphttp"
)

// resumable are the revisions whose clients can resume streams.
var resumable = []string{revisionB, revisionC, revisionD}

func eachResumable(t *testing.T, c setup, f func(t *testing.T, s *testServer, x *session)) {
	t.Helper()
	for _, version := range resumable {
		t.Run(version, func(t *testing.T) {
			serveBoth(t, c, func(t *testing.T, s *testServer) { f(t, s, s.open(version)) })
		})
	}
}

// The client of a session disconnects, and its call goes on. The client resumes after its last
// event, and gets all messages and the reply.
func TestResumeACall(t *testing.T) {
	spec.Holds(t, "S113")
	eachResumable(t, setup{}, func(t *testing.T, s *testServer, x *session) {
		p, q := s.Script("p"), s.Script("q")
		a, other := x.start(callScripted(p).withID("1").legacy()), x.start(callScripted(q).withID("2").legacy())
		ctx := p.Started()
		q.Started()
		p.Log("one")
		q.Log("other")
		id := lastEventID(t, a.wantStream().next())
		a.disconnect()
		p.Log("two")
		q.Log("other")
		s.changeTools()
		if err := ctx.Err(); err != nil {
			t.Fatalf("the call has been cancelled: %v", context.Cause(ctx))
		}
		b := x.resume(id)
		for _, e := range b.events() {
			if e.data == "" {
				b.fail("a stream that goes on begins with %+v", e)
			}
		}
		if m := b.wantMessages("notifications/message")[0]; !strings.Contains(string(m.Params), "two") {
			b.fail("the message is %s", m.Params)
		}
		p.Log("three")
		b.wantMessages("notifications/message")
		p.Return("done")
		r := b.wantEnd().wantMessages("result 1")[0]
		if got := textOf(t, r.Result); got != "done" {
			b.fail("the result is %q", got)
		}
		other.wantOpen().wantMessages("notifications/message", "notifications/message")
		q.Return("done")
		other.wantEnd()
	})
}

// A client that resumes after the call returns gets the reply, and gets it again if it disconnects
// while reading.
func TestResumeAnEndedCall(t *testing.T) {
	eachResumable(t, setup{}, func(t *testing.T, s *testServer, x *session) {
		p := s.Script("p")
		a := x.start(callScripted(p).legacy())
		p.Started()
		p.Log("one")
		first := lastEventID(t, a.wantStream().next())
		p.Log("two")
		second := lastEventID(t, a.next())
		a.disconnect()
		p.Return("done")
		for range 3 {
			x.resume(second).wantEnd().wantMessages("result 1")
			x.resume(first).wantEnd().wantMessages("notifications/message", "result 1")
		}
		// Nothing follows the last event.
		last := lastEventID(t, x.resume(second).events())
		b := s.do(x.withSession(request{method: "GET"}.with("Last-Event-ID: " + last)))
		b.wantStatus(204)
	})
}

// A client that has read everything can resume again.
func TestResumeACompleteStream(t *testing.T) {
	eachResumable(t, setup{}, func(t *testing.T, s *testServer, x *session) {
		a := x.do(call("steps", `{"n":3}`).legacy())
		events := a.wantStream().events()
		first := ""
		for _, e := range events {
			if e.hasID && e.data != "" {
				first = e.id
				break
			}
		}
		b := x.resume(first)
		b.wantEnd().wantMessages("notifications/progress", "notifications/progress", "result 1")
		// The ids are the same.
		if got, want := lastEventID(t, b.events()), lastEventID(t, events); got != want {
			b.fail("the last id is %q, was %q", got, want)
		}
	})
}

// Resuming from the event without data misses nothing.
func TestResumeFromThePrimingEvent(t *testing.T) {
	serveBoth(t, setup{}, func(t *testing.T, s *testServer) {
		x, p, a := s.startCall(revisionD)
		time.Sleep(11 * time.Second)
		id := lastEventID(t, a.wantStream().next())
		a.disconnect()
		p.Log("one")
		p.Return("done")
		x.resume(id).wantEnd().wantMessages("notifications/message", "result 1")
		standalone := x.listen()
		id = lastEventID(t, standalone.next())
		standalone.disconnect()
		s.changeTools()
		again := x.resume(id)
		again.wantOpen().wantMessages("notifications/tools/list_changed")
	})
}

// The standalone stream is resumed by its own event ids.
func TestResumeTheStandingStream(t *testing.T) {
	spec.Holds(t, "S113", "S114")
	eachResumable(t, setup{}, func(t *testing.T, s *testServer, x *session) {
		p := s.Script("p")
		calling := x.start(callScripted(p).legacy())
		p.Started()
		standalone := x.listen()
		s.changeTools()
		id := lastEventID(t, standalone.next())
		standalone.disconnect()
		s.changeTools()
		p.Log("not here")
		x.do(rpc{method: "resources/subscribe", id: "2", params: `"uri":"test://text"`}.legacy()).wantResult("2")
		s.ResourceUpdated("test://text")
		again := x.resume(id)
		again.wantMessages("notifications/tools/list_changed", "notifications/resources/updated")
		s.changeTools()
		again.wantOpen().wantMessages("notifications/tools/list_changed")
		p.Return("done")
		calling.wantEnd().wantMessages("notifications/message", "result 1")
		again.wantMessages()
	})
}

// Resuming while the first response is still open replaces that response, as for a client whose
// disconnect the server has not noticed. No event is sent twice.
func testResumeTakesOver(t *testing.T) {
	eachResumable(t, setup{}, func(t *testing.T, s *testServer, x *session) {
		p := s.Script("p")
		a := x.start(callScripted(p).legacy())
		p.Started()
		p.Log("one")
		id := lastEventID(t, a.wantStream().next())
		b := x.resume(id)
		a.wantEnd().wantMessages()
		p.Log("two")
		b.wantMessages("notifications/message")
		standalone := x.listen() // another stream
		b.wantOpen()
		p.Return("done")
		b.wantEnd().wantMessages("result 1")
		a.wantMessages()
		standalone.wantOpen()
	})
}

// An id that has not been sent yet is invalid, even if another stream contains it.
func TestEventsToCome(t *testing.T) {
	eachResumable(t, setup{}, func(t *testing.T, s *testServer, x *session) {
		ahead := s.open(x.version)
		for _, c := range []struct{ there, here int }{{5, 5}, {10, 4}} {
			steps := fmt.Sprintf(`{"n":%d}`, c.there) // and the reply
			id := lastEventID(t, ahead.do(call("steps", steps).legacy()).wantStream().events())
			p := s.Script(steps)
			a := x.start(call("scripted", fmt.Sprintf(`{"name":%q}`, steps)).legacy())
			p.Started()
			for range c.here {
				p.Log("hello")
			}
			if n := len(a.wantStream().messages()); n != c.here {
				a.fatal("%d messages", n)
			}
			s.do(x.withSession(request{method: "GET"}.with("Last-Event-ID: " + id))).wantRefusal(400)
			p.Return("done")
			a.wantEnd()
		}
	})
}

// The stored bytes are limited for the whole session. Messages that a client is reading are not
// evicted.
func TestEventBytes(t *testing.T) {
	serveBoth(t, limits(mcphttp.Limits{EventBytes: 1000}), func(t *testing.T, s *testServer) {
		x := s.open(revisionD)
		a := x.do(call("steps", `{"n":200}`).legacy())
		if got := len(a.wantStream().messages()); got != 201 {
			t.Errorf("%d messages", got)
		}
		b := x.do(call("large", `{"n":50000}`).withID("2").legacy())
		b.wantResult("2")
		events := a.events()
		kept := 0
		for _, e := range events {
			if e.hasID && s.do(x.withSession(request{method: "GET"}.with("Last-Event-ID: "+e.id))).code() == 200 {
				kept += len(e.data)
			}
		}
		if kept > 2000 {
			t.Errorf("%d bytes are kept", kept)
		}
	})
}

// Finished streams are dropped after EventTime.
func TestEventTime(t *testing.T) {
	serveBoth(t, setup{}, func(t *testing.T, s *testServer) {
		x := s.open(revisionD)
		a := x.do(call("steps", `{"n":3}`).legacy())
		id := a.wantStream().next()[0].id
		time.Sleep(4 * time.Minute)
		x.resume(id).wantEnd().wantMessages("notifications/progress", "notifications/progress", "notifications/progress", "result 1")
		time.Sleep(20 * time.Minute)
		s.do(x.withSession(request{method: "GET"}.with("Last-Event-ID: " + id))).wantRefusal(400)
	})
}

// A modern request ignores Last-Event-ID, and a modern GET does not resume.
func TestNoResumingOfRequests(t *testing.T) {
	spec.Holds(t, "S156")
	serve(t, setup{}, func(t *testing.T, s *testServer) {
		x, p, a := s.startCall(revisionD)
		p.Log("private")
		id := lastEventID(t, a.wantStream().next())
		b := s.do(x.withSession(call("echo", "{}").post("Last-Event-ID: " + id)))
		b.wantResult("1")
		s.do(x.withSession(request{method: "GET"}.with("Last-Event-ID: "+id, "Mcp-Protocol-Version: "+modern))).wantAllow("POST", "-GET")
		p.Return("done")
		a.wantEnd()
	})
}

// Whenever the client disconnects and resumes, it gets every message once, in order.
func TestResumeAtRandom(t *testing.T) {
	for seed := range uint64(40) {
		http2 := seed%2 == 1
		serve(t, setup{http2: http2}, func(t *testing.T, s *testServer) {
			random := rand.New(rand.NewPCG(seed, 1))
			x := s.open(resumable[seed%3])
			p := s.Script("p")
			standalone := seed%5 == 0
			calling := x.start(callScripted(p).legacy())
			p.Started()
			sends, kind := func() { p.Log("hello") }, "notifications/message"
			a := calling
			if standalone {
				a = x.listen()
				sends, kind = s.changeTools, "notifications/tools/list_changed"
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
						a.disconnect()
						take() // events of the last moment
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
			p.Return("done")
			if !standalone {
				a.wantEnd().wantMessages("result 1")
			}
		})
	}
}

// Waiting messages are dropped down to the limit when their client disconnects, and not only with
// the next event.
func TestEventBytesAfterReader(t *testing.T) {
	const limit = 64 << 10
	serve(t, limits(mcphttp.Limits{EventBytes: limit}), func(t *testing.T, s *testServer) {
		x, p := s.open(revisionD), s.Script("p")
		w, body := s.dial(), callScripted(p).legacy()
		w.send(head(len(body), "Mcp-Session-Id: "+x.id, "Mcp-Protocol-Version: "+revisionD) + body)
		p.Started()
		p.Log("first")
		synctest.Wait() // until the response has begun
		before := s.memory().Used()
		for range 100 {
			p.Log(strings.Repeat("x", 8<<10)) // which the client does not read
		}
		if used := s.memory().Used() - before; used < 4*limit {
			t.Errorf("%d bytes wait for the client", used)
		}
		_ = w.Close()
		synctest.Wait()
		if used := s.memory().Used() - before; used > 2*limit {
			t.Errorf("%d bytes are kept, of %d", used, limit)
		}
		p.Return("done")
	})
}
