package replicatest

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/time/rate"

	"github.com/mcpgen/mcpgen/runtime/internal/gcra"
	"github.com/mcpgen/mcpgen/runtime/mcprate"
)

// RateStore is an [mcprate.Store] in memory. The zero value is ready for use.
type RateStore struct {
	mu   sync.Mutex
	full map[string]time.Time // the time at which each bucket is full
}

// Take implements [mcprate.Store].
func (s *RateStore) Take(_ context.Context, key string, limit rate.Limit, burst, want int) (int, time.Duration, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.full == nil {
		s.full = map[string]time.Time{}
	}
	next, got, retry := gcra.Take(s.full[key], time.Now(), float64(limit), burst, want)
	s.full[key] = next
	return got, retry, nil
}

// TestRateStore runs the tests of an [mcprate.Store]. open returns two that are connected only with
// each other, like two replicas' stores. It registers their cleanup with t.Cleanup.
func TestRateStore(t *testing.T, open func(t *testing.T) (one, other mcprate.Store)) {
	one, other := open(t)
	both := []mcprate.Store{one, other}
	take := func(t *testing.T, i int, key string, limit rate.Limit, burst, want int) (int, time.Duration) {
		t.Helper()
		got, retry, err := both[i].Take(within(t), key, limit, burst, want)
		if err != nil || got < 0 || got > want || got == 0 && retry <= 0 {
			t.Fatalf("Take at %d: %d of %d, %s, %v", i, got, want, retry, err)
		}
		return got, retry
	}
	t.Run("a bucket is common to both", func(t *testing.T) {
		const burst = 20
		taken := 0
		for i := range 2 * burst {
			got, _ := take(t, i%2, "common", 0.001, burst, 3)
			taken += got
		}
		if taken != burst {
			t.Errorf("%d tokens of %d", taken, burst)
		}
		if _, retry := take(t, 0, "common", 0.001, burst, 1); retry < 900*time.Second || retry > 1000*time.Second {
			t.Errorf("the next token is there after %s, want 1000s", retry)
		}
	})
	t.Run("keys have buckets of their own", func(t *testing.T) {
		for _, key := range []string{"", "a", "A", "a.b", "*", ">", "\x00\xff", "☃ \r\n", string(make([]byte, 10_000))} {
			for i := range both {
				if got, _ := take(t, i, key, 0.001, 2, 1); got != 1 {
					t.Errorf("%.10q has no token at %d", key, i)
				}
			}
			if got, _ := take(t, 0, key, 0.001, 2, 1); got != 0 {
				t.Errorf("%.10q has three tokens of two", key)
			}
		}
	})
	t.Run("many take at once", func(t *testing.T) {
		const burst, limit, takers, want = 100, 200, 8, 300
		var taken atomic.Int32
		begin := time.Now()
		var all sync.WaitGroup
		for i := range takers {
			all.Go(func() {
				for taken.Load() < want { // however long each Take needs
					got, retry, err := both[i%2].Take(within(t), "many", limit, burst, 5)
					if err != nil {
						t.Errorf("Take: %v", err)
						return
					}
					if taken.Add(int32(got)); got == 0 {
						time.Sleep(retry)
					}
				}
			})
		}
		all.Wait()
		most := burst + limit*time.Since(begin).Seconds()
		if n := float64(taken.Load()); n > 1.05*most {
			t.Errorf("%.0f tokens in %s, want at most %.0f", n, time.Since(begin), most)
		}
	})
}
