package turns

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// One client takes all places and fills its line; a client that comes later is served before the
// first client's next caller, and in turns.
func TestTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := New[string](2, 2, 3)
		var mu sync.Mutex
		var served []string
		enter := func(id string) {
			go func() {
				if err := p.Enter(t.Context(), id); err != nil {
					t.Errorf("%s: %v", id, err)
					return
				}
				mu.Lock()
				served = append(served, id)
				mu.Unlock()
				time.Sleep(time.Second)
				p.Leave(id)
			}()
			synctest.Wait()
		}
		enter("bob")
		time.Sleep(time.Second / 4) // so that the places never become free together
		for range 4 {
			enter("bob")
		}
		if err := p.Enter(t.Context(), "bob"); err != ErrFull {
			t.Errorf("one more of bob: %v", err)
		}
		enter("ada")
		enter("cyd")
		enter("ada")
		time.Sleep(time.Minute)
		synctest.Wait()
		if got := strings.Join(served, " "); got != "bob bob ada cyd bob ada bob bob" {
			t.Errorf("served: %s", got)
		}
		if p.free != 2 || len(p.clients) != 0 {
			t.Errorf("%d places are free, and %d clients are left", p.free, len(p.clients))
		}
	})
}

// A caller that no longer waits takes no place, even if it becomes free at that moment.
func TestGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := New[int](1, 1, 100)
		if err := p.Enter(t.Context(), 0); err != nil {
			t.Fatal(err)
		}
		gone := errors.New("gone")
		var mu sync.Mutex
		var results []error
		for i := range 20 {
			ctx, cancel := context.WithCancelCause(t.Context())
			time.AfterFunc(time.Duration(i%3+1)*time.Second, func() { cancel(gone) })
			go func() {
				err := p.Enter(ctx, 1+i%2)
				if err == nil {
					p.Leave(1 + i%2)
				}
				mu.Lock()
				results = append(results, err)
				mu.Unlock()
			}()
		}
		time.Sleep(2 * time.Second)
		p.Leave(0) // while some give up
		time.Sleep(time.Minute)
		synctest.Wait()
		given := len(slices.DeleteFunc(slices.Clone(results), func(err error) bool { return err == nil }))
		if len(results) != 20 || given < 7 || given > 14 {
			t.Errorf("%d have given up: %v", given, results)
		}
		if p.free != 1 || len(p.clients) != 0 {
			t.Errorf("%d places are free, and %d clients are left", p.free, len(p.clients))
		}
	})
}

// Any number of clients takes at most the given number of places.
func TestBound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := New[string](3, 3, 50)
		var inside, most atomic.Int32
		for i := range 200 {
			id := fmt.Sprint(i % 7)
			go func() {
				if p.Enter(t.Context(), id) != nil {
					return
				}
				if n := inside.Add(1); n > most.Load() {
					most.Store(n)
				}
				time.Sleep(time.Second)
				inside.Add(-1)
				p.Leave(id)
			}()
			synctest.Wait()
		}
		time.Sleep(time.Hour)
		synctest.Wait()
		if most.Load() != 3 || inside.Load() != 0 || p.free != 3 || len(p.clients) != 0 {
			t.Errorf("at most %d were inside, %d are, %d places are free", most.Load(), inside.Load(), p.free)
		}
	})
}
