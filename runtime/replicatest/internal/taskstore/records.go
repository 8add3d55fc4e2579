package taskstore

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/runtime/mcptask"
)

// creating contains the tests of Create, Open and the limits.
var creating = map[string]func(*bench){
	"a created task is found": func(b *bench) {
		r := b.create(record("a"))
		if r.Version == 0 {
			b.Error("Create sets no version")
		}
		b.same(b.get(r.Key), r)
	},
	"all fields are kept": func(b *bench) {
		r := record("a")
		r.Status, r.Ready, r.Attempt = mcptask.InputRequired, false, 2
		r.Head, r.Sealed = []byte{0xff, 0, '\r'}, []byte{0, 1, 0xff, '\n', '"'}
		b.same(b.get(b.create(r).Key), r)
	},
	"a large state is kept": func(b *bench) {
		r := record("a")
		r.Sealed = []byte(strings.Repeat("sealed ", 1<<20))
		b.same(b.get(b.create(r).Key), r)
	},
	"no state is kept": func(b *bench) {
		r := record("a")
		r.Head, r.Sealed = nil, nil
		b.same(b.get(b.create(r).Key), r)
	},
	"an id exists once": func(b *bench) {
		first := b.create(record("a"))
		again := record("a")
		again.Tool = "another"
		b.is(b.Create(b.Context(), again, mcptask.Quota{}, long), mcptask.ErrExists)
		b.same(b.get(first.Key), first)
	},
	"principals have ids of their own": func(b *bench) {
		first, second := record("a"), record("a")
		second.Key.Scope, second.Tool = mcptask.Digest{7}, "another"
		b.create(first)
		b.create(second)
		b.same(b.get(first.Key), first)
		b.same(b.get(second.Key), second)
	},
	"the account is limited": func(b *bench) {
		limits := mcptask.Quota{Account: 2}
		for _, id := range []string{"a", "b"} {
			b.is(b.Create(b.Context(), record(id), limits, long), nil)
		}
		b.is(b.Create(b.Context(), record("c"), limits, long), mcptask.ErrTooMany)
		if _, err := b.Get(b.Context(), record("c").Key); !errors.Is(err, mcptask.ErrNotFound) {
			b.Errorf("a refused task is found: %v", err)
		}
		other := record("d")
		other.Account = mcptask.Digest{9}
		b.is(b.Create(b.Context(), other, limits, long), nil)
	},
	"all accounts are limited": func(b *bench) {
		for i, id := range []string{"a", "b", "c"} {
			r := record(id)
			r.Account = mcptask.Digest{byte(i)}
			err := b.Create(b.Context(), r, mcptask.Quota{Account: 5, Total: 2}, long)
			if want := map[bool]error{true: mcptask.ErrTooMany}[i == 2]; !errors.Is(err, want) {
				b.Errorf("%s: %v, want %v", id, err, want)
			}
		}
	},
	"an id that exists is not one too many": func(b *bench) {
		b.create(record("a"))
		b.is(b.Create(b.Context(), record("a"), mcptask.Quota{Account: 1, Total: 1}, long), mcptask.ErrExists)
	},
	"ended tasks do not count": func(b *bench) {
		for _, status := range []mcptask.Status{mcptask.Completed, mcptask.Failed, mcptask.Cancelled} {
			r := b.create(record(status.String()))
			b.open(r.Account, 1)
			b.update(r.Key, func(r *mcptask.Record) { r.Status, r.Ready = status, false })
			b.open(r.Account, 0)
		}
		b.is(b.Create(b.Context(), record("a"), mcptask.Quota{Account: 1, Total: 1}, long), nil)
	},
	"a task that begins ended does not count": func(b *bench) {
		r := record("a")
		r.Status, r.Ready = mcptask.Failed, false
		b.create(r)
		b.open(r.Account, 0)
	},
	"tasks that wait count": func(b *bench) {
		r := b.create(record("a"))
		b.update(r.Key, func(r *mcptask.Record) { r.Status, r.Ready = mcptask.InputRequired, false })
		b.open(r.Account, 1)
	},
	"an unknown account has no tasks": func(b *bench) {
		b.create(record("a"))
		b.open(mcptask.Digest{42}, 0)
	},
	"a context that has ended creates nothing": func(b *bench) {
		ctx, cancel := context.WithCancel(b.Context())
		cancel()
		b.is(b.Create(ctx, record("a"), mcptask.Quota{}, long), context.Canceled)
		b.open(record("a").Account, 0)
	},
}

