package mcpfind

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// stuck is a ranker whose first search takes an hour.
type stuck struct {
	mu      sync.Mutex
	indexed int
	slow    bool
}

func (r *stuck) Index([]mcp.FeatureInfo) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.indexed++
}

func (r *stuck) Search(context.Context, string, int) ([]int, error) {
	r.mu.Lock()
	slow := r.slow
	r.slow = false
	r.mu.Unlock()
	if slow {
		time.Sleep(time.Hour)
	}
	return []int{0}, nil
}

type changing struct{ changes uint64 }

func (h *changing) Changes() uint64                         { return h.changes }
func (h *changing) Searchable(context.Context, string) bool { return true }

// A search that waits, since tools have changed and the ranker is busy, ends with its request.
// Searches continue when the ranker is done.
func TestSlowRanker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		host, ranker := &changing{}, &stuck{slow: true}
		f := &finder{host: host, ranker: ranker, gate: newGate(), all: func() []mcp.FeatureInfo { return []mcp.FeatureInfo{{Name: "a"}} }}
		slow := make(chan error, 1)
		go func() {
			_, err := f.search(t.Context(), "query", "", 1)
			slow <- err
		}()
		synctest.Wait()
		if _, err := f.search(t.Context(), "query", "", 1); err != nil || ranker.indexed != 1 {
			t.Errorf("beside a slow search: %v, indexed %d times", err, ranker.indexed)
		}
		host.changes++
		for range 3 {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			if _, err := f.search(ctx, "query", "", 1); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("after a change: %v", err)
			}
			if groups := f.groups(ctx); groups != nil {
				t.Errorf("groups %v", groups)
			}
			cancel()
		}
		if err := <-slow; err != nil {
			t.Error(err)
		}
		if found, err := f.search(t.Context(), "query", "", 1); err != nil || len(found.tools) != 1 || ranker.indexed != 2 {
			t.Errorf("afterwards: %v, %v, indexed %d times", found, err, ranker.indexed)
		}
		if len(f.gate.places)+len(f.gate.indexes) != 0 {
			t.Error("places are taken at the end")
		}
	})
}

// A list that is too long is cut after a whole name, followed by the number of missing names.
func TestListed(t *testing.T) {
	names := []string{"apples", "bananas", "cherries"}
	for most, want := range map[int]string{100: "apples, bananas, cherries", 24: "apples, bananas, 1 more", 14: "apples, 2 more", 0: "3 more"} {
		if got := listed(names, most); got != want {
			t.Errorf("%d: %q, want %q", most, got, want)
		}
	}
}
