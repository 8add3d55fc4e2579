// Package taskstore tests implementations of [mcptask.Store].
package taskstore

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/runtime/mcptask"
)

// Run tests stores; open returns an empty one. The function within runs each test, which opens the
// store.
func Run(t *testing.T, open func() mcptask.Store, within func(*testing.T, func(*testing.T))) {
	t.Helper()
	for _, group := range []map[string]func(*bench){creating, reading, updating, making, claiming, leasing, watching, expiring, racing, closing} {
		for _, name := range slices.Sorted(maps.Keys(group)) {
			t.Run(name, func(t *testing.T) {
				within(t, func(t *testing.T) {
					s := open()
					defer func() {
						if err := s.Close(); err != nil {
							t.Errorf("close: %v", err)
						}
					}()
					group[name](&bench{t, s})
				})
			})
		}
	}
}

// Times that suit a slow machine.
const (
	lease = 300 * time.Millisecond // of runs that should lose it
	long  = time.Hour
	soon  = 10 * time.Second       // for events that must happen
	never = 100 * time.Millisecond // for events that must not happen
)

// bench is the state of one test.
type bench struct {
	*testing.T
	mcptask.Store
}

// server, tool and process are names used by most tests.
const (
	server  = "books"
	tool    = "stocktaking"
	process = "first"
)

// record returns a task that is ready for its first run.
func record(id string) *mcptask.Record {
	now := time.Now().Truncate(time.Millisecond) // a store may not store more
	return &mcptask.Record{
		Key: mcptask.Key{Scope: mcptask.Digest{1}, ID: id}, Account: mcptask.Digest{2}, Server: server, Tool: tool,
		Created: now, Expires: now.Add(long), Ready: true, Head: []byte("head " + id), Sealed: []byte("sealed " + id),
	}
}

// create adds a task.
func (b *bench) create(r *mcptask.Record) *mcptask.Record {
	b.Helper()
	if err := b.Create(b.Context(), r, mcptask.Quota{}, long); err != nil {
		b.Fatalf("create %s: %v", r.Key.ID, err)
	}
	return r
}

// get returns a task.
func (b *bench) get(k mcptask.Key) *mcptask.Record {
	b.Helper()
	r, err := b.Get(b.Context(), k)
	if err != nil {
		b.Fatalf("get %s: %v", k.ID, err)
	}
	return r
}

// update modifies the current record of a task.
func (b *bench) update(k mcptask.Key, change func(*mcptask.Record)) *mcptask.Record {
	b.Helper()
	r := b.get(k)
	change(r)
	b.store(r)
	return r
}

// store updates a task to r.
func (b *bench) store(r *mcptask.Record) {
	b.Helper()
	if err := b.Update(b.Context(), r); err != nil {
		b.Fatalf("update %s: %v", r.Key.ID, err)
	}
}

// claim waits up to soon for a claimable task.
func (b *bench) claim(owner string, lease time.Duration) *mcptask.Record {
	b.Helper()
	r, err := b.claimWithin(soon, owner, lease)
	if err != nil {
		b.Fatalf("claim: %v", err)
	}
	return r
}

func (b *bench) claimWithin(d time.Duration, owner string, lease time.Duration) (*mcptask.Record, error) {
	ctx, cancel := context.WithTimeout(b.Context(), d)
	defer cancel()
	return b.Claim(ctx, mcptask.Claim{Owner: owner, Lease: lease, Server: server, Tools: []string{"other", tool}})
}

// noClaim fails the test if a task can be claimed.
func (b *bench) noClaim() {
	b.Helper()
	if r, err := b.claimWithin(never, "another", long); !errors.Is(err, context.DeadlineExceeded) {
		b.Errorf("claim returns %+v, %v", r, err)
	}
}

// open compares the number of open tasks of an account.
func (b *bench) open(account mcptask.Digest, want int) {
	b.Helper()
	if n, err := b.CountActive(b.Context(), account); err != nil || n != want {
		b.Errorf("%d open tasks, %v, want %d", n, err, want)
	}
}

// is compares errors.
func (b *bench) is(err, want error) {
	b.Helper()
	if !errors.Is(err, want) {
		b.Errorf("error %v, want %v", err, want)
	}
}

// same compares two records.
func (b *bench) same(got, want *mcptask.Record) {
	b.Helper()
	text := func(r *mcptask.Record) string {
		c := *r
		c.Created, c.Expires, c.Head, c.Sealed = time.Time{}, time.Time{}, nil, nil
		return fmt.Sprintf("%+v", c)
	}
	if text(got) != text(want) || !got.Created.Equal(want.Created) || !got.Expires.Equal(want.Expires) || !bytes.Equal(got.Head, want.Head) || !bytes.Equal(got.Sealed, want.Sealed) {
		b.Errorf("%+v\nwant\n%+v", got, want)
	}
}
