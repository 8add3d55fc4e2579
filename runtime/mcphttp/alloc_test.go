//go:build !race

package mcphttp_test

import (
	"runtime"
	"testing"
)

// TestAllocations limits the allocations of the handler for a call, without net/http. Bytes count,
// since more of them cause more garbage collections. The limits leave room, since a release of Go
// may change the figures a little; [BenchmarkCall] reports them. With go1.26 they are 10, 14 and
// 19, and 1,214, 1,646 and 1,662 bytes.
func TestAllocations(t *testing.T) {
	kinds, answer := benchCalls(t)
	for name, most := range map[string]struct{ count, bytes float64 }{
		"session": {18, 1600}, "alone": {26, 2050}, "2026-07-28": {34, 2050},
	} {
		a := kinds[name]
		a.check(t, name, answer)
		if n := testing.AllocsPerRun(500, a.run); n > most.count {
			t.Errorf("%s: %v allocations, at most %v", name, n, most.count)
		}
		if n := bytesPerRun(500, a.run); n > most.bytes {
			t.Errorf("%s: %v bytes, at most %v", name, n, most.bytes)
		}
	}
}

// bytesPerRun is [testing.AllocsPerRun] for bytes.
func bytesPerRun(runs int, f func()) float64 {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	f()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range runs {
		f()
	}
	runtime.ReadMemStats(&after)
	return float64(after.TotalAlloc-before.TotalAlloc) / float64(runs)
}
