//go:build !race

package mcptask_test

import (
	"context"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcptask"
)

// A tool that answers in time costs at most two allocations more than without tasks, and no access
// to the store, on each transport.
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
		allocations("tasks") // allocations that are made once
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

// A poll of a task does not read the arguments: it allocates at most twice the bytes of a poll of a
// task without any.
func TestBytesOfPolls(t *testing.T) {
	within(t, func(t *testing.T) {
		s := newServer(mcptask.WithStore(mcptask.NewMemory()), mcp.WithLimits(mcp.Limits{Memory: 1 << 30}))
		defer mcptask.Shutdown(context.Background(), s)
		release := make(chan bool)
		add(s, "wait", mcptask.Support{}, func(ctx context.Context) (string, error) {
			select {
			case <-release:
			case <-ctx.Done():
			}
			return "", nil
		})
		add(s, "ask", mcptask.Support{}, func(ctx context.Context) (string, error) { return confirm(ctx, "Sure?") })
		defer close(release)
		c := connect(t, s)
		polled := func(tool, arguments string) uint64 {
			id := c.task(c.call(tool, `,"arguments":{"more":"`+arguments+`"}`)).TaskID
			wait()
			poll := func() { c.ask("tasks/get", `"taskId":"`+id+`"`) }
			poll()
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			const polls = 20
			for range polls {
				poll()
			}
			runtime.ReadMemStats(&after)
			return (after.TotalAlloc - before.TotalAlloc) / polls
		}
		for _, tool := range []string{"wait", "ask"} {
			small, large := polled(tool, ""), polled(tool, strings.Repeat("x", 3<<20))
			t.Logf("%s: %d bytes, %d with arguments of 3 MiB", tool, small, large)
			if large > 2*small {
				t.Errorf("%s: a poll allocates %d bytes, and %d without arguments", tool, large, small)
			}
		}
	})
}
