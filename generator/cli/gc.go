package cli

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"
)

// A run lives for a second, and most of what it allocates for as long. So garbage is collected
// rarely while the heap is small, and memory stays near minMemoryLimit as long as what is in use
// leaves room below it.
const (
	gcPercent      = 400
	minMemoryLimit = 128 << 20 // bytes
)

// tuneGC sets how often garbage is collected. Settings of the environment take precedence.
func tuneGC() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		followHeap(minMemoryLimit)
	}
}

// followHeap sets the memory limit to so many bytes, or to twice what is in use. Collections follow
// one another where the limit is near to what is in use, and each reads the whole heap: the cost of
// a run would grow with the square of its input. With twice the heap, a collection comes after as
// many new bytes as are in use. It returns a function that ends that.
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

// liveHeap is how many bytes the last collection has found in use.
func liveHeap() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// afterGC calls f after every collection, until it returns false. The calls are made on a goroutine
// of the runtime, one at a time.
func afterGC(f func() bool) {
	type marker struct{ _ *byte } // with a pointer, so that it is an allocation of its own
	var again func(*marker)
	again = func(m *marker) {
		if f() {
			runtime.SetFinalizer(m, again)
		}
	}
	runtime.SetFinalizer(&marker{}, again)
}
