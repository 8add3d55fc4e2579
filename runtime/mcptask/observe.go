package mcptask

import (
	"context"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/taskcall"
)

// This file notifies sessions of changes of their tasks, without a goroutine for each task. The store
// in memory does it by itself. For others, [tasks.change] does where this process changes a task, and
// one goroutine asks the store for what other processes have changed.

// Times at which the store is asked: for each task every pollEvery, and not more often than every
// pollGap for all of them.
const (
	pollEvery = 2 * time.Second
	pollGap   = 10 * time.Millisecond
)

// observer is a [Store] that calls a function after each change of a task, and when it is deleted.
// The function does not wait, nor use the store.
type observer interface {
	observe(k Key, changed func()) (stop func())
}

// observed is a task of a session, with what is called when it has changed.
type observed struct {
	key     Key
	changed func()
	version uint64 // that the goroutine has seen
}

// Observe implements [taskcall.Tasks].
func (t *tasks) Observe(caller taskcall.Caller, id string, changed func()) (stop func()) {
	k := t.key(caller, id)
	if o, ok := t.store.(observer); ok {
		return o.observe(k, changed)
	}
	o := &observed{key: k, changed: changed}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.observed[k] = append(t.observed[k], o)
	if t.stopPoll == nil {
		var ctx context.Context
		ctx, t.stopPoll = context.WithCancel(context.Background())
		go t.poll(ctx)
	}
	return func() { t.unobserve(o) }
}

// unobserve undoes Observe. The goroutine ends with the last task.
func (t *tasks) unobserve(o *observed) {
	t.mu.Lock()
	defer t.mu.Unlock()
	var others []*observed
	for _, other := range t.observed[o.key] {
		if other != o {
			others = append(others, other)
		}
	}
	t.observed[o.key] = others
	if len(others) == 0 {
		delete(t.observed, o.key)
	}
	if len(t.observed) == 0 && t.stopPoll != nil {
		t.stopPoll()
		t.stopPoll = nil
	}
}

// notify calls the functions of a task that this process has changed.
func (t *tasks) notify(k Key) {
	t.mu.Lock()
	all := t.observed[k]
	t.mu.Unlock()
	for _, o := range all {
		o.changed()
	}
}

// poll asks the store for the tasks in turn, until ctx ends.
func (t *tasks) poll(ctx context.Context) {
	for ctx.Err() == nil { // it ends with the last task
		t.mu.Lock()
		var all []*observed
		for _, some := range t.observed {
			all = append(all, some...)
		}
		t.mu.Unlock()
		gap := max(pollGap, pollEvery/time.Duration(max(1, len(all))))
		for _, o := range all {
			select {
			case <-time.After(gap):
			case <-ctx.Done():
				return
			}
			t.look(ctx, o)
		}
	}
}

// look asks the store for one task. An error of the store is that of the next request, too.
func (t *tasks) look(ctx context.Context, o *observed) {
	within, cancel := context.WithTimeout(ctx, storeTime)
	defer cancel()
	switch r, err := t.getHead(within, o.key); {
	case err == nil && r.Version == o.version:
		return
	case err == nil:
		o.version = r.Version
	case public(err) != taskcall.ErrUnknown:
		return
	}
	o.changed()
}
