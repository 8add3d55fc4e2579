package mcppool

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/runtime/mcpclient"
)

// fakeClient is a client of a pool in tests.
type fakeClient struct {
	name  string
	done  chan struct{}
	once  sync.Once
	slow  time.Duration // of Close
	users atomic.Int32
	ended func() // before done is closed; may be nil
}

func (c *fakeClient) Done() <-chan struct{} { return c.done }

func (c *fakeClient) Close() error {
	time.Sleep(c.slow)
	c.once.Do(func() {
		if c.ended != nil {
			c.ended()
		}
		close(c.done)
	})
	return nil
}

func (c *fakeClient) isClosed() bool {
	select {
	case <-c.done:
		return true
	default:
		return false
	}
}

// bench opens clients, numbered in the order of opening.
type bench struct {
	*pool[*fakeClient]
	t      *testing.T
	delay  time.Duration // of opening
	fail   error
	mu     sync.Mutex
	opened []*fakeClient
	now    int // concurrent openings
	most   int
}

func newBench(t *testing.T, o Options) *bench {
	b := &bench{pool: newPool[*fakeClient](o), t: t}
	t.Cleanup(func() {
		b.close()
		if b.total != 0 || len(b.keys) != 0 || b.idle.Len() != 0 || len(b.starved) != 0 || len(b.openings) != 0 {
			t.Errorf("left in the pool: %d clients, %d keys, %d idle, %d starved, %d openings", b.total, len(b.keys), b.idle.Len(), len(b.starved), len(b.openings))
		}
		for _, c := range b.opened {
			if !c.isClosed() {
				t.Errorf("client %s is open after Close", c.name)
			}
		}
	})
	return b
}

func (b *bench) connect(ctx context.Context) (*fakeClient, error) {
	b.mu.Lock()
	b.now++
	b.most = max(b.most, b.now)
	b.mu.Unlock()
	defer func() {
		b.mu.Lock()
		b.now--
		b.mu.Unlock()
	}()
	select {
	case <-time.After(b.delay):
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.fail != nil {
		return nil, b.fail
	}
	c := &fakeClient{name: fmt.Sprint(len(b.opened) + 1), done: make(chan struct{})}
	b.opened = append(b.opened, c)
	return c, nil
}

// take acquires a client that must be available without waiting.
func (b *bench) take(key string) *lease[*fakeClient] {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.t.Context(), time.Nanosecond)
	defer cancel()
	l, err := b.acquire(ctx, key, b.connect)
	if err != nil {
		b.t.Fatalf("%s: %v", key, err)
	}
	return l
}

// waits checks that a key has no client available.
func (b *bench) waits(key string) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.t.Context(), time.Nanosecond)
	defer cancel()
	if l, err := b.acquire(ctx, key, b.connect); !errors.Is(err, context.DeadlineExceeded) {
		b.t.Errorf("%s: client %v, %v, without waiting", key, l, err)
	}
}

func (b *bench) names(leases ...*lease[*fakeClient]) string {
	var names []string
	for _, l := range leases {
		names = append(names, l.member.client.name)
	}
	return strings.Join(names, " ")
}

func test(t *testing.T, name string, o Options, f func(t *testing.T, b *bench)) {
	t.Run(name, func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) { f(t, newBench(t, o)) })
	})
}

