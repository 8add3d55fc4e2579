package mcphttp_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/internal/proof/spec"
	"github.com/mcpgen/mcpgen/runtime/internal/testbed"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcphttp"
	"github.com/mcpgen/mcpgen/runtime/mcpimpl"
	codec "github.com/mcpgen/mcpgen/runtime/wire"
)

// memoryLimit sets the memory limit of the server.
func memoryLimit(bytes int, options ...mcp.Option) setup {
	return setup{server: append([]mcp.Option{mcp.WithLimits(mcp.Limits{Memory: bytes})}, options...)}
}

// heapBytes returns the size of the live heap.
func heapBytes() int64 {
	runtime.GC()
	runtime.GC() // pools keep objects for one collection
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// wantOverloaded checks the refusal of a request that exceeds the memory limit.
func (a *response) wantOverloaded() {
	a.t.Helper()
	a.wantStatus(http.StatusServiceUnavailable)
	if a.field("Retry-After") == "" || !strings.Contains(a.text(), `"code":-32603`) || !strings.Contains(a.text(), `"reason":"overloaded"`) {
		a.fail("%s", a.text())
	}
}

// TestBodiesInMemory has 60 bodies stop before their last byte. As many as fit are read, the others
// are refused. Small messages are answered in the meantime, and all messages after the bodies are
// complete.
func TestBodiesInMemory(t *testing.T) {
	const memory, bodies = 16 << 20, 60
	serve(t, memoryLimit(memory), func(t *testing.T, s *testServer) {
		before := heapBytes()
		body := []byte(`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"` + strings.Repeat("y", 4<<20-200) + `"}}`)
		var conns []net.Conn
		for range bodies {
			conn := s.dial().Conn
			conns = append(conns, conn)
			go func() {
				_, _ = fmt.Fprintf(conn, "%sContent-Length: %d\r\n\r\n", postHead, len(body))
				_, _ = conn.Write(body[:len(body)-1])
			}()
		}
		time.Sleep(5 * time.Second)
		if used := s.memory().Used(); used < memory/2 || used > memory {
			t.Errorf("%d MB are charged", used>>20)
		}
		if grown := heapBytes() - before; grown > memory+16<<20 {
			t.Errorf("%d MB are live", grown>>20)
		} else {
			t.Logf("%d MB are live, %d are charged", grown>>20, s.memory().Used()>>20)
		}
		s.do(rpc{method: "server/discover"}.post()).wantStatus(http.StatusOK)
		time.Sleep(time.Minute) // after Limits.ReadTime
		s.do(rpc{method: "tools/list"}.post()).wantStatus(http.StatusOK)
		for _, conn := range conns {
			_ = conn.Close()
		}
	})
}

// A body that exceeds the memory limit is refused by its length, before it arrives.
func TestNoRoomForABody(t *testing.T) {
	serve(t, memoryLimit(48<<10), func(t *testing.T, s *testServer) {
		w := s.dial()
		w.send(head(60<<10, call("echo", "{}").fields()...))
		a := w.receive()
		synctest.Wait()
		a.wantOverloaded()
	})
}

// TestResultsInMemory has clients ask for results of each kind and size, several times the budget
// in all, and not read them. Live memory stays below the budget and the replies that may exceed it;
// small messages are answered in the meantime, and everything once the others have been given up.
func TestResultsInMemory(t *testing.T) {
	const kb, mb = 1 << 10, 1 << 20
	text := strings.Repeat("x", 6*mb)
	words := slices.Repeat([]string{text[:97]}, 5*mb/100)
	structured := func(_ context.Context, req *mcp.Request, size int) (*mcp.ToolResult, error) {
		e := mcpimpl.Encoder(req)
		codec.PutSlice(e, words[:size/100], codec.PutString[string])
		return mcpimpl.Structured(req, e)
	}
	stream := func(ctx context.Context, req *mcp.Request, size int) (*mcp.ToolResult, error) {
		return mcpimpl.Stream(ctx, req, slices.Values(words[:size/100]), codec.PutString[string])
	}
	for _, c := range []struct {
		name    string
		size    int
		clients int
		give    func(ctx context.Context, req *mcp.Request, size int) (*mcp.ToolResult, error)
	}{
		{"text", 6 * mb, 8, func(_ context.Context, _ *mcp.Request, size int) (*mcp.ToolResult, error) {
			return mcp.TextResult(text[:size]), nil
		}},
		{"texts", 300 * kb, 100, func(_ context.Context, _ *mcp.Request, size int) (*mcp.ToolResult, error) {
			return mcp.TextResult(text[:size]), nil
		}},
		{"error", 900 * kb, 40, func(_ context.Context, _ *mcp.Request, size int) (*mcp.ToolResult, error) {
			return nil, &mcp.ProtocolError{Code: 1, Message: text[:size]}
		}},
		{"stream", 300 * kb, 100, stream},
		{"structured", 60 * kb, 250, structured},
		{"structured", 300 * kb, 100, structured},
		{"structured", 900 * kb, 40, structured},
		{"structured", 5 * mb, 10, structured},
	} {
		t.Run(fmt.Sprint(c.name, " ", c.size>>10, " KiB"), func(t *testing.T) {
			const memory = 8 * mb
			limits := mcp.WithLimits(mcp.Limits{Memory: memory, ResultBytes: 2 * c.size})
			serve(t, setup{server: []mcp.Option{limits}}, func(t *testing.T, s *testServer) {
				goOn := make(chan struct{})
				s.Register(mcpimpl.FuncTool(&mcp.ToolInfo{Name: "long", InputSchema: `{"type":"object"}`, OutputSchema: `{}`}, func(ctx context.Context, req *mcp.Request) (*mcp.ToolResult, error) {
					<-goOn
					return c.give(ctx, req, c.size)
				}))
				before := heapBytes()
				body := call("long", "{}").modern()
				var conns []net.Conn
				for range c.clients {
					conn := s.dial().Conn
					conns = append(conns, conn)
					go func() {
						_, _ = fmt.Fprintf(conn, "%sMcp-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: long\r\nContent-Length: %d\r\n\r\n%s", postHead, len(body), body)
					}()
				}
				synctest.Wait()
				close(goOn) // all at once
				synctest.Wait()
				most := int64(memory + 4*4*2*c.size)
				if used := s.memory().Used(); used < memory/2 || used > most {
					t.Errorf("%d MB are charged", used>>20)
				}
				// The memory of net/http for each connection is not counted.
				if grown := heapBytes() - before; grown > most+int64(c.clients*32*kb)+4*mb {
					t.Errorf("%d MB are live, and %d are allowed", grown>>20, most>>20)
				} else {
					t.Logf("%d MB are live, %d are charged", grown>>20, s.memory().Used()>>20)
				}
				if c.clients < 100 { // each request uses a part of the memory for small messages
					s.do(rpc{method: "server/discover"}.post()).wantStatus(http.StatusOK)
				}
				time.Sleep(2 * time.Minute) // Limits.WriteTime has passed for all that had begun
				a := s.do(call("long", "{}").post())
				if len(a.text()) < c.size {
					t.Errorf("status %d, %d bytes: %.200s", a.code(), len(a.text()), a.text())
				}
				for _, conn := range conns {
					_ = conn.Close()
				}
			})
		})
	}
}

// TestEventsInMemory stores events in many sessions. They never cause a refusal, and the oldest are
// dropped, whatever session they belong to.
func TestEventsInMemory(t *testing.T) {
	const memory, sessions, size = 4 << 20, 40, 200 << 10
	serve(t, memoryLimit(memory), func(t *testing.T, s *testServer) {
		var open []*session
		var last []string // event ids
		for range sessions {
			x := s.open("2025-11-25")
			open = append(open, x)
			p := s.Script(fmt.Sprint("p", len(open)))
			a := s.start(x.withSession(postBody(callScripted(p).legacy())))
			p.Started()
			p.Run(func(ctx context.Context) { mcp.Progress(ctx, 1, 0, strings.Repeat("e", size)) })
			p.Return("done")
			a.wait()
			a.wantStatus(http.StatusOK)
			events := a.wantStream().events()
			last = append(last, events[0].id)
			if used := s.memory().Used(); used > memory {
				t.Fatalf("%d bytes are charged with %d sessions", used, len(open))
			}
		}
		kept := 0
		for i, x := range open {
			a := s.start(x.withSession(request{method: "GET"}.with("Last-Event-ID: " + last[i])))
			synctest.Wait()
			switch a.code() {
			case http.StatusOK:
				kept++
			case http.StatusBadRequest:
				if kept > 0 {
					t.Errorf("the events of session %d have gone before those of an older one", i)
				}
			default:
				a.fail("status %d", a.code())
			}
		}
		if kept < 10 || kept > 25 {
			t.Errorf("the events of %d sessions are kept", kept)
		}
	})
}

// TestSessionsInMemory opens sessions until the memory limit is reached. Open sessions go on, and
// when they are closed, new ones can be opened.
func TestSessionsInMemory(t *testing.T) {
	serve(t, memoryLimit(256<<10), func(t *testing.T, s *testServer) {
		var open []*session
		for {
			a := s.do(postBody(initialize("2025-11-25")))
			if a.code() != http.StatusOK {
				a.wantOverloaded()
				break
			}
			open = append(open, &session{s: s, id: a.field("Mcp-Session-Id"), version: "2025-11-25"})
		}
		if len(open) < 30 || len(open) > 64 {
			t.Errorf("%d sessions in 256 KiB", len(open))
		}
		s.do(open[0].withSession(postBody(`{"jsonrpc":"2.0","id":1,"method":"ping"}`))).wantStatus(http.StatusOK)
		for _, x := range open[:5] {
			s.do(x.withSession(request{method: "DELETE"})).wantStatus(http.StatusNoContent)
		}
		s.do(postBody(initialize("2025-11-25"))).wantStatus(http.StatusOK)
	})
}

// TestSessionsKeepInMemory has sessions store the properties and subscriptions of their clients.
// They are charged until the session is closed.
func TestSessionsKeepInMemory(t *testing.T) {
	serve(t, memoryLimit(16<<20), func(t *testing.T, s *testServer) {
		const size = 12 << 10
		uri := "test://" + strings.Repeat("x", 2<<10)
		s.Register(mcp.TextResource(&mcp.ResourceInfo{URI: uri, Name: "long"}, "some text"))
		long := strings.Replace(initialize("2025-11-25"), `"clientInfo":{`, `"clientInfo":{"title":"`+strings.Repeat("x", size)+`",`, 1)
		before := s.memory().Used()
		a := s.do(postBody(long))
		a.wantStatus(http.StatusOK)
		x := &session{s: s, id: a.field("Mcp-Session-Id"), version: "2025-11-25"}
		x.do(initialized).wantAccepted()
		if used := s.memory().Used() - before; used < size {
			t.Errorf("%d bytes are charged for clientInfo", used)
		}
		before = s.memory().Used()
		x.do(rpc{method: "resources/subscribe", params: `"uri":"` + uri + `"`}.legacy()).wantResult("1")
		if used := s.memory().Used() - before; used < int64(len(uri)) {
			t.Errorf("%d bytes are charged for a subscription", used)
		}
	})
}

// TestCallsOfClientsThatHaveGone makes calls in a session and disconnects. The calls count until
// they return.
func TestCallsOfClientsThatHaveGone(t *testing.T) {
	serve(t, memoryLimit(512<<10), func(t *testing.T, s *testServer) {
		x := s.open("2025-11-25")
		var calls []*testbed.ScriptedCall
		for {
			p := s.Script(fmt.Sprint("p", len(calls)))
			a := s.start(x.withSession(postBody(callScripted(p).withID(fmt.Sprint(len(calls) + 1)).legacy())))
			synctest.Wait()
			if a.code() == http.StatusServiceUnavailable {
				a.wantOverloaded()
				break
			}
			p.Started()
			a.disconnect()
			calls = append(calls, p)
		}
		if len(calls) < 10 || len(calls) > 32 { // buffers from the pool may be larger than needed
			t.Errorf("%d calls run in half a megabyte", len(calls))
		}
		calls[0].Return("done")
		synctest.Wait() // the charge of the call is released after it returns
		s.do(x.withSession(postBody(call("hello", "{}").withID("100").legacy()))).wantStatus(http.StatusOK)
		for _, p := range calls[1:] {
			p.Return("done")
		}
	})
}

// TestRefusedBodiesInMemory has bodies refused that are long enough to be charged, at each place
// that does so. At the end nothing is charged: see testServer.close.
func TestRefusedBodiesInMemory(t *testing.T) {
	long := strings.Repeat(" ", 32<<10)
	serve(t, setup{handler: []mcphttp.Option{mcphttp.WithLimits(mcphttp.Limits{Sessions: 1, Streams: 1})}}, func(t *testing.T, s *testServer) {
		x := s.open("2025-11-25")
		before := s.memory().Used()
		check := func(name string, a *response, status int) {
			t.Helper()
			a.wantStatus(status)
			if used := s.memory().Used(); used != before {
				t.Errorf("%s: %d bytes are charged", name, used-before)
			}
		}
		check("malformed", s.do(postBody("{"+long).invalid()), http.StatusBadRequest)
		wrong := rpc{method: "tools/list"}.post("Mcp-Method: ping")
		wrong.body += long
		check("wrong header field", s.do(wrong), http.StatusBadRequest)
		old := rpc{method: "tools/list", version: "2020-01-01"}.post()
		old.body += long
		check("unknown revision", s.do(old), http.StatusBadRequest)
		check("unknown session", s.do(postBody(initialized+long, "Mcp-Session-Id: none", "Mcp-Protocol-Version: 2025-11-25")), http.StatusNotFound)
		check("batch", s.do(x.withSession(postBody("["+initialized+"]"+long).invalid())), http.StatusBadRequest)
		check("too many sessions", s.do(postBody(initialize("2025-11-25")+long)), http.StatusServiceUnavailable)
		x.listen()
		before = s.memory().Used()
		listen := rpc{method: "subscriptions/listen", params: `"notifications":{"toolsListChanged":true}`}.post()
		listen.body += long
		check("too many streams", s.do(listen), http.StatusServiceUnavailable)
	})
	plain := wrapped(func(w http.ResponseWriter) http.ResponseWriter { return plainWriter{w} })
	serve(t, setup{wrap: plain}, func(t *testing.T, s *testServer) {
		listen := listen("1", `"toolsListChanged":true`).post()
		listen.body += long
		s.do(listen).wantStatus(http.StatusInternalServerError)
	})
	serve(t, oldSSE, func(t *testing.T, s *testServer) {
		c := s.connect().open("2024-11-05")
		s.do(request{url: c.url, body: "{" + long, fields: []string{"-Accept"}}.invalid()).wantStatus(http.StatusBadRequest)
		c.post(rpc{method: "tools/list"}.modern() + long).wantAccepted()
	})
}

// A long message that no session takes leaves nothing charged at the end.
func TestRefusedMessagesInMemory(t *testing.T) {
	padding := strings.Repeat(" ", 100<<10)
	serve(t, limits(mcphttp.Limits{Sessions: 1}), func(t *testing.T, s *testServer) {
		x := s.open(revisionD)
		s.do(postBody(initialize(revisionD) + padding)).wantStatus(http.StatusServiceUnavailable)
		x.do("["+rpc{method: "ping"}.legacy()+"]"+padding, spec.InvalidField).wantStatus(http.StatusBadRequest)
		x.id = "other"
		x.do(rpc{method: "ping"}.legacy() + padding).wantStatus(http.StatusNotFound)
		wrong := call("echo", "{}").post("Mcp-Name: other")
		wrong.body += padding
		s.do(wrong).wantStatus(http.StatusBadRequest)
	})
	failing := func(_ int, s mcphttp.SessionStore) mcphttp.SessionStore {
		f := &faultyStore{SessionStore: s}
		f.method.Store("Receive")
		return f
	}
	serve(t, setup{shared: true, stores: failing}, func(t *testing.T, s *testServer) {
		s.do(postBody(initialize(revisionD) + padding)).wantStatus(http.StatusServiceUnavailable)
	})
	sharing(t, setup{}, func(t *testing.T, s *testServer, x *session) {
		s.replicas.use(0)
		a := x.start(call("asks", "{}").legacy())
		m := a.wantStream().wantMessages("elicitation/create")[0]
		s.replicas.use(1)
		x.do(reply(m.ID, acceptName("Ann")) + padding).wantAccepted()
		a.wantEnd()
	})
}
