//go:build !race

package mcpauth_test

import "testing"

// A call with a cached token costs the guard at most two allocations: the principal of the request,
// and the credential for the verifiers.
func TestGuardedCallAllocations(t *testing.T) {
	open, guarded := repeatedCalls(t, false), repeatedCalls(t, true)
	for name := range open {
		without, with := testing.AllocsPerRun(200, open[name].run), testing.AllocsPerRun(200, guarded[name].run)
		if with > without+2 {
			t.Errorf("%s: %v allocations, %v without the guard", name, with, without)
		}
	}
}
