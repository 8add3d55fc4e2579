//go:build !race

package mcptask_test

import (
	"context"
	"flag"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/testbed"
	"github.com/mcpgen/mcpgen/runtime/mcptask"
)

var parked = flag.Int("parked", 1000, "how many tasks wait for answers in TestBytesOfParkedTasks")

// Tasks that wait for an answer take at most 6 KB each in memory, and no goroutine, in both forms.
// One more than the limit is refused, and requests for the others are answered.
func TestBytesOfParkedTasks(t *testing.T) {
	tasks := *parked
	for _, revision := range []string{extension, session25} {
		t.Run(revision, func(t *testing.T) {
			within(t, func(t *testing.T) {
				s := newServer(mcptask.WithStore(mcptask.NewMemory(), mcptask.WithLimits(mcptask.Limits{Active: tasks, Total: tasks})))
				defer mcptask.Shutdown(context.Background(), s)
				add(s, "ask", mcptask.Support{}, func(ctx context.Context) (string, error) { return confirm(ctx, "Sure?") })
				c := &peer{t: t, revision: revision, transport: "memory", messages: make(chan string, 10*tasks), measured: true}
				dialMemory(c, s, "")
				if revision == session25 {
					c.post(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","clientInfo":{"name":"c","version":"1"},"capabilities":{"elicitation":{}}}}`, nil)
					c.receive()
					c.post(`{"jsonrpc":"2.0","method":"notifications/initialized"}`, nil)
				}
				heap := func() int64 {
					var m runtime.MemStats
					runtime.GC()
					runtime.GC()
					runtime.ReadMemStats(&m)
					return int64(m.HeapAlloc + m.StackInuse)
				}
				params := `"name":"ask"`
				if revision == session25 {
					params += `,"task":{}`
				}
				call := func() string {
					c.post(c.request("tools/call", params), nil)
					for { // questions and notifications of sessions arrive in between
						if message := c.receive(); !strings.Contains(message, `"method"`) {
							return message
						}
					}
				}
				id := between(t, call(), `"taskId":"`, `"`)
				time.Sleep(2 * time.Minute)
				c.drain()
				before, goroutines := heap(), testbed.Goroutines()
				for range tasks - 1 {
					if got := call(); !strings.Contains(got, `"status":"working"`) {
						t.Fatal(got)
					}
				}
				time.Sleep(2 * time.Minute)
				wait()
				c.drain()
				each := (heap() - before) / int64(tasks)
				t.Logf("%d bytes for each of %d tasks", each, tasks)
				if each > 6<<10 {
					t.Errorf("%d bytes for each task", each)
				}
				if n := testbed.Goroutines(); n > goroutines+40 { // of a session, 16 questions are asked, by two each
					t.Errorf("%d goroutines, %d before", n, goroutines)
				}
				has(t, call(), tooManyTasks)
				c.post(c.request("tasks/get", `"taskId":"`+id+`"`), nil)
				has(t, c.find(`"result"`), `"status":"input_required"`)
			})
		})
	}
}

// drain drops the received messages.
func (w *peer) drain() {
	for {
		wait()
		select {
		case <-w.messages:
		default:
			return
		}
	}
}
