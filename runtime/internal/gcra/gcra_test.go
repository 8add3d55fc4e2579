package gcra_test

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"golang.org/x/time/rate"

	"github.com/mcpgen/mcpgen/runtime/internal/gcra"
)

// Take allows the same as a bucket of golang.org/x/time/rate, within one token.
func TestLikeRate(t *testing.T) {
	for seed := range uint64(200) {
		random := rand.New(rand.NewPCG(seed, 1))
		limit, burst := math.Pow(10, random.Float64()*5-2), 1+random.IntN(50)
		other := rate.NewLimiter(rate.Limit(limit), burst)
		now := time.Unix(1_000_000, 0)
		var full time.Time
		ours, theirs := 0, 0
		for range 500 {
			now = now.Add(time.Duration(random.ExpFloat64() / limit * float64(time.Second)))
			next, got, retry := gcra.Take(full, now, limit, burst, 1)
			if (got == 0) != (retry > 0) {
				t.Fatalf("seed %d: %d tokens, retry after %s", seed, got, retry)
			}
			if got == 0 {
				if _, soon, _ := gcra.Take(full, now.Add(retry-time.Duration(1e-5/limit*float64(time.Second))), limit, burst, 1); soon > 0 && retry > time.Duration(1e-4/limit*float64(time.Second)) {
					t.Fatalf("seed %d: a token is there before %s", seed, retry)
				}
				if _, then, _ := gcra.Take(full, now.Add(retry), limit, burst, 1); then != 1 {
					t.Fatalf("seed %d: no token is there after %s", seed, retry)
				}
			}
			full = next
			ours += got
			if other.AllowN(now, 1) {
				theirs++
			}
			if ours-theirs > 1 || theirs-ours > 1 {
				t.Fatalf("seed %d: %d tokens, and rate has given %d", seed, ours, theirs)
			}
		}
	}
}

// Take of several tokens returns the available ones.
func TestMany(t *testing.T) {
	now := time.Unix(1_000_000, 0)
	full, got, _ := gcra.Take(time.Time{}, now, 10, 25, 100)
	if got != 25 {
		t.Errorf("%d tokens of 25", got)
	}
	if _, got, retry := gcra.Take(full, now, 10, 25, 1); got != 0 || retry != 100*time.Millisecond {
		t.Errorf("%d tokens, retry after %s", got, retry)
	}
	if _, got, _ := gcra.Take(full, now.Add(time.Second), 10, 25, 100); got != 10 {
		t.Errorf("%d tokens after a second", got)
	}
	if _, got, _ := gcra.Take(full, now.Add(time.Hour), 10, 25, 100); got != 25 {
		t.Errorf("%d tokens after an hour", got)
	}
	if _, got, _ := gcra.Take(full, now, math.Inf(1), 25, 30); got < 1 {
		t.Errorf("%d tokens without a limit", got)
	}
	if _, got, retry := gcra.Take(full, now.Add(-time.Hour), 1e-9, 1, 1); got != 0 || retry <= 0 {
		t.Errorf("%d tokens, retry after %s", got, retry)
	}
}
