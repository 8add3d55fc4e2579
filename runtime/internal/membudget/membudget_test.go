package membudget_test

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/membudget"
)

// general is the part of a limit for everything but control messages.
func general(limit int64) int64 { return limit - limit/32 }

func TestTake(t *testing.T) {
	b := membudget.New(3200, 1)
	for _, step := range []struct {
		n       int
		control bool
		want    bool
		used    int64
	}{
		{3101, false, false, 0},
		{3100, false, true, 3100},
		{1, false, false, 3100},
		{100, true, true, 3200},
		{1, true, false, 3200},
		{1, false, false, 3200},
	} {
		take := b.Take
		if step.control {
			take = b.TakeControl
		}
		if got := take(step.n); got != step.want || b.Used() != step.used {
			t.Fatalf("take %d, control %v: %v, used %d; want %v, %d", step.n, step.control, got, b.Used(), step.want, step.used)
		}
	}
	b.ReleaseControl(100)
	b.Release(3100)
	if b.Used() != 0 || b.Short() {
		t.Errorf("used %d after everything is given back", b.Used())
	}

	// Control messages may use more than their share if there is more, and get their share even if
	// everything else is exceeded.
	if !b.TakeControl(200) || b.Take(3001) || !b.Take(3000) || b.TakeControl(1) {
		t.Errorf("used %d", b.Used())
	}
	b.ReleaseControl(200)
	b.Force(10_000)
	if !b.TakeControl(100) || b.TakeControl(1) || b.Take(1) {
		t.Errorf("used %d while the budget is exceeded", b.Used())
	}
}

func TestNil(t *testing.T) {
	var b *membudget.Budget
	b.Force(1)
	b.List(nil, b.Age())
	b.Unlist(nil)
	b.Trim()
	if !b.Take(math.MaxInt) || !b.TakeControl(math.MaxInt) || !b.Enter(context.Background(), "a", 0) || b.Used() != 0 || b.Short() {
		t.Error("no budget refuses")
	}
	b.Leave("a")
	b.Release(1)
	b.ReleaseControl(1)
	var a membudget.Account
	if a.Set(1 << 20); !a.Take(1<<30) || a.Held() != 1<<30 {
		t.Error("an account without a budget refuses")
	}
	a.Take(0)
}

func TestAccount(t *testing.T) {
	b := membudget.New(320<<10, 1)
	var a membudget.Account
	a.Of(b)
	for _, step := range []struct {
		take, set int
		want      bool
		used      int64
	}{
		{take: membudget.Free, want: true},
		{take: membudget.Free + 1, want: true, used: membudget.Free + 1},
		{take: 1 << 20, want: false, used: membudget.Free + 1},
		{take: 300 << 10, want: true, used: 300 << 10},
		{set: 1 << 20, want: true, used: 1 << 20},
		{take: 400 << 10, want: true, used: 400 << 10},
		{set: 1, want: true},
	} {
		got := true
		if step.set > 0 {
			a.Set(step.set)
		} else {
			got = a.Take(step.take)
		}
		if got != step.want || b.Used() != step.used || int64(a.Held()) != step.used {
			t.Fatalf("%+v: %v, used %d, held %d", step, got, b.Used(), a.Held())
		}
	}
}

// cache is a holder of items with sizes.
type cache struct {
	b *membudget.Budget

	mu     sync.Mutex
	listed bool
	ages   []uint64
	sizes  []int
	stuck  bool // nothing may be evicted
	gone   func(age uint64)
}

func (s *cache) keep(size int) (age uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	age = s.b.Age()
	s.b.Force(size)
	s.ages, s.sizes = append(s.ages, age), append(s.sizes, size)
	if !s.listed {
		s.listed = true
		s.b.List(s, s.ages[0])
	}
	return age
}

func (s *cache) drop() (age uint64, ok bool) {
	if len(s.ages) == 0 {
		return 0, false
	}
	age = s.ages[0]
	s.b.Release(s.sizes[0])
	s.ages, s.sizes = s.ages[1:], s.sizes[1:]
	return age, true
}

