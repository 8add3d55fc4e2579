package mcphttp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcphttp"
)

// Messages that a session stores for a client that resumes a stream.

// numberOf returns the number in a log message.
func numberOf(t *testing.T, m *message) (n int) {
	t.Helper()
	if _, err := fmt.Sscanf(cut(t, string(m.Params), "number ", " "), "%d", &n); err != nil {
		t.Fatalf("no number in %s", m.Params)
	}
	return n
}

// A client that resumes a stream misses nothing, while its call sends messages and the old response
// is still written to.
func TestResumeWhileItTalks(t *testing.T) {
	serveBoth(t, setup{}, func(t *testing.T, s *testServer) {
		x, p, a := s.startCall(revisionD)
		p.Log("number 0 ")
		const messages = 1000
		p.Begin(func(ctx context.Context) *mcp.ToolResult {
			for n := 1; n <= messages; n++ {
				mcp.Logger(ctx).Info(fmt.Sprintf("number %d ", n))
				if n%7 == 0 {
					runtime.Gosched()
				}
			}
			return mcp.TextResult("done")
		})
		last, seen := "", -1
		for round := 0; ; round++ {
			if round > 10_000 {
				t.Fatal("it never ends")
			}
			if round%2 == 0 {
				synctest.Wait() // otherwise it resumes between the messages
			}
			over := a.hasEnded()
			var n int
			last, n = readMore(a, last, seen)
			if seen = n; over {
				break
			}
			a = x.s.start(x.withSession(request{method: "GET"}.with("Last-Event-ID: " + last)))
			for a.code() == 0 && !a.hasEnded() {
				runtime.Gosched()
			}
			if a.code() != 200 {
				a.fatal("the stream cannot be resumed after %s, message %d", last, seen)
			}
		}
		if seen != messages+1 { // the reply is the last one
			t.Errorf("%d of %d messages have come", seen, messages+1)
		}
	})
}

// readMore reads the events of a stream after a message. It returns the last id and number, and
// checks that no message is missing.
func readMore(a *response, last string, seen int) (string, int) {
	a.t.Helper()
	text := a.text()
	for {
		block, rest, ok := strings.Cut(text, "\n\n")
		if !ok {
			return last, seen
		}
		text = rest
		id, data := "", ""
		for line := range strings.SplitSeq(block, "\n") {
			if v, ok := strings.CutPrefix(line, "id: "); ok {
				id = v
			}
			if v, ok := strings.CutPrefix(line, "data: "); ok {
				data = v
			}
		}
		if id != "" {
			last = id
		}
		if data == "" {
			continue
		}
		m := parse(a.t, data)
		n := seen + 1
		if m.Method != "" {
			n = numberOf(a.t, m)
		}
		if n != seen+1 {
			a.fatal("message %d follows message %d", n, seen)
		}
		seen = n
	}
}

// The messages of a call that cannot be resumed are not stored.
func TestNothingStoredWithoutResumption(t *testing.T) {
	for _, version := range resumable {
		serve(t, setup{}, func(t *testing.T, s *testServer) {
			_, p, a := s.startCall(version)
			a.disconnect()
			synctest.Wait()
			before := heapBytes()
			p.Run(func(ctx context.Context) {
				text := strings.Repeat("x", 100_000)
				for i := range 150 {
					mcp.Progress(ctx, float64(i+1), 150, text)
				}
			})
			if more := heapBytes() - before; more > 5_000_000 {
				t.Errorf("%s: %d bytes are kept", version, more)
			}
			p.Return("done")
		})
	}
}

// A stream whose client does not read keeps its unread messages. That does not prevent the eviction
// of other streams of the session.
func TestStuckReaderHoldsNothingElse(t *testing.T) {
	serve(t, setup{noisy: true, handler: []mcphttp.Option{mcphttp.WithLimits(mcphttp.Limits{EventBytes: 3000})}}, func(t *testing.T, s *testServer) {
		x := s.open(revisionD)
		w := s.dial()
		w.send("GET /mcp HTTP/1.1\r\nHost: 127.0.0.1:8080\r\nAccept: text/event-stream\r\nMcp-Session-Id: " + x.id + "\r\n\r\n")
		for range 3 {
			s.changeTools()
			synctest.Wait()
		}
		var ids []string
		for i := range 20 {
			a := x.do(call("steps", `{"n":5}`).withID(fmt.Sprint(i)).legacy())
			ids = append(ids, a.wantStream().wantEnd().events()[1].id)
		}
		kept := 0
		for _, id := range ids {
			if s.do(x.withSession(request{method: "GET"}.with("Last-Event-ID: "+id))).code() == 200 {
				kept++
			}
		}
		if kept > 5 {
			t.Errorf("%d of %d streams are kept", kept, len(ids))
		}
	})
}

// If a call returns right after a notification, the notification is an event, and not taken for the
// reply, even if nothing has been written before.
func TestCancelledAtOnce(t *testing.T) {
	serve(t, setup{}, func(t *testing.T, s *testServer) {
		x := s.open(revisionB)
		s.tool("suicide", "", func(ctx context.Context, _ json.RawMessage) (*mcp.ToolResult, error) {
			mcp.Logger(ctx).Info("last words")
			r := x.withSession(postBody(cancelNotification(mcp.CallFrom(ctx).ID()))).build(ctx, t)
			w := httptest.NewRecorder()
			s.handler.ServeHTTP(w, r)
			if w.Code != http.StatusAccepted {
				t.Errorf("the status is %d", w.Code)
			}
			return mcp.TextResult("done"), nil
		})
		for i := range 200 {
			x.do(call("suicide", "{}").withID(fmt.Sprint(i)).legacy()).wantStream().wantEnd().wantMessages("notifications/message")
		}
	})
}

// The empty stream of a cancelled call cannot be resumed: its events have no ids.
func TestEmptyStreamHasNoIDs(t *testing.T) {
	serve(t, setup{}, func(t *testing.T, s *testServer) {
		x, _, a := s.startCall(revisionD)
		x.do(cancelNotification("1")).wantAccepted()
		a.wantStream().wantEnd()
		if a.text() != "" {
			a.fail("the stream is not empty")
		}
	})
}
