package mcphttp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcphttp"
)

func limits(l mcphttp.Limits) setup {
	return setup{handler: []mcphttp.Option{mcphttp.WithLimits(l)}}
}

// A session is one connection, whatever TCP connections its requests use: levels
// and subscriptions stay.
func TestSessionKeepsItsState(t *testing.T) {
	for _, version := range legacy {
		overBoth(t, setup{}, func(t *testing.T, s *site) {
			x, y := s.open(version), s.open(version)
			xs, ys := x.listen(), y.listen()
			x.do(rpc{method: "logging/setLevel", params: `"level":"debug"`}.legacy()).replied("1")
			s.client.CloseIdleConnections()
			x.start(call("prints", "{}").legacy()).streaming().hears("notifications/message", "result 1")
			y.do(call("prints", "{}").legacy()).replied("1")

			x.do(rpc{method: "resources/subscribe", params: `"uri":"test://text"`}.legacy()).replied("1")
			s.client.CloseIdleConnections()
			s.ResourceUpdated("test://text")
			m := xs.hears("notifications/resources/updated")[0]
			if !strings.Contains(string(m.Params), `"uri":"test://text"`) {
				t.Errorf("the update is %s", m.Params)
			}
			ys.hears()
			x.do(rpc{method: "resources/unsubscribe", params: `"uri":"test://text"`}.legacy()).replied("1")
			s.ResourceUpdated("test://text")
			xs.hears()
		})
	}
}

// A session that ends takes along what runs in it, and its streams.
func TestSessionEnds(t *testing.T) {
	overBoth(t, setup{}, func(t *testing.T, s *site) {
		x, other := s.open(revisionD), s.open(revisionD)
		one, two, three := s.puppet("one"), s.puppet("two"), s.puppet("three")
		one.deaf = true // otherwise its last word could be the answer
		quiet := x.start(dance(one).as("1").legacy())
		loud := x.start(dance(two).as("2").legacy())
		others := other.start(dance(three).as("1").legacy())
		ctx := one.called()
		two.called()
		three.called()
		two.says("hello")
		loud.streaming()
		stream := x.listen()

		a := x.end().succeeded()
		if a.text() != "" {
			a.fail("DELETE has a body")
		}
		for _, err := range []error{context.Cause(ctx), two.cause()} {
			if !errors.Is(err, mcp.ErrConnectionClosed) {
				t.Errorf("the cause is %v", err)
			}
		}
		stream.ends()
		loud.ends()
		quiet.wait()
		loud.hears("notifications/message")
		if quiet.turnedDown(404); quiet.text() == "" {
			quiet.fail("the answer says nothing")
		}
		x.do(call("echo", "{}").legacy()).wants(404)
		three.answers("untouched")
		others.wait()
		others.replied("1")
	})
}

// What waits for an answer of the client fails when its session ends.
func TestSessionEndsAmidAQuestion(t *testing.T) {
	visit(t, setup{}, func(t *testing.T, s *site) {
		x := s.open(revisionD)
		p := s.puppet("p")
		a := x.start(dance(p).legacy())
		ctx := p.called()
		failed := make(chan error, 1)
		p.begin(func(ctx context.Context) *mcp.ToolResult {
			_, err := askName(ctx, "Who?")
			failed <- err
			return nil
		})
		a.streaming().hears("elicitation/create")
		x.end()
		if err := await(t, failed, "the question to fail"); err == nil {
			t.Error("the question has been answered")
		}
		if err := context.Cause(ctx); !errors.Is(err, mcp.ErrConnectionClosed) {
			t.Errorf("the cause is %v", err)
		}
		p.cause()
		a.ends()
	})
}

