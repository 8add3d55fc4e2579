package cli

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"
)

// A run lasts about a second, and most of its allocations are in use until the end. So garbage is
// collected rarely while the heap is small, first at 96 MB, which most runs do not reach; and
// memory stays near minMemoryLimit while the live heap is smaller.
const (
	gcPercent      = 2400
	minMemoryLimit = 128 << 20 // in bytes
)

// tuneGC sets the frequency of garbage collections. Settings of the environment take precedence.
func tuneGC() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		followHeap(minMemoryLimit)
	}
}

// followHeap sets the memory limit to at least so many bytes, and to at least twice the live heap.
// Near the limit collections follow one another, and each reads the whole heap: the cost of a run
// would grow with the square of its input. With twice the heap, a collection comes after as many
// new bytes as the live heap has. The returned function stops this.
func followHeap(least int64) (stop func()) {
	var stopped atomic.Bool
	debug.SetMemoryLimit(least)
	afterGC(func() bool {
		if stopped.Load() {
			return false
		}
		debug.SetMemoryLimit(max(least, 2*int64(liveHeap())))
		return true
	})
	return func() { stopped.Store(true) }
}

// liveHeap returns the number of bytes that the last collection found in use.
func liveHeap() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// afterGC calls f after every collection, until it returns false. The calls are sequential, on the
// runtime's finalizer goroutine.
func afterGC(f func() bool) {
	type marker struct{ _ *byte } // with a pointer, so that it is allocated separately
	var again func(*marker)
	again = func(m *marker) {
		if f() {
			runtime.SetFinalizer(m, again)
		}
	}
	runtime.SetFinalizer(&marker{}, again)
}
