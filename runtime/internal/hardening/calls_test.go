package hardening_test

import (
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// testVanishedCalls has clients make calls that do not return, and disconnect.
func testVanishedCalls(t *testing.T, v target) {
	const most = 4
	v.visit(t, setup{limits: mcp.Limits{Calls: most, ClientShare: 100, GraceTime: time.Second}}, func(t *testing.T, s *site) {
		h := s.hold("vanished")
		h.ignoreContext = true
		for range most {
			c := s.open()
			c.say("tools/call", h.params())
			await(s, h.in, "call")
			c.vanish()
			s.settle()
		}
		time.Sleep(time.Minute)
		c := s.open()
		id, d := c.say("tools/call", call("echo", `{}`))
		m := c.wait("refusal", func(m message) bool { return m.Method == "" })
		if m.code() != jsonrpc.CodeInternal || string(m.Error.Data) != `{"reason":"overloaded"}` || m.id() != id {
			t.Errorf("one more: %v", m)
		}
		want := map[string]int{httpModern: 503, httpLegacy: 503, httpSSE: 202}[v.name]
		c.wantStatus("one more", c.status(d), want)
		if m := c.ask(c.era.harmless(), ""); m.failed() {
			t.Errorf("what takes no time: %v", m)
		}
		h.answer("done")
		s.settle()
		c.alive("there is room again")
	})
}
