//go:build !race

package mcpotel_test

import "testing"

// Without providers a call has at most 2 allocations more.
func TestAllocationsWithoutProviders(t *testing.T) {
	for _, cost := range costs[1:3] {
		call := calling(t, cost.options)
		const few, many = 1, 1001
		allocated := func(n int) float64 {
			return testing.AllocsPerRun(20, func() {
				if _, err := call(n); err != nil {
					t.Fatal(err)
				}
			})
		}
		if got := (allocated(many) - allocated(few)) / (many - few); got > 2 {
			t.Errorf("%s: %.1f allocations", cost.name, got)
		}
	}
}
