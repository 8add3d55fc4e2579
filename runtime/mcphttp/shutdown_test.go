package mcphttp_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/testbed"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcphttp"
)

// Shutdown refuses new requests, ends long-lived streams, waits for calls, and closes the sessions
// last.
func TestShutdown(t *testing.T) {
	serveBoth(t, setup{}, func(t *testing.T, s *testServer) {
		x := s.open(revisionD)
		one, two, three := s.Script("one"), s.Script("two"), s.Script("three")
		alone := s.start(callScripted(one).post())
		inSession := x.start(callScripted(two).withID("2").legacy())
		vanished := x.start(callScripted(three).withID("3").legacy())
		contexts := []context.Context{one.Started(), two.Started(), three.Started()}
		vanished.disconnect()
		standalone := x.listen()
		listening := s.start(listen("1", `"toolsListChanged":true`).post())
		listening.wantStream()
		two.Log("hello")
		inSession.wantStream()
		four := s.Script("four")
		left := x.start(callScripted(four).withID("4").legacy())
		four.Started()
		four.Log("hello")
		id := lastEventID(t, left.wantStream().next())
		left.disconnect()
		resumed := x.resume(id)

		done := make(chan error, 1)
		go func() { done <- s.handler.Shutdown(context.Background()) }()
		standalone.wantEnd()
		listening.wantEnd().wantMessages("notifications/subscriptions/acknowledged", "result 1")
		for _, ctx := range contexts {
			if ctx.Err() != nil {
				t.Errorf("a call has been cancelled: %v", context.Cause(ctx))
			}
		}
		for _, r := range []request{
			call("echo", "{}").post(), x.withSession(postBody(call("echo", "{}").withID("9").legacy())), postBody(initialize(revisionD)), x.withSession(request{method: "GET"}),
		} {
			a := s.do(r)
			if a.code() != 503 {
				a.fail("want 503")
			}
		}
		if len(done) != 0 {
			t.Error("it does not wait")
		}
		one.Return("one")
		two.Return("two")
		alone.wait()
		alone.wantResult("1")
		inSession.wantEnd().wantMessages("notifications/message", "result 2")
		resumed.wantOpen()
		four.Return("four")
		resumed.wantEnd().wantMessages("result 4")
		time.Sleep(time.Minute)
		if len(done) != 0 {
			t.Error("it does not wait for the call whose client has gone")
		}
		three.Return("three")
		if err := testbed.Await(t, done, "the end of the shutdown"); err != nil {
			t.Errorf("shut down: %v", err)
		}
	})
}

// Shutdown does not wait for answers to questions, which can no longer arrive.
func TestShutdownAmidAQuestion(t *testing.T) {
	serveBoth(t, setup{}, func(t *testing.T, s *testServer) {
		x := s.open(revisionD)
		a := x.start(call("asks", "{}").legacy())
		a.wantStream().wantMessages("elicitation/create")
		began := time.Now()
		if err := s.handler.Shutdown(t.Context()); err != nil || time.Since(began) != 0 {
			t.Errorf("shut down after %v: %v", time.Since(began), err)
		}
		a.wantEnd().wantMessages("result 1")
	})
}

// Closed handlers leave no goroutines or memory behind.
func TestShutdownOfNothing(t *testing.T) {
	serve(t, setup{}, func(t *testing.T, s *testServer) {
		h := mcphttp.NewHandler(s.Server)
		if err := h.Shutdown(t.Context()); err != nil {
			t.Errorf("shut down: %v", err)
		}
		if err := h.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
}

// A call in progress when the handler is closed gets an error, not an empty response with
// status 200.
func TestCloseDuringCall(t *testing.T) {
	for name, start := range map[string]func(s *testServer, p *testbed.ScriptedCall) *response{
		"with a session": func(s *testServer, p *testbed.ScriptedCall) *response {
			return s.open(revisionD).start(callScripted(p).legacy())
		},
		"without one": func(s *testServer, p *testbed.ScriptedCall) *response {
			return s.start(callScripted(p).post())
		},
	} {
		t.Run(name, func(t *testing.T) {
			serve(t, setup{}, func(t *testing.T, s *testServer) {
				p := s.Script("p")
				a := start(s, p)
				p.Started()
				synctest.Wait()
				began := time.Now()
				for range 2 {
					if err := s.handler.Close(); err != nil {
						t.Error(err)
					}
				}
				if err := p.Ended(); !errors.Is(err, mcp.ErrConnectionClosed) || time.Since(began) != 0 {
					t.Errorf("the cause is %v, after %v", err, time.Since(began))
				}
				a.wait()
				a.wantStatus(http.StatusInternalServerError)
				if !strings.Contains(a.text(), "may have run") {
					a.fail("%s", a.text())
				}
				s.do(call("echo", "{}").post()).wantStatus(503)
				if err := s.handler.Shutdown(t.Context()); err != nil {
					t.Errorf("shut down what is closed: %v", err)
				}
			})
		})
	}
}
