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

// Values that middleware puts into the context are there in handlers, of requests
// by themselves and of sessions, each the one of its own request, and also when the
// request has ended.
func TestContextValues(t *testing.T) {
	wrap := func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), valueKey{}, r.Header.Get("X-Value"))))
		})
	}
	overBoth(t, setup{wrap: wrap}, func(t *testing.T, s *site) {
		x := s.open(revisionD, "X-Value: opening")
		for _, value := range []string{"one", "two"} {
			for _, a := range []*answer{
				s.do(call("whoami", "{}").post("X-Value: " + value)), x.do(call("whoami", "{}").legacy(), "X-Value: "+value),
			} {
				if me := whoami(t, a.replied("1")); me.Value != value {
					a.fail("the value is %q, want %q", me.Value, value)
				}
			}
		}
		p := s.puppet("p")
		a := x.start(dance(p).legacy(), "X-Value: kept")
		p.called()
		a.vanish()
		p.run(func(ctx context.Context) {
			if ctx.Value(valueKey{}) != "kept" {
				t.Errorf("the value is %v", ctx.Value(valueKey{}))
			}
		})
		p.answers("done")
	})
}

// A deadline that middleware sets is that of the request by itself. In a session
// the call goes on.
func TestContextDeadline(t *testing.T) {
	wrap := func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			ctx, cancel := context.WithTimeout(r.Context(), time.Minute)
			defer cancel()
			next.ServeHTTP(w, r.WithContext(ctx))
		})
	}
	visit(t, setup{wrap: wrap}, func(t *testing.T, s *site) {
		x := s.open(revisionD)
		one, two := s.puppet("one"), s.puppet("two")
		a, b := s.start(dance(one).post()), x.start(dance(two).legacy())
		first, second := one.called(), two.called()
		time.Sleep(2 * time.Minute)
		if first.Err() == nil {
			t.Error("the call by itself has no deadline")
		}
		if second.Err() != nil {
			t.Errorf("the call of the session has ended: %v", context.Cause(second))
		}
		a.wait()
		b.wait()
		id := idOf(t, b.events())
		two.answers("done")
		x.resume(id).ends().hears("result 1")
	})
}

// The handler works under any path.
func TestStripPrefix(t *testing.T) {
	wrap := func(next http.Handler) http.Handler { return http.StripPrefix("/mcp", next) }
	overBoth(t, setup{wrap: wrap}, func(t *testing.T, s *site) {
		x := s.open(revisionD)
		x.do(call("echo", "{}").legacy()).replied("1")
		s.do(call("steps", `{"n":1}`).post()).streaming().ends()
		under := call("echo", "{}").post()
		under.url = endpoint + "/deeper?with=query"
		s.do(under).replied("1")
		x.listen().stays()
		x.end().succeeded()
	})
}

// plainWriter is a ResponseWriter that hides all but what it must have.
type plainWriter struct{ w http.ResponseWriter }

func (p plainWriter) Header() http.Header         { return p.w.Header() }
func (p plainWriter) Write(b []byte) (int, error) { return p.w.Write(b) }
func (p plainWriter) WriteHeader(status int)      { p.w.WriteHeader(status) }

// unwrappable shows what it hides to those who ask.
type unwrappable struct{ plainWriter }

func (u unwrappable) Unwrap() http.ResponseWriter { return u.w }

// flusher has the old method.
type flusher struct{ plainWriter }

func (f flusher) Flush() { _ = http.NewResponseController(f.w).Flush() }

func wrapped(wrap func(http.ResponseWriter) http.ResponseWriter) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { next.ServeHTTP(wrap(w), r) })
	}
}

// A ResponseWriter that is wrapped is as good as another if it can be unwrapped, or
// flushed.
func TestWrappedResponses(t *testing.T) {
	for name, wrap := range map[string]func(http.ResponseWriter) http.ResponseWriter{
		"Unwrap": func(w http.ResponseWriter) http.ResponseWriter { return unwrappable{plainWriter{w}} },
		"Flush":  func(w http.ResponseWriter) http.ResponseWriter { return flusher{plainWriter{w}} },
		"both deep": func(w http.ResponseWriter) http.ResponseWriter {
			return unwrappable{plainWriter{flusher{plainWriter{unwrappable{plainWriter{w}}}}}}
		},
	} {
		t.Run(name, func(t *testing.T) {
			eachWay(t, setup{wrap: wrapped(wrap)}, func(t *testing.T, s *site, _ way, start func(rpc) *answer) {
				p := s.puppet("p")
				a := start(dance(p))
				p.called()
				p.advances(1)
				a.streaming().hears("notifications/progress")
				time.Sleep(20 * time.Second)
				a.stays().next()
				p.answers("done")
				a.ends().hears("result 1")
				b := start(call("echo", "{}").as("2"))
				b.wait()
				b.replied("2")
			})
		})
	}
}

