package mcphttp_test

import (
	"compress/gzip"
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// Handlers see the context values that middleware has added to their own request, with and without
// sessions, even after the HTTP request is done.
func TestContextValues(t *testing.T) {
	wrap := func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), valueKey{}, r.Header.Get("X-Value"))))
		})
	}
	serveBoth(t, setup{wrap: wrap}, func(t *testing.T, s *testServer) {
		x := s.open(revisionD, "X-Value: opening")
		for _, value := range []string{"one", "two"} {
			for _, a := range []*response{
				s.do(call("whoami", "{}").post("X-Value: " + value)), x.do(call("whoami", "{}").legacy(), "X-Value: "+value),
			} {
				if me := whoami(t, a.wantResult("1")); me.Value != value {
					a.fail("the value is %q, want %q", me.Value, value)
				}
			}
		}
		p := s.Script("p")
		a := x.start(callScripted(p).legacy(), "X-Value: kept")
		p.Started()
		a.disconnect()
		p.Run(func(ctx context.Context) {
			if ctx.Value(valueKey{}) != "kept" {
				t.Errorf("the value is %v", ctx.Value(valueKey{}))
			}
		})
		p.Return("done")
	})
}

// A deadline of middleware applies to a request without a session. In a session the call goes on.
func TestContextDeadline(t *testing.T) {
	wrap := func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			ctx, cancel := context.WithTimeout(r.Context(), time.Minute)
			defer cancel()
			next.ServeHTTP(w, r.WithContext(ctx))
		})
	}
	serve(t, setup{wrap: wrap}, func(t *testing.T, s *testServer) {
		x := s.open(revisionD)
		one, two := s.Script("one"), s.Script("two")
		a, b := s.start(callScripted(one).post()), x.start(callScripted(two).legacy())
		first, second := one.Started(), two.Started()
		time.Sleep(2 * time.Minute)
		if first.Err() == nil {
			t.Error("the call by itself has no deadline")
		}
		if second.Err() != nil {
			t.Errorf("the call of the session has ended: %v", context.Cause(second))
		}
		a.wait()
		b.wait()
		id := lastEventID(t, b.events())
		two.Return("done")
		x.resume(id).wantEnd().wantMessages("result 1")
	})
}

// The handler works under any path.
func TestStripPrefix(t *testing.T) {
	wrap := func(next http.Handler) http.Handler { return http.StripPrefix("/mcp", next) }
	serveBoth(t, setup{wrap: wrap}, func(t *testing.T, s *testServer) {
		x := s.open(revisionD)
		x.do(call("echo", "{}").legacy()).wantResult("1")
		s.do(call("steps", `{"n":1}`).post()).wantStream().wantEnd()
		under := call("echo", "{}").post()
		under.url = endpoint + "/deeper?with=query"
		s.do(under).wantResult("1")
		x.listen().wantOpen()
		x.delete().wantSuccess()
	})
}

// plainWriter is a ResponseWriter with the required methods only.
type plainWriter struct{ w http.ResponseWriter }

func (p plainWriter) Header() http.Header         { return p.w.Header() }
func (p plainWriter) Write(b []byte) (int, error) { return p.w.Write(b) }
func (p plainWriter) WriteHeader(status int)      { p.w.WriteHeader(status) }

// unwrappable is a plainWriter with Unwrap.
type unwrappable struct{ plainWriter }

func (u unwrappable) Unwrap() http.ResponseWriter { return u.w }

// flusher is a plainWriter with Flush.
type flusher struct{ plainWriter }

func (f flusher) Flush() { _ = http.NewResponseController(f.w).Flush() }

func wrapped(wrap func(http.ResponseWriter) http.ResponseWriter) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { next.ServeHTTP(wrap(w), r) })
	}
}

// A wrapped ResponseWriter serves streams if it has Unwrap or Flush.
func TestWrappedResponses(t *testing.T) {
	for name, wrap := range map[string]func(http.ResponseWriter) http.ResponseWriter{
		"Unwrap": func(w http.ResponseWriter) http.ResponseWriter { return unwrappable{plainWriter{w}} },
		"Flush":  func(w http.ResponseWriter) http.ResponseWriter { return flusher{plainWriter{w}} },
		"both deep": func(w http.ResponseWriter) http.ResponseWriter {
			return unwrappable{plainWriter{flusher{plainWriter{unwrappable{plainWriter{w}}}}}}
		},
	} {
		t.Run(name, func(t *testing.T) {
			eachMode(t, setup{wrap: wrapped(wrap)}, func(t *testing.T, s *testServer, _ mode, start func(rpc) *response) {
				p := s.Script("p")
				a := start(callScripted(p))
				p.Started()
				p.Progress(1)
				a.wantStream().wantMessages("notifications/progress")
				time.Sleep(20 * time.Second)
				a.wantOpen().next()
				p.Return("done")
				a.wantEnd().wantMessages("result 1")
				b := start(call("echo", "{}").withID("2"))
				b.wait()
				b.wantResult("2")
			})
		})
	}
}

