package taskstore

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcpgen/mcpgen/runtime/mcptask"
)

// turns returns a claim of a process that runs the given numbers of tasks of each account.
func (b *bench) turns(share int, active map[mcptask.Digest]int) mcptask.Claim {
	return mcptask.Claim{
		Owner: process, Lease: long, Server: server, Tools: []string{tool},
		Turn: func(account mcptask.Digest) (int, bool) { return active[account], active[account] < share },
	}
}

// claiming contains the tests of Claim.
var claiming = map[string]func(*bench){
	"a ready task is claimed": func(b *bench) {
		r := b.create(record("a"))
		run := b.claim(process, long)
		if run.Version == r.Version {
			b.Error("the version stays")
		}
		want := r.Clone()
		want.Ready, want.Owner, want.Attempt, want.Version = false, process, 1, run.Version
		b.same(run, want)
		b.same(b.get(r.Key), want)
	},
	"a task is claimed once": func(b *bench) {
		b.create(record("a"))
		b.claim(process, long)
		b.noClaim()
	},
	"a process claims several tasks": func(b *bench) {
		seen := map[string]bool{}
		for _, id := range []string{"a", "b", "c"} {
			b.create(record(id))
		}
		for range 3 {
			seen[b.claim(process, long).Key.ID] = true
		}
		if len(seen) != 3 {
			b.Errorf("claimed: %v", seen)
		}
		b.noClaim()
	},
	"accounts are claimed in turn": func(b *bench) {
		for i, account := range []byte{1, 1, 1, 1, 2, 1, 3} {
			r := record(fmt.Sprint(i))
			r.Account = accountOf(account)
			b.create(r)
			time.Sleep(5 * time.Millisecond) // a store may order by milliseconds
		}
		active := map[mcptask.Digest]int{accountOf(2): 1}
		c := b.turns(2, active)
		for _, want := range []string{"0", "6", "1", "4"} { // the fewest first, then the oldest
			r, err := b.Claim(b.Context(), c)
			if err != nil || r.Key.ID != want {
				b.Fatalf("claimed %+v, %v, want %s", r, err, want)
			}
			active[r.Account]++
		}
		ctx, cancel := context.WithTimeout(b.Context(), never)
		defer cancel()
		if r, err := b.Claim(ctx, c); !errors.Is(err, context.DeadlineExceeded) {
			b.Errorf("an account has more than its share: %+v, %v", r, err)
		}
	},
	"a claim looks again when an account has a turn again": func(b *bench) {
		b.create(record("a"))
		var active atomic.Int32
		active.Store(1)
		other := make(chan struct{}, 1)
		c := b.turns(1, nil)
		c.Turn = func(mcptask.Digest) (int, bool) { return int(active.Load()), active.Load() == 0 }
		c.Other = other
		time.AfterFunc(never, func() {
			active.Store(0)
			other <- struct{}{}
		})
		ctx, cancel := context.WithTimeout(b.Context(), soon)
		defer cancel()
		if _, err := b.Claim(ctx, c); err != nil {
			b.Error(err)
		}
	},
	"the first one is claimed first": func(b *bench) {
		for i := range 5 {
			b.create(record(fmt.Sprint(i)))
			time.Sleep(5 * time.Millisecond) // a store may order by milliseconds
		}
		for i := range 5 {
			if r := b.claim(process, long); r.Key.ID != fmt.Sprint(i) {
				b.Errorf("task %s is claimed as number %d", r.Key.ID, i)
			}
		}
	},
	"a claim waits for a task": func(b *bench) {
		done := make(chan *mcptask.Record)
		go func() {
			r, err := b.claimWithin(soon, process, long)
			if err != nil {
				b.Error(err)
			}
			done <- r
		}()
		time.Sleep(never)
		b.create(record("a"))
		if r := <-done; r == nil || r.Key.ID != "a" {
			b.Errorf("claimed: %+v", r)
		}
	},
	"a task of another tool is not claimed": func(b *bench) {
		r := record("a")
		r.Tool = "of a newer version"
		b.create(r)
		b.noClaim()
		b.create(record("b"))
		if r := b.claim(process, long); r.Key.ID != "b" {
			b.Errorf("claimed: %+v", r)
		}
	},
	"a task of another server is not claimed": func(b *bench) {
		r := record("a")
		r.Server = "orders"
		b.create(r)
		b.noClaim()
	},
	"a claim without tools claims nothing": func(b *bench) {
		b.create(record("a"))
		ctx, cancel := context.WithTimeout(b.Context(), never)
		defer cancel()
		_, err := b.Claim(ctx, mcptask.Claim{Owner: process, Lease: long, Server: server})
		b.is(err, context.DeadlineExceeded)
	},
	"a task that waits for answers is not claimed": func(b *bench) {
		r := record("a")
		r.Status, r.Ready = mcptask.InputRequired, false
		b.create(r)
		b.noClaim()
		b.update(r.Key, func(r *mcptask.Record) { r.Status, r.Ready = mcptask.Working, true })
		b.claim(process, long)
	},
	"an ended task is not claimed": func(b *bench) {
		r := b.create(record("a"))
		b.update(r.Key, func(r *mcptask.Record) { r.Status = mcptask.Cancelled })
		b.noClaim()
	},
	"a run that is given back is claimed again": func(b *bench) {
		b.create(record("a"))
		run := b.claim(process, long)
		run.Owner, run.Ready = "", true
		b.store(run)
		if r := b.claim("second", long); r.Owner != "second" || r.Attempt != 2 {
			b.Errorf("claimed: %+v", r)
		}
	},
	"a run ends": func(b *bench) {
		b.create(record("a"))
		run := b.claim(process, long)
		run.Owner, run.Status, run.Sealed = "", mcptask.Completed, []byte("result")
		b.store(run)
		b.same(b.get(run.Key), run)
		b.noClaim()
	},
	"a task that is created with an owner is not claimed": func(b *bench) {
		r := record("a")
		r.Owner, r.Attempt, r.Ready = process, 1, false
		b.create(r)
		b.noClaim()
		b.is(b.Renew(b.Context(), r, long), nil)
	},
}

