package cli

import (
	"math"
	"runtime"
	"runtime/debug"
	"testing"
	"time"
)

// TestMemoryLimitFollowsTheHeap fills a heap to many times the least memory limit: the
// limit is above what is in use, so that collections do not follow one another, and it
// comes back when the heap is empty.
func TestMemoryLimitFollowsTheHeap(t *testing.T) {
	old := debug.SetMemoryLimit(math.MaxInt64)
	const least, size = 16 << 20, 64 << 20
	stop := followHeap(least)
	defer func() {
		stop()
		runtime.GC()
		debug.SetMemoryLimit(old)
	}()
	limitBecomes := func(right func(limit int64) bool) (limit int64) {
		for range 200 { // the limit is set some time after a collection
			runtime.GC()
			if limit = debug.SetMemoryLimit(-1); right(limit) {
				return limit
			}
			time.Sleep(10 * time.Millisecond)
		}
		t.Errorf("the limit is %d bytes", limit)
		return limit
	}
	kept := make([]byte, size)
	limitBecomes(func(limit int64) bool { return limit >= 2*size })
	runtime.KeepAlive(kept)
	limitBecomes(func(limit int64) bool { return limit < size })
}