// A session without requests and streams ends after IdleTime, and not before.
func TestIdleSession(t *testing.T) {
	visit(t, setup{}, func(t *testing.T, s *site) {
		idle, used := s.open(revisionD), s.open(revisionD)
		for range 3 {
			time.Sleep(14 * time.Minute)
			used.do(rpc{method: "ping"}.legacy()).replied("1")
		}
		// 42 minutes: it has ended 30 to 31 minutes after its last request.
		idle.do(rpc{method: "ping"}.legacy()).wants(404)
		used.do(rpc{method: "ping"}.legacy()).replied("1")
		time.Sleep(29 * time.Minute)
		used.do(rpc{method: "ping"}.legacy()).replied("1")
		time.Sleep(40 * time.Minute)
		used.do(rpc{method: "ping"}.legacy()).wants(404)
	})
}

// A session with an open stream, or with a call that runs, is not idle; the time
// begins when they end.
func TestSessionIsNotIdle(t *testing.T) {
	visit(t, limits(mcphttp.Limits{IdleTime: time.Minute}), func(t *testing.T, s *site) {
		listening, calling, abandoned := s.open(revisionD), s.open(revisionD), s.open(revisionD)
		stream := listening.listen()
		p, q := s.puppet("p"), s.puppet("q")
		a := calling.start(dance(p).legacy())
		b := abandoned.start(dance(q).legacy())
		p.called()
		q.called()
		b.vanish() // the call goes on without its client
		time.Sleep(time.Hour / 2)
		stream.stays()
		p.answers("late")
		q.answers("late")
		a.wait()
		stream.vanish()
		time.Sleep(30 * time.Second)
		for _, x := range []*session{listening, calling, abandoned} {
			x.do(rpc{method: "ping"}.legacy()).replied("1")
		}
		time.Sleep(2 * time.Minute)
		for _, x := range []*session{listening, calling, abandoned} {
			x.do(rpc{method: "ping"}.legacy()).wants(404)
		}
	})
}

// The end of an idle session is an end like any other: what it holds is given
// back.
func TestIdleSessionsMakeRoom(t *testing.T) {
	visit(t, limits(mcphttp.Limits{IdleTime: time.Minute, Sessions: 2}), func(t *testing.T, s *site) {
		s.open(revisionD)
		s.open(revisionD)
		s.do(bare(initialize(revisionD))).turnedDownWith(503)
		time.Sleep(3 * time.Minute)
		s.open(revisionD)
		x := s.open(revisionD)
		s.do(bare(initialize(revisionD))).turnedDownWith(503)
		x.end()
		s.open(revisionD)
	})
}

// One principal cannot take all sessions.
func TestSessionsPerPrincipal(t *testing.T) {
	visit(t, setup{handler: []mcphttp.Option{
		mcphttp.WithPrincipal(principalOf), mcphttp.WithLimits(mcphttp.Limits{Sessions: 5, SessionsPerPrincipal: 2}),
	}}, func(t *testing.T, s *site) {
		ann := s.open(revisionD, "Authorization: ann")
		s.open(revisionD, "Authorization: ann")
		s.do(bare(initialize(revisionD), "Authorization: ann")).turnedDownWith(503)
		s.open(revisionD, "Authorization: bob")
		ann.end()
		s.open(revisionD, "Authorization: ann")
		s.do(bare(initialize(revisionD), "Authorization: ann")).turnedDownWith(503)
		s.open(revisionD, "Authorization: bob")
		s.do(bare(initialize(revisionD), "Authorization: bob")).turnedDownWith(503)
		s.open(revisionD, "Authorization: cid")
		s.do(bare(initialize(revisionD), "Authorization: dan")).turnedDownWith(503)
		// Requests without a session are none of this business.
		s.do(call("echo", "{}").post("Authorization: ann")).replied("1")
	})
}

