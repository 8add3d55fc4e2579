package mcprate_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/time/rate"

	"github.com/mcpgen/mcpgen/runtime/mcprate"
)

// farStore refuses until a time that a wrong clock has written, unless it is healed.
type farStore struct {
	countingStore
	far    time.Duration
	healed time.Time
}

func (s *farStore) Take(ctx context.Context, key string, limit rate.Limit, burst, want int) (int, time.Duration, error) {
	if time.Now().Before(s.healed) {
		s.calls.Add(1)
		return 0, s.far, nil
	}
	return s.countingStore.Take(ctx, key, limit, burst, want)
}

// After a refusal for longer than the time of one token, the store is asked again after that time,
// so that the process recovers with the store.
func TestWrongRefusal(t *testing.T) {
	for _, far := range []time.Duration{10 * time.Second, 90 * time.Second, time.Hour, 1 << 62} {
		for _, c := range []struct {
			limit rate.Limit
			burst int
		}{{5, 20}, {1, 1}, {10, 80}} {
			t.Run(fmt.Sprint(far, c), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					begin := time.Now()
					store := &farStore{far: far, healed: begin.Add(3 * time.Second)}
					limiter := mcprate.Passes(mcprate.WithRequestLimit(c.limit, c.burst), mcprate.WithStore(store))
					for !limiter("") {
						time.Sleep(10 * time.Millisecond)
						if time.Since(begin) > time.Minute {
							t.Fatal("refused for a minute")
						}
					}
					portion := time.Duration(float64(max(1, c.burst/8)) / float64(c.limit) * float64(time.Second))
					if d := time.Since(store.healed); d > portion+20*time.Millisecond {
						t.Errorf("passes %s after the store is right, want at most %s", d, portion)
					}
					if n, most := store.calls.Load(), int32(3*time.Second/portion)+2; n > most {
						t.Errorf("%d accesses to the store, want at most %d", n, most)
					}
				})
			})
		}
	}
}