func (s *cache) Shed(age uint64) (oldest uint64, more bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.stuck && len(s.ages) > 0 && s.ages[0] <= age {
		dropped, _ := s.drop()
		if s.gone != nil {
			s.gone(dropped)
		}
	}
	if s.stuck || len(s.ages) == 0 {
		s.listed = false
		return 0, false
	}
	return s.ages[0], true
}

// TestOldestFirst stores items in many caches, some of which drop their oldest themselves, and
// evicts all of them one after the other.
func TestOldestFirst(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	b := membudget.New(1<<30, 1)
	var gone, left []uint64
	caches := make([]*cache, 20)
	for i := range caches {
		caches[i] = &cache{b: b, gone: func(age uint64) { gone = append(gone, age) }}
	}
	caches[3].stuck = true
	for range 1000 {
		s := caches[rng.IntN(len(caches))]
		age := s.keep(10)
		if !s.stuck {
			left = append(left, age)
		}
		if rng.IntN(4) == 0 {
			s = caches[rng.IntN(len(caches))]
			s.mu.Lock()
			if age, ok := s.drop(); ok {
				left = slices.DeleteFunc(left, func(a uint64) bool { return a == age })
			}
			s.mu.Unlock()
		}
	}
	kept := len(caches[3].ages) * 10
	if !b.Take(int(general(1<<30)) - kept) {
		t.Error("cached things prevent Take")
	}
	if !slices.Equal(gone, left) {
		t.Errorf("given up in another order than kept: %v, want %v", gone, left)
	}
	if b.Take(1) {
		t.Error("what cannot be given up was")
	}
}

// TestTakeMuch refuses more than the limit without evicting anything.
func TestTakeMuch(t *testing.T) {
	b := membudget.New(1000, 1)
	s := &cache{b: b}
	s.keep(500)
	if b.Take(1001) || b.Used() != 500 {
		t.Errorf("used %d, want 500", b.Used())
	}
}

func TestPlaces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := membudget.New(3200, 2)
		for i := range 2 {
			if !b.Enter(t.Context(), i, time.Second) {
				t.Fatal("no place")
			}
		}
		began := time.Now()
		if b.Enter(t.Context(), "a", time.Second) || time.Since(began) != time.Second {
			t.Errorf("a third place after %v", time.Since(began))
		}
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		if b.Enter(gone, "a", time.Hour) {
			t.Error("a place for a caller that has gone")
		}

		// Places are granted in order, and none while the budget is exceeded.
		var order []int
		var mu sync.Mutex
		var all sync.WaitGroup
		for i := range 3 {
			all.Go(func() {
				if !b.Enter(t.Context(), 10+i, time.Hour) {
					t.Error("no place within an hour")
				}
				mu.Lock()
				defer mu.Unlock()
				order = append(order, i)
			})
			synctest.Wait()
		}
		b.Force(4000)
		b.Leave(0)
		b.Leave(1)
		synctest.Wait()
		if len(order) > 0 {
			t.Errorf("%d places while the budget is exceeded", len(order))
		}
		b.Release(800)
		synctest.Wait()
		if len(order) > 0 {
			t.Errorf("%d places with the share of control messages", len(order))
		}
		b.Release(3200)
		synctest.Wait()
		if slices.Sort(order); !slices.Equal(order, []int{0, 1}) {
			t.Errorf("places in the order %v", order)
		}
		b.Leave(10)
		all.Wait()
		if !slices.Equal(order, []int{0, 1, 2}) {
			t.Errorf("places in the order %v", order)
		}
	})
}

