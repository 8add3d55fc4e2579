package testbed

import (
	"os"
	"runtime"
	"runtime/metrics"
	"sync"
	"testing"
	"time"
)

// MaxHeap limits the growth of the live heap while the other end is hostile: more than a message
// within the limits of these tests takes, including allocations while the collector marks, and far
// less than the other end sends.
const MaxHeap = 64 << 20

// Bound checks at the end of a test that its goroutines and open files are gone, and that the live
// heap has stayed within [MaxHeap]. Call it first; the test must not be parallel.
func Bound(t *testing.T) {
	goroutines, files, heap := Goroutines(), OpenFiles(), WatchHeap()
	t.Cleanup(func() {
		if grown := heap(); grown > MaxHeap {
			t.Errorf("the heap has grown by %d MiB", grown>>20)
		}
		WantNoMore(t, goroutines, files)
	})
}

// WantNoMore waits until there are no more goroutines and open files than before. Only the timeout
// of go test limits the wait.
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

// openPoller makes the Go runtime open the descriptors with which it waits for files and sockets.
// It opens them with the first file, and never closes them.
var openPoller = sync.OnceFunc(func() {
	if r, w, err := os.Pipe(); err == nil {
		_ = r.Close()
		_ = w.Close()
	}
})

// OpenFiles returns the number of descriptors of the process, or 0 if it is not known.
func OpenFiles() int {
	openPoller()
	names, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return 0
	}
	return len(names)
}

// WatchHeap measures the growth of the live heap until the function that it returns is called, from
// the memory that collections have found in use. Memory that is free and not yet collected depends
// more on the load of the machine than on the program.
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