// leasing contains the tests of leases.
var leasing = map[string]func(*bench){
	"a lease ends": func(b *bench) {
		b.create(record("a"))
		first := b.claim(process, lease)
		second := b.claim("second", long)
		if second.Attempt != 2 || second.Owner != "second" || second.Version == first.Version {
			b.Errorf("claimed: %+v", second)
		}
		b.is(b.Renew(b.Context(), first, long), mcptask.ErrLeaseLost)
		first.Owner, first.Status = "", mcptask.Completed
		b.is(b.Update(b.Context(), first), mcptask.ErrConflict)
		b.same(b.get(second.Key), second)
	},
	"a lease of a created task ends": func(b *bench) {
		r := record("a")
		r.Owner, r.Attempt, r.Ready = process, 1, false
		b.is(b.Create(b.Context(), r, mcptask.Quota{}, lease), nil)
		if run := b.claim("second", long); run.Attempt != 2 {
			b.Errorf("claimed: %+v", run)
		}
	},
	"a lease is not too short": func(b *bench) {
		b.create(record("a"))
		b.claim(process, 20*lease)
		b.noClaim()
	},
	"a renewed lease goes on": func(b *bench) {
		b.create(record("a"))
		run := b.claim(process, 4*lease)
		version := run.Version
		for range 4 {
			time.Sleep(2 * lease)
			b.is(b.Renew(b.Context(), run, 4*lease), nil)
		}
		if run.Version != version || b.get(run.Key).Version != version {
			b.Error("Renew changes the version")
		}
		b.noClaim()
	},
	"a renewed lease ends": func(b *bench) {
		b.create(record("a"))
		run := b.claim(process, long)
		b.is(b.Renew(b.Context(), run, lease), nil)
		b.claim("second", long)
	},
	"an update keeps the lease": func(b *bench) {
		b.create(record("a"))
		run := b.claim(process, lease)
		run.Sealed = []byte("progress")
		b.store(run)
		b.claim("second", long)
	},
	"an update after the lease keeps the task claimable": func(b *bench) {
		b.create(record("a"))
		run := b.claim(process, lease)
		time.Sleep(2 * lease)
		run.Sealed = []byte("late")
		b.store(run) // no other process has claimed it
		if r := b.claim("second", long); string(r.Sealed) != "late" {
			b.Errorf("claimed: %+v", r)
		}
	},
	"a renewal after the lease is in time": func(b *bench) {
		b.create(record("a"))
		run := b.claim(process, lease)
		time.Sleep(2 * lease)
		b.is(b.Renew(b.Context(), run, long), nil)
		b.noClaim()
	},
	"an ended run has no lease": func(b *bench) {
		b.create(record("a"))
		run := b.claim(process, lease)
		ended := run.Clone()
		ended.Owner, ended.Status = "", mcptask.Failed
		b.store(ended)
		b.is(b.Renew(b.Context(), run, long), mcptask.ErrLeaseLost)
		time.Sleep(2 * lease)
		b.noClaim()
	},
	"a parked run has no lease": func(b *bench) {
		b.create(record("a"))
		run := b.claim(process, lease)
		run.Owner, run.Status = "", mcptask.InputRequired
		b.store(run)
		time.Sleep(2 * lease)
		b.noClaim()
	},
	"attempts of one process differ": func(b *bench) {
		b.create(record("a"))
		first := b.claim(process, lease)
		second := b.claim(process, long)
		b.is(b.Renew(b.Context(), first, long), mcptask.ErrLeaseLost)
		b.is(b.Renew(b.Context(), second, long), nil)
	},
	"an unknown task has no lease": func(b *bench) {
		r := record("a")
		r.Owner, r.Attempt = process, 1
		b.is(b.Renew(b.Context(), r, long), mcptask.ErrLeaseLost)
		b.create(record("b"))
		b.is(b.Renew(b.Context(), b.get(record("b").Key), long), mcptask.ErrLeaseLost)
	},
}