// A client that takes as many places as it can, and waits for more, does not make others wait: one
// place is not for it, and places that become free go to the others first.
func TestPlacesOfOneClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := membudget.New(3200, 4)
		var mu sync.Mutex
		var entered []string
		enter := func(client string) {
			go func() {
				if b.Enter(t.Context(), client, time.Hour) {
					mu.Lock()
					defer mu.Unlock()
					entered = append(entered, client)
				}
			}()
			synctest.Wait()
		}
		for range 20 {
			enter("filler")
		}
		enter("other")
		enter("third")
		enter("other")
		if want := []string{"filler", "filler", "filler", "other"}; !slices.Equal(entered, want) {
			t.Errorf("%q have places, want %q", entered, want)
		}
		for range 3 {
			b.Leave("filler")
			synctest.Wait()
		}
		if want := []string{"third", "filler", "other"}; !slices.Equal(entered[4:], want) {
			t.Errorf("then %q have places, want %q", entered[4:], want)
		}
	})
}

// TestPlaceAfterShed evicts cached items for a caller that needs a place.
func TestPlaceAfterShed(t *testing.T) {
	b := membudget.New(1000, 1)
	s := &cache{b: b}
	for range 30 {
		s.keep(100)
	}
	if !b.Enter(context.Background(), "a", 0) {
		t.Error("cached things prevent Enter")
	}
}

// TestConcurrent calls Take, Force, List and Release at random in many goroutines, and checks the
// invariants of the budget in between.
func TestConcurrent(t *testing.T) {
	const limit, places, largest = 1 << 16, 3, 1 << 12
	b := membudget.New(limit, places)
	caches := []*cache{{b: b}, {b: b}, {b: b}}
	var inside sync.Map
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			rng := rand.New(rand.NewPCG(uint64(i), 7))
			var held []int
			giveBack := func() {
				if len(held) > 0 {
					b.Release(held[len(held)-1])
					held = held[:len(held)-1]
				}
			}
			for range 3000 {
				n := 1 + rng.IntN(largest)
				switch rng.IntN(6) {
				case 0, 1:
					if b.Take(n) {
						held = append(held, n)
					}
				case 2:
					if b.TakeControl(n / 100) {
						b.ReleaseControl(n / 100)
					}
				case 3:
					if b.Take(n) { // for a copy of a cached item
						caches[rng.IntN(len(caches))].keep(n)
						b.Release(n)
					}
				case 4:
					if b.Enter(t.Context(), i, time.Millisecond) {
						inside.Store(i, true)
						b.Force(n)
						b.Release(n)
						inside.Delete(i)
						b.Leave(i)
					}
				default:
					giveBack()
				}
				in := 0
				inside.Range(func(any, any) bool { in++; return true })
				// Every goroutine that caches an item holds it twice for a moment.
				if used := b.Used(); used < 0 || used > limit+(places+8)*largest || in > places {
					t.Errorf("%d bytes used, %d places taken", used, in)
					return
				}
				if len(held) > 20 {
					giveBack()
				}
			}
			for len(held) > 0 {
				giveBack()
			}
		})
	}
	all.Wait()
	if !b.Take(int(general(limit))) || b.Used() != general(limit) {
		t.Errorf("%d bytes used after everything is given back", b.Used())
	}
}

// TestKeptNeverRefuses has many goroutines reserve at the same time the memory that is available
// once cached items are evicted.
func TestKeptNeverRefuses(t *testing.T) {
	const size = 100
	b := membudget.New(1<<20, 1)
	s := &cache{b: b}
	for b.Used() < general(1<<20) {
		s.keep(size)
	}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 1000 {
				if !b.Take(size) {
					t.Error("refused")
					return
				}
			}
		})
	}
	all.Wait()
}

func BenchmarkTake(bench *testing.B) {
	b := membudget.New(1<<30, 1)
	bench.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if b.Take(100) {
				b.Release(100)
			}
		}
	})
}

// TestUnlist removes one of two holders: nothing is evicted from it afterwards.
func TestUnlist(t *testing.T) {
	b := membudget.New(3200, 1)
	first, second := &cache{b: b}, &cache{b: b}
	first.keep(1000)
	second.keep(1000)
	b.Unlist(first)
	if !b.Take(2000) || len(first.ages) != 1 || len(second.ages) != 0 {
		t.Errorf("left are %d and %d things", len(first.ages), len(second.ages))
	}
	if b.Take(1000) || len(first.ages) != 1 {
		t.Error("the holder that was removed has evicted something")
	}
}
