package mcphttp_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/internal/proof/spec"
	"github.com/mcpgen/mcpgen/runtime/internal/testbed"
	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// Closing the response of a request in a session does not cancel it.
func TestVanishedClientOfASession(t *testing.T) {
	spec.Holds(t, "S107")
	for _, version := range legacy {
		serveBoth(t, setup{}, func(t *testing.T, s *testServer) {
			x := s.open(version)
			silent, loud := s.Script("silent"), s.Script("loud")
			a, b := x.start(callScripted(silent).withID("1").legacy()), x.start(callScripted(loud).withID("2").legacy())
			one, two := silent.Started(), loud.Started()
			loud.Log("hello")
			b.wantStream()
			a.disconnect()
			b.disconnect()
			time.Sleep(time.Minute)
			if one.Err() != nil || two.Err() != nil {
				t.Fatalf("cancelled: %v, %v", context.Cause(one), context.Cause(two))
			}
			// Calls can still be cancelled by a notification.
			x.do(cancelNotification("1")).wantAccepted()
			x.do(cancelNotification("2")).wantAccepted()
			for _, p := range []*testbed.ScriptedCall{silent, loud} {
				if err := p.Ended(); !errors.Is(err, mcp.ErrCancelled) {
					t.Errorf("the cause is %v", err)
				}
			}
		})
	}
}

// A call that is cancelled by a notification after its stream has begun gets no reply, and later
// messages of its function are dropped.
func TestCancelledCall(t *testing.T) {
	for _, version := range legacy {
		serveBoth(t, setup{}, func(t *testing.T, s *testServer) {
			x := s.open(version)
			p := s.Script("p")
			p.IgnoreContext = true
			a := x.start(callScripted(p).withID(`"2"`).legacy())
			p.Started()
			p.Log("hello")
			a.wantStream().wantMessages("notifications/message")
			x.do(cancelNotification(`"2"`)).wantAccepted()
			a.wantEnd().wantMessages()
			p.Log("late")
			p.Return("late")
			a.wantMessages()
		})
	}
}

// The stream of a cancelled call can be resumed only for messages that were sent before.
func TestResumeACancelledCall(t *testing.T) {
	serve(t, setup{}, func(t *testing.T, s *testServer) {
		x, p, a := s.startCall(revisionD)
		id := a.disconnectAfterLog(p)
		p.Log("two")
		x.do(cancelNotification("1")).wantAccepted()
		p.Ended()
		x.resume(id).wantEnd().wantMessages("notifications/message")
	})
}

// A handler whose call was cancelled by a disconnect sends no more messages, even if it ignores its
// context.
func TestVanishedClientReceivesNothing(t *testing.T) {
	spec.Holds(t, "S134")
	serveBoth(t, setup{}, func(t *testing.T, s *testServer) {
		p := s.Script("p")
		p.IgnoreContext = true
		a := s.start(callScripted(p).post())
		ctx := p.Started()
		a.disconnect()
		synctest.Wait()
		if ctx.Err() == nil {
			t.Fatal("the context has not ended")
		}
		p.Progress(1)
		p.Log("late")
		p.Run(func(ctx context.Context) {
			if _, err := elicitName(ctx, "Who?"); err == nil {
				t.Error("a question has been answered")
			}
		})
		p.Return("late")
		if log := s.log.String(); len(log) > 0 && containsAny(log, "panic", "ERROR") {
			t.Errorf("the log is %s", log)
		}
	})
}

// A question without an answer is given up with the call that asks it.
func TestCancelAmidAQuestion(t *testing.T) {
	serve(t, setup{}, func(t *testing.T, s *testServer) {
		x, p, a := s.startCall(revisionD)
		failed := make(chan error, 1)
		p.Begin(func(ctx context.Context) *mcp.ToolResult {
			_, err := elicitName(ctx, "Who?")
			failed <- err
			return nil
		})
		q := a.wantStream().wantMessages("elicitation/create")[0]
		x.do(cancelNotification("1")).wantAccepted()
		if err := testbed.Await(t, failed, "the question to fail"); !errors.Is(err, mcp.ErrCancelled) {
			t.Errorf("the question ends with %v", err)
		}
		a.wantEnd()
		x.do(reply(q.ID, acceptName("late"))).wantAccepted()
	})
}

// The context of a call without a session is cancelled with the call, not with later requests on
// the same connection.
func TestContextEndsWithTheCall(t *testing.T) {
	serveBoth(t, setup{}, func(t *testing.T, s *testServer) {
		x := s.open(revisionD)
		p := s.Script("p")
		for _, start := range []func() *response{
			func() *response { return s.start(callScripted(p).post()) }, func() *response { return x.start(callScripted(p).legacy()) },
		} {
			a := start()
			ctx := p.Started()
			if ctx.Err() != nil {
				t.Error("the context has ended already")
			}
			p.Return("done")
			a.wait()
			synctest.Wait()
			if ctx.Err() == nil {
				t.Error("the context goes on")
			}
		}
	})
}

func containsAny(text string, parts ...string) bool {
	for _, part := range parts {
		if strings.Contains(text, part) {
			return true
		}
	}
	return false
}
