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

	"github.com/mcpgen/mcpgen/internal/proof/spec"
	"github.com/mcpgen/mcpgen/runtime/internal/testbed"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcphttp"
)

// A session is one connection of the server, whatever TCP connections its requests use: log levels
// and subscriptions stay.
func TestSessionKeepsItsState(t *testing.T) {
	for _, version := range legacy {
		serveBoth(t, setup{}, func(t *testing.T, s *testServer) {
			x, y := s.open(version), s.open(version)
			xs, ys := x.listen(), y.listen()
			x.do(rpc{method: "logging/setLevel", params: `"level":"debug"`}.legacy()).wantResult("1")
			s.client.CloseIdleConnections()
			x.start(call("prints", "{}").legacy()).wantStream().wantMessages("notifications/message", "result 1")
			y.do(call("prints", "{}").legacy()).wantResult("1")

			x.do(rpc{method: "resources/subscribe", params: `"uri":"test://text"`}.legacy()).wantResult("1")
			s.client.CloseIdleConnections()
			s.ResourceUpdated("test://text")
			m := xs.wantMessages("notifications/resources/updated")[0]
			if !strings.Contains(string(m.Params), `"uri":"test://text"`) {
				t.Errorf("the update is %s", m.Params)
			}
			ys.wantMessages()
			x.do(rpc{method: "resources/unsubscribe", params: `"uri":"test://text"`}.legacy()).wantResult("1")
			s.ResourceUpdated("test://text")
			xs.wantMessages()
		})
	}
}

// Closing a session cancels its calls and completes its streams.
func TestSessionEnds(t *testing.T) {
	serveBoth(t, setup{}, func(t *testing.T, s *testServer) {
		x, other := s.open(revisionD), s.open(revisionD)
		one, two, three := s.Script("one"), s.Script("two"), s.Script("three")
		one.IgnoreContext, two.IgnoreContext = true, true // otherwise their results could be the replies
		quiet := x.start(callScripted(one).withID("1").legacy())
		loud := x.start(callScripted(two).withID("2").legacy())
		others := other.start(callScripted(three).withID("1").legacy())
		contexts := []context.Context{one.Started(), two.Started()}
		three.Started()
		two.Log("hello")
		loud.wantStream()
		stream := x.listen()

		a := x.delete().wantSuccess()
		if a.text() != "" {
			a.fail("DELETE has a body")
		}
		for _, ctx := range contexts {
			if err := context.Cause(ctx); !errors.Is(err, mcp.ErrConnectionClosed) {
				t.Errorf("the cause is %v", err)
			}
		}
		stream.wantEnd()
		loud.wantEnd()
		quiet.wait()
		loud.wantMessages("notifications/message")
		// After status 404 a client opens a session and sends the request again, and this one runs.
		if quiet.wantStatus(500); quiet.text() == "" {
			quiet.fail("the reply has no message")
		}
		x.do(call("echo", "{}").legacy()).wantStatus(404)
		three.Return("untouched")
		others.wait()
		others.wantResult("1")
	})
}

// Questions fail when their session is closed.
func TestSessionEndsAmidAQuestion(t *testing.T) {
	serve(t, setup{}, func(t *testing.T, s *testServer) {
		x := s.open(revisionD)
		p := s.Script("p")
		a := x.start(callScripted(p).legacy())
		ctx := p.Started()
		failed := make(chan error, 1)
		p.Begin(func(ctx context.Context) *mcp.ToolResult {
			_, err := elicitName(ctx, "Who?")
			failed <- err
			return nil
		})
		a.wantStream().wantMessages("elicitation/create")
		x.delete()
		if err := testbed.Await(t, failed, "the question to fail"); err == nil {
			t.Error("the question has been answered")
		}
		if err := context.Cause(ctx); !errors.Is(err, mcp.ErrConnectionClosed) {
			t.Errorf("the cause is %v", err)
		}
		p.Ended()
		a.wantEnd()
	})
}

// Handlers see the header and principal of their own request, not of the request that opened the
// session.
func TestCallerOfASession(t *testing.T) {
	serveBoth(t, setup{}, func(t *testing.T, s *testServer) {
		x := s.open(revisionD, "X-Tag: opening")
		for _, tag := range []string{"one", "two"} {
			me := whoami(t, x.do(call("whoami", "{}").legacy(), "X-Tag: "+tag).wantResult("1"))
			if got := strings.Join(me.Header["X-Tag"], " "); got != tag {
				t.Errorf("X-Tag is %q, want %q", got, tag)
			}
		}
		me := whoami(t, s.do(call("whoami", "{}").post("X-Tag: a", "X-Tag: b")).wantResult("1"))
		if got := strings.Join(me.Header["X-Tag"], " "); got != "a b" {
			t.Errorf("X-Tag is %q", got)
		}
	})
}

// A session without notifications/initialized answers requests, and a late one changes nothing.
func TestRequestsBeforeInitialized(t *testing.T) {
	serve(t, setup{}, func(t *testing.T, s *testServer) {
		a := s.do(postBody(initialize(revisionD)))
		a.wantResult(`"init"`)
		x := &session{s: s, id: a.field("Mcp-Session-Id"), version: revisionD}
		x.do(rpc{method: "tools/list"}.legacy()).wantResult("1")
		x.do(initialized).wantAccepted()
		x.do(initialized).wantAccepted()
		x.do(rpc{method: "tools/list"}.legacy()).wantResult("1")
	})
}