// racing contains the tests with many goroutines.
var racing = map[string]func(*bench){
	"one of many creates an id": func(b *bench) {
		n := b.many(20, func(int) error { return b.Create(b.Context(), record("a"), mcptask.Quota{}, long) }, mcptask.ErrExists)
		if n != 1 {
			b.Errorf("created %d times", n)
		}
	},
	"a limit holds": func(b *bench) {
		n := b.many(30, func(i int) error {
			return b.Create(b.Context(), record(fmt.Sprint(i)), mcptask.Quota{Account: 7, Total: 9}, long)
		}, mcptask.ErrTooMany)
		if n != 7 {
			b.Errorf("%d are created, want 7", n)
		}
		b.open(record("").Account, 7)
	},
	"one of many updates a version": func(b *bench) {
		r := b.create(record("a"))
		n := b.many(20, func(i int) error {
			mine := r.Clone()
			mine.Sealed = fmt.Append(nil, i)
			return b.Update(b.Context(), mine)
		}, mcptask.ErrConflict)
		if n != 1 {
			b.Errorf("updated %d times", n)
		}
	},
	"no update is lost": func(b *bench) {
		r := b.create(record("a"))
		b.update(r.Key, func(r *mcptask.Record) { r.Sealed = nil })
		b.many(10, func(int) error {
			for {
				r, err := b.Get(b.Context(), r.Key)
				if err != nil {
					return err
				}
				r.Sealed = append(r.Sealed, '.')
				if err = b.Update(b.Context(), r); !errors.Is(err, mcptask.ErrConflict) {
					return err
				}
			}
		}, nil)
		if got := b.get(r.Key); len(got.Sealed) != 10 {
			b.Errorf("%d of 10 updates are kept", len(got.Sealed))
		}
	},
	"each task is claimed once": func(b *bench) {
		for i := range 30 {
			b.create(record(fmt.Sprint(i)))
		}
		var mu sync.Mutex
		claimed := map[string]int{}
		b.many(10, func(i int) error {
			for range 3 {
				r, err := b.claimWithin(soon, fmt.Sprint(i), long)
				if err != nil {
					return err
				}
				mu.Lock()
				claimed[r.Key.ID]++
				mu.Unlock()
			}
			return nil
		}, nil)
		if len(claimed) != 30 {
			b.Errorf("%d tasks are claimed, want 30: %v", len(claimed), claimed)
		}
	},
	"one of many claims an ended lease": func(b *bench) {
		b.create(record("a"))
		b.claim(process, lease)
		n := b.many(10, func(i int) error {
			_, err := b.claimWithin(6*lease, fmt.Sprint(i), long)
			return err
		}, context.DeadlineExceeded)
		if n != 1 {
			b.Errorf("claimed %d times", n)
		}
		if r := b.get(record("a").Key); r.Attempt != 2 {
			b.Errorf("attempt %d", r.Attempt)
		}
	},
	"cancelling or ending, not both": func(b *bench) {
		for i := range 10 {
			b.create(record(fmt.Sprint(i)))
			run := b.claim(process, long)
			n := b.many(2, func(i int) error {
				r := run.Clone()
				r.Owner, r.Status = "", []mcptask.Status{mcptask.Cancelled, mcptask.Completed}[i]
				return b.Update(b.Context(), r)
			}, mcptask.ErrConflict)
			if n != 1 {
				b.Errorf("%d updates", n)
			}
		}
	},
}

// many calls f concurrently, and returns the number of successes. It reports errors other than
// expected.
func (b *bench) many(n int, f func(i int) error, expected error) (succeeded int) {
	b.Helper()
	begin := make(chan struct{})
	errs := make(chan error)
	for i := range n {
		go func() {
			<-begin
			errs <- f(i)
		}()
	}
	close(begin)
	for range n {
		switch err := <-errs; {
		case err == nil:
			succeeded++
		case expected == nil || !errors.Is(err, expected):
			b.Errorf("error %v, want %v", err, expected)
		}
	}
	return succeeded
}
