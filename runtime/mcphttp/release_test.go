package mcphttp_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/internal/proof/spec"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcphttp"
)

// Calls whose response is complete before they return.

// A call goes on if its client disconnects before the first event.
func TestVanishedBeforeTheStream(t *testing.T) {
	eachResumable(t, setup{}, func(t *testing.T, s *testServer, x *session) {
		p := s.Script("p")
		a := x.start(callScripted(p).withID("3").legacy())
		ctx := p.Started()
		a.disconnect()
		time.Sleep(time.Minute)
		if err := ctx.Err(); err != nil {
			t.Fatalf("the call has been cancelled: %v", context.Cause(ctx))
		}
		p.Log("without a client")
		p.Return("done")
		x.listen().wantOpen().wantMessages()
		x.do(call("echo", "{}").withID("3").legacy()).wantResult("3")
	})
}

// A question that is asked while the client is disconnected is sent when it resumes.
func TestQuestionToAnAbsentClient(t *testing.T) {
	for _, version := range []string{revisionC, revisionD} {
		serveBoth(t, setup{}, func(t *testing.T, s *testServer) {
			x, p, a := s.startCall(version)
			id := a.disconnectAfterLog(p)
			p.Begin(func(ctx context.Context) *mcp.ToolResult {
				name, err := elicitName(ctx, "Who?")
				return mcp.TextResult(fmt.Sprint(name, err))
			})
			b := x.resume(id)
			q := b.wantMessages("elicitation/create")[0]
			x.do(reply(q.ID, acceptName("Ann"))).wantAccepted()
			if got := textOf(t, b.wantEnd().wantMessages("result 1")[0].Result); got != "Ann<nil>" {
				t.Errorf("the result is %q", got)
			}
		})
	}
}

// A question that cannot be delivered fails at once.
func TestUndeliverableQuestion(t *testing.T) {
	for _, version := range []string{revisionC, revisionD} {
		serveBoth(t, setup{}, func(t *testing.T, s *testServer) {
			_, p, a := s.startCall(version)
			a.disconnect()
			synctest.Wait()
			p.Run(func(ctx context.Context) {
				began := time.Now()
				if _, err := elicitName(ctx, "Who?"); err == nil || time.Since(began) != 0 {
					t.Errorf("the question ends after %v with %v", time.Since(began), err)
				}
			})
			p.Return("done")
		})
	}
}

// A handler can release the response of a disconnected client: a client that resumes gets the
// reply.
func TestReleaseWithoutClient(t *testing.T) {
	serveBoth(t, setup{}, func(t *testing.T, s *testServer) {
		x, p, a := s.startCall(revisionD)
		id := a.disconnectAfterLog(p)
		p.Run(func(ctx context.Context) {
			if !mcp.ReleaseStream(ctx, time.Second) {
				t.Error("the stream is not released")
			}
		})
		p.Return("done")
		x.resume(id).wantEnd().wantMessages("result 1")
	})
}

// A handler can release its response. The client gets the time to reconnect, and then the reply.
func TestReleaseStream(t *testing.T) {
	spec.Holds(t, "S122")
	for _, silent := range []bool{true, false} {
		serveBoth(t, setup{}, func(t *testing.T, s *testServer) {
			x, p, a := s.startCall(revisionD)
			if !silent {
				p.Log("before")
			}
			p.Run(func(ctx context.Context) {
				if !mcp.ReleaseStream(ctx, 1500*time.Millisecond) {
					t.Error("the stream is not let go")
				}
			})
			a.wantStream().wantEnd()
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
			if silent && len(events) != 1 { // the retry time and an id
				a.fail("there is %+v", events)
			}
			id := lastEventID(t, events)
			p.Log("meanwhile")
			b := x.resume(id)
			b.wantOpen().wantMessages("notifications/message")
			// Once more, and the call returns while the client is disconnected.
			p.Run(func(ctx context.Context) { mcp.ReleaseStream(ctx, time.Second) })
			id = lastEventID(t, b.wantEnd().events())
			p.Return("done")
			x.resume(id).wantEnd().wantMessages("result 1")
		})
	}
}

// A response is not released if the client could not resume.
func TestReleaseStreamElsewhere(t *testing.T) {
	spec.Holds(t, "S105")
	eachMode(t, setup{}, func(t *testing.T, s *testServer, w mode, start func(rpc) *response) {
		if w.version == revisionD {
			return
		}
		p := s.Script("p")
		a := start(callScripted(p))
		p.Started()
		p.Run(func(ctx context.Context) {
			if mcp.ReleaseStream(ctx, time.Second) {
				t.Error("the stream is let go")
			}
		})
		a.wantPending()
		p.Return("done")
		a.wait()
		a.wantResult("1")
	})
	serve(t, setup{handler: []mcphttp.Option{mcphttp.WithoutSessions()}}, func(t *testing.T, s *testServer) {
		p := s.Script("p")
		a := s.start(postBody(callScripted(p).legacy(), "Mcp-Protocol-Version: "+revisionD))
		p.Started()
		p.Run(func(ctx context.Context) {
			if mcp.ReleaseStream(ctx, time.Second) {
				t.Error("the stream is let go")
			}
		})
		p.Return("done")
		a.wait()
		a.wantResult("1")
	})
}

// A broken connection is treated like a disconnect.
func TestBrokenConnection(t *testing.T) {
	eachResumable(t, setup{noisy: true}, func(t *testing.T, s *testServer, x *session) {
		p := s.Script("p")
		a := x.start(callScripted(p).legacy())
		ctx := p.Started()
		p.Log("one")
		id := lastEventID(t, a.wantStream().next())
		s.network.Cut()
		a.wantBroken()
		p.Log("two")
		p.Log("three")
		if ctx.Err() != nil {
			t.Errorf("the call has been cancelled: %v", context.Cause(ctx))
		}
		b := x.resume(id)
		b.wantMessages("notifications/message", "notifications/message")
		x.do(cancelNotification("1")).wantAccepted()
		if err := p.Ended(); !errors.Is(err, mcp.ErrCancelled) {
			t.Errorf("the cause is %v", err)
		}
		b.wantEnd().wantMessages()
	})
}
