package mcptask_test

import (
	"context"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/runtime/mcptask"
)

// While the maximal number of handlers run and wait, tasks/get is answered at once, for running
// tasks and for waiting ones.
func TestGetWhileAllAreBusy(t *testing.T) {
	within(t, func(t *testing.T) {
		s := newServer(mcptask.WithStore(mcptask.NewMemory(), mcptask.WithConcurrency(4)))
		running, release := 0, make(chan bool)
		add(s, "wait", mcptask.Support{}, func(ctx context.Context) (string, error) {
			running++
			select {
			case <-release:
			case <-ctx.Done():
			}
			return "", nil
		})
		c := connect(t, s)
		defer mcptask.Shutdown(context.Background(), s)
		defer close(release)
		var ids []string
		for range 20 {
			ids = append(ids, c.begin("wait"))
			wait()
		}
		if running != 4 {
			t.Errorf("%d handlers run", running)
		}
		begun := time.Now()
		for _, id := range ids {
			c.is(id, "working", "")
		}
		if took := time.Since(begun); took > 0 {
			t.Errorf("tasks/get has waited %v", took)
		}
	})
}