// Whose session it is decides every request to it, whatever its method; to
// everybody else it does not exist.
func TestSessionOfAnotherPrincipal(t *testing.T) {
	visit(t, setup{handler: []mcphttp.Option{mcphttp.WithPrincipal(principalOf)}}, func(t *testing.T, s *site) {
		ann := s.open(revisionD, "Authorization: ann")
		bob := s.open(revisionD, "Authorization: bob")
		p := s.puppet("p")
		a := ann.start(dance(p).as("5").legacy())
		p.called()
		p.says("private")
		id := idOf(t, a.streaming().next())

		thief := "Authorization: bob"
		s.do(ann.as(bare(cancelled("5"), thief))).turnedDown(404)
		s.do(ann.as(bare(call("whoami", "{}").legacy(), thief))).wants(404)
		s.do(ann.as(request{method: "GET"}.with(thief))).turnedDown(404)
		s.do(ann.as(request{method: "GET"}.with(thief, "Last-Event-ID: "+id))).turnedDown(404)
		s.do(ann.as(request{method: "DELETE"}.with(thief))).turnedDown(404)
		// The events of one session are not those of another.
		if b := s.do(bob.as(request{method: "GET"}.with("Last-Event-ID: " + id))); b.code() == 200 {
			if strings.Contains(b.text(), "private") {
				b.fail("somebody else's event")
			}
		} else {
			b.turnedDown(400)
		}
		bob.do(cancelled("5")).accepted()
		a.stays()
		p.answers("mine")
		a.ends().hears("result 5")
		if me := whoami(t, ann.do(call("whoami", "{}").legacy()).replied("1")); me.Principal != "ann" || me.Claims != "claims of ann" {
			t.Errorf("the caller is %+v", me)
		}
	})
}

// What each request says of itself is what its handler sees, not what the request
// has said that opened the session.
func TestCallerOfASession(t *testing.T) {
	overBoth(t, setup{}, func(t *testing.T, s *site) {
		x := s.open(revisionD, "X-Tag: opening")
		for _, tag := range []string{"one", "two"} {
			me := whoami(t, x.do(call("whoami", "{}").legacy(), "X-Tag: "+tag).replied("1"))
			if got := strings.Join(me.Header["X-Tag"], " "); got != tag {
				t.Errorf("X-Tag is %q, want %q", got, tag)
			}
		}
		me := whoami(t, s.do(call("whoami", "{}").post("X-Tag: a", "X-Tag: b")).replied("1"))
		if got := strings.Join(me.Header["X-Tag"], " "); got != "a b" {
			t.Errorf("X-Tag is %q", got)
		}
	})
}

// An id in flight cannot be used again in the same session, but in any other, and
// once it is answered.
func TestIDsBelongToTheSession(t *testing.T) {
	overBoth(t, setup{}, func(t *testing.T, s *site) {
		x, y := s.open(revisionD), s.open(revisionD)
		one, two := s.puppet("one"), s.puppet("two")
		a := x.start(dance(one).as("7").legacy())
		one.called()
		x.do(call("echo", "{}").as("7").legacy()).refused(200, -32600, "7")
		x.do(call("echo", "{}").as(`"7"`).legacy()).replied(`"7"`)
		b := y.start(dance(two).as("7").legacy())
		two.called()
		one.answers("one")
		two.answers("two")
		a.wait()
		b.wait()
		if got := textOf(t, a.replied("7")) + textOf(t, b.replied("7")); got != "onetwo" {
			t.Errorf("the answers are %q", got)
		}
		x.do(call("echo", "{}").as("7").legacy()).replied("7")
	})
}

// A session that has not said that it is initialized answers requests, and a late
// word changes nothing.
func TestRequestsBeforeInitialized(t *testing.T) {
	visit(t, setup{}, func(t *testing.T, s *site) {
		a := s.do(bare(initialize(revisionD)))
		a.replied(`"init"`)
		x := &session{s: s, id: a.field("Mcp-Session-Id"), version: revisionD}
		x.do(rpc{method: "tools/list"}.legacy()).replied("1")
		x.do(initialized).accepted()
		x.do(initialized).accepted()
		x.do(rpc{method: "tools/list"}.legacy()).replied("1")
	})
}

