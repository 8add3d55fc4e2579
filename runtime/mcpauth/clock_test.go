package mcpauth_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/runtime/mcpauth"
)

// The clock may be set. Cached credentials expire by elapsed time: the end of a credential is
// converted when it is cached.
func TestClockSteps(t *testing.T) {
	wall := func(d time.Duration) time.Time { return time.Now().Add(d).Round(0) } // as a claim has it
	for _, test := range []struct {
		most time.Duration
		end  time.Time
		want time.Duration
	}{
		{time.Minute, wall(time.Hour), time.Minute},
		{time.Minute, wall(20 * time.Second), 20 * time.Second},
		{time.Minute, wall(-time.Hour), -time.Hour},
		{time.Minute, time.Time{}, time.Minute},
	} {
		until := mcpauth.KeepUntil(test.most, test.end)
		if d := time.Until(until) - test.want; d > 0 || d < -5*time.Second {
			t.Errorf("%v, %v: off by %v", test.most, test.end, d)
		}
		if !strings.Contains(until.String(), " m=") { // time.Time: Monotonic Clocks
			t.Errorf("%v, %v: %v changes with the clock", test.most, test.end, until)
		}
	}
}

// A clock that is set back does not make a proof usable again, even if the store has dropped it.
// Other proofs are still accepted.
func TestClockStepsReplay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := mcpauth.NewProofStore(100)
		use := func(id string, expires time.Time) string {
			first, err := s.Consume(t.Context(), id, expires)
			return fmt.Sprint(first, err != nil)
		}
		first, second := time.Now().Add(5*time.Minute), time.Now().Add(6*time.Minute)
		use("a.0", first)
		time.Sleep(time.Hour) // or the clock is set forward
		if got := use("a.1", time.Now().Add(5*time.Minute)); got != "true false" {
			t.Errorf("another proof: %s", got)
		}
		// The clock is set back by an hour: the first proof is within its dates again.
		if got := use("a.0", first); got != "false false" {
			t.Errorf("the first proof: %s", got)
		}
		if got := use("a.2", second); got != "true false" {
			t.Errorf("a later proof: %s", got)
		}
	})
}