// Without either, JSON replies work, and event streams are sent at their end. If a stream would be
// useless, the response is an error with the reason.
func TestResponsesThatCannotBeFlushed(t *testing.T) {
	wrap := wrapped(func(w http.ResponseWriter) http.ResponseWriter { return plainWriter{w} })
	serveBoth(t, setup{wrap: wrap}, func(t *testing.T, s *testServer) {
		x := s.open(revisionD)
		s.do(call("echo", "{}").post()).wantResult("1")
		x.do(call("echo", "{}").legacy()).wantResult("1")
		x.do(initialized).wantAccepted()
		s.do(rpc{method: "no/such"}.post()).wantError(404, -32601, "1")
		for _, a := range []*response{s.do(call("steps", `{"n":2}`).post()), x.do(call("steps", `{"n":2}`).legacy())} {
			switch a.code() {
			case 200:
				if a.mediaType() == "application/json" {
					a.wantResult("1")
					break
				}
				if a.mediaType() != "text/event-stream" {
					a.fail("Content-Type is %q", a.mediaType())
				}
				messages := a.wantEnd().messages()
				if len(messages) == 0 || messages[len(messages)-1].kind() != "result 1" {
					a.fail("the reply is missing")
				}
			case 500:
				if !strings.Contains(a.text(), "Unwrap") {
					a.fail("the answer does not say why")
				}
			default:
				a.fail("the status is %d", a.code())
			}
		}
		// Long-lived streams would never be received.
		for _, r := range []request{x.withSession(request{method: "GET"}), listen("1", `"toolsListChanged":true`).post()} {
			a := s.start(r)
			synctest.Wait()
			a.wantStatus(500)
			if !strings.Contains(a.text(), "Unwrap") {
				a.fail("the answer does not say why")
			}
		}
		// A slow reply is received nevertheless.
		p := s.Script("p")
		a := s.start(callScripted(p).post())
		p.Started()
		time.Sleep(time.Minute)
		p.Return("done")
		a.wait()
		if a.wantStatus(200); !strings.Contains(a.text(), `"done"`) {
			a.fail("the reply is missing")
		}
	})
}

// zipper compresses all responses, as middleware around all handlers does.
type zipper struct {
	http.ResponseWriter
	z *gzip.Writer
}

func (z *zipper) WriteHeader(status int) {
	z.Header().Del("Content-Length")
	z.Header().Set("Content-Encoding", "gzip")
	z.ResponseWriter.WriteHeader(status)
}

func (z *zipper) Write(b []byte) (int, error) { return z.z.Write(b) }

func (z *zipper) Flush() {
	_ = z.z.Flush()
	_ = http.NewResponseController(z.ResponseWriter).Flush()
}

// Middleware that compresses sends each event at once, if it can flush.
func TestUnderACompressor(t *testing.T) {
	wrap := func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			r.Header.Del("Accept-Encoding")
			z := &zipper{w, gzip.NewWriter(w)}
			defer z.z.Close()
			next.ServeHTTP(z, r)
		})
	}
	serveBoth(t, setup{wrap: wrap}, func(t *testing.T, s *testServer) {
		a := s.do(call("large", `{"n":100000}`).post("Accept-Encoding: gzip"))
		if got := textOf(t, parse(t, a.decompress()).Result); len(got) != 100_000 {
			t.Errorf("the text has %d bytes", len(got))
		}
		p := s.Script("p")
		b := s.start(callScripted(p).post("Accept-Encoding: gzip"))
		p.Started()
		p.Progress(1)
		synctest.Wait()
		r, err := gzip.NewReader(strings.NewReader(b.text()))
		if err != nil {
			t.Fatal(err)
		}
		seen, _ := io.ReadAll(r) // ends within the stream
		if !strings.Contains(string(seen), "notifications/progress") {
			t.Errorf("the client has seen %q", seen)
		}
		p.Return("done")
		b.wait()
		if !strings.Contains(b.decompress(), `"done"`) {
			b.fail("the reply is missing")
		}
	})
}

