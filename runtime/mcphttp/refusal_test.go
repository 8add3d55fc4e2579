package mcphttp_test

import (
	"bufio"
	"crypto/rand"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"net"
	"net/http"
	"net/netip"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/unreadbody"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcphttp"
)

// earlyResponse is a request that is answered before its body is read.
type earlyResponse struct {
	name   string
	head   string // without the fields about the body
	status int
	setup  setup
	before func(s *testServer)
	last   bool // the connection is always closed
}

const postHead = "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n"

// allEarlyResponses returns all early responses; TestEarlyAnswers searches the source for others.
func allEarlyResponses() []earlyResponse {
	const (
		host    = "Host: 127.0.0.1\r\n"
		page    = "Origin: https://page.example\r\n"
		version = "Mcp-Protocol-Version: 2025-11-25\r\n"
	)
	pages := setup{handler: []mcphttp.Option{mcphttp.WithAllowedOrigins("https://page.example")}}
	known := setup{handler: []mcphttp.Option{mcphttp.WithPrincipal(func(r *http.Request) (mcp.Principal, error) {
		if r.Header.Get("Authorization") == "" {
			return mcp.Principal{}, errors.New("who is it")
		}
		return mcp.Principal{}, &mcphttp.Refusal{Status: http.StatusForbidden, Text: "not you"}
	})}}
	panics := setup{handler: []mcphttp.Option{mcphttp.WithPrincipal(func(*http.Request) (mcp.Principal, error) { panic("no") })}}
	exits := setup{noisy: true, handler: []mcphttp.Option{mcphttp.WithPrincipal(func(*http.Request) (mcp.Principal, error) {
		runtime.Goexit()
		return mcp.Principal{}, nil
	})}}
	small := setup{server: []mcp.Option{mcp.WithLimits(mcp.Limits{MessageBytes: 100})}}
	noRoom := setup{server: []mcp.Option{mcp.WithLimits(mcp.Limits{Memory: 1000})}}
	full := setup{handler: []mcphttp.Option{mcphttp.WithLimits(mcphttp.Limits{Requests: 1})}}
	fill := func(s *testServer) {
		p := s.Script("p")
		s.start(callScripted(p).post())
		p.Started()
	}
	closing := func(s *testServer) { _ = s.handler.Close() }
	all := []earlyResponse{
		{name: "method", head: "PUT /mcp HTTP/1.1\r\n" + host, status: 405},
		{name: "method of HTTP/1.0", head: "PUT /mcp HTTP/1.0\r\nConnection: keep-alive\r\n" + host, status: 405},
		{name: "Host", head: "POST /mcp HTTP/1.1\r\nHost: evil.example\r\n", status: 403},
		{name: "Origin", head: "POST /mcp HTTP/1.1\r\n" + host + "Origin: https://evil.example\r\n", status: 403},
		{name: "preflight", head: "OPTIONS /mcp HTTP/1.1\r\n" + host + page + "Access-Control-Request-Method: POST\r\n", status: 204, setup: pages},
		{name: "OPTIONS", head: "OPTIONS /mcp HTTP/1.1\r\n" + host, status: 405},
		{name: "principal", head: postHead, status: 401, setup: known},
		{name: "principal that refuses", head: postHead + "Authorization: Bearer x\r\n", status: 403, setup: known},
		{name: "principal that panics", head: postHead, status: 500, setup: panics},
		{name: "principal that exits", head: postHead, status: 500, setup: exits, last: true},
		{name: "type", head: "POST /mcp HTTP/1.1\r\n" + host + "Content-Type: text/plain\r\n", status: 415},
		{name: "accept", head: "POST /mcp HTTP/1.1\r\n" + host + "Content-Type: application/json\r\nAccept: text/html\r\n", status: 406},
		{name: "length", head: postHead, status: 413, setup: small},
		{name: "overload", head: postHead, status: 503, setup: full, before: fill},
		{name: "no room", head: postHead, status: 503, setup: noRoom},
		{name: "closing", head: postHead, status: 503, before: closing, last: true},
		{name: "GET with a body", head: "GET /mcp HTTP/1.1\r\n" + host + version + "Mcp-Session-Id: SESSION\r\n", status: 400},
		{name: "GET of an unknown session", head: "GET /mcp HTTP/1.1\r\n" + host + version + "Mcp-Session-Id: other\r\n", status: 404},
		{name: "GET of no session", head: "GET /mcp HTTP/1.1\r\n" + host + version, status: 400},
		{name: "GET of two versions", head: "GET /mcp HTTP/1.1\r\n" + host + version + version, status: 400},
		{name: "GET of an unknown version", head: "GET /mcp HTTP/1.1\r\n" + host + "Mcp-Protocol-Version: 2099-01-01\r\n", status: 400},
		{name: "GET without sessions", head: "GET /mcp HTTP/1.1\r\n" + host + "Mcp-Protocol-Version: 2026-07-28\r\n", status: 405},
		{name: "DELETE", head: "DELETE /mcp HTTP/1.1\r\n" + host + version + "Mcp-Session-Id: SESSION\r\n", status: 204},
		{name: "DELETE of an unknown session", head: "DELETE /mcp HTTP/1.1\r\n" + host + version + "Mcp-Session-Id: other\r\n", status: 404},
	}
	failing := setup{shared: true, stores: failingStores}
	all = append(all, earlyResponse{name: "DELETE while the store fails", status: 503, setup: failing,
		head: "DELETE /mcp HTTP/1.1\r\n" + host + version + "Mcp-Session-Id: " + rand.Text() + "\r\n"})
	for _, e := range []earlyResponse{
		{name: "method", head: "DELETE /mcp HTTP/1.1\r\n" + host, status: 405},
		{name: "Host", head: "POST /mcp HTTP/1.1\r\nHost: evil.example\r\n", status: 403},
		{name: "principal", head: postHead, status: 401, setup: known},
		{name: "OPTIONS", head: "OPTIONS /mcp HTTP/1.1\r\n" + host, status: 405},
		{name: "GET with a body", head: "GET /mcp HTTP/1.1\r\n" + host, status: 400},
		{name: "type", head: "POST /mcp?session=x HTTP/1.1\r\n" + host + "Content-Type: text/plain\r\n", status: 415},
		{name: "no session", head: postHead, status: 400},
		{name: "unknown session", head: strings.Replace(postHead, "/mcp", "/mcp?session=x", 1), status: 404},
		{name: "closing", head: postHead, status: 503, before: closing, last: true},
	} {
		e.name, e.setup.sse = "SSE: "+e.name, true
		all = append(all, e)
	}
	return all
}