func TestClients(t *testing.T) {
	test(t, "any number of leases", Options{}, func(t *testing.T, b *bench) {
		x, y, other := b.take("a"), b.take("a"), b.take("b")
		x.release()
		x.release() // counts once
		z := b.take("a")
		if got := b.names(x, y, z, other); got != "1 1 1 2" {
			t.Errorf("clients %s", got)
		}
		if m := z.member; m.leases != 2 {
			t.Errorf("%d leases", m.leases)
		}
	})
	test(t, "one lease at a time", Options{Parallel: 1, PerTarget: 3}, func(t *testing.T, b *bench) {
		x, y, z := b.take("a"), b.take("a"), b.take("a")
		b.waits("a")
		y.release()
		if got := b.names(x, y, z, b.take("a")); got != "1 2 3 2" {
			t.Errorf("clients %s", got)
		}
		b.waits("a")
		b.take("b")
	})
	test(t, "three leases at a time", Options{Parallel: 3, PerTarget: 2}, func(t *testing.T, b *bench) {
		var leases []*lease[*fakeClient]
		for range 6 {
			leases = append(leases, b.take("a"))
		}
		if got := b.names(leases...); got != "1 1 1 2 2 2" {
			t.Errorf("clients %s", got)
		}
		b.waits("a")
		leases[4].release()
		leases[1].release()
		if got := b.names(b.take("a"), b.take("a")); got != "1 2" {
			t.Errorf("clients %s", got)
		}
	})
}

// Waiters are served in the order in which they came; a waiter that timed out in between is
// skipped.
func TestOrder(t *testing.T) {
	for _, parallel := range []int{1, 2} {
		test(t, fmt.Sprint(parallel, " at a time"), Options{Parallel: parallel, PerTarget: 2}, func(t *testing.T, b *bench) {
			var held []*lease[*fakeClient]
			for range 2 * parallel {
				held = append(held, b.take("a"))
			}
			var mu sync.Mutex
			var order, cancelled []int
			for i := range 20 {
				ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
				if i%3 == 2 {
					ctx, cancel = context.WithTimeout(t.Context(), time.Minute)
				}
				go func() {
					defer cancel()
					l, err := b.acquire(ctx, "a", b.connect)
					mu.Lock()
					defer mu.Unlock()
					if err != nil {
						cancelled = append(cancelled, i)
						return
					}
					order = append(order, i)
					time.AfterFunc(time.Second, l.release)
				}()
				synctest.Wait()
			}
			time.Sleep(2 * time.Minute)
			for _, l := range held {
				l.release()
				time.Sleep(time.Minute)
			}
			mu.Lock()
			defer mu.Unlock()
			slices.Sort(cancelled) // they ended at the same time
			if fmt.Sprint(order) != "[0 1 3 4 6 7 9 10 12 13 15 16 18 19]" || fmt.Sprint(cancelled) != "[2 5 8 11 14 17]" {
				t.Errorf("served %d, cancelled %d", order, cancelled)
			}
		})
	}
}

func TestOpensOneAtATime(t *testing.T) {
	for parallel, want := range map[int]int{0: 1, 1: 8} {
		test(t, fmt.Sprint(parallel), Options{Parallel: parallel, PerTarget: 8}, func(t *testing.T, b *bench) {
			b.delay = time.Second
			start := time.Now()
			var group sync.WaitGroup
			for range 8 {
				group.Go(func() {
					if _, err := b.acquire(t.Context(), "a", b.connect); err != nil {
						t.Error(err)
					}
				})
			}
			group.Wait()
			if b.most != 1 || len(b.opened) != want || time.Since(start) != time.Duration(want)*time.Second {
				t.Errorf("%d clients, %d opened at a time, after %v", len(b.opened), b.most, time.Since(start))
			}
		})
	}
	test(t, "keys", Options{}, func(t *testing.T, b *bench) {
		b.delay = time.Second
		start := time.Now()
		var group sync.WaitGroup
		for i := range 8 {
			group.Go(func() { _, _ = b.acquire(t.Context(), fmt.Sprint(i), b.connect) })
		}
		if group.Wait(); time.Since(start) != time.Second {
			t.Errorf("keys wait for each other: %v", time.Since(start))
		}
	})
}