// reading contains the tests of Get.
var reading = map[string]func(*bench){
	"an unknown id is not found": func(b *bench) {
		b.create(record("a"))
		_, err := b.Get(b.Context(), record("b").Key)
		b.is(err, mcptask.ErrNotFound)
	},
	"a task of another principal is not found": func(b *bench) {
		k := b.create(record("a")).Key
		k.Scope[15]++
		_, err := b.Get(b.Context(), k)
		b.is(err, mcptask.ErrNotFound)
	},
	"records are copies": func(b *bench) {
		r := b.create(record("a"))
		want := r.Clone()
		r.Head[0], r.Sealed[0], r.Tool = 'x', 'x', "changed"
		got := b.get(want.Key)
		b.same(got, want)
		got.Head[1], got.Sealed[1], got.Status = 'y', 'y', mcptask.Failed
		b.same(b.get(want.Key), want)
	},
	"a large head is kept": func(b *bench) {
		for _, size := range []int{100, 300_000} {
			r := record(fmt.Sprint(size))
			r.Head, r.Sealed = []byte(strings.Repeat("h", 600_000)), []byte(strings.Repeat("s", size))
			b.create(r)
			b.same(b.get(r.Key), r)
			if s, ok := b.Store.(mcptask.HeadStore); ok {
				got, err := s.GetHead(b.Context(), r.Key)
				if err != nil || !bytes.Equal(got.Head, r.Head) || got.Sealed != nil {
					b.Errorf("the head has %d bytes, %d are sealed, %v", len(got.Head), len(got.Sealed), err)
				}
			}
			b.update(r.Key, func(r *mcptask.Record) { r.Head = []byte("small") })
		}
	},
	"a head is a record without the rest": func(b *bench) {
		s, ok := b.Store.(mcptask.HeadStore)
		if !ok {
			return
		}
		r := record("a")
		r.Sealed = []byte(strings.Repeat("sealed ", 1<<17))
		b.create(r)
		want := r.Clone()
		want.Sealed = nil
		for range 2 {
			got, err := s.GetHead(b.Context(), r.Key)
			if err != nil || got.Sealed != nil {
				b.Fatalf("%d bytes are sealed, %v", len(got.Sealed), err)
			}
			b.same(got, want)
			got.Head[0] = 'x' // of a copy
		}
		for got, err := range s.WatchHead(b.Context(), r.Key) {
			if err != nil || got.Sealed != nil {
				b.Fatalf("%d bytes are sealed, %v", len(got.Sealed), err)
			}
			b.same(got, want)
			if want.Tool == "another" {
				break
			}
			r.Tool, want.Tool = "another", "another"
			b.store(r)
			want.Version = r.Version
		}
		_, err := s.GetHead(b.Context(), record("b").Key)
		b.is(err, mcptask.ErrNotFound)
	},
	"ids are compared exactly": func(b *bench) {
		b.create(record("ABC"))
		for _, id := range []string{"abc", "ABC ", "AB", "ABC%", "A_C", "", "ABC\x00", "'; --"} {
			if _, err := b.Get(b.Context(), record(id).Key); !errors.Is(err, mcptask.ErrNotFound) {
				b.Errorf("%q: %v", id, err)
			}
		}
	},
}