// callSites are the calls of responders, by file and line.
type callSites struct {
	mu  sync.Mutex
	hit map[string]bool
}

// responders are the functions that write a response. Their callers are recorded.
var responders = map[string]bool{
	"writeError": true, "writeInvalid": true, "writeOverloaded": true, "notAllowed": true, "writeTooLarge": true,
	"writeStatus": true, "writeInternalError": true,
}

// wrap records the function of the package that responds.
func (x *callSites) wrap(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(&statusRecorder{w, x}, r)
	})
}

type statusRecorder struct {
	http.ResponseWriter
	sites *callSites
}

func (n *statusRecorder) Unwrap() http.ResponseWriter { return n.ResponseWriter }

func (n *statusRecorder) WriteHeader(status int) {
	pcs := make([]uintptr, 32)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs)])
	for {
		frame, more := frames.Next()
		name := frame.Function[strings.LastIndex(frame.Function, ".")+1:]
		if !responders[name] && strings.Contains(frame.Function, "/mcphttp.") {
			n.sites.mu.Lock()
			n.sites.hit[fmt.Sprint(filepath.Base(frame.File), ":", frame.Line)] = true
			n.sites.mu.Unlock()
			break
		}
		if !more {
			break
		}
	}
	n.ResponseWriter.WriteHeader(status)
}

