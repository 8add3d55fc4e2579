package mcptask

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/taskcall"
)

// This file is which request, or stream, of which process sends a question of a task to the client,
// in the form of tasks of revision 2025-11-25: one at a time. In a process, a map says it; among
// processes, the open question has the name of the process that asks, and a number that changes
// while it does. Another process takes over when the number has stayed the same for the time of a
// lease, by its own clock.

// askedQuestion is a question of a task.
type askedQuestion struct {
	key  Key
	name string
}

// Asking implements [taskcall.Tasks].
func (t *tasks) Asking(ctx context.Context, caller taskcall.Caller, id, name string) (_ context.Context, end func()) {
	q := askedQuestion{t.key(caller, id), name}
	leave := t.askHere(ctx, q)
	if leave == nil {
		return nil, nil
	}
	if !t.askAlone(ctx, q) {
		leave()
		return nil, nil
	}
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	if t.private {
		close(ended)
	} else {
		go func() {
			defer close(ended)
			t.keepAsking(ctx, cancel, q)
		}()
	}
	return ctx, func() {
		cancel()
		<-ended
		leave()
	}
}

// askHere waits until no other goroutine of this process asks. It returns nil if ctx ends.
func (t *tasks) askHere(ctx context.Context, q askedQuestion) (leave func()) {
	for {
		t.mu.Lock()
		other := t.asked[q]
		if other == nil {
			mine := make(chan struct{})
			t.asked[q] = mine
			t.mu.Unlock()
			return func() {
				t.mu.Lock()
				defer t.mu.Unlock()
				delete(t.asked, q)
				close(mine)
			}
		}
		t.mu.Unlock()
		select {
		case <-other:
		case <-ctx.Done():
			return nil
		}
	}
}

// asker is the process that asks an open question.
type asker struct {
	Process string `json:"p"`
	Beat    int    `json:"b"` // changes while it asks
}

// errAsked means that another process asks.
var errAsked = errors.New("mcptask: another process asks")

// askAlone waits until no other process asks, also while the store fails: the question would not be asked otherwise. It
// reports false if the question is not open any more, or ctx ends.
func (t *tasks) askAlone(ctx context.Context, q askedQuestion) bool {
	var silent, now asker
	for {
		err := t.changeAsker(ctx, q, func(a *asker) error {
			if now = *a; a.Process != "" && a.Process != t.owner && *a != silent {
				return errAsked
			}
			a.Process = t.owner
			a.Beat++
			return nil
		})
		switch {
		case err == nil:
			return true
		case ctx.Err() != nil, errors.Is(err, errNothing), errors.Is(err, ErrNotFound), errors.Is(err, ErrStoreClosed):
			return false
		case !errors.Is(err, errAsked):
			select {
			case <-time.After(askingPause):
			case <-ctx.Done():
				return false
			}
			continue
		}
		silent = asker{}
		if t.awaitAsker(ctx, q, now) {
			silent = now
		}
	}
}

// askingPause is after which time a store is tried again that has failed.
const askingPause = time.Second

// awaitAsker waits until another process asks, or none, and at most for the time of a lease. It
// reports whether nothing has changed.
func (t *tasks) awaitAsker(ctx context.Context, q askedQuestion, now asker) bool {
	ctx, cancel := context.WithTimeout(ctx, lease)
	defer cancel()
	for r, err := range t.watchHead(ctx, q.key) {
		if err != nil { // the caller tries again, which must not take a processor while the store fails
			select {
			case <-time.After(askingPause):
			case <-ctx.Done():
			}
			break
		}
		c, err := t.openHead(ctx, r)
		if err != nil {
			return false
		}
		if i := c.index(q.name); i < 0 || c.Open[i].asker() != now {
			return false
		}
	}
	return ctx.Err() != nil
}

// keepAsking says that this process asks, until ctx ends. It cancels ctx if another process asks
// instead.
func (t *tasks) keepAsking(ctx context.Context, cancel func(), q askedQuestion) {
	ticker := time.NewTicker(lease / 3)
	defer ticker.Stop()
	for ctx.Err() == nil {
		select {
		case <-ctx.Done():
		case <-ticker.C:
			err := t.changeAsker(ctx, q, func(a *asker) error {
				if a.Process != t.owner {
					return errAsked
				}
				a.Beat++
				return nil
			})
			if errors.Is(err, errAsked) || errors.Is(err, errNothing) || errors.Is(err, ErrNotFound) {
				cancel()
			}
		}
	}
	within, end := context.WithTimeout(context.WithoutCancel(ctx), storeTime)
	defer end()
	_ = t.changeAsker(within, q, func(a *asker) error { // or else the others wait for a lease
		if a.Process != t.owner {
			return errAsked
		}
		*a = asker{}
		return nil
	})
}

// changeAsker changes who asks a question. The error is errNothing if it is not open. A store that
// nothing else uses has no name of a process.
func (t *tasks) changeAsker(ctx context.Context, q askedQuestion, f func(*asker) error) error {
	_, _, err := t.change(ctx, q.key, func(_ *Record, c *content) error {
		i := c.index(q.name)
		if i < 0 {
			return errNothing
		}
		if t.private {
			return errAlone
		}
		now := c.Open[i].asker()
		if err := f(&now); err != nil {
			return err
		}
		c.Open[i].Asker, c.unseen = &now, true
		return nil
	})
	if errors.Is(err, errAlone) {
		return nil
	}
	return err
}

// errAlone means that the question is open, and nothing is to be written.
var errAlone = errors.New("mcptask: no other process has the task")

func (q *openQuestion) asker() asker {
	if q.Asker == nil {
		return asker{}
	}
	return *q.Asker
}

// index returns the place of an open question, -1 if it is not open.
func (c *content) index(name string) int {
	return slices.IndexFunc(c.Open, func(q openQuestion) bool { return q.Name == name })
}
