package taskstore

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/runtime/mcptask"
)

// watching contains the tests of Watch.
var watching = map[string]func(*bench){
	"the present record comes first": func(b *bench) {
		r := b.create(record("a"))
		for got, err := range b.Watch(b.Context(), r.Key) {
			b.is(err, nil)
			b.same(got, r)
			break
		}
	},
	"a change follows": func(b *bench) {
		r := b.create(record("a"))
		changed := false
		for got, err := range b.Watch(b.Context(), r.Key) {
			if err != nil {
				b.Fatal(err)
			}
			if changed {
				b.same(got, r)
				break
			}
			r.Status = mcptask.Completed
			b.store(r)
			changed = true
		}
	},
	"a change of another goroutine follows": func(b *bench) {
		r := b.create(record("a"))
		var changing sync.WaitGroup
		defer changing.Wait()
		changing.Go(func() {
			time.Sleep(never)
			r := r.Clone()
			r.Sealed = []byte("changed")
			if err := b.Update(b.Context(), r); err != nil {
				b.Error(err)
			}
		})
		b.until(r.Key, func(r *mcptask.Record) bool { return string(r.Sealed) == "changed" })
	},
	"a claim is a change": func(b *bench) {
		r := b.create(record("a"))
		var claiming sync.WaitGroup
		defer claiming.Wait()
		claiming.Go(func() {
			time.Sleep(never)
			if _, err := b.claimWithin(soon, process, long); err != nil {
				b.Error(err)
			}
		})
		b.until(r.Key, func(r *mcptask.Record) bool { return r.Owner == process })
	},
	"the last of many changes arrives": func(b *bench) {
		r := b.create(record("a"))
		var changing sync.WaitGroup
		defer changing.Wait()
		changing.Go(func() {
			r := r.Clone()
			for i := range 50 {
				if r.Sealed = []byte("changed"); i == 49 {
					r.Status = mcptask.Completed
				}
				if err := b.Update(b.Context(), r); err != nil {
					b.Error(err)
				}
			}
		})
		versions := map[uint64]bool{}
		b.until(r.Key, func(r *mcptask.Record) bool {
			if versions[r.Version] {
				b.Errorf("version %d comes twice", r.Version)
			}
			versions[r.Version] = true
			return r.Status == mcptask.Completed
		})
	},
	"a change of another task is none": func(b *bench) {
		r, other := b.create(record("a")), b.create(record("b"))
		ctx, cancel := context.WithTimeout(b.Context(), 3*never)
		defer cancel()
		count := 0
		for _, err := range b.Watch(ctx, r.Key) {
			if err != nil {
				b.is(err, context.DeadlineExceeded)
				break
			}
			count++
			b.store(other)
		}
		if count != 1 {
			b.Errorf("%d records", count)
		}
	},
	"an unknown task cannot be watched": func(b *bench) {
		for r, err := range b.Watch(b.Context(), record("a").Key) {
			if r != nil || !errors.Is(err, mcptask.ErrNotFound) {
				b.Errorf("%+v, %v", r, err)
			}
		}
	},
	"watching ends when the task expires": func(b *bench) {
		r := record("a")
		r.Expires = time.Now().Add(lease)
		b.create(r)
		var last error
		for _, err := range b.Watch(b.Context(), r.Key) {
			last = err
		}
		b.is(last, mcptask.ErrNotFound)
	},
	"several watch one task": func(b *bench) {
		r := b.create(record("a"))
		time.AfterFunc(never, func() {
			r := r.Clone()
			r.Status = mcptask.Completed
			if err := b.Update(b.Context(), r); err != nil {
				b.Error(err)
			}
		})
		b.many(10, func(int) error {
			b.until(r.Key, func(r *mcptask.Record) bool { return r.Status == mcptask.Completed })
			return nil
		}, nil)
	},
}

// until watches a task until done reports true.
func (b *bench) until(k mcptask.Key, done func(*mcptask.Record) bool) {
	b.Helper()
	ctx, cancel := context.WithTimeout(b.Context(), soon)
	defer cancel()
	for r, err := range b.Watch(ctx, k) {
		if err != nil {
			b.Errorf("watch: %v", err)
			return
		}
		if done(r) {
			return
		}
	}
}

// closing contains the tests of Close, and of contexts.
var closing = map[string]func(*bench){
	"a closed store does nothing": func(b *bench) {
		r := b.create(record("a"))
		b.is(b.Close(), nil)
		_, err := b.Get(b.Context(), r.Key)
		b.is(err, mcptask.ErrStoreClosed)
		_, err = b.CountActive(b.Context(), r.Account)
		b.is(err, mcptask.ErrStoreClosed)
		_, err = b.claimWithin(soon, process, long)
		b.is(err, mcptask.ErrStoreClosed)
		b.is(b.Create(b.Context(), record("b"), mcptask.Quota{}, long), mcptask.ErrStoreClosed)
		b.is(b.Update(b.Context(), r), mcptask.ErrStoreClosed)
		b.is(b.Renew(b.Context(), r, long), mcptask.ErrStoreClosed)
		for _, err := range b.Watch(b.Context(), r.Key) {
			b.is(err, mcptask.ErrStoreClosed)
		}
	},
	"closing ends a claim": func(b *bench) {
		time.AfterFunc(never, func() { _ = b.Close() })
		_, err := b.claimWithin(soon, process, long)
		b.is(err, mcptask.ErrStoreClosed)
	},
	"closing ends watching": func(b *bench) {
		r := b.create(record("a"))
		time.AfterFunc(never, func() { _ = b.Close() })
		var last error
		for _, err := range b.Watch(b.Context(), r.Key) {
			last = err
		}
		b.is(last, mcptask.ErrStoreClosed)
	},
	"a context ends a claim": func(b *bench) {
		ctx, cancel := context.WithCancelCause(b.Context())
		cause := errors.New("the cause")
		time.AfterFunc(never, func() { cancel(cause) })
		_, err := b.Claim(ctx, mcptask.Claim{Owner: process, Lease: long, Server: server, Tools: []string{tool}})
		if !errors.Is(err, cause) && !errors.Is(err, context.Canceled) {
			b.Error(err)
		}
		b.create(record("a"))
		b.claim(process, long) // the cancelled call does not take it
	},
	"a context ends watching": func(b *bench) {
		r := b.create(record("a"))
		ctx, cancel := context.WithTimeout(b.Context(), never)
		defer cancel()
		var last error
		for _, err := range b.Watch(ctx, r.Key) {
			last = err
		}
		b.is(last, context.DeadlineExceeded)
	},
}