// One that can be neither gets plain answers right, and whole streams late; where a
// stream makes no sense, the answer says why.
func TestResponsesThatCannotBeFlushed(t *testing.T) {
	wrap := wrapped(func(w http.ResponseWriter) http.ResponseWriter { return plainWriter{w} })
	overBoth(t, setup{wrap: wrap}, func(t *testing.T, s *site) {
		x := s.open(revisionD)
		s.do(call("echo", "{}").post()).replied("1")
		x.do(call("echo", "{}").legacy()).replied("1")
		x.do(initialized).accepted()
		s.do(rpc{method: "no/such"}.post()).refused(404, -32601, "1")
		for _, a := range []*answer{s.do(call("steps", `{"n":2}`).post()), x.do(call("steps", `{"n":2}`).legacy())} {
			switch a.code() {
			case 200:
				if a.mediaType() == "application/json" {
					a.replied("1")
					break
				}
				if a.mediaType() != "text/event-stream" {
					a.fail("Content-Type is %q", a.mediaType())
				}
				messages := a.ends().heard()
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
		// What stands would never be seen.
		for _, r := range []request{x.as(request{method: "GET"}), listen("1", `"toolsListChanged":true`).post()} {
			a := s.start(r)
			synctest.Wait()
			a.wants(500)
			if !strings.Contains(a.text(), "Unwrap") {
				a.fail("the answer does not say why")
			}
		}
		// The answer that takes long comes nevertheless.
		p := s.puppet("p")
		a := s.start(dance(p).post())
		p.called()
		time.Sleep(time.Minute)
		p.answers("done")
		a.wait()
		if a.wants(200); !strings.Contains(a.text(), `"done"`) {
			a.fail("the reply is missing")
		}
	})
}

// zipper compresses everything, as middleware does that is put around all handlers.
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

// Middleware that compresses gets every event out at once, if it can flush.
func TestUnderACompressor(t *testing.T) {
	wrap := func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			r.Header.Del("Accept-Encoding")
			z := &zipper{w, gzip.NewWriter(w)}
			defer z.z.Close()
			next.ServeHTTP(z, r)
		})
	}
	overBoth(t, setup{wrap: wrap}, func(t *testing.T, s *site) {
		a := s.do(call("large", `{"n":100000}`).post("Accept-Encoding: gzip"))
		if got := textOf(t, parse(t, a.unzipped()).Result); len(got) != 100_000 {
			t.Errorf("the text has %d bytes", len(got))
		}
		p := s.puppet("p")
		b := s.start(dance(p).post("Accept-Encoding: gzip"))
		p.called()
		p.advances(1)
		synctest.Wait()
		r, err := gzip.NewReader(strings.NewReader(b.text()))
		if err != nil {
			t.Fatal(err)
		}
		seen, _ := io.ReadAll(r) // ends amid the stream
		if !strings.Contains(string(seen), "notifications/progress") {
			t.Errorf("the client has seen %q", seen)
		}
		p.answers("done")
		b.wait()
		if !strings.Contains(b.unzipped(), `"done"`) {
			b.fail("the reply is missing")
		}
	})
}

// http.TimeoutHandler and http.MaxBytesHandler are middleware, too.
func TestStandardMiddleware(t *testing.T) {
	visit(t, setup{wrap: func(next http.Handler) http.Handler { return http.TimeoutHandler(next, time.Minute, "late") }}, func(t *testing.T, s *site) {
		s.do(call("echo", "{}").post()).replied("1")
		p := s.puppet("p")
		a := s.start(dance(p).post())
		ctx := p.called()
		time.Sleep(61 * time.Second)
		a.wait()
		a.wants(503)
		synctest.Wait()
		if ctx.Err() == nil {
			t.Error("the call goes on")
		}
	})
	visit(t, setup{wrap: func(next http.Handler) http.Handler { return http.MaxBytesHandler(next, 1000) }, noisy: true}, func(t *testing.T, s *site) {
		s.do(call("echo", "{}").post()).replied("1")
		s.do(call("echo", `{"x":"`+strings.Repeat("x", 2000)+`"}`).post()).turnedDown(413)
	})
}