// Which callers get the error of a failed opening.
func TestOpenFails(t *testing.T) {
	down := errors.New("down")
	test(t, "the server is down", Options{}, func(t *testing.T, b *bench) {
		b.delay, b.fail = 10*time.Second, down
		start := time.Now()
		var group sync.WaitGroup
		for range 50 {
			group.Go(func() {
				if _, err := b.acquire(t.Context(), "a", b.connect); err != down {
					t.Errorf("%v", err)
				}
			})
		}
		if group.Wait(); time.Since(start) != b.delay {
			t.Errorf("after %v", time.Since(start))
		}
		b.delay, b.fail = 0, nil
		b.take("a") // the next one tries again
	})
	test(t, "no further client", Options{Parallel: 1}, func(t *testing.T, b *bench) {
		x := b.take("a")
		b.delay, b.fail = time.Second, down
		errs := make(chan error, 2)
		for range 2 {
			go func() {
				l, err := b.acquire(t.Context(), "a", b.connect)
				if err == nil {
					defer l.release()
				}
				errs <- err
			}()
			synctest.Wait()
		}
		time.Sleep(500 * time.Millisecond)
		x.release() // for the second one, since the first one opens
		if err := <-errs; err != nil {
			t.Errorf("the second one: %v", err)
		}
		if err := <-errs; err != down {
			t.Errorf("the first one: %v", err)
		}
	})
	test(t, "the caller ends", Options{}, func(t *testing.T, b *bench) {
		b.delay = 10 * time.Second
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		errs := make(chan error, 1)
		go func() {
			_, err := b.acquire(ctx, "a", b.connect)
			errs <- err
		}()
		synctest.Wait()
		start := time.Now()
		if _, err := b.acquire(t.Context(), "a", b.connect); err != nil || time.Since(start) != 11*time.Second {
			t.Errorf("the next one: %v after %v", err, time.Since(start))
		}
		if err := <-errs; !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%v", err)
		}
	})
	test(t, "panic", Options{}, func(t *testing.T, b *bench) {
		func() {
			defer func() {
				if recover() != "mine" {
					t.Error("the panic is lost")
				}
			}()
			_, _ = b.acquire(t.Context(), "a", func(context.Context) (*fakeClient, error) { panic("mine") })
		}()
		b.take("a")
	})
	test(t, "nothing", Options{}, func(t *testing.T, b *bench) {
		if l, err := b.acquire(t.Context(), "a", func(context.Context) (*fakeClient, error) { return nil, nil }); err == nil {
			t.Errorf("%v", l)
		}
		b.take("a")
	})
}

func TestCancelled(t *testing.T) {
	test(t, "before", Options{}, func(t *testing.T, b *bench) {
		ctx, cancel := context.WithCancelCause(t.Context())
		why := errors.New("why")
		cancel(why)
		if _, err := b.acquire(ctx, "a", b.connect); err != why || len(b.opened) != 0 || len(b.keys) != 0 {
			t.Errorf("%v, %d clients", err, len(b.opened))
		}
	})
	// A grant for a waiter whose context is done passes to the next one.
	test(t, "granted", Options{Parallel: 1, PerTarget: 1}, func(t *testing.T, b *bench) {
		for i := range 200 {
			x := b.take("a")
			if i%3 == 0 {
				_ = x.member.client.Close() // now the right to open a client is granted
				synctest.Wait()
			}
			ctx, cancel := context.WithCancel(t.Context())
			go func() {
				if l, err := b.acquire(ctx, "a", b.connect); err == nil {
					l.release()
				}
			}()
			synctest.Wait()
			go cancel()
			x.release()
			b.take("a").release()
		}
	})
}

// A closed client is replaced immediately, also for waiters.
func TestReplaces(t *testing.T) {
	test(t, "idle", Options{}, func(t *testing.T, b *bench) {
		x := b.take("a")
		x.release()
		_ = x.member.client.Close()
		if got := b.names(b.take("a")); got != "2" {
			t.Errorf("client %s", got)
		}
	})
	test(t, "in use", Options{Parallel: 1, PerTarget: 1, Total: 1}, func(t *testing.T, b *bench) {
		x := b.take("a")
		var y *lease[*fakeClient]
		go func() { y, _ = b.acquire(t.Context(), "a", b.connect) }()
		synctest.Wait()
		_ = x.member.client.Close()
		synctest.Wait()
		if y == nil || b.names(y) != "2" {
			t.Fatal("the one that waits has no client")
		}
		x.release()
		b.waits("a")
		y.release()
		if got := b.names(b.take("a")); got != "2" {
			t.Errorf("client %s", got)
		}
	})
}

