package mcptask_test

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/testbed"
	"github.com/mcpgen/mcpgen/runtime/mcptask"
	"github.com/mcpgen/mcpgen/runtime/replicatest"
)

func TestMemory(t *testing.T) { replicatest.TestTaskStoreInBubbles(t, mcptask.NewMemory) }

// A record takes no more bytes than documented.
func TestMemoryBytes(t *testing.T) {
	const tasks, sealed = 10_000, 512
	s := mcptask.NewMemory()
	heap := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before, goroutines := heap(), testbed.Goroutines()
	for i := range tasks {
		r := &mcptask.Record{
			Key: mcptask.Key{ID: fmt.Sprintf("%026d", i)}, Status: mcptask.InputRequired, Server: "books", Tool: "stocktaking",
			Expires: time.Now().Add(time.Hour), Sealed: make([]byte, sealed),
		}
		if err := s.Create(t.Context(), r, mcptask.Quota{}, 0); err != nil {
			t.Fatal(err)
		}
	}
	if each := (int64(heap()) - int64(before)) / tasks; each > 1<<10+sealed {
		t.Errorf("a task takes %d bytes", each)
	} else {
		t.Logf("a task takes %d bytes, %d of them sealed", each, sealed)
	}
	if n := testbed.Goroutines(); n > goroutines {
		t.Errorf("%d goroutines, %d before", n, goroutines)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}
