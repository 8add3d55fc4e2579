package mcpnats

import (
	"context"
	"errors"
	"time"

	"github.com/mcpgen/mcpgen/runtime/mcptask"
)

// Claim implements [mcptask.Store].
func (s *taskStore) Claim(ctx context.Context, c mcptask.Claim) (*mcptask.Record, error) {
	for {
		if s.closedNow() {
			return nil, mcptask.ErrStoreClosed
		}
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		hash, changed, next := s.index.claimable(&c, s.clock.time(), int(s.readers.Load()))
		if hash != "" {
			r, err := s.claim(ctx, hash, &c)
			if r != nil || err != nil {
				return r, err
			}
			continue
		}
		timer := time.NewTimer(next)
		select {
		case <-changed:
		case <-c.Other:
		case <-timer.C:
		case <-ctx.Done():
		case <-s.stop:
		case <-s.ctx.Done():
		}
		timer.Stop()
	}
}

// claim claims a task, or returns nil if that is currently impossible.
func (s *taskStore) claim(ctx context.Context, hash string, c *mcptask.Claim) (*mcptask.Record, error) {
	ctx, cancel, err := s.begin(ctx)
	if err != nil {
		return nil, err
	}
	defer cancel()
	found, err := s.load(ctx, hash)
	if err != nil {
		return nil, err
	}
	if found == nil || found.head.expired(s.clock.time()) || !found.head.runnable() {
		s.index.postpone(hash, retryClaim) // its last message is not yet read
		return nil, nil
	}
	leased, err := s.lastSequence(ctx, s.leaseSubject(hash))
	if err != nil {
		return nil, err
	}
	// The server ends a lease in whole seconds, and its clock may be ahead of the next leader's.
	if found.head.Owner != "" && leased != 0 && !s.index.lapsed(hash, leased) {
		s.index.postpone(hash, retryClaim)
		return nil, nil
	}
	r, err := s.record(ctx, found)
	switch {
	case errors.Is(err, errPartsGone):
		s.index.postpone(hash, retryClaim)
		return nil, nil
	case err != nil:
		return nil, err
	}
	r.Ready, r.Owner = false, c.Owner
	r.Attempt++
	version, err := s.write(ctx, hash, found, r, found.version, func(b *batch) { b.add(s.leaseSubject(hash), leased, c.Lease, nil) })
	switch {
	case wrongSequence(err): // another replica was faster
		s.index.postpone(hash, retryClaim)
		return nil, nil
	case err != nil:
		return nil, err
	}
	r.Version = version
	return r, nil
}

// retryClaim is the delay before another attempt to claim a task, unless the task changes earlier.
const retryClaim = 100 * time.Millisecond

// Renew implements [mcptask.Store].
func (s *taskStore) Renew(ctx context.Context, r *mcptask.Record, lease time.Duration) error {
	ctx, cancel, err := s.begin(ctx)
	if err != nil {
		return err
	}
	defer cancel()
	hash := taskHash(r.Key)
	for {
		// The lease is read first: a later claim makes the write fail.
		leased, err := s.lastSequence(ctx, s.leaseSubject(hash))
		if err != nil {
			return err
		}
		found, err := s.live(ctx, hash)
		switch {
		case errors.Is(err, mcptask.ErrNotFound):
			return mcptask.ErrLeaseLost
		case err != nil:
			return err
		case r.Owner == "" || found.head.Owner != r.Owner || found.head.Attempt != r.Attempt || found.head.Status.Ended():
			return mcptask.ErrLeaseLost
		}
		b := batch{}
		b.add(s.leaseSubject(hash), leased, lease, nil)
		_, err = s.commit(ctx, s.tasks, &b)
		if !wrongSequence(err) {
			return err
		}
	}
}

func (s *taskStore) leaseSubject(hash string) string { return s.subject("task", "lease", hash) }