func TestIdle(t *testing.T) {
	test(t, "idle time", Options{IdleTime: time.Minute}, func(t *testing.T, b *bench) {
		for range 3 {
			x := b.take("a")
			time.Sleep(time.Hour)
			x.release()
			time.Sleep(time.Minute - time.Nanosecond)
		}
		if b.opened[0].isClosed() {
			t.Error("closed early")
		}
		time.Sleep(time.Nanosecond)
		synctest.Wait()
		if len(b.opened) != 1 || !b.opened[0].isClosed() || b.total != 0 || len(b.keys) != 0 {
			t.Errorf("%d clients were opened, %d are in the pool", len(b.opened), b.total)
		}
		if got := b.names(b.take("a")); got != "2" {
			t.Errorf("client %s", got)
		}
	})
	test(t, "the longest idle", Options{Total: 3}, func(t *testing.T, b *bench) {
		x, y, z := b.take("x"), b.take("y"), b.take("z")
		b.waits("v")
		for _, l := range []*lease[*fakeClient]{y, x, z} {
			l.release()
			time.Sleep(time.Second)
		}
		b.take("y").release() // was the longest idle one
		b.take("v")
		if b.opened[1].isClosed() || !b.opened[0].isClosed() || b.opened[2].isClosed() {
			t.Error("another one than the longest idle was closed")
		}
		b.take("w")
		if !b.opened[2].isClosed() {
			t.Error("another one than the longest idle was closed")
		}
	})
	test(t, "closing comes before opening", Options{Total: 1}, func(t *testing.T, b *bench) {
		x := b.take("x")
		x.member.client.slow = time.Minute
		x.release()
		closed := false
		if _, err := b.acquire(t.Context(), "y", func(ctx context.Context) (*fakeClient, error) {
			closed = x.member.client.isClosed()
			return b.connect(ctx)
		}); err != nil || !closed {
			t.Errorf("%v, closed: %v", err, closed)
		}
	})
}

// Waiters for Total are served in order: a key with many waiters does not starve the others.
func TestTotal(t *testing.T) {
	test(t, "order", Options{Total: 1, Parallel: 1}, func(t *testing.T, b *bench) {
		x := b.take("x")
		var mu sync.Mutex
		var order []string
		for i := range 6 {
			key := []string{"a", "b", "c"}[i%3]
			go func() {
				l, err := b.acquire(t.Context(), key, b.connect)
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				order = append(order, fmt.Sprint(key, i))
				mu.Unlock()
				time.Sleep(time.Second)
				l.release()
			}()
			synctest.Wait()
		}
		x.release()
		time.Sleep(time.Minute)
		mu.Lock()
		defer mu.Unlock()
		if got := strings.Join(order, " "); got != "a0 b1 c2 a3 b4 c5" {
			t.Errorf("served %s", got)
		}
	})
	test(t, "left waiters", Options{Total: 1}, func(t *testing.T, b *bench) {
		b.take("x")
		for i := range 1000 {
			b.waits(fmt.Sprint(i))
		}
		if len(b.starved) != 0 || len(b.keys) != 1 {
			t.Errorf("%d keys wait, %d are kept", len(b.starved), len(b.keys))
		}
	})
}

