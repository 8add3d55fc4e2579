package gcra_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/gcra"
)

// A bucket that another clock wrote is never emptier than empty: the next token is available after
// the time for one token.
func TestWrongClock(t *testing.T) {
	for _, ahead := range []time.Duration{10 * time.Second, 90 * time.Second, time.Hour, 200 * 365 * 24 * time.Hour} {
		for _, c := range []struct {
			limit float64
			burst int
		}{{5, 20}, {100, 1}, {0.5, 3}} {
			t.Run(fmt.Sprint(ahead, c), func(t *testing.T) {
				now := time.Unix(1_000_000_000, 0)
				interval := time.Duration(float64(time.Second) / c.limit)
				written, _, _ := gcra.Take(time.Time{}, now.Add(ahead), c.limit, c.burst, c.burst)
				next, got, retry := gcra.Take(written, now, c.limit, c.burst, c.burst)
				empty := now.Add(time.Duration(c.burst) * interval)
				if got != 0 || retry != interval || next.Sub(empty).Abs() > time.Microsecond {
					t.Fatalf("%d tokens, retry after %s, full at %s, want %s and %s", got, retry, next, interval, empty)
				}
				for i := range 5 {
					now = now.Add(interval)
					if next, got, _ = gcra.Take(next, now, c.limit, c.burst, c.burst); got != 1 {
						t.Errorf("%d tokens in interval %d", got, i)
					}
				}
				// A clock that is behind has written a bucket that is full by now.
				written, _, _ = gcra.Take(time.Time{}, now.Add(-ahead), c.limit, c.burst, c.burst)
				if _, got, _ := gcra.Take(written, now, c.limit, c.burst, c.burst); int64(got) != min(int64(c.burst), int64(ahead/interval)) {
					t.Errorf("%d tokens of a bucket of a clock behind", got)
				}
			})
		}
	}
}