// A server that pings its clients does so on the standing stream, and hears the
// answer by a POST.
func TestPing(t *testing.T) {
	visit(t, setup{server: []mcp.Option{mcp.WithPing(time.Minute)}}, func(t *testing.T, s *site) {
		x := s.open(revisionD)
		stream := x.listen()
		for range 3 {
			time.Sleep(130 * time.Second)
			m := stream.hears("ping")[0]
			x.do(reply(m.ID, "{}")).accepted()
		}
		// One who does not answer is gone.
		time.Sleep(5 * time.Minute)
		stream.ends()
		x.do(call("echo", "{}").legacy()).wants(404)
	})
}

// Session ids cannot be guessed: they differ in all of their length.
func TestSessionIDs(t *testing.T) {
	visit(t, setup{}, func(t *testing.T, s *site) {
		const n = 200
		var ids []string
		for range n {
			ids = append(ids, s.open(revisionD).id)
		}
		for i := range ids[0] {
			letters := map[byte]bool{}
			for _, id := range ids {
				if len(id) != len(ids[0]) {
					t.Fatalf("ids of different lengths: %q, %q", id, ids[0])
				}
				letters[id[i]] = true
			}
			if len(letters) < 8 {
				t.Errorf("the letter at %d is one of %d", i, len(letters))
			}
		}
	})
}

// Many clients at once do not hear each other.
func TestSessionsApart(t *testing.T) {
	overBoth(t, setup{}, func(t *testing.T, s *site) {
		const clients, calls = 8, 8
		type sent struct {
			a    *answer
			text string
		}
		var all []sent
		for c := range clients {
			x := s.open(legacy[c%len(legacy)])
			for i := range calls {
				text := fmt.Sprintf(`{"client":%d,"call":%d}`, c, i)
				all = append(all, sent{x.start(call("echo", text).as(fmt.Sprint(i)).legacy()), text},
					sent{s.start(call("echo", text).as(fmt.Sprint(i)).post()), text})
			}
		}
		for i, a := range all {
			a.a.wait()
			if got := textOf(t, a.a.replied(fmt.Sprint(i/2%calls))); got != a.text {
				a.a.fail("the answer is %s, want %s", got, a.text)
			}
		}
	})
}

// An answer to a question reaches the handler that has asked, of that session only.
func TestAnswersBelongToTheSession(t *testing.T) {
	visit(t, setup{}, func(t *testing.T, s *site) {
		x, y := s.open(revisionD), s.open(revisionD)
		a, b := x.start(call("asks", "{}").legacy()), y.start(call("asks", "{}").legacy())
		first := a.streaming().hears("elicitation/create")[0]
		second := b.streaming().hears("elicitation/create")[0]
		y.do(reply(second.ID, named("Bob"))).accepted()
		if string(first.ID) != string(second.ID) { // otherwise it is its own
			y.do(reply(first.ID, named("Mallory"))).accepted()
		}
		synctest.Wait()
		a.stays()
		x.do(reply(first.ID, named("Ann"))).accepted()
		for answer, want := range map[*answer]string{a: "hello Ann", b: "hello Bob"} {
			m := answer.ends().hears("result 1")[0]
			if got := textOf(t, m.Result); got != want {
				answer.fail("the result is %q, want %q", got, want)
			}
		}
	})
}

// The error that a client answers with reaches the handler.
func TestRefusedQuestion(t *testing.T) {
	visit(t, setup{}, func(t *testing.T, s *site) {
		x := s.open(revisionD)
		a := x.start(call("asks", "{}").legacy())
		m := a.streaming().hears("elicitation/create")[0]
		x.do(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-1,"message":"user rejected"}}`, m.ID)).accepted()
		r := a.ends().hears("result 1")[0]
		var result struct{ IsError bool }
		if err := json.Unmarshal(r.Result, &result); err != nil || !result.IsError {
			a.fail("want a failed result")
		}
	})
}
