package mcphttp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/internal/spec"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcphttp"
)

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
		one.deaf, two.deaf = true, true // otherwise their last word could be the answer
		quiet := x.start(dance(one).as("1").legacy())
		loud := x.start(dance(two).as("2").legacy())
		others := other.start(dance(three).as("1").legacy())
		contexts := []context.Context{one.called(), two.called()}
		three.called()
		two.says("hello")
		loud.streaming()
		stream := x.listen()

		a := x.end().succeeded()
		if a.text() != "" {
			a.fail("DELETE has a body")
		}
		for _, ctx := range contexts {
			if err := context.Cause(ctx); !errors.Is(err, mcp.ErrConnectionClosed) {
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

// Whose session it is decides every request to it, whatever its method; to
// everybody else it does not exist.
func TestSessionOfAnotherPrincipal(t *testing.T) {
	spec.Holds(t, "S002")
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

// Session ids cannot be guessed: they differ in all of their length.
func TestSessionIDs(t *testing.T) {
	spec.Holds(t, "S115")
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
				spec.Holds(t, "S116")
				letters[id[i]] = true
				if id[i] < '!' || id[i] > '~' {
					t.Fatalf("the id %q has a character that is not visible ASCII", id)
				}
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
	spec.Holds(t, "S329")
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

// onInitialize has f run before each initialize.
func onInitialize(f func() error) setup {
	return setup{
		server: []mcp.Option{mcp.WithInterceptors(func(next mcp.Handler) mcp.Handler {
			return func(ctx context.Context, req *mcp.Request) (mcp.Reply, error) {
				if req.Method == "initialize" {
					if err := f(); err != nil {
						return nil, err
					}
				}
				return next(ctx, req)
			}
		})},
		handler: []mcphttp.Option{mcphttp.WithLimits(mcphttp.Limits{Sessions: 1})},
	}
}

// An initialize that takes long is answered on an event stream, and its header
// names the session as any other.
func TestSlowInitialize(t *testing.T) {
	visit(t, onInitialize(func() error { time.Sleep(time.Minute); return nil }), func(t *testing.T, s *site) {
		a := s.do(bare(initialize(revisionC)))
		a.streaming().ends().hears(`result "init"`)
		x := &session{s: s, id: a.field("Mcp-Session-Id"), version: revisionC}
		x.do(call("echo", "{}").legacy()).replied("1")
	})
}

// One that fails late leaves no session behind, although its id has been told.
func TestSlowInitializeFails(t *testing.T) {
	var failure error
	c := onInitialize(func() error {
		if failure != nil {
			time.Sleep(time.Minute)
		}
		return failure
	})
	visit(t, c, func(t *testing.T, s *site) {
		failure = errors.New("not now")
		for range 2 {
			a := s.do(bare(initialize(revisionD)))
			a.streaming().ends().hears(`error "init"`)
			if id := a.field("Mcp-Session-Id"); id != "" {
				s.do(bare(call("echo", "{}").legacy(), "Mcp-Session-Id: "+id)).wants(404)
			}
			time.Sleep(time.Second)
		}
		failure = nil
		s.open(revisionD)
	})
}

// One whose client has gone before it has learned the id leaves none, either.
func TestVanishedAmidInitialize(t *testing.T) {
	waiting := true
	overBoth(t, onInitialize(func() error {
		if waiting {
			time.Sleep(5 * time.Second)
		}
		return nil
	}), func(t *testing.T, s *site) {
		waiting = true
		a := s.start(bare(initialize(revisionD)))
		synctest.Wait()
		a.vanish()
		time.Sleep(10 * time.Second)
		waiting = false
		s.open(revisionD)
	})
}

// Handlers of the same server have their own sessions.
func TestTwoHandlers(t *testing.T) {
	visit(t, setup{}, func(t *testing.T, s *site) {
		other := mcphttp.NewHandler(s.Server)
		defer other.Close()
		x := s.open(revisionD)
		r := x.as(bare(call("echo", "{}").legacy())).build(t.Context(), t)
		w := httptest.NewRecorder()
		spec.NewTap(t).Handler(other).ServeHTTP(w, r)
		if w.Code != 404 {
			t.Errorf("the status is %d", w.Code)
		}
	})
}

// What happens before the client listens is not lost to one who does.
func TestChangesBeforeListening(t *testing.T) {
	visit(t, setup{}, func(t *testing.T, s *site) {
		x := s.open(revisionD)
		x.do(rpc{method: "resources/subscribe", params: `"uri":"test://text"`}.legacy()).replied("1")
		s.ResourceUpdated("test://text")
		stream := x.listen()
		stream.hears("notifications/resources/updated")
		stream.vanish()
		synctest.Wait() // the server has noticed
		s.ResourceUpdated("test://text")
		x.listen().hears("notifications/resources/updated") // without Last-Event-ID
	})
}
