package mcpsqlite

import (
	"context"
	"iter"
	"time"

	"github.com/mcpgen/mcpgen/runtime/mcptask"
)

// notify wakes the goroutines that wait for a change.
func (s *Store) notify() {
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.changed)
	s.changed = make(chan struct{})
}

// change returns a channel that is closed after the next write of this process.
func (s *Store) change() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.changed
}

// wait waits for a change, for other, or for a limited time.
func (s *Store) wait(ctx context.Context, changed, other <-chan struct{}) {
	timer := time.NewTimer(pollTime)
	defer timer.Stop()
	select {
	case <-changed:
	case <-other:
	case <-timer.C:
	case <-ctx.Done():
	case <-s.closed:
	}
}

// Watch implements [mcptask.Store].
func (s *Store) Watch(ctx context.Context, k mcptask.Key) iter.Seq2[*mcptask.Record, error] {
	return s.watch(ctx, k, s.Get)
}

// WatchHead implements [mcptask.HeadStore].
func (s *Store) WatchHead(ctx context.Context, k mcptask.Key) iter.Seq2[*mcptask.Record, error] {
	return s.watch(ctx, k, s.GetHead)
}

func (s *Store) watch(ctx context.Context, k mcptask.Key, get func(context.Context, mcptask.Key) (*mcptask.Record, error)) iter.Seq2[*mcptask.Record, error] {
	return func(yield func(*mcptask.Record, error) bool) {
		for last := uint64(0); ; {
			changed := s.change()
			r, err := get(ctx, k)
			switch {
			case err != nil:
				yield(nil, err)
				return
			case r.Version != last:
				last = r.Version
				if !yield(r, nil) {
					return
				}
				continue
			}
			s.wait(ctx, changed, nil)
		}
	}
}