// The timeouts of the HTTP server are for reading requests and for writing what is
// there, not for how long a call takes.
func TestServerTimeouts(t *testing.T) {
	config := func(s *http.Server) {
		s.ReadTimeout, s.WriteTimeout, s.IdleTimeout, s.ReadHeaderTimeout = 5*time.Second, 5*time.Second, 5*time.Second, 5*time.Second
	}
	eachWay(t, setup{config: config}, func(t *testing.T, s *site, w way, start func(rpc) *answer) {
		quiet, quick, loud := s.puppet("quiet"), s.puppet("quick"), s.puppet("loud")
		a, b, c := start(dance(quiet).as("1")), start(dance(quick).as("2")), start(dance(loud).as("3"))
		ctx := quiet.called()
		quick.called()
		loud.called()
		loud.says("hello")
		c.streaming().next()
		var d *answer
		if w.version != "" {
			d = s.open(w.version).listen()
			d.next()
		}
		time.Sleep(8 * time.Second)
		if ctx.Err() != nil {
			t.Fatalf("the call has ended: %v", context.Cause(ctx))
		}
		quick.answers("done")
		b.wait()
		b.replied("2")
		time.Sleep(time.Minute)
		quiet.answers("done")
		a.streaming().ends().hears("result 1")
		c.stays().next()
		loud.answers("done")
		c.ends().hears("result 3")
		if d != nil {
			d.stays().next()
			s.change()
			d.hears("notifications/tools/list_changed")
		}
	})
}

// A panic of middleware leaves nothing behind in the handler, which can be shut down.
func TestPanicInMiddleware(t *testing.T) {
	wrap := func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			next.ServeHTTP(w, r)
			if r.Header.Get("X-Panic") != "" {
				panic(http.ErrAbortHandler)
			}
		})
	}
	visit(t, setup{wrap: wrap}, func(t *testing.T, s *site) {
		x := s.open(revisionD)
		// The answer may be complete before the connection breaks off: nothing else
		// shall be sent on it.
		x.do(call("steps", `{"n":1}`).legacy(), "X-Panic: yes", "Connection: close")
		s.do(call("echo", "{}").post("X-Panic: yes", "Connection: close"))
		x.do(call("echo", "{}").legacy()).replied("1")
		s.do(call("echo", "{}").post()).replied("1")
		if err := s.handler.Shutdown(t.Context()); err != nil {
			t.Errorf("shut down: %v", err)
		}
	})
}

// Interceptors see every request that is one of its revision, in which revision, and
// with which header fields; what HTTP refuses they do not.
func TestInterceptorsSeeTheRequest(t *testing.T) {
	var seen []string
	intercept := func(next mcp.Handler) mcp.Handler {
		return func(ctx context.Context, req *mcp.Request) (mcp.Reply, error) {
			call := mcp.CallFrom(ctx)
			seen = append(seen, req.Method+" "+strings.Join(call.Header()["X-Tag"], ",")+" "+call.Revision())
			return next(ctx, req)
		}
	}
	visit(t, setup{server: []mcp.Option{mcp.WithInterceptors(intercept)}}, func(t *testing.T, s *site) {
		x := s.open(revisionC, "X-Tag: a")
		x.do(rpc{method: "ping"}.legacy(), "X-Tag: b").replied("1")
		x.do(rpc{method: "no/such"}.legacy(), "X-Tag: c").refused(200, -32601, "1")
		s.do(rpc{method: "tools/list"}.post("X-Tag: d")).replied("1")
		s.do(rpc{method: "no/such"}.post("X-Tag: e")).refused(404, -32601, "1")
		s.do(rpc{method: "tools/list"}.post("X-Tag: f", "-Mcp-Method")).refused(400, -32020, "1")
		want := "initialize a 2025-06-18, ping b 2025-06-18, no/such c 2025-06-18, tools/list d 2026-07-28, no/such e 2026-07-28"
		if got := strings.Join(seen, ", "); got != want {
			t.Errorf("the interceptor has seen %s, want %s", got, want)
		}
	})
}
