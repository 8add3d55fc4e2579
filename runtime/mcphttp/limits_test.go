package mcphttp_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcphttp"
)

// wire is a connection that a test writes to by hand.
type wire struct {
	t *testing.T
	net.Conn
	r *bufio.Reader
}

func (s *site) dial() *wire {
	s.t.Helper()
	c, err := s.net.dial(s.t.Context())
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = c.Close() })
	return &wire{t: s.t, Conn: c, r: bufio.NewReader(c)}
}

// sends writes text, and does not wait until it is read.
func (w *wire) sends(text string) {
	go func() { _, _ = io.WriteString(w, text) }()
	synctest.Wait()
}

// head is the head of a POST with a body of that length.
func head(length int, fields ...string) string {
	return "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:8080\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n" +
		strings.Join(append(fields, ""), "\r\n") + fmt.Sprintf("Content-Length: %d\r\n\r\n", length)
}

// reads returns the next response.
func (w *wire) reads() *answer {
	w.t.Helper()
	a := &answer{t: w.t, done: make(chan struct{})}
	go func() {
		defer close(a.done)
		resp, err := http.ReadResponse(w.r, nil)
		if err != nil {
			a.mu.Lock()
			a.err, a.ended = err, true
			a.mu.Unlock()
			return
		}
		a.consume(resp)
		a.mu.Lock()
		a.ended = true
		a.mu.Unlock()
	}()
	return a
}

// A body that does not come within ReadTime is refused; others do not wait.
func TestSlowBody(t *testing.T) {
	visit(t, setup{}, func(t *testing.T, s *site) {
		w := s.dial()
		body := call("echo", "{}").modern()
		fields := call("echo", "{}").fields()
		w.sends(head(len(body), fields...) + body[:10])
		a := w.reads()
		time.Sleep(29 * time.Second)
		synctest.Wait()
		if a.code() != 0 {
			a.fail("there is an answer after 29 s")
		}
		s.do(call("echo", "{}").post()).replied("1")
		time.Sleep(2 * time.Second)
		synctest.Wait()
		a.wait()
		a.turnedDown(408)
		// The connection is of no use any more.
		if _, err := w.r.ReadByte(); err != io.EOF {
			t.Errorf("the connection goes on: %v", err)
		}
	})
}

func TestReadTimeIsALimit(t *testing.T) {
	visit(t, limits(mcphttp.Limits{ReadTime: time.Second}), func(t *testing.T, s *site) {
		w := s.dial()
		w.sends(head(100, call("echo", "{}").fields()...))
		a := w.reads()
		time.Sleep(1100 * time.Millisecond)
		synctest.Wait()
		a.turnedDown(408)
	})
	// A body that comes slowly, but in time, is one.
	visit(t, limits(mcphttp.Limits{ReadTime: time.Minute}), func(t *testing.T, s *site) {
		w := s.dial()
		body := call("echo", "{}").modern()
		w.sends(head(len(body), call("echo", "{}").fields()...))
		for i := range body {
			time.Sleep(100 * time.Millisecond)
			w.sends(body[i : i+1])
		}
		a := w.reads()
		a.wait()
		a.replied("1")
		// The time for the body is not that for the next request.
		time.Sleep(5 * time.Minute)
		w.sends(head(len(body), call("echo", "{}").fields()...) + body)
		a = w.reads()
		a.wait()
		a.replied("1")
	})
}

// A call may take longer than the body was allowed to.
func TestReadTimeIsForTheBody(t *testing.T) {
	eachWay(t, limits(mcphttp.Limits{ReadTime: time.Second}), func(t *testing.T, s *site, _ way, start func(rpc) *answer) {
		p := s.puppet("p")
		a := start(dance(p))
		ctx := p.called()
		time.Sleep(time.Minute)
		if ctx.Err() != nil {
			t.Fatalf("the call has been cancelled: %v", context.Cause(ctx))
		}
		p.answers("done")
		a.wait()
		a.streaming().ends().hears("result 1")
	})
}

// A body that says that it is too long need not be waited for.
func TestBodyTooLongIsNotWaitedFor(t *testing.T) {
	visit(t, setup{server: limited, noisy: true}, func(t *testing.T, s *site) {
		w := s.dial()
		w.sends(head(1001, call("echo", "{}").fields()...))
		a := w.reads()
		synctest.Wait()
		a.turnedDown(413)
	})
}

// A body that is shorter than it says is none, and a client that goes amid it
// leaves nothing behind.
func TestShortBody(t *testing.T) {
	visit(t, setup{}, func(t *testing.T, s *site) {
		p := s.puppet("p")
		body := dance(p).modern()
		w := s.dial()
		w.sends(head(len(body)+100, dance(p).fields()...) + body)
		synctest.Wait()
		p.notCalled()
		_ = w.Close()
		synctest.Wait()
		p.notCalled()

		x := s.open(revisionD)
		w = s.dial()
		body = dance(p).legacy()
		w.sends(head(len(body)+100, "Mcp-Session-Id: "+x.id) + body)
		_ = w.Close()
		synctest.Wait()
		p.notCalled()
		x.do(call("echo", "{}").legacy()).replied("1")
		s.do(call("echo", "{}").post()).replied("1")
	})
}

