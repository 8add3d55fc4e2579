package mcphttp_test

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/internal/spec"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcphttp"
)

// way is how a call is made: by itself, or in a session of some revision.
type way struct {
	name    string
	version string // "" for a request by itself
}

var ways = []way{{"modern", ""}, {revisionA, revisionA}, {revisionB, revisionB}, {revisionC, revisionC}, {revisionD, revisionD}}

// eachWay runs f for requests by themselves and for sessions of each revision,
// over HTTP/1.1 and HTTP/2. What start starts is a call.
func eachWay(t *testing.T, c setup, f func(t *testing.T, s *site, w way, start func(rpc) *answer)) {
	t.Helper()
	for _, w := range ways {
		t.Run(w.name, func(t *testing.T) {
			overBoth(t, c, func(t *testing.T, s *site) {
				start := func(r rpc) *answer {
					return s.start(r.noting(`"io.modelcontextprotocol/logLevel":"info"`).post())
				}
				if w.version != "" {
					x := s.open(w.version)
					start = func(r rpc) *answer { return x.start(r.legacy()) }
				}
				f(t, s, w, start)
			})
		})
	}
}

// An answer without anything before it is plain JSON.
func TestPlainAnswer(t *testing.T) {
	spec.Holds(t, "S102", "S127")
	eachWay(t, setup{}, func(t *testing.T, s *site, _ way, start func(rpc) *answer) {
		p := s.puppet("p")
		a := start(dance(p))
		p.called()
		time.Sleep(9*time.Second + 900*time.Millisecond)
		a.silent()
		p.answers("done")
		a.wait()
		if got := textOf(t, a.replied("1")); got != "done" {
			t.Errorf("the result is %q", got)
		}
		if a.field("Content-Length") != strconv.Itoa(len(a.text())) {
			a.fail("Content-Length is %q", a.field("Content-Length"))
		}
		if strings.HasSuffix(a.text(), "\n\n") {
			a.fail("something after the JSON")
		}
	})
}

// The first notification makes the answer an event stream; the reply is its last
// event.
func TestNotificationOpensTheStream(t *testing.T) {
	spec.Holds(t, "S102", "S103", "S106", "S127", "S130", "S131")
	eachWay(t, setup{}, func(t *testing.T, s *site, _ way, start func(rpc) *answer) {
		p := s.puppet("p")
		a := start(dance(p).as(`"s"`))
		p.called()
		a.silent()
		p.advances(1)
		a.streaming().hears("notifications/progress")
		p.advances(2)
		p.advances(3)
		a.stays().hears("notifications/progress", "notifications/progress")
		p.answers("done")
		m := a.ends().hears(`result "s"`)[0]
		if got := textOf(t, m.Result); got != "done" {
			t.Errorf("the result is %q", got)
		}
	})
}

// Progress that is told at once with the answer comes before it, and nothing is
// lost.
func TestManyNotifications(t *testing.T) {
	eachWay(t, setup{}, func(t *testing.T, s *site, _ way, start func(rpc) *answer) {
		const n = 500
		a := start(call("steps", fmt.Sprintf(`{"n":%d}`, n)))
		a.wait()
		messages := a.streaming().ends().heard()
		if len(messages) != n+1 || messages[n].kind() != "result 1" {
			a.fail("%d messages, want %d", len(messages), n+1)
		}
		for i, m := range messages[:n] {
			if !strings.Contains(string(m.Params), fmt.Sprintf(`"progress":%d,`, i+1)) && !strings.Contains(string(m.Params), fmt.Sprintf(`"progress":%d}`, i+1)) {
				t.Fatalf("message %d is %s", i, m.Params)
			}
		}
	})
}

// A stream of events is one of events: messages in one line each, of the type that
// readers take by default.
func TestEventsAreMessages(t *testing.T) {
	eachWay(t, setup{}, func(t *testing.T, s *site, _ way, start func(rpc) *answer) {
		p := s.puppet("p")
		a := start(dance(p))
		p.called()
		p.says("line\nbreak\r\nand \u2028 others\x00")
		p.answers("line\nbreak")
		a.ends()
		for _, e := range a.events() {
			if e.name != "" && e.name != "message" || strings.Contains(e.data, "\n") {
				a.fail("the event is %+v", e)
			}
		}
		a.hears("notifications/message", "result 1")
	})
}

// Ten quiet seconds make the answer an event stream: before, an error could still
// have a status.
func TestQuietTime(t *testing.T) {
	eachWay(t, setup{}, func(t *testing.T, s *site, _ way, start func(rpc) *answer) {
		p := s.puppet("p")
		a := start(dance(p))
		p.called()
		time.Sleep(10*time.Second - time.Millisecond)
		a.silent()
		time.Sleep(2 * time.Millisecond)
		a.streaming()
		p.answers("done")
		a.ends().hears("result 1")
	})
}

