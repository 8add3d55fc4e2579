//go:build cost

package mcpotel_test

import (
	"testing"
	"time"
)

// Without providers a call takes at most 300 ns more.
func TestTimeWithoutProviders(t *testing.T) {
	for _, cost := range costs[1:3] {
		call := calling(t, cost.options)
		best := time.Hour // other processes interfere
		for range 20 {
			took, err := call(10_000)
			if err != nil {
				t.Fatal(err)
			}
			best = min(best, took/10_000)
		}
		if best > 300*time.Nanosecond {
			t.Errorf("%s: %v", cost.name, best)
		}
		t.Logf("%s: %v", cost.name, best)
	}
}
