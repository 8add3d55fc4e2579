package mcphttp_test

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/internal/proof/spec"
	"github.com/mcpgen/mcpgen/runtime/internal/testbed"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcphttp"
)

// mode is a way to make a call: without a session, or in a session of a revision.
type mode struct {
	name    string
	version string // "" without a session
}

var ways = []mode{{"modern", ""}, {revisionA, revisionA}, {revisionB, revisionB}, {revisionC, revisionC}, {revisionD, revisionD}}

// eachMode runs f for requests without a session and for sessions of each revision, over HTTP/1.1
// and HTTP/2. The function start starts a call.
func eachMode(t *testing.T, c setup, f func(t *testing.T, s *testServer, w mode, start func(rpc) *response)) {
	t.Helper()
	for _, w := range ways {
		t.Run(w.name, func(t *testing.T) {
			serveBoth(t, c, func(t *testing.T, s *testServer) {
				start := func(r rpc) *response {
					return s.start(r.withMeta(`"io.modelcontextprotocol/logLevel":"info"`).post())
				}
				if w.version != "" {
					x := s.open(w.version)
					start = func(r rpc) *response { return x.start(r.legacy()) }
				}
				f(t, s, w, start)
			})
		})
	}
}

// A reply without messages before it is JSON.
func TestPlainAnswer(t *testing.T) {
	spec.Holds(t, "S102", "S127")
	eachMode(t, setup{}, func(t *testing.T, s *testServer, _ mode, start func(rpc) *response) {
		p := s.Script("p")
		a := start(callScripted(p))
		p.Started()
		time.Sleep(9*time.Second + 900*time.Millisecond)
		a.wantPending()
		p.Return("done")
		a.wait()
		if got := textOf(t, a.wantResult("1")); got != "done" {
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

// With the first notification the response becomes an event stream. The reply is its last event.
func TestNotificationOpensTheStream(t *testing.T) {
	spec.Holds(t, "S102", "S103", "S106", "S127", "S130", "S131")
	eachMode(t, setup{}, func(t *testing.T, s *testServer, _ mode, start func(rpc) *response) {
		p := s.Script("p")
		a := start(callScripted(p).withID(`"s"`))
		p.Started()
		a.wantPending()
		p.Progress(1)
		a.wantStream().wantMessages("notifications/progress")
		p.Progress(2)
		p.Progress(3)
		a.wantOpen().wantMessages("notifications/progress", "notifications/progress")
		p.Return("done")
		m := a.wantEnd().wantMessages(`result "s"`)[0]
		if got := textOf(t, m.Result); got != "done" {
			t.Errorf("the result is %q", got)
		}
	})
}

// Progress right before the reply precedes it, and nothing is lost.
func TestManyNotifications(t *testing.T) {
	eachMode(t, setup{}, func(t *testing.T, s *testServer, _ mode, start func(rpc) *response) {
		const n = 500
		a := start(call("steps", fmt.Sprintf(`{"n":%d}`, n)))
		a.wait()
		messages := a.wantStream().wantEnd().messages()
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

// An event stream contains events only: each message is one line, of the default type.
func TestEventsAreMessages(t *testing.T) {
	eachMode(t, setup{}, func(t *testing.T, s *testServer, _ mode, start func(rpc) *response) {
		p := s.Script("p")
		a := start(callScripted(p))
		p.Started()
		p.Log("line\nbreak\r\nand \u2028 others\x00")
		p.Return("line\nbreak")
		a.wantEnd()
		for _, e := range a.events() {
			if e.name != "" && e.name != "message" || strings.Contains(e.data, "\n") {
				a.fail("the event is %+v", e)
			}
		}
		a.wantMessages("notifications/message", "result 1")
	})
}

// After ten quiet seconds the response becomes an event stream: before, an error could still have a
// status.
func TestQuietTime(t *testing.T) {
	eachMode(t, setup{}, func(t *testing.T, s *testServer, _ mode, start func(rpc) *response) {
		p := s.Script("p")
		a := start(callScripted(p))
		p.Started()
		time.Sleep(10*time.Second - time.Millisecond)
		a.wantPending()
		time.Sleep(2 * time.Millisecond)
		a.wantStream()
		p.Return("done")
		a.wantEnd().wantMessages("result 1")
	})
}

// A quiet stream gets a comment every fifteen seconds, and is otherwise the same.
func TestKeepAlive(t *testing.T) {
	eachMode(t, setup{}, func(t *testing.T, s *testServer, _ mode, start func(rpc) *response) {
		p := s.Script("p")
		a := start(callScripted(p))
		p.Started()
		p.Log("hello")
		a.wantStream().wantMessages("notifications/message")
		for range 4 {
			time.Sleep(16 * time.Second)
			events := a.next()
			if len(events) != 1 || !events[0].comment {
				a.fatal("want a comment, there is %+v", events)
			}
		}
		time.Sleep(5 * time.Second)
		p.Log("still here")
		a.wantMessages("notifications/message")
		time.Sleep(15*time.Second - time.Millisecond)
		if events := a.next(); len(events) != 0 {
			a.fail("there is %+v within 15 s of a message", events)
		}
		p.Return("done")
		a.wantEnd().wantMessages("result 1")
	})
	serve(t, limits(mcphttp.Limits{KeepAlive: time.Second}), func(t *testing.T, s *testServer) {
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

// In sessions of 2025-11-25 a stream begins with an event without data, from which the client can
// resume. Older clients would take that for an invalid message. Requests without a session have no
// event ids.
func TestPrimingEvent(t *testing.T) {
	spec.Holds(t, "S121")
	eachMode(t, setup{}, func(t *testing.T, s *testServer, w mode, start func(rpc) *response) {
		p := s.Script("p")
		a := start(callScripted(p))
		p.Started()
		p.Log("hello")
		p.Return("done")
		a.wantEnd()
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

// The same applies to a stream that begins after quiet seconds, and to GET.
func TestPrimingEventOfQuietStreams(t *testing.T) {
	spec.Holds(t, "S123")
	for _, version := range legacy {
		serveBoth(t, setup{}, func(t *testing.T, s *testServer) {
			x, p, a := s.startCall(version)
			time.Sleep(11 * time.Second)
			for _, stream := range []*response{a.wantStream(), x.listen()} {
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
			p.Return("done")
		})
	}
}

// The events of a session have different ids, on all streams.
func TestEventIDsAreUnique(t *testing.T) {
	spec.Holds(t, "S112")
	for _, version := range []string{revisionB, revisionC, revisionD} {
		serveBoth(t, setup{}, func(t *testing.T, s *testServer) {
			x := s.open(version)
			streams := []*response{x.listen()}
			for i := range 5 {
				streams = append(streams, x.start(call("steps", `{"n":5}`).withID(fmt.Sprint(i)).legacy()))
				s.changeTools()
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

// A message is sent on one stream: the stream of its call, or the standalone one.
func TestOneStreamForAMessage(t *testing.T) {
	spec.Holds(t, "S104", "S109", "S111")
	serveBoth(t, setup{}, func(t *testing.T, s *testServer) {
		x := s.open(revisionC)
		standalone := x.listen()
		one, two := s.Script("one"), s.Script("two")
		a, b := x.start(callScripted(one).withID("1").legacy()), x.start(callScripted(two).withID("2").legacy())
		one.Started()
		two.Started()
		one.Log("one")
		two.Progress(1)
		s.changeTools()
		s.ResourceUpdated("test://text") // without a subscription
		a.wantMessages("notifications/message")
		b.wantMessages("notifications/progress")
		standalone.wantMessages("notifications/tools/list_changed")
		two.Return("two")
		one.Return("one")
		a.wantEnd().wantMessages("result 1")
		b.wantEnd().wantMessages("result 2")
		standalone.wantOpen().wantMessages()
	})
}

// Log messages are sent for a modern request only if it asks for them.
func TestLogLevelOfRequests(t *testing.T) {
	spec.Holds(t, "S263", "S264")
	serve(t, setup{}, func(t *testing.T, s *testServer) {
		s.do(call("prints", "{}").post()).wantResult("1")
		a := s.do(call("prints", "{}").withMeta(`"io.modelcontextprotocol/logLevel":"debug"`).post())
		a.wantStream().wantMessages("notifications/message", "result 1")
		s.do(call("prints", "{}").withMeta(`"io.modelcontextprotocol/logLevel":"info"`).post()).wantResult("1")
	})
}

// The standalone stream contains all messages that do not belong to a request, and no replies.
func TestStandingStream(t *testing.T) {
	spec.Holds(t, "S109", "S110")
	for _, version := range legacy {
		serveBoth(t, setup{}, func(t *testing.T, s *testServer) {
			x := s.open(version)
			stream := x.listen()
			x.do(call("echo", "{}").legacy()).wantResult("1")
			stream.wantMessages()
			for range 3 {
				s.changeTools()
				stream.wantMessages("notifications/tools/list_changed")
			}
			time.Sleep(time.Hour)
			stream.wantOpen()
			s.changeTools()
			stream.wantMessages("notifications/tools/list_changed")
		})
	}
}

// Clients that read slowly delay only their own handlers.
func TestSlowReader(t *testing.T) {
	serve(t, setup{noisy: true}, func(t *testing.T, s *testServer) {
		x := s.open(revisionD)
		conn, err := s.network.Dial(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		p := s.Script("p")
		body := callScripted(p).legacy()
		go fmt.Fprintf(conn, "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:8080\r\nMcp-Session-Id: %s\r\nContent-Type: application/json\r\n"+
			"Accept: application/json, text/event-stream\r\nContent-Length: %d\r\n\r\n%s", x.id, len(body), body)
		p.Started()
		stuck := make(chan int, 1)
		p.Begin(func(ctx context.Context) *mcp.ToolResult {
			n := 0
			for start := time.Now(); time.Since(start) == 0 && n < 10_000; n++ {
				mcp.Logger(ctx).Info(strings.Repeat("x", 10_000))
			}
			stuck <- n
			return nil
		})
		synctest.Wait()
		if n := len(stuck); n != 0 {
			t.Errorf("the handler has written %d messages to a client that does not read", <-stuck)
		}
		other := s.start(call("echo", "{}").post())
		own := x.start(call("echo", "{}").withID("2").legacy())
		synctest.Wait()
		other.wantResult("1")
		own.wantResult("2")
		// After WriteTime the client is disconnected, and the call goes on.
		if n := testbed.Await(t, stuck, "the handler to go on"); n < 10 || n >= 10_000 {
			t.Errorf("the handler has written %d messages", n)
		}
		p.Return("done")
	})
}
