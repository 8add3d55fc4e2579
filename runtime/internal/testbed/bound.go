package testbed

import (
	"os"
	"runtime"
	"runtime/metrics"
	"sync"
	"testing"
	"time"
)

// MaxHeap is what the live heap may grow by while the other end is hostile: more than a message
// of the limits of these tests takes, with what is allocated while the collector marks, and far
// less than what is sent.
const MaxHeap = 64 << 20

// Bound checks at the end of a test that no goroutine and no open file of it is left, and that
// the live heap has stayed within [MaxHeap]. Call it first; the test must not be parallel.
func Bound(t *testing.T) {
	goroutines, files, heap := Goroutines(), OpenFiles(), WatchHeap()
	t.Cleanup(func() {
		if grown := heap(); grown > MaxHeap {
			t.Errorf("the heap has grown by %d MiB", grown>>20)
		}
		WantNoMore(t, goroutines, files)
	})
}

// WantNoMore waits until there are no more goroutines and open files than before, as long as go
// test lets the test run.
func WantNoMore(t *testing.T, goroutines, files int) {
	t.Helper()
	end, limited := t.Deadline()
	for Goroutines() > goroutines || OpenFiles() > files {
		if limited && time.Until(end) < 5*time.Second {
			t.Fatalf("%d goroutines and %d files, %d and %d before", Goroutines(), OpenFiles(), goroutines, files)
		}
		time.Sleep(time.Millisecond)
	}
}

// openPoller has the Go runtime open the descriptors with which it waits for files and sockets.
// It opens them with the first one, and never closes them.
var openPoller = sync.OnceFunc(func() {
	if r, w, err := os.Pipe(); err == nil {
		_ = r.Close()
		_ = w.Close()
	}
})

// OpenFiles returns the number of descriptors of the process, 0 where it is not known.
func OpenFiles() int {
	openPoller()
	names, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return 0
	}
	return len(names)
}

// WatchHeap measures how much the live heap grows until the function that it returns is
// called: what the collections of that time have found in use. What is free and not yet
// collected says more about the load of the machine than about the program.
func WatchHeap() (grown func() int64) {
	runtime.GC()
	read := func() int64 {
		s := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
		metrics.Read(s)
		return int64(s[0].Value.Uint64())
	}
	start, most := read(), int64(0)
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		tick := time.NewTicker(2 * time.Millisecond)
		defer tick.Stop()
		for {
			most = max(most, read()-start)
			select {
			case <-tick.C:
			case <-stop:
				return
			}
		}
	}()
	return func() int64 {
		close(stop)
		<-stopped
		return most
	}
}
