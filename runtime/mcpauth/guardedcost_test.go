//go:build cost

package mcpauth_test

import (
	"testing"
	"time"
)

// A guard makes a call over HTTP at most 15 percent slower. The test measures the added time
// without the network, and takes the fastest of many rounds, so that other programs do not matter.
func TestGuardedCallTime(t *testing.T) {
	shortest := func(f func()) time.Duration {
		best := time.Hour
		for range 30 {
			began := time.Now()
			for range 100 {
				f()
			}
			best = min(best, time.Since(began)/100)
		}
		return best
	}
	open, guarded := repeatedCalls(t, false), repeatedCalls(t, true)
	whole := shortest(overHTTP(t, open["2026-07-28"]))
	for name := range open {
		without, with := shortest(open[name].run), shortest(guarded[name].run)
		if added := with - without; added > whole*15/100 {
			t.Errorf("%s: the guard adds %v to %v", name, added, whole)
		}
		t.Logf("%s: %v without the guard, %v with it, and %v over HTTP", name, without, with, whole)
	}
}