func TestClose(t *testing.T) {
	test(t, "all", Options{Parallel: 1, PerTarget: 2}, func(t *testing.T, b *bench) {
		x, y := b.take("a"), b.take("a")
		b.take("b").release()
		x.member.client.slow, y.member.client.slow = time.Second, time.Second
		b.delay = time.Hour
		errs := make(chan error, 2)
		for _, key := range []string{"a", "c"} { // waits; opens
			go func() {
				_, err := b.acquire(t.Context(), key, b.connect)
				errs <- err
			}()
		}
		synctest.Wait()
		start := time.Now()
		b.close()
		if time.Since(start) != time.Second {
			t.Errorf("after %v", time.Since(start))
		}
		for range 2 {
			if err := <-errs; err != mcpclient.ErrClosed {
				t.Errorf("%v", err)
			}
		}
		x.release()
		y.release()
		if _, err := b.acquire(t.Context(), "a", b.connect); err != mcpclient.ErrClosed {
			t.Errorf("%v", err)
		}
		b.close()
	})
	test(t, "an opening that goes on", Options{}, func(t *testing.T, b *bench) {
		errs := make(chan error, 1)
		go func() {
			_, err := b.acquire(t.Context(), "a", func(context.Context) (*fakeClient, error) {
				time.Sleep(time.Minute)
				return b.connect(t.Context())
			})
			errs <- err
		}()
		synctest.Wait()
		b.close()
		if err := <-errs; err != mcpclient.ErrClosed || len(b.opened) != 1 || !b.opened[0].isClosed() {
			t.Errorf("%v", err)
		}
	})
}

// Many callers, with clients that end, openings that fail and contexts that end: the limits hold at
// every moment, and no caller waits forever.
func TestTogether(t *testing.T) {
	for seed := range uint64(20) {
		options := Options{Parallel: int(seed % 3), PerTarget: 1 + int(seed%4), Total: 3 + int(seed%5), IdleTime: time.Second}
		test(t, fmt.Sprint(seed), options, func(t *testing.T, b *bench) {
			var open, served atomic.Int32
			var group sync.WaitGroup
			for i := range 40 {
				random := rand.New(rand.NewPCG(seed, uint64(i)))
				group.Go(func() {
					for range 30 {
						key := fmt.Sprint(random.IntN(6))
						ctx, cancel := context.WithTimeout(t.Context(), time.Duration(random.IntN(5000))*time.Millisecond)
						pause, fails := time.Duration(random.IntN(100))*time.Millisecond, random.IntN(10) == 0
						l, err := b.acquire(ctx, key, func(ctx context.Context) (*fakeClient, error) {
							if n := int(open.Add(1)); n > options.Total {
								t.Errorf("%d clients", n)
							}
							time.Sleep(pause)
							if fails {
								open.Add(-1)
								return nil, errors.New("fails")
							}
							return &fakeClient{name: key, done: make(chan struct{}), ended: func() { open.Add(-1) }}, nil
						})
						if err == nil {
							c := l.member.client
							if n := int(c.users.Add(1)); options.Parallel > 0 && n > options.Parallel {
								t.Errorf("%d leases", n)
							}
							if c.name != key {
								t.Errorf("a client of %s for %s", c.name, key)
							}
							served.Add(1)
							time.Sleep(time.Duration(random.IntN(100)) * time.Millisecond)
							c.users.Add(-1)
							if random.IntN(10) == 0 {
								_ = c.Close()
							}
							l.release()
						}
						cancel()
					}
				})
			}
			group.Wait()
			if served.Load() < 600 {
				t.Errorf("%d of 1200 were served", served.Load())
			}
			time.Sleep(time.Minute)
			synctest.Wait()
			if b.total != 0 || len(b.keys) != 0 {
				t.Errorf("%d clients and %d keys after IdleTime", b.total, len(b.keys))
			}
		})
	}
}

func TestDefaults(t *testing.T) {
	if got, want := (Options{Parallel: -1}).withDefaults(), (Options{PerTarget: 10, Total: 1000, IdleTime: 5 * time.Minute}); got != want {
		t.Errorf("%+v", got)
	}
}