// An answer reaches the handler that has asked, in its own session only.
func TestAnswersBelongToTheSession(t *testing.T) {
	spec.Holds(t, "S329")
	serve(t, setup{}, func(t *testing.T, s *testServer) {
		x, y := s.open(revisionD), s.open(revisionD)
		a, b := x.start(call("asks", "{}").legacy()), y.start(call("asks", "{}").legacy())
		first := a.wantStream().wantMessages("elicitation/create")[0]
		second := b.wantStream().wantMessages("elicitation/create")[0]
		y.do(reply(second.ID, acceptName("Bob"))).wantAccepted()
		if string(first.ID) != string(second.ID) { // otherwise the id is valid in both sessions
			y.do(reply(first.ID, acceptName("Mallory"))).wantAccepted()
		}
		synctest.Wait()
		a.wantOpen()
		x.do(reply(first.ID, acceptName("Ann"))).wantAccepted()
		for answer, want := range map[*response]string{a: "hello Ann", b: "hello Bob"} {
			m := answer.wantEnd().wantMessages("result 1")[0]
			if got := textOf(t, m.Result); got != want {
				answer.fail("the result is %q, want %q", got, want)
			}
		}
	})
}

// An error that the client answers with reaches the handler.
func TestRefusedQuestion(t *testing.T) {
	serve(t, setup{}, func(t *testing.T, s *testServer) {
		x := s.open(revisionD)
		a := x.start(call("asks", "{}").legacy())
		m := a.wantStream().wantMessages("elicitation/create")[0]
		x.do(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-1,"message":"user rejected"}}`, m.ID)).wantAccepted()
		r := a.wantEnd().wantMessages("result 1")[0]
		var result struct{ IsError bool }
		if err := json.Unmarshal(r.Result, &result); err != nil || !result.IsError {
			a.fail("want a failed result")
		}
	})
}

// onInitialize runs f before each initialize.
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

// A slow initialize is answered on an event stream, whose header has the session id.
func TestSlowInitialize(t *testing.T) {
	serve(t, onInitialize(func() error { time.Sleep(time.Minute); return nil }), func(t *testing.T, s *testServer) {
		a := s.do(postBody(initialize(revisionC)))
		a.wantStream().wantEnd().wantMessages(`result "init"`)
		x := &session{s: s, id: a.field("Mcp-Session-Id"), version: revisionC}
		x.do(call("echo", "{}").legacy()).wantResult("1")
	})
}

// If it fails late, the session is closed, although its id has been sent.
func TestSlowInitializeFails(t *testing.T) {
	var failure error
	c := onInitialize(func() error {
		if failure != nil {
			time.Sleep(time.Minute)
		}
		return failure
	})
	serve(t, c, func(t *testing.T, s *testServer) {
		failure = errors.New("not now")
		for range 2 {
			a := s.do(postBody(initialize(revisionD)))
			a.wantStream().wantEnd().wantMessages(`error "init"`)
			if id := a.field("Mcp-Session-Id"); id != "" {
				s.do(postBody(call("echo", "{}").legacy(), "Mcp-Session-Id: "+id)).wantStatus(404)
			}
			time.Sleep(time.Second)
		}
		failure = nil
		s.open(revisionD)
	})
}

// If its client disconnects before it has the id, the session is closed too.
func TestVanishedAmidInitialize(t *testing.T) {
	waiting := true
	serveBoth(t, onInitialize(func() error {
		if waiting {
			time.Sleep(5 * time.Second)
		}
		return nil
	}), func(t *testing.T, s *testServer) {
		waiting = true
		a := s.start(postBody(initialize(revisionD)))
		synctest.Wait()
		a.disconnect()
		time.Sleep(10 * time.Second)
		waiting = false
		s.open(revisionD)
	})
}

// Handlers of the same server have their own sessions.
func TestTwoHandlers(t *testing.T) {
	serve(t, setup{}, func(t *testing.T, s *testServer) {
		other := mcphttp.NewHandler(s.Server)
		defer other.Close()
		x := s.open(revisionD)
		r := x.withSession(postBody(call("echo", "{}").legacy())).build(t.Context(), t)
		w := httptest.NewRecorder()
		spec.NewTap(t).Handler(other).ServeHTTP(w, r)
		if w.Code != 404 {
			t.Errorf("the status is %d", w.Code)
		}
	})
}

// Messages before the first GET are delivered to it.
func TestChangesBeforeListening(t *testing.T) {
	serve(t, setup{}, func(t *testing.T, s *testServer) {
		x := s.open(revisionD)
		x.do(rpc{method: "resources/subscribe", params: `"uri":"test://text"`}.legacy()).wantResult("1")
		s.ResourceUpdated("test://text")
		stream := x.listen()
		stream.wantMessages("notifications/resources/updated")
		stream.disconnect()
		synctest.Wait() // the server has noticed the disconnect
		s.ResourceUpdated("test://text")
		x.listen().wantMessages("notifications/resources/updated") // without Last-Event-ID
	})
}