// afterBody are the functions that respond after the body is read, or without a body.
var afterBody = map[string]string{
	"parse": "the body has been read", "read": "it is being read", "receive": "it has been read",
	"perRequest": "it has been read", "withoutSession": "it has been read", "initialize": "it has been read", "inSession": "it has been read",
	"forwarded": "it has been read", "narrow": "it has been read", "resume": "there is none", "attachAfter": "there is none",
	"respond": "it has been read", "follow": "it has been read", "closeBeforeReply": "it has been read",
}

// An early response is written at once, whether the body arrives or not, and the connection is then
// reused or closed. The rows are complete: the source contains no other early response.
func TestEarlyAnswers(t *testing.T) {
	seen := &callSites{hit: map[string]bool{}}
	for _, e := range allEarlyResponses() {
		t.Run(e.name, func(t *testing.T) { e.check(t, seen) })
	}
	if t.Failed() {
		return
	}
	for _, c := range respondersInSource(t) {
		if seen.hit[c.at] || c.behind != "" || afterBody[c.in] != "" {
			continue
		}
		t.Errorf("%s: %s in %s answers, and no request here is answered by it", c.at, c.call, c.in)
	}
}

// responderCall is a call of a responder.
type responderCall struct{ at, call, in, behind string }

func respondersInSource(t *testing.T) (calls []responderCall) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	set := token.NewFileSet()
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(set, name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || f.Body == nil || responders[f.Name.Name] {
				continue
			}
			behind := ""
			ast.Inspect(f.Body, func(n ast.Node) bool {
				c, ok := n.(*ast.CallExpr)
				if !ok {
					return true
				}
				called := ""
				switch fun := c.Fun.(type) {
				case *ast.Ident:
					called = fun.Name
				case *ast.SelectorExpr:
					called = fun.Sel.Name
				}
				at := fmt.Sprint(name, ":", set.Position(c.Pos()).Line)
				switch {
				case called == "parse" || called == "receive" || called == "checkNoBody":
					// From here on the body has been read, or the request has none.
					defer func() { behind = called }()
				case called == "WriteHeader" && name != "response.go", called == "Error" && len(c.Args) == 3, called == "Redirect":
					t.Errorf("%s: answers by itself, and not by a function of errors.go", at)
				case responders[called]:
					calls = append(calls, responderCall{at, called, f.Name.Name, behind})
				}
				return true
			})
		}
	}
	if len(calls) < 30 {
		t.Fatalf("only %d answers found", len(calls))
	}
	return calls
}

