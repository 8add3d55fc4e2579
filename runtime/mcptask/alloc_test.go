//go:build !race

package mcptask_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcptask"
)

// A tool that answers in time costs at most two allocations more than without tasks, and no access to
// the store, on each transport.
func TestAllocationsInTime(t *testing.T) {
	onEachTransport(t, func(t *testing.T, open func(*mcp.Server, string) *peer) {
		const most = 2
		store := &counting{Store: mcptask.NewMemory()}
		s := newServer(mcptask.WithStore(store))
		defer mcptask.Shutdown(context.Background(), s)
		f := func(context.Context) (string, error) { return "done", nil }
		add(s, "tasks", mcptask.Support{Inline: time.Minute}, f)
		s.Register(plainTool("plain", f))
		c := open(s, "ada")
		c.measured = true
		allocations := func(name string) float64 {
			text := c.request("tools/call", `"name":"`+name+`"`)
			return testing.AllocsPerRun(100, func() {
				c.post(text, func(string) {})
				if message := c.receive(); !strings.Contains(message, `"text":"done"`) {
					t.Error(message)
				}
			})
		}
		allocations("tasks") // what is made once
		for try := 1; ; try++ {
			plain, optional := allocations("plain"), allocations("tasks")
			t.Logf("%v allocations, %v without tasks", optional, plain)
			if optional <= plain+most {
				break
			}
			if try == 5 { // the HTTP of this process allocates for other connections too
				t.Fatalf("%v allocations, %v without tasks", optional, plain)
			}
		}
		if n := store.calls.Load(); n > 0 {
			t.Errorf("%d calls of the store", n)
		}
	})
}
