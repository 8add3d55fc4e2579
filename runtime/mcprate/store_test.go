package mcprate_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/time/rate"

	"github.com/mcpgen/mcpgen/runtime/mcprate"
	"github.com/mcpgen/mcpgen/runtime/replicatest"
)

// countingStore counts its calls.
type countingStore struct {
	replicatest.RateStore
	calls atomic.Int32
}

func (s *countingStore) Take(ctx context.Context, key string, limit rate.Limit, burst, want int) (int, time.Duration, error) {
	s.calls.Add(1)
	return s.RateStore.Take(ctx, key, limit, burst, want)
}

// Three replicas accept as many requests as one would, with few accesses to the store.
func TestSharedLimit(t *testing.T) {
	for _, c := range []struct {
		limit rate.Limit
		burst int
	}{{100, 80}, {10, 5}, {5, 80}, {1, 1}} {
		synctest.Test(t, func(t *testing.T) {
			store := new(countingStore)
			var passed atomic.Int32
			var sending sync.WaitGroup
			const long = time.Minute
			for range 3 {
				limiter := mcprate.Passes(mcprate.WithRequestLimit(c.limit, c.burst), mcprate.WithStore(store))
				sending.Go(func() {
					for end := time.Now().Add(long); time.Now().Before(end); time.Sleep(2 * time.Millisecond) {
						if limiter("") {
							passed.Add(1)
						}
					}
				})
			}
			sending.Wait()
			want := float64(c.burst) + float64(c.limit)*long.Seconds()
			if got := float64(passed.Load()); got > 1.05*want || got < 0.85*want-1 {
				t.Errorf("limit %v, burst %d: %.0f requests have passed, want %.0f", c.limit, c.burst, got, want)
			}
			// A refusal applies until the next token: each replica asks the store once per portion.
			if most := 3 * (want/float64(max(1, c.burst/8)) + 10) * 2; float64(store.calls.Load()) > most {
				t.Errorf("limit %v, burst %d: %d accesses to the store, want at most %.0f", c.limit, c.burst, store.calls.Load(), most)
			}
		})
	}
}

// A call that the bucket of its tool refuses does not use a token of the bucket of all requests.
func TestSharedBothOrNone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		limiter := mcprate.Passes(mcprate.WithRequestLimit(0.001, 3), mcprate.WithToolLimit("rare", 0.001, 1), mcprate.WithStore(new(replicatest.RateStore)))
		for i, c := range []struct {
			tool string
			want bool
		}{{"rare", true}, {"rare", false}, {"rare", false}, {"rare", false}, {"", true}, {"", true}, {"", false}} {
			if got := limiter(c.tool); got != c.want {
				t.Errorf("request %d has passed: %t", i, got)
			}
		}
	})
}

// failingStore fails while fail is set.
type failingStore struct {
	replicatest.RateStore
	fail atomic.Pointer[func(ctx context.Context)]
}

func (s *failingStore) Take(ctx context.Context, key string, limit rate.Limit, burst, want int) (int, time.Duration, error) {
	if f := s.fail.Load(); f != nil {
		(*f)(ctx)
		return 0, 0, errors.New("broken")
	}
	return s.RateStore.Take(ctx, key, limit, burst, want)
}

// While the store fails, in whatever way, the replica applies its own limits without delay, except
// for the first request, and logs that once.
func TestStoreFails(t *testing.T) {
	for name, fail := range map[string]func(context.Context){
		"error": func(context.Context) {}, "panic": func(context.Context) { panic("no") }, "Goexit": func(context.Context) { runtime.Goexit() },
		"silence": func(context.Context) { time.Sleep(time.Hour) },
	} {
		t.Run(name, func(t *testing.T) {
			var log bytes.Buffer
			before := slog.Default()
			slog.SetDefault(slog.New(slog.NewTextHandler(&log, nil)))
			defer slog.SetDefault(before)
			synctest.Test(t, func(t *testing.T) {
				store := new(failingStore)
				store.fail.Store(&fail)
				limiter := mcprate.Passes(mcprate.WithRequestLimit(10, 20), mcprate.WithStore(store))
				begin := time.Now()
				limiter("")
				if took := time.Since(begin); took > 2*time.Second {
					t.Errorf("the first request takes %s", took)
				}
				passed := 0
				for range 1000 {
					begin := time.Now()
					if limiter("") {
						passed++
					}
					if took := time.Since(begin); took > 0 {
						t.Fatalf("a request takes %s", took)
					}
					time.Sleep(10 * time.Millisecond)
				}
				if passed < 100 || passed > 121 {
					t.Errorf("%d requests have passed in 10 seconds, want 120", passed)
				}
				store.fail.Store(nil)
				time.Sleep(5 * time.Second)
				for range 200 {
					limiter("")
					time.Sleep(10 * time.Millisecond)
				}
				time.Sleep(2 * time.Hour) // the silent ones return
			})
			if n := strings.Count(log.String(), "the store fails"); n != 1 {
				t.Errorf("the log has the failure %d times: %s", n, &log)
			}
			if !strings.Contains(log.String(), "works again") {
				t.Errorf("the log is %s", &log)
			}
		})
	}
}