// What follows a request on the same connection is the next one.
func TestPipelining(t *testing.T) {
	visit(t, setup{}, func(t *testing.T, s *site) {
		w := s.dial()
		var text strings.Builder
		for i := range 3 {
			r := call("echo", fmt.Sprintf(`{"n":%d}`, i)).as(fmt.Sprint(i))
			text.WriteString(head(len(r.modern()), r.fields()...) + r.modern())
		}
		w.sends(text.String())
		for i := range 3 {
			a := w.reads()
			a.wait()
			if got := textOf(t, a.replied(fmt.Sprint(i))); got != fmt.Sprintf(`{"n":%d}`, i) {
				t.Errorf("answer %d is %s", i, got)
			}
		}
	})
}

// Connections are used again after plain answers, refusals and streams.
func TestConnectionsAreReused(t *testing.T) {
	visit(t, setup{}, func(t *testing.T, s *site) {
		x := s.open(revisionD)
		for range 5 {
			s.do(call("echo", "{}").post()).replied("1")
			s.do(rpc{method: "no/such"}.post()).refused(404, -32601, "1")
			s.do(call("echo", "{}").post("Content-Type: text/plain")).turnedDown(415)
			s.do(call("steps", `{"n":3}`).post()).streaming().ends()
			x.do(call("steps", `{"n":3}`).legacy()).streaming().ends()
			x.do(initialized).accepted()
			s.do(bare("{").invalid()).refused(400, -32700, "")
		}
		s.net.mu.Lock()
		defer s.net.mu.Unlock()
		if n := len(s.net.conns); n > 2 {
			t.Errorf("%d connections for one request after the other", n)
		}
	})
}

// A session runs so many calls at once, and says so for one more. Others are not
// concerned.
func TestCallsInFlight(t *testing.T) {
	overBoth(t, setup{server: []mcp.Option{mcp.WithLimits(mcp.Limits{InFlight: 2})}}, func(t *testing.T, s *site) {
		x, y := s.open(revisionD), s.open(revisionD)
		one, two := s.puppet("one"), s.puppet("two")
		a, b := x.start(dance(one).as("1").legacy()), x.start(dance(two).as("2").legacy())
		one.called()
		two.called()
		e := x.do(call("echo", "{}").as("3").legacy()).refused(200, -32603, "3")
		if !strings.Contains(string(e.Data), "overloaded") {
			t.Errorf("the data are %s", e.Data)
		}
		x.do(rpc{method: "ping", id: "4"}.legacy()).replied("4")
		y.do(call("echo", "{}").as("3").legacy()).replied("3")
		s.do(call("echo", "{}").as("3").post()).replied("3")
		one.answers("one")
		a.wait()
		x.do(call("echo", "{}").as("3").legacy()).replied("3")
		two.answers("two")
		b.wait()
	})
}

// All requests of a handler together are bounded, too.
func TestRequests(t *testing.T) {
	overBoth(t, limits(mcphttp.Limits{Requests: 2, RequestsPerClient: 2}), func(t *testing.T, s *site) {
		x := s.open(revisionD)
		standing := x.listen() // is not one of them
		listening := s.start(listen("1", `"toolsListChanged":true`).post())
		listening.streaming()
		one, two := s.puppet("one"), s.puppet("two")
		a, b := s.start(dance(one).post()), x.start(dance(two).legacy())
		one.called()
		two.called()
		for _, r := range []request{call("echo", "{}").post(), x.as(bare(initialized)), bare(initialize(revisionD))} {
			busy := s.do(r)
			busy.turnedDownWith(503)
			if busy.field("Retry-After") == "" {
				busy.fail("no Retry-After")
			}
		}
		one.answers("one")
		a.wait()
		s.do(call("echo", "{}").post()).replied("1")
		two.answers("two")
		b.wait()
		standing.stays()
		listening.stays()
	})
}

// A reader that stands still does not hold a connection for ever.
func TestReaderThatStandsStill(t *testing.T) {
	visit(t, setup{noisy: true}, func(t *testing.T, s *site) {
		p := s.puppet("p")
		w := s.dial()
		body := dance(p).modern()
		w.sends(head(len(body), dance(p).fields()...) + body)
		ctx := p.called()
		p.advances(1)
		synctest.Wait() // the head of the stream is stuck
		time.Sleep(time.Minute)
		if ctx.Err() == nil {
			t.Error("the call goes on for nobody")
		}
		if err := p.cause(); err == nil {
			t.Error("there is no cause")
		}
		plain := s.dial()
		r := call("large", `{"n":1000000}`)
		plain.sends(head(len(r.modern()), r.fields()...) + r.modern())
		time.Sleep(time.Minute)
		if _, err := io.Copy(io.Discard, plain); err != nil && err != io.ErrClosedPipe {
			t.Errorf("read: %v", err)
		}
	})
}

// A standing stream that is not read is given up; the session lives on, and the
// client can come back.
func TestStandingReaderThatStandsStill(t *testing.T) {
	visit(t, setup{noisy: true}, func(t *testing.T, s *site) {
		x := s.open(revisionD)
		w := s.dial()
		w.sends("GET /mcp HTTP/1.1\r\nHost: 127.0.0.1:8080\r\nAccept: text/event-stream\r\nMcp-Session-Id: " + x.id + "\r\n\r\n")
		for range 100 {
			s.change()
		}
		x.do(call("echo", "{}").legacy()).replied("1")
		time.Sleep(time.Minute)
		x.do(call("echo", "{}").legacy()).replied("1")
		standing := x.listen()
		s.change()
		if m := standing.heard(); len(m) == 0 || m[len(m)-1].kind() != "notifications/tools/list_changed" {
			standing.fail("heard %v", m)
		}
	})
}
