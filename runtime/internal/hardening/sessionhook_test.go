package hardening_test

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcphttp"
)

// transportNames are the names that handlers read, by transport.
var transportNames = map[string]string{
	stdio: "", memory: "memory", tcp: "tcp", webSocket: "websocket", httpLegacy: "http", httpModern: "http", httpSSE: "sse",
}

// hooked contains the sessions of a server that its hook saw.
type hooked struct {
	t     *testing.T
	mu    sync.Mutex
	begun map[string]mcp.SessionInfo
	ended map[string]int
	open  map[string]int // running calls, by session
}

func newHooked(t *testing.T) *hooked {
	return &hooked{t: t, begun: map[string]mcp.SessionInfo{}, ended: map[string]int{}, open: map[string]int{}}
}

func (h *hooked) begin(ctx context.Context, info mcp.SessionInfo) func() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if _, twice := h.begun[info.ID]; twice || info.ID == "" {
		h.t.Errorf("session %q begins twice", info.ID)
	}
	h.begun[info.ID] = info
	return func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		if ctx.Err() == nil || h.open[info.ID] > 0 {
			h.t.Errorf("session %q ends with %d calls, context %v", info.ID, h.open[info.ID], ctx.Err())
		}
		h.ended[info.ID]++
	}
}

// counts returns the numbers of begun and of ended sessions, each counted once.
func (h *hooked) counts() (begun, ended int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for id, n := range h.ended {
		if n != 1 {
			h.t.Errorf("session %q has ended %d times", id, n)
		}
	}
	return len(h.begun), len(h.ended)
}

func (h *hooked) want(s *site, what string, begun, ended int) {
	h.t.Helper()
	s.settle()
	if b, e := h.counts(); b != begun || e != ended {
		h.t.Errorf("%s: %d sessions have begun and %d ended, want %d and %d", what, b, e, begun, ended)
	}
}

// register adds the tool session, which returns the session and the transport, and the tool wait,
// which waits until its context is cancelled.
func (h *hooked) register(s *site) {
	call := func(info mcp.ToolInfo, f func(context.Context)) {
		s.tool(s.server, info, func(ctx context.Context, _ json.RawMessage) (string, error) {
			c := mcp.CallFrom(ctx)
			id := c.Session()
			h.mu.Lock()
			if _, begun := h.begun[id]; !begun && id != "" || h.ended[id] > 0 {
				h.t.Errorf("a call of session %q, which has not begun or has ended", id)
			}
			h.open[id]++
			h.mu.Unlock()
			defer func() {
				h.mu.Lock()
				defer h.mu.Unlock()
				h.open[id]--
			}()
			f(ctx)
			return fmt.Sprintf("%s over %s", id, c.Transport()), nil
		})
	}
	call(mcp.ToolInfo{Name: "session"}, func(context.Context) {})
	call(mcp.ToolInfo{Name: "wait"}, func(ctx context.Context) { <-ctx.Done() })
}

func testSessionHook(t *testing.T, v target) {
	name := transportNames[v.name]
	visit := func(t *testing.T, f func(t *testing.T, s *site, h *hooked)) {
		t.Helper()
		h := newHooked(t)
		v.visit(t, setup{
			server: []mcp.Option{mcp.WithSessionHook(h.begin)}, register: h.register, authentic: !v.is(stdio, memory),
			http: mcphttp.Limits{IdleTime: 10 * time.Minute},
		}, func(t *testing.T, s *site) { f(t, s, h) })
		// The server is closed.
		if begun, ended := h.counts(); begun != ended {
			t.Errorf("%d sessions have begun, %d have ended", begun, ended)
		}
	}
	if v.era == modern {
		visit(t, func(t *testing.T, s *site, h *hooked) {
			c := s.openAs("ada")
			for range 2 {
				if m := c.ask("tools/call", call("session", `{}`)); m.text() != " over "+name {
					t.Errorf("%v", m)
				}
			}
			h.want(s, "requests without a session", 0, 0)
		})
		return
	}
	// use checks that the calls of a client belong to its session.
	use := func(t *testing.T, c *client, h *hooked, who string) string {
		t.Helper()
		var info mcp.SessionInfo
		for range 3 {
			m := c.ask("tools/call", call("session", `{}`))
			found := false
			for _, info = range h.begun {
				if found = m.text() == info.ID+" over "+name; found {
					break
				}
			}
			if !found {
				t.Fatalf("call %v, sessions %v", m, h.begun)
			}
		}
		if info.Transport != name || info.Principal.ID != who || info.Client.Name == "" || info.Revision != "2025-11-25" {
			t.Errorf("%+v", info)
		}
		if v.http && info.Header["Authorization"] == nil {
			t.Errorf("header %v", info.Header)
		}
		return info.ID
	}
	who := map[bool]string{true: "ada", false: "ben"}
	t.Run("clients leave", func(t *testing.T) {
		visit(t, func(t *testing.T, s *site, h *hooked) {
			ids := map[string]bool{}
			var all []*client
			for i := range 4 {
				c := s.openAs(who[i%2 == 0])
				ids[use(t, c, h, who[i%2 == 0])] = true
				all = append(all, c)
			}
			if len(ids) != 4 {
				t.Errorf("sessions %v", ids)
			}
			h.want(s, "open", 4, 0)
			all[0].say("tools/call", call("wait", `{}`))
			s.settle()
			for i, c := range all {
				if v.is(httpLegacy) {
					c.wantStatus("DELETE", c.status(c.link.(*httpLink).delete()), 204)
				}
				c.vanish()
				time.Sleep(time.Minute)
				h.want(s, "a client has left", 4, i+1)
				if v.is(httpLegacy) && i == 1 { // the others do not come back
					time.Sleep(30 * time.Minute)
					h.want(s, "all are idle", 4, 4)
					return
				}
			}
		})
	})
	t.Run("close", func(t *testing.T) {
		visit(t, func(t *testing.T, s *site, h *hooked) {
			for range 3 {
				use(t, s.openAs("ada"), h, "ada")
			}
			s.openAs("ben").say("tools/call", call("wait", `{}`))
			h.want(s, "open", 4, 0)
		})
	})
	if v.is(stdio, memory) {
		return
	}
	t.Run("shutdown", func(t *testing.T) {
		visit(t, func(t *testing.T, s *site, h *hooked) {
			for range 3 {
				use(t, s.openAs("ada"), h, "ada")
			}
			ctx, stop := context.WithTimeout(context.Background(), time.Minute)
			defer stop()
			if err := await(s, s.shutdown(ctx), "end of the shutdown"); err != nil {
				t.Error(err)
			}
			if begun, ended := h.counts(); begun != 3 || ended != 3 {
				t.Errorf("%d have begun, %d have ended", begun, ended)
			}
		})
	})
}