func TestQuietTimeIsALimit(t *testing.T) {
	eachWay(t, limits(mcphttp.Limits{QuietTime: time.Minute}), func(t *testing.T, s *site, _ way, start func(rpc) *answer) {
		p := s.puppet("p")
		a := start(dance(p))
		p.called()
		time.Sleep(59 * time.Second)
		a.silent()
		time.Sleep(2 * time.Second)
		a.streaming()
		p.answers("done")
		a.ends()
	})
}

// A quiet stream gets a comment every fifteen seconds, and is otherwise the same.
func TestKeepAlive(t *testing.T) {
	eachWay(t, setup{}, func(t *testing.T, s *site, _ way, start func(rpc) *answer) {
		p := s.puppet("p")
		a := start(dance(p))
		p.called()
		p.says("hello")
		a.streaming().hears("notifications/message")
		for range 4 {
			time.Sleep(16 * time.Second)
			events := a.next()
			if len(events) != 1 || !events[0].comment {
				a.fatal("want a comment, there is %+v", events)
			}
		}
		time.Sleep(5 * time.Second)
		p.says("still here")
		a.hears("notifications/message")
		time.Sleep(15*time.Second - time.Millisecond)
		if events := a.next(); len(events) != 0 {
			a.fail("there is %+v within 15 s of a message", events)
		}
		p.answers("done")
		a.ends().hears("result 1")
	})
	visit(t, limits(mcphttp.Limits{KeepAlive: time.Second}), func(t *testing.T, s *site) {
		x := s.open(revisionD)
		stream := x.listen()
		stream.next()
		time.Sleep(10*time.Second + time.Millisecond)
		comments := 0
		for _, e := range stream.next() {
			if e.comment {
				comments++
			}
		}
		if comments < 9 || comments > 10 {
			stream.fail("%d comments in ten seconds", comments)
		}
	})
}

// In sessions of 2025-11-25 a stream begins with an event without data, to which
// the client can come back; older clients would take that for a broken message.
// Requests by themselves have no ids at all.
func TestPrimingEvent(t *testing.T) {
	spec.Holds(t, "S121")
	eachWay(t, setup{}, func(t *testing.T, s *site, w way, start func(rpc) *answer) {
		p := s.puppet("p")
		a := start(dance(p))
		p.called()
		p.says("hello")
		p.answers("done")
		a.ends()
		events := a.events()
		if w.version == revisionD {
			if e := events[0]; !e.hasID || e.id == "" || !e.hasData || e.data != "" {
				a.fail("the stream begins with %+v", e)
			}
			events = events[1:]
		}
		for _, e := range events {
			if e.retry != "" && w.version != revisionD || e.hasData && e.data == "" {
				a.fail("the stream has %+v", e)
			}
			if w.version == "" && e.hasID {
				a.fail("an event has the id %q", e.id)
			}
		}
	})
}

// The same holds for a stream that begins because of quiet, and for GET.
func TestPrimingEventOfQuietStreams(t *testing.T) {
	spec.Holds(t, "S123")
	for _, version := range legacy {
		overBoth(t, setup{}, func(t *testing.T, s *site) {
			x := s.open(version)
			p := s.puppet("p")
			a := x.start(dance(p).legacy())
			p.called()
			time.Sleep(11 * time.Second)
			for _, stream := range []*answer{a.streaming(), x.listen()} {
				primed := false
				for _, e := range stream.next() {
					primed = primed || e.hasID && e.hasData && e.data == ""
					if e.hasData && e.data != "" || e.retry != "" && version != revisionD {
						stream.fail("the stream of %s begins with %+v", version, e)
					}
				}
				if primed != (version == revisionD) {
					stream.fail("primed: %t", primed)
				}
			}
			p.answers("done")
		})
	}
}

// No two events of a session have the same id, on whatever streams.
func TestEventIDsAreUnique(t *testing.T) {
	spec.Holds(t, "S112")
	for _, version := range []string{revisionB, revisionC, revisionD} {
		overBoth(t, setup{}, func(t *testing.T, s *site) {
			x := s.open(version)
			streams := []*answer{x.listen()}
			for i := range 5 {
				streams = append(streams, x.start(call("steps", `{"n":5}`).as(fmt.Sprint(i)).legacy()))
				s.change()
			}
			seen := map[string]bool{}
			for _, a := range streams {
				with := 0
				for _, e := range a.events() {
					if !e.hasID {
						continue
					}
					with++
					if e.id == "" || seen[e.id] {
						a.fail("the id %q is not unique", e.id)
					}
					seen[e.id] = true
				}
				if with < 5 {
					a.fail("%d events have an id", with)
				}
			}
		})
	}
}

