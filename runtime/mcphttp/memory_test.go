package mcphttp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// room leaves a server so many bytes.
func room(bytes int, options ...mcp.Option) setup {
	return setup{server: append([]mcp.Option{mcp.WithLimits(mcp.Limits{Memory: bytes})}, options...)}
}

// live returns how many bytes are live.
func live() int64 {
	runtime.GC()
	runtime.GC() // what pools keep survives one
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// noRoom checks the refusal of a request for which there is no room.
func (a *answer) noRoom() {
	a.t.Helper()
	a.wants(http.StatusServiceUnavailable)
	if a.field("Retry-After") == "" || !strings.Contains(a.text(), `"code":-32603`) || !strings.Contains(a.text(), `"reason":"overloaded"`) {
		a.fail("%s", a.text())
	}
}

// TestBodiesInMemory has 60 bodies stop before their last byte. As many as there is room
// for are read, the others are refused, small messages are answered in the meantime, and
// everything is once they have ended.
func TestBodiesInMemory(t *testing.T) {
	const memory, bodies = 16 << 20, 60
	visit(t, room(memory), func(t *testing.T, s *site) {
		before := live()
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
		if grown := live() - before; grown > memory+16<<20 {
			t.Errorf("%d MB are live", grown>>20)
		} else {
			t.Logf("%d MB are live, %d are charged", grown>>20, s.memory().Used()>>20)
		}
		s.do(rpc{method: "server/discover"}.post()).wants(http.StatusOK)
		time.Sleep(time.Minute) // Limits.ReadTime is over
		s.do(rpc{method: "tools/list"}.post()).wants(http.StatusOK)
		for _, conn := range conns {
			_ = conn.Close()
		}
	})
}

// TestResultsInMemory has many clients ask for long results and not read them. What is
// live stays below the budget and the replies that may go beyond it; small messages are
// answered in the meantime, and everything once the others have been given up.
func TestResultsInMemory(t *testing.T) {
	const memory, size, clients = 16 << 20, 6 << 20, 40
	visit(t, room(memory), func(t *testing.T, s *site) {
		text := strings.Repeat("x", size)
		s.Register(mcp.NewTool(mcp.ToolInfo{Name: "long"}, func(context.Context, json.RawMessage) (*mcp.ToolResult, error) {
			return mcp.TextResult(text), nil
		}))
		before := live()
		body := call("long", "{}").modern()
		var conns []net.Conn
		for range clients {
			conn := s.dial().Conn
			conns = append(conns, conn)
			go func() {
				_, _ = fmt.Fprintf(conn, "%sMcp-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: long\r\nContent-Length: %d\r\n\r\n%s", postHead, len(body), body)
			}()
		}
		time.Sleep(time.Second)
		if used := s.memory().Used(); used < size || used > memory+2*size {
			t.Errorf("%d MB are charged", used>>20)
		}
		if grown := live() - before; grown > memory+4*2*size+4<<20 {
			t.Errorf("%d MB are live", grown>>20)
		} else {
			t.Logf("%d MB are live, %d are charged", grown>>20, s.memory().Used()>>20)
		}
		s.do(rpc{method: "server/discover"}.post()).wants(http.StatusOK)
		time.Sleep(2 * time.Minute) // Limits.WriteTime is over for all that had begun
		a := s.do(call("long", "{}").post())
		a.wants(http.StatusOK)
		if len(a.text()) < size {
			t.Errorf("%d bytes: %.200s", len(a.text()), a.text())
		}
		for _, conn := range conns {
			_ = conn.Close()
		}
	})
}

// TestEventsInMemory fills the events of many sessions. They never stand in the way of
// anything, and the oldest have gone, whosever they are.
func TestEventsInMemory(t *testing.T) {
	const memory, sessions, size = 4 << 20, 40, 200 << 10
	visit(t, room(memory), func(t *testing.T, s *site) {
		var open []*session
		var last []string // event ids
		for range sessions {
			x := s.open("2025-11-25")
			open = append(open, x)
			p := s.puppet(fmt.Sprint("p", len(open)))
			a := s.start(x.as(bare(dance(p).legacy())))
			p.called()
			p.run(func(ctx context.Context) { mcp.Progress(ctx, 1, 0, strings.Repeat("e", size)) })
			p.answers("done")
			a.wait()
			a.wants(http.StatusOK)
			events := a.streaming().events()
			last = append(last, events[0].id)
			if used := s.memory().Used(); used > memory {
				t.Fatalf("%d bytes are charged with %d sessions", used, len(open))
			}
		}
		kept := 0
		for i, x := range open {
			a := s.start(x.as(request{method: "GET"}.with("Last-Event-ID: " + last[i])))
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

// TestSessionsInMemory opens sessions until there is no room for another one. Those that
// are open go on, and when they end there is room again.
func TestSessionsInMemory(t *testing.T) {
	visit(t, room(256<<10), func(t *testing.T, s *site) {
		var open []*session
		for {
			a := s.do(bare(initialize("2025-11-25")))
			if a.code() != http.StatusOK {
				a.noRoom()
				break
			}
			open = append(open, &session{s: s, id: a.field("Mcp-Session-Id"), version: "2025-11-25"})
		}
		if len(open) < 30 || len(open) > 64 {
			t.Errorf("%d sessions in 256 KiB", len(open))
		}
		s.do(open[0].as(bare(`{"jsonrpc":"2.0","id":1,"method":"ping"}`))).wants(http.StatusOK)
		for _, x := range open[:5] {
			s.do(x.as(request{method: "DELETE"})).wants(http.StatusNoContent)
		}
		s.do(bare(initialize("2025-11-25"))).wants(http.StatusOK)
	})
}

// TestCallsOfClientsThatHaveGone makes calls in a session and leaves. They count until
// they have ended.
func TestCallsOfClientsThatHaveGone(t *testing.T) {
	visit(t, room(512<<10), func(t *testing.T, s *site) {
		x := s.open("2025-11-25")
		var puppets []*puppet
		for {
			p := s.puppet(fmt.Sprint("p", len(puppets)))
			a := s.start(x.as(bare(dance(p).as(fmt.Sprint(len(puppets) + 1)).legacy())))
			synctest.Wait()
			if a.code() == http.StatusServiceUnavailable {
				a.noRoom()
				break
			}
			p.called()
			a.vanish()
			puppets = append(puppets, p)
		}
		if len(puppets) < 20 || len(puppets) > 32 {
			t.Errorf("%d calls run in half a megabyte", len(puppets))
		}
		puppets[0].answers("done")
		s.do(x.as(bare(call("hello", "{}").as("100").legacy()))).wants(http.StatusOK)
		for _, p := range puppets[1:] {
			p.answers("done")
		}
	})
}
