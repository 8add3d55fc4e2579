package mcpnats

import (
	"context"
	"iter"
	"time"

	"github.com/mcpgen/mcpgen/runtime/mcptask"
)

// leaderPause is the delay before another read of a record that the leader does not have yet. Each
// server applies a write when the majority has it: a server that delivers the write can be ahead of
// the leader.
const leaderPause = 5 * time.Millisecond

// unknownEnd is the delay before another read of a record whose expiry this replica has not read
// yet.
const unknownEnd = time.Second

// Watch implements [mcptask.Store].
func (s *taskStore) Watch(ctx context.Context, k mcptask.Key) iter.Seq2[*mcptask.Record, error] {
	return s.watch(ctx, k, s.Get)
}

// WatchHead implements [mcptask.HeadStore].
func (s *taskStore) WatchHead(ctx context.Context, k mcptask.Key) iter.Seq2[*mcptask.Record, error] {
	return s.watch(ctx, k, s.GetHead)
}

func (s *taskStore) watch(ctx context.Context, k mcptask.Key, get func(context.Context, mcptask.Key) (*mcptask.Record, error)) iter.Seq2[*mcptask.Record, error] {
	return func(yield func(*mcptask.Record, error) bool) {
		hash := taskHash(k)
		for last := uint64(0); ; {
			changed, version, ends, stop := s.index.watch(hash)
			r, err := get(ctx, k)
			if err != nil {
				stop()
				yield(nil, err)
				return
			}
			if r.Version != last {
				last = r.Version
				stop()
				if !yield(r, nil) {
					return
				}
				continue
			}
			wait := unknownEnd
			if !ends.IsZero() {
				wait = max(leaderPause, ends.Sub(s.clock.time()))
			}
			if r.Version < version { // another server has a record that the leader does not have yet
				wait = min(wait, leaderPause)
			}
			timer := time.NewTimer(wait)
			select {
			case <-changed:
			case <-timer.C:
			case <-ctx.Done():
			case <-s.stop:
			case <-s.ctx.Done():
			}
			timer.Stop()
			stop()
		}
	}
}