// A message goes to one stream: that of its call, or the standing one.
func TestOneStreamForAMessage(t *testing.T) {
	spec.Holds(t, "S104", "S109", "S111")
	overBoth(t, setup{}, func(t *testing.T, s *site) {
		x := s.open(revisionC)
		standing := x.listen()
		one, two := s.puppet("one"), s.puppet("two")
		a, b := x.start(dance(one).as("1").legacy()), x.start(dance(two).as("2").legacy())
		one.called()
		two.called()
		one.says("one")
		two.advances(1)
		s.change()
		s.ResourceUpdated("test://text") // nobody has subscribed
		a.hears("notifications/message")
		b.hears("notifications/progress")
		standing.hears("notifications/tools/list_changed")
		two.answers("two")
		one.answers("one")
		a.ends().hears("result 1")
		b.ends().hears("result 2")
		standing.stays().hears()
	})
}

// Log messages reach a request by itself only if it asks for them.
func TestLogLevelOfRequests(t *testing.T) {
	spec.Holds(t, "S263", "S264")
	visit(t, setup{}, func(t *testing.T, s *site) {
		s.do(call("prints", "{}").post()).replied("1")
		a := s.do(call("prints", "{}").noting(`"io.modelcontextprotocol/logLevel":"debug"`).post())
		a.streaming().hears("notifications/message", "result 1")
		s.do(call("prints", "{}").noting(`"io.modelcontextprotocol/logLevel":"info"`).post()).replied("1")
	})
}

// The standing stream has everything that belongs to no request, and no replies.
func TestStandingStream(t *testing.T) {
	spec.Holds(t, "S109", "S110")
	for _, version := range legacy {
		overBoth(t, setup{}, func(t *testing.T, s *site) {
			x := s.open(version)
			stream := x.listen()
			x.do(call("echo", "{}").legacy()).replied("1")
			stream.hears()
			for range 3 {
				s.change()
				stream.hears("notifications/tools/list_changed")
			}
			time.Sleep(time.Hour)
			stream.stays()
			s.change()
			stream.hears("notifications/tools/list_changed")
		})
	}
}

// A new standing stream takes over from the one before, which ends; streams of
// calls do not count.
func TestTakeover(t *testing.T) {
	overBoth(t, setup{}, func(t *testing.T, s *site) {
		x := s.open(revisionD)
		p := s.puppet("p")
		a := x.start(dance(p).legacy())
		p.called()
		p.says("hello")
		a.streaming()
		first := x.listen()
		s.change()
		first.hears("notifications/tools/list_changed")
		second := x.listen()
		first.ends()
		s.change()
		second.hears("notifications/tools/list_changed")
		first.hears()
		third := x.listen()
		second.ends()
		third.stays()
		a.stays()
		p.answers("done")
		a.ends().hears("notifications/message", "result 1")
	})
}

// Clients that read slowly make their handlers wait, and nobody else.
func TestSlowReader(t *testing.T) {
	visit(t, setup{noisy: true}, func(t *testing.T, s *site) {
		x := s.open(revisionD)
		conn, err := s.net.dial(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		p := s.puppet("p")
		body := dance(p).legacy()
		go fmt.Fprintf(conn, "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:8080\r\nMcp-Session-Id: %s\r\nContent-Type: application/json\r\n"+
			"Accept: application/json, text/event-stream\r\nContent-Length: %d\r\n\r\n%s", x.id, len(body), body)
		p.called()
		stuck := make(chan int, 1)
		p.begin(func(ctx context.Context) *mcp.ToolResult {
			n := 0
			for start := time.Now(); time.Since(start) == 0 && n < 10_000; n++ {
				mcp.Logger(ctx).Info(strings.Repeat("x", 10_000))
			}
			stuck <- n
			return nil
		})
		synctest.Wait()
		if n := len(stuck); n != 0 {
			t.Errorf("the handler has written %d messages to nobody", <-stuck)
		}
		other := s.start(call("echo", "{}").post())
		own := x.start(call("echo", "{}").as("2").legacy())
		synctest.Wait()
		other.replied("1")
		own.replied("2")
		// After the time for a write the client is given up, and the call goes on.
		if n := await(t, stuck, "the handler to go on"); n < 10 || n >= 10_000 {
			t.Errorf("the handler has written %d messages", n)
		}
		p.answers("done")
	})
}