// http.TimeoutHandler and http.MaxBytesHandler are middleware, too.
func TestStandardMiddleware(t *testing.T) {
	serve(t, setup{wrap: func(next http.Handler) http.Handler { return http.TimeoutHandler(next, time.Minute, "late") }}, func(t *testing.T, s *testServer) {
		s.do(call("echo", "{}").post()).wantResult("1")
		p := s.Script("p")
		a := s.start(callScripted(p).post())
		ctx := p.Started()
		time.Sleep(61 * time.Second)
		a.wait()
		a.wantStatus(503)
		synctest.Wait()
		if ctx.Err() == nil {
			t.Error("the call goes on")
		}
	})
	serve(t, setup{wrap: func(next http.Handler) http.Handler { return http.MaxBytesHandler(next, 1000) }, noisy: true}, func(t *testing.T, s *testServer) {
		s.do(call("echo", "{}").post()).wantResult("1")
		s.do(call("echo", `{"x":"`+strings.Repeat("x", 2000)+`"}`).post()).wantRefusal(413)
	})
}

// The timeouts of the http.Server limit the reading of requests and the writing of responses, not
// the duration of calls.
func TestServerTimeouts(t *testing.T) {
	config := func(s *http.Server) {
		s.ReadTimeout, s.WriteTimeout, s.IdleTimeout, s.ReadHeaderTimeout = 5*time.Second, 5*time.Second, 5*time.Second, 5*time.Second
	}
	eachMode(t, setup{config: config}, func(t *testing.T, s *testServer, w mode, start func(rpc) *response) {
		quiet, quick, loud := s.Script("quiet"), s.Script("quick"), s.Script("loud")
		a, b, c := start(callScripted(quiet).withID("1")), start(callScripted(quick).withID("2")), start(callScripted(loud).withID("3"))
		ctx := quiet.Started()
		quick.Started()
		loud.Started()
		loud.Log("hello")
		c.wantStream().next()
		var d *response
		if w.version != "" {
			d = s.open(w.version).listen()
			d.next()
		}
		time.Sleep(8 * time.Second)
		if ctx.Err() != nil {
			t.Fatalf("the call has ended: %v", context.Cause(ctx))
		}
		quick.Return("done")
		b.wait()
		b.wantResult("2")
		time.Sleep(time.Minute)
		quiet.Return("done")
		a.wantStream().wantEnd().wantMessages("result 1")
		c.wantOpen().next()
		loud.Return("done")
		c.wantEnd().wantMessages("result 3")
		if d != nil {
			d.wantOpen().next()
			s.changeTools()
			d.wantMessages("notifications/tools/list_changed")
		}
	})
}

// A panic in middleware leaves nothing behind in the handler, which can be shut down.
func TestPanicInMiddleware(t *testing.T) {
	wrap := func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			next.ServeHTTP(w, r)
			if r.Header.Get("X-Panic") != "" {
				panic(http.ErrAbortHandler)
			}
		})
	}
	serve(t, setup{wrap: wrap}, func(t *testing.T, s *testServer) {
		x := s.open(revisionD)
		// The response may be complete before the connection breaks: nothing else may be sent on
		// the connection.
		x.do(call("steps", `{"n":1}`).legacy(), "X-Panic: yes", "Connection: close")
		s.do(call("echo", "{}").post("X-Panic: yes", "Connection: close"))
		x.do(call("echo", "{}").legacy()).wantResult("1")
		s.do(call("echo", "{}").post()).wantResult("1")
		if err := s.handler.Shutdown(t.Context()); err != nil {
			t.Errorf("shut down: %v", err)
		}
	})
}

// Interceptors see every valid request of a revision, the revision, and the header fields. They do
// not see requests that are refused at the level of HTTP.
func TestInterceptorsSeeTheRequest(t *testing.T) {
	var seen []string
	intercept := func(next mcp.Handler) mcp.Handler {
		return func(ctx context.Context, req *mcp.Request) (mcp.Reply, error) {
			call := mcp.CallFrom(ctx)
			seen = append(seen, req.Method+" "+strings.Join(call.Header()["X-Tag"], ",")+" "+call.Revision())
			return next(ctx, req)
		}
	}
	serve(t, setup{server: []mcp.Option{mcp.WithInterceptors(intercept)}}, func(t *testing.T, s *testServer) {
		x := s.open(revisionC, "X-Tag: a")
		x.do(rpc{method: "ping"}.legacy(), "X-Tag: b").wantResult("1")
		x.do(rpc{method: "no/such"}.legacy(), "X-Tag: c").wantError(200, -32601, "1")
		s.do(rpc{method: "tools/list"}.post("X-Tag: d")).wantResult("1")
		s.do(rpc{method: "no/such"}.post("X-Tag: e")).wantError(404, -32601, "1")
		s.do(rpc{method: "tools/list"}.post("X-Tag: f", "-Mcp-Method")).wantError(400, -32020, "1")
		want := "initialize a 2025-06-18, ping b 2025-06-18, no/such c 2025-06-18, tools/list d 2026-07-28, no/such e 2026-07-28"
		if got := strings.Join(seen, ", "); got != want {
			t.Errorf("the interceptor has seen %s, want %s", got, want)
		}
	})
}
