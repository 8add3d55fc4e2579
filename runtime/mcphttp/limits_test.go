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

	"github.com/mcpgen/mcpgen/runtime/mcphttp"
)

// rawClient is a connection on which a test writes HTTP itself.
type rawClient struct {
	t *testing.T
	net.Conn
	r *bufio.Reader
}

func (s *testServer) dial() *rawClient {
	s.t.Helper()
	c, err := s.network.Dial(s.t.Context())
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = c.Close() })
	return &rawClient{t: s.t, Conn: c, r: bufio.NewReader(c)}
}

// send writes text concurrently.
func (w *rawClient) send(text string) {
	go func() { _, _ = io.WriteString(w, text) }()
	synctest.Wait()
}

// head returns the header of a POST with a body of that length.
func head(length int, fields ...string) string {
	return "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:8080\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n" +
		strings.Join(append(fields, ""), "\r\n") + fmt.Sprintf("Content-Length: %d\r\n\r\n", length)
}

// receive returns the next response.
func (w *rawClient) receive() *response {
	w.t.Helper()
	a := &response{t: w.t, done: make(chan struct{})}
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

// A body that does not arrive within ReadTime is refused. Other requests are not delayed.
func TestSlowBody(t *testing.T) {
	serve(t, setup{}, func(t *testing.T, s *testServer) {
		w := s.dial()
		body := call("echo", "{}").modern()
		fields := call("echo", "{}").fields()
		w.send(head(len(body), fields...) + body[:10])
		a := w.receive()
		time.Sleep(29 * time.Second)
		synctest.Wait()
		if a.code() != 0 {
			a.fail("there is an answer after 29 s")
		}
		s.do(call("echo", "{}").post()).wantResult("1")
		time.Sleep(2 * time.Second)
		synctest.Wait()
		a.wait()
		a.wantRefusal(408)
		// The connection cannot be reused.
		if _, err := w.r.ReadByte(); err != io.EOF {
			t.Errorf("the connection goes on: %v", err)
		}
	})
}

func TestReadTimeIsALimit(t *testing.T) {
	serve(t, limits(mcphttp.Limits{ReadTime: time.Second}), func(t *testing.T, s *testServer) {
		w := s.dial()
		w.send(head(100, call("echo", "{}").fields()...))
		a := w.receive()
		time.Sleep(1100 * time.Millisecond)
		synctest.Wait()
		a.wantRefusal(408)
	})
	// A body that arrives slowly, but in time, is accepted.
	serve(t, limits(mcphttp.Limits{ReadTime: time.Minute}), func(t *testing.T, s *testServer) {
		w := s.dial()
		body := call("echo", "{}").modern()
		w.send(head(len(body), call("echo", "{}").fields()...))
		for i := range body {
			time.Sleep(100 * time.Millisecond)
			w.send(body[i : i+1])
		}
		a := w.receive()
		a.wait()
		a.wantResult("1")
		// The deadline of the body does not apply to the next request.
		time.Sleep(5 * time.Minute)
		w.send(head(len(body), call("echo", "{}").fields()...) + body)
		a = w.receive()
		a.wait()
		a.wantResult("1")
	})
}

// A call may take longer than ReadTime.
func TestReadTimeIsForTheBody(t *testing.T) {
	eachMode(t, limits(mcphttp.Limits{ReadTime: time.Second}), func(t *testing.T, s *testServer, _ mode, start func(rpc) *response) {
		p := s.Script("p")
		a := start(callScripted(p))
		ctx := p.Started()
		time.Sleep(time.Minute)
		if ctx.Err() != nil {
			t.Fatalf("the call has been cancelled: %v", context.Cause(ctx))
		}
		p.Return("done")
		a.wait()
		a.wantStream().wantEnd().wantMessages("result 1")
	})
}

// A body with too large a Content-Length is refused before it arrives.
func TestBodyTooLongIsNotWaitedFor(t *testing.T) {
	serve(t, setup{server: limited, noisy: true}, func(t *testing.T, s *testServer) {
		w := s.dial()
		w.send(head(1001, call("echo", "{}").fields()...))
		a := w.receive()
		synctest.Wait()
		a.wantRefusal(413)
	})
}

// A body that is shorter than its Content-Length is refused. A client that disconnects within the
// body leaves nothing behind.
func TestShortBody(t *testing.T) {
	serve(t, setup{}, func(t *testing.T, s *testServer) {
		p := s.Script("p")
		body := callScripted(p).modern()
		w := s.dial()
		w.send(head(len(body)+100, callScripted(p).fields()...) + body)
		synctest.Wait()
		p.NotStarted()
		_ = w.Close()
		synctest.Wait()
		p.NotStarted()

		x := s.open(revisionD)
		w = s.dial()
		body = callScripted(p).legacy()
		w.send(head(len(body)+100, "Mcp-Session-Id: "+x.id) + body)
		_ = w.Close()
		synctest.Wait()
		p.NotStarted()
		x.do(call("echo", "{}").legacy()).wantResult("1")
		s.do(call("echo", "{}").post()).wantResult("1")
	})
}

// Bytes after a request on the same connection are the next request.
func TestPipelining(t *testing.T) {
	serve(t, setup{}, func(t *testing.T, s *testServer) {
		w := s.dial()
		var text strings.Builder
		for i := range 3 {
			r := call("echo", fmt.Sprintf(`{"n":%d}`, i)).withID(fmt.Sprint(i))
			text.WriteString(head(len(r.modern()), r.fields()...) + r.modern())
		}
		w.send(text.String())
		for i := range 3 {
			a := w.receive()
			a.wait()
			if got := textOf(t, a.wantResult(fmt.Sprint(i))); got != fmt.Sprintf(`{"n":%d}`, i) {
				t.Errorf("answer %d is %s", i, got)
			}
		}
	})
}

// Connections are reused after JSON replies, refusals and streams.
func TestConnectionsAreReused(t *testing.T) {
	serve(t, setup{}, func(t *testing.T, s *testServer) {
		x := s.open(revisionD)
		for range 5 {
			s.do(call("echo", "{}").post()).wantResult("1")
			s.do(rpc{method: "no/such"}.post()).wantError(404, -32601, "1")
			s.do(call("echo", "{}").post("Content-Type: text/plain")).wantRefusal(415)
			s.do(call("steps", `{"n":3}`).post()).wantStream().wantEnd()
			x.do(call("steps", `{"n":3}`).legacy()).wantStream().wantEnd()
			x.do(initialized).wantAccepted()
			s.do(postBody("{").invalid()).wantError(400, -32700, "")
		}
		if n := s.network.Dialed(); n > 2 {
			t.Errorf("%d connections for one request after the other", n)
		}
	})
}

// The number of concurrent requests of a handler is limited, too.
func TestRequests(t *testing.T) {
	serveBoth(t, limits(mcphttp.Limits{Requests: 2}), func(t *testing.T, s *testServer) {
		x := s.open(revisionD)
		standalone := x.listen() // does not count
		listening := s.start(listen("1", `"toolsListChanged":true`).post())
		listening.wantStream()
		one, two := s.Script("one"), s.Script("two")
		a, b := s.start(callScripted(one).post()), x.start(callScripted(two).legacy())
		one.Started()
		two.Started()
		for _, r := range []request{call("echo", "{}").post(), x.withSession(postBody(initialized)), postBody(initialize(revisionD))} {
			busy := s.do(r)
			busy.wantLimitRefusal(503)
			if busy.field("Retry-After") == "" {
				busy.fail("no Retry-After")
			}
		}
		one.Return("one")
		a.wait()
		s.do(call("echo", "{}").post()).wantResult("1")
		two.Return("two")
		b.wait()
		standalone.wantOpen()
		listening.wantOpen()
	})
}

// The call of a client that does not read its stream is cancelled.
func TestReaderThatStandsStill(t *testing.T) {
	serve(t, setup{noisy: true}, func(t *testing.T, s *testServer) {
		p := s.Script("p")
		w := s.dial()
		body := callScripted(p).modern()
		w.send(head(len(body), callScripted(p).fields()...) + body)
		ctx := p.Started()
		p.Progress(1)
		synctest.Wait() // the write of the stream's header blocks
		time.Sleep(time.Minute)
		if ctx.Err() == nil {
			t.Error("the call goes on after its client has disconnected")
		}
		if err := p.Ended(); err == nil {
			t.Error("there is no cause")
		}
	})
}

// A standalone stream that is not read is closed. The session stays open, and the client can
// resume.
func TestStandingReaderThatStandsStill(t *testing.T) {
	serve(t, setup{noisy: true}, func(t *testing.T, s *testServer) {
		x := s.open(revisionD)
		w := s.dial()
		w.send("GET /mcp HTTP/1.1\r\nHost: 127.0.0.1:8080\r\nAccept: text/event-stream\r\nMcp-Session-Id: " + x.id + "\r\n\r\n")
		for range 100 {
			s.changeTools()
		}
		x.do(call("echo", "{}").legacy()).wantResult("1")
		time.Sleep(time.Minute)
		x.do(call("echo", "{}").legacy()).wantResult("1")
		standalone := x.listen()
		s.changeTools()
		if m := standalone.messages(); len(m) == 0 || m[len(m)-1].kind() != "notifications/tools/list_changed" {
			standalone.fail("received %v", m)
		}
	})
}
