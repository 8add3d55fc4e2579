package cli

import (
	"math"
	"runtime"
	"runtime/debug"
	"testing"
)

// TestMemoryLimitFollowsTheHeap fills a heap to many times the minimum memory limit: the limit
// stays above the live heap, so that collections do not follow one another, and it falls again when
// the heap is empty.
func TestMemoryLimitFollowsTheHeap(t *testing.T) {
	old := debug.SetMemoryLimit(math.MaxInt64)
	const least, size = 16 << 20, 64 << 20
	stop := followHeap(least)
	defer func() {
		stop()
		runtime.GC()
		debug.SetMemoryLimit(old)
	}()
	// settled returns the limit that is set after a collection that begins later than the call: the
	// functions of afterGC are called in the order of the collections.
	settled := func() int64 {
		calls, done := 0, make(chan struct{})
		afterGC(func() bool {
			if calls++; calls == 2 {
				close(done)
			}
			return calls < 2
		})
		for {
			runtime.GC()
			select {
			case <-done:
				return debug.SetMemoryLimit(-1)
			default:
			}
		}
	}
	kept := make([]byte, size)
	if limit := settled(); limit < 2*size {
		t.Errorf("the limit is %d bytes, and %d are in use", limit, size)
	}
	runtime.KeepAlive(kept)
	if limit := settled(); limit >= size {
		t.Errorf("the limit is %d bytes when nothing is in use", limit)
	}
}