// check sends the request with bodies that arrive, or do not.
func (e *earlyResponse) check(t *testing.T, seen *callSites) {
	const another = "PUT /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n"
	const linger = 500 * time.Millisecond // in net/http
	c := e.setup
	c.wrap = seen.wrap
	for _, kind := range []struct {
		name, field, sends string
		kept               bool // the connection
		within             time.Duration
	}{
		{"no body", "Content-Length: 1000", "", false, unreadbody.Time + linger},
		{"half a body", "Content-Length: 1000", strings.Repeat("x", 500), false, unreadbody.Time + linger},
		{"no chunk", "Transfer-Encoding: chunked", "", false, unreadbody.Time + linger},
		{"half a chunk", "Transfer-Encoding: chunked", "3e8\r\nxxxx", false, unreadbody.Time + linger},
		{"a broken chunk", "Transfer-Encoding: chunked", "no length\r\n", false, linger},
		{"a large body", "Content-Length: 70000", "", false, linger},
		{"many chunks", "Transfer-Encoding: chunked", strings.Repeat("3e8\r\n"+strings.Repeat("x", 1000)+"\r\n", 70), false, linger},
		{"a body that waits", "Content-Length: 1000\r\nExpect: 100-continue", "", false, linger},
		{"a body", "Content-Length: 1000", strings.Repeat("x", 1000), true, 0},
		{"a body like a request", "Content-Length: 1000", another + strings.Repeat("x", 1000-len(another)), true, 0},
		{"chunks", "Transfer-Encoding: chunked", "4\r\nxxxx\r\n0\r\n\r\n", true, 0},
		{"chunks and a trailer", "Transfer-Encoding: chunked", "4\r\nxxxx\r\n0\r\nA: b\r\n\r\n", true, 0},
	} {
		length := strings.HasPrefix(kind.field, "Content-Length")
		if !length && (e.status == http.StatusRequestEntityTooLarge || strings.Contains(e.head, "HTTP/1.0")) {
			continue // the length is unknown; there are no chunks
		}
		if strings.Contains(kind.field, "Expect") && strings.Contains(e.head, "HTTP/1.0") {
			continue
		}
		serve(t, c, func(t *testing.T, s *testServer) {
			if e.before != nil {
				e.before(s)
			}
			head := e.head
			if strings.Contains(head, "SESSION") {
				head = strings.ReplaceAll(head, "SESSION", s.open(revisionD).id)
			}
			conn, err := s.network.Dial(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			text := head + kind.field + "\r\n\r\n" + kind.sends
			if kind.kept {
				text += another
			}
			began := time.Now()
			go func() { _, _ = io.WriteString(conn, text) }()
			lines := bufio.NewReader(conn)
			resp, err := http.ReadResponse(lines, nil)
			if err != nil {
				t.Fatalf("%s: no answer after %v: %v", kind.name, time.Since(began), err)
			}
			if _, err := io.Copy(io.Discard, resp.Body); err != nil {
				t.Errorf("%s: %v", kind.name, err)
			}
			if took := time.Since(began); resp.StatusCode != e.status || took > 0 {
				t.Errorf("%s: status %d after %v, want %d at once", kind.name, resp.StatusCode, took, e.status)
			}
			if kind.kept && !e.last {
				resp, err := http.ReadResponse(lines, nil)
				if err != nil || resp.StatusCode != http.StatusMethodNotAllowed || resp.Close != true {
					t.Fatalf("%s: the next request: %+v, %v", kind.name, resp, err)
				}
				_, _ = io.Copy(io.Discard, resp.Body)
			} else if known := length && kind.within == linger && resp.ProtoAtLeast(1, 1); known && !resp.Close {
				t.Errorf("%s: the answer does not say that the connection is closed", kind.name)
			}
			rest, _ := io.ReadAll(lines)
			if took := time.Since(began); len(rest) > 0 || !e.last && took > kind.within {
				t.Errorf("%s: %q, and the end after %v, want it after %v", kind.name, rest, took, kind.within)
			}
		})
	}
}

// refusedHead is the header of a request that is refused before its body.
const refusedHead = "PUT /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1000\r\n\r\n"

// refused sends it, and returns the connection after the response.
func (s *testServer) refused() (conn net.Conn, resp *http.Response) {
	s.t.Helper()
	conn, err := s.network.Dial(s.t.Context())
	if err != nil {
		s.t.Fatal(err)
	}
	go func() { _, _ = io.WriteString(conn, refusedHead) }()
	resp, err = http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil || resp.StatusCode != http.StatusMethodNotAllowed {
		s.t.Fatalf("%v, %v", resp, err)
	}
	return conn, resp
}

// Above the share of an address, connections are closed at once. Other connections and accepted
// requests are not affected.
func TestRefusedShare(t *testing.T) {
	const most = unreadbody.Most / 4
	serve(t, setup{}, func(t *testing.T, s *testServer) {
		for range 2 {
			began := time.Now()
			for i := range 2 * most {
				conn, resp := s.refused()
				defer conn.Close()
				if resp.Close != (i >= most) {
					t.Errorf("answer %d: closed %v", i, resp.Close)
				}
			}
			s.do(call("echo", `{}`).post()).wantResult("1")
			if took := time.Since(began); took > 0 {
				t.Errorf("it has taken %v", took)
			}
			time.Sleep(unreadbody.Time) // then the share is free again
			synctest.Wait()
		}
	})
}

// Bodies of refused requests that go on do not delay Shutdown or Close, in either order.
func TestShutdownOfRefused(t *testing.T) {
	serve(t, setup{}, func(t *testing.T, s *testServer) {
		for range 10 {
			conn, _ := s.refused()
			defer conn.Close()
		}
		began := time.Now()
		if err := s.handler.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
		if took := time.Since(began); took > 0 {
			t.Errorf("Shutdown has taken %v", took)
		}
		late, resp := s.refused()
		defer late.Close()
		if !resp.Close {
			t.Error("a connection is kept when the handler has ended")
		}
		if err := s.httpServer.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
		if took := time.Since(began); took > unreadbody.Time {
			t.Errorf("the end of the server has taken %v", took)
		}
	})
}

// If the function of WithPrincipal panics, the client gets an error and the panic is logged. After
// http.ErrAbortHandler there is no response.
func TestPrincipalFails(t *testing.T) {
	find := func(r *http.Request) (mcp.Principal, error) {
		switch r.Header.Get("X-Test") {
		case "panic":
			panic("at the disco")
		case "abort":
			panic(http.ErrAbortHandler)
		}
		return mcp.Principal{ID: "ann"}, nil
	}
	address := mcphttp.WithClientAddress(func(r *http.Request) netip.Addr {
		_, _ = find(r)
		return netip.Addr{}
	})
	for _, option := range []mcphttp.Option{mcphttp.WithPrincipal(find), address} {
		serveBoth(t, setup{handler: []mcphttp.Option{option}}, func(t *testing.T, s *testServer) {
			a := s.do(call("echo", "{}").post("X-Test: panic")).wantStatus(500)
			if text := a.text(); !strings.Contains(text, "-32603") || strings.Contains(text, "disco") {
				a.fail("%s", text)
			}
			if log := s.log.String(); !strings.Contains(log, "at the disco") || !strings.Contains(log, "refusal_test.go") {
				t.Errorf("the log does not say why: %s", log)
			}
			aborted := s.start(call("echo", "{}").post("X-Test: abort"))
			<-aborted.done
			if aborted.status != 0 {
				t.Errorf("what is aborted is answered")
			}
			s.do(call("echo", "{}").post()).wantResult("1")
		})
	}
}

// flushOnly is a ResponseWriter of middleware with Flush and the required methods only.
type flushOnly struct{ http.ResponseWriter }

func (h flushOnly) Flush() { h.ResponseWriter.(http.Flusher).Flush() }

// Behind middleware that hides deadlines, a refusal is written at once. Its connection stays open
// for http.Server.ReadTimeout.
func TestRefusedBehindHidingMiddleware(t *testing.T) {
	const readTime = 7 * time.Second
	c := setup{
		wrap: func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { next.ServeHTTP(flushOnly{w}, r) })
		},
		config: func(s *http.Server) { s.ReadTimeout = readTime },
	}
	serve(t, c, func(t *testing.T, s *testServer) {
		began := time.Now()
		conn, resp := s.refused()
		defer conn.Close()
		if took := time.Since(began); took > 0 || !resp.Close {
			t.Errorf("answered after %v, closed %v", took, resp.Close)
		}
		_, _ = io.Copy(io.Discard, conn)
		if took := time.Since(began); took > readTime+time.Second {
			t.Errorf("the connection has ended after %v", took)
		}
		// A request with a complete body keeps its connection.
		if a := s.do(call("echo", "{}").post()); a.header.Get("Connection") != "" {
			t.Errorf("the connection of a good request is closed: %v", a.header)
		}
	})
}

// Over HTTP/2 a refused request ends only its own stream.
func TestRefusedOverHTTP2(t *testing.T) {
	serve(t, setup{http2: true}, func(t *testing.T, s *testServer) {
		began := time.Now()
		for range 300 { // more than the concurrent streams of a connection
			body, _ := io.Pipe() // never written to
			req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, endpoint, body)
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Content-Type", "text/plain")
			resp, err := s.client.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			if _, _ = io.Copy(io.Discard, resp.Body); resp.StatusCode != http.StatusUnsupportedMediaType || resp.Close {
				t.Fatalf("%v", resp)
			}
			resp.Body.Close()
		}
		s.do(call("echo", "{}").post()).wantResult("1")
		if took := time.Since(began); took > 0 {
			t.Errorf("it has taken %v", took)
		}
	})
}