// updating contains the tests of Update.
var updating = map[string]func(*bench){
	"an update is found": func(b *bench) {
		r := b.create(record("a"))
		before := r.Version
		r.Status, r.Ready, r.Sealed = mcptask.InputRequired, false, []byte("asked")
		b.store(r)
		if r.Version <= before {
			b.Error("the version stays")
		}
		b.same(b.get(r.Key), r)
	},
	"an older version is a conflict": func(b *bench) {
		r := b.create(record("a"))
		stale := r.Clone()
		r.Sealed = []byte("newer")
		b.store(r)
		stale.Sealed = []byte("stale")
		b.is(b.Update(b.Context(), stale), mcptask.ErrConflict)
		b.same(b.get(r.Key), r)
	},
	"a version does not come back": func(b *bench) {
		r := b.create(record("a"))
		stale := r.Clone()
		text := r.Sealed
		for range 3 {
			r.Sealed = []byte("another")
			b.store(r)
			r.Sealed = text
			b.store(r)
		}
		b.is(b.Update(b.Context(), stale), mcptask.ErrConflict)
	},
	"a version of another task is a conflict": func(b *bench) {
		first, second := b.create(record("a")), b.create(record("b"))
		for range 2 {
			b.store(first)
		}
		wrong := second.Clone()
		wrong.Version = first.Version
		b.is(b.Update(b.Context(), wrong), mcptask.ErrConflict)
	},
	"an unknown task is not updated": func(b *bench) {
		r := record("a")
		r.Version = 1
		b.is(b.Update(b.Context(), r), mcptask.ErrNotFound)
	},
	"an update does not begin a run": func(b *bench) {
		r := b.create(record("a"))
		r.Owner, r.Attempt, r.Ready = process, 1, false
		b.is(b.Update(b.Context(), r), mcptask.ErrConflict)
		b.claim(process, long)
	},
	"an update of another attempt is a conflict": func(b *bench) {
		b.create(record("a"))
		r := b.claim(process, long)
		r.Attempt++
		b.is(b.Update(b.Context(), r), mcptask.ErrConflict)
	},
	"cancelling wins over a later result": func(b *bench) {
		b.create(record("a"))
		run := b.claim(process, long)
		b.update(run.Key, func(r *mcptask.Record) { r.Status, r.Owner = mcptask.Cancelled, "" })
		run.Status, run.Owner = mcptask.Completed, ""
		b.is(b.Update(b.Context(), run), mcptask.ErrConflict)
		if got := b.get(run.Key); got.Status != mcptask.Cancelled {
			b.Errorf("status %s", got.Status)
		}
	},
}

// expiring contains the tests of expired tasks.
var expiring = map[string]func(*bench){
	"an expired task is not found": func(b *bench) {
		r := record("a")
		r.Expires = time.Now().Add(lease)
		b.create(r)
		time.Sleep(2 * lease)
		_, err := b.Get(b.Context(), r.Key)
		b.is(err, mcptask.ErrNotFound)
		b.is(b.Update(b.Context(), r), mcptask.ErrNotFound)
		b.open(r.Account, 0)
	},
	"an id is free after its time": func(b *bench) {
		r := record("a")
		r.Expires = time.Now().Add(lease)
		b.create(r)
		time.Sleep(2 * lease)
		b.create(record("a"))
	},
	"an expired task is not claimed": func(b *bench) {
		r := record("a")
		r.Expires = time.Now().Add(lease)
		b.create(r)
		time.Sleep(2 * lease)
		b.noClaim()
	},
	"the time can be changed": func(b *bench) {
		r := record("a")
		r.Expires = time.Now().Add(2 * lease)
		b.create(r)
		b.update(r.Key, func(r *mcptask.Record) { r.Expires = time.Now().Add(long) })
		time.Sleep(4 * lease)
		b.update(r.Key, func(r *mcptask.Record) { r.Expires = time.Now().Add(lease) })
		time.Sleep(2 * lease)
		_, err := b.Get(b.Context(), r.Key)
		b.is(err, mcptask.ErrNotFound)
	},
	"a run of an expired task has lost it": func(b *bench) {
		r := record("a")
		r.Expires = time.Now().Add(2 * lease)
		b.create(r)
		run := b.claim(process, long)
		time.Sleep(4 * lease)
		b.is(b.Renew(b.Context(), run, long), mcptask.ErrLeaseLost)
	},
}
