package mcpnats

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/mcpgen/mcpgen/runtime/mcptask"
)

// Tasks returns a store of tasks. A record is the last message of a subject, which expires with the task; a lease is a
// message that expires by the clock of the server, in whole seconds, and ends by that of the replica that claims the task if the server
// keeps it longer. What is written together is one atomic batch. Each replica reads the headers of all records, so that it knows which
// tasks can be claimed; the rest of a record stays in the store. A replica that runs more tasks than others leaves one that becomes ready
// to them, for up to 0.2 seconds, and of several it claims one of the first eight. Closing the cluster closes its stores.
func (c *Cluster) Tasks() mcptask.Store {
	ctx, cancel := context.WithCancelCause(context.Background())
	s := &taskStore{Cluster: c, index: newTaskIndex(), ctx: ctx, cancel: cancel}
	s.reading.Go(s.readIndex)
	c.watching.Go(s.reading.Wait)
	return s
}

type taskStore struct {
	*Cluster
	index   *taskIndex
	ctx     context.Context // ends when the store is closed
	cancel  context.CancelCauseFunc
	reading sync.WaitGroup

	creating sync.Mutex // this replica creates one task at a time, so that only others can be first
}

// StateKeys implements [mcp.KeySource], so that each replica can read what another one has sealed in a task. A task should
// not be kept for longer than keys open: see [Cluster.StateKeys].
func (s *taskStore) StateKeys(ctx context.Context) ([][]byte, error) {
	return s.Cluster.StateKeys().StateKeys(ctx)
}

// begin returns the context of one call, or why it cannot begin.
func (s *taskStore) begin(ctx context.Context) (context.Context, context.CancelFunc, error) {
	switch {
	case s.closedNow():
		return nil, nil, mcptask.ErrStoreClosed
	case ctx.Err() != nil:
		return nil, nil, context.Cause(ctx)
	}
	ctx, cancel := context.WithTimeout(ctx, requestTime)
	return ctx, cancel, nil
}

func (s *taskStore) closedNow() bool {
	select {
	case <-s.stop:
		return true
	case <-s.ctx.Done():
		return true
	default:
		return false
	}
}

// Create implements [mcptask.Store]. Each creation replaces the message of one subject, the turn, and is refused
// if another one was first. So the creations of all replicas are in one order, and a replica that has read the stream up
// to the turn has counted all tasks that are open.
func (s *taskStore) Create(ctx context.Context, r *mcptask.Record, q mcptask.Quota, lease time.Duration) error {
	ctx, cancel, err := s.begin(ctx)
	if err != nil {
		return err
	}
	defer cancel()
	s.creating.Lock()
	defer s.creating.Unlock()
	hash := taskHash(r.Key)
	before, leased := uint64(0), uint64(0) // the versions of the record and the lease that are replaced
	for complete := false; ; {
		turn, account, total, err := s.count(ctx, r.Account)
		if err != nil {
			return err
		}
		full := !r.Status.Ended() && (q.Account > 0 && account >= q.Account || q.Total > 0 && total >= q.Total)
		if full && !complete {
			if err := s.absent(ctx, hash, &before); err != nil {
				return err
			}
			if err := s.readAll(ctx); err != nil {
				return err
			}
			complete = true
			continue
		}
		if full {
			return mcptask.ErrTooMany
		}
		version, err := s.write(ctx, hash, nil, r, before, func(b *batch) {
			if r.Owner != "" {
				b.add(s.leaseSubject(hash), leased, lease, nil)
			}
			b.add(s.turnSubject(), turn, 0, nil)
		})
		if err == nil {
			r.Version = version
			return nil
		}
		if !wrongSequence(err) {
			return err
		}
		if err := s.absent(ctx, hash, &before); err != nil {
			return err
		}
		if leased, err = s.lastSequence(ctx, s.leaseSubject(hash)); err != nil {
			return err
		}
		turn, err = s.lastSequence(ctx, s.turnSubject())
		if err != nil {
			return err
		}
		s.index.resetAfter(turn)
		if err := s.index.wait(ctx, turn); err != nil {
			return err
		}
	}
}

// absent sets version to that of a record that has expired, or 0; a task that exists is an error.
func (s *taskStore) absent(ctx context.Context, hash string, version *uint64) error {
	found, err := s.load(ctx, hash)
	switch {
	case err != nil:
		return err
	case found == nil:
		*version = 0
	case found.head.expired(s.clock.time()):
		*version = found.version
	default:
		return mcptask.ErrExists
	}
	return nil
}

// count returns the open tasks, and the turn of which they are true.
func (s *taskStore) count(ctx context.Context, account mcptask.Digest) (turn uint64, ofAccount, total int, err error) {
	if err := s.index.wait(ctx, 0); err != nil {
		return 0, 0, 0, err
	}
	turn, ofAccount, total = s.index.count(account, s.clock.time())
	return turn, ofAccount, total, nil
}

// Get implements [mcptask.Store].
func (s *taskStore) Get(ctx context.Context, k mcptask.Key) (*mcptask.Record, error) {
	ctx, cancel, err := s.begin(ctx)
	if err != nil {
		return nil, err
	}
	defer cancel()
	return s.get(ctx, taskHash(k))
}

// GetHead implements [mcptask.HeadStore].
func (s *taskStore) GetHead(ctx context.Context, k mcptask.Key) (*mcptask.Record, error) {
	ctx, cancel, err := s.begin(ctx)
	if err != nil {
		return nil, err
	}
	defer cancel()
	hash := taskHash(k)
	found, err := s.live(ctx, hash)
	if err != nil {
		return nil, err
	}
	if found.hasHead() {
		return found.headOnly(), nil
	}
	r, err := s.get(ctx, hash)
	if err == nil {
		r.Sealed = nil
	}
	return r, err
}

func (s *taskStore) get(ctx context.Context, hash string) (*mcptask.Record, error) {
	for {
		found, err := s.live(ctx, hash)
		if err != nil {
			return nil, err
		}
		r, err := s.record(ctx, found)
		if !errors.Is(err, errPartsGone) {
			return r, err
		}
		select {
		case <-ctx.Done():
			return nil, err
		case <-time.After(readPause):
		}
	}
}

// live loads a record that has not expired.
func (s *taskStore) live(ctx context.Context, hash string) (*storedTask, error) {
	found, err := s.load(ctx, hash)
	switch {
	case err != nil:
		return nil, err
	case found == nil || found.head.expired(s.clock.time()):
		return nil, mcptask.ErrNotFound
	}
	return found, nil
}

// Update implements [mcptask.Store].
func (s *taskStore) Update(ctx context.Context, r *mcptask.Record) error {
	ctx, cancel, err := s.begin(ctx)
	if err != nil {
		return err
	}
	defer cancel()
	hash := taskHash(r.Key)
	found, err := s.live(ctx, hash)
	if err != nil {
		return err
	}
	if found.version != r.Version || r.Owner != "" && (r.Owner != found.head.Owner || r.Attempt != found.head.Attempt) {
		return mcptask.ErrConflict
	}
	version, err := s.write(ctx, hash, found, r, found.version, nil)
	switch {
	case wrongSequence(err):
		return mcptask.ErrConflict
	case err != nil:
		return err
	}
	r.Version = version
	return nil
}

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

// leaderPause is the time after which a record is read again that the leader does not have yet. A server makes a write when most
// servers have it, and each does so by itself: one that delivers the write can be ahead of the leader.
const leaderPause = 5 * time.Millisecond

// unknownEnd is the time after which a record is read again whose end this replica has not read yet.
const unknownEnd = time.Second

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

// claim claims a task, or returns nil if that is not possible now.
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
		s.index.postpone(hash, retryClaim) // its last message was not read yet
		return nil, nil
	}
	leased, err := s.lastSequence(ctx, s.leaseSubject(hash))
	if err != nil {
		return nil, err
	}
	// The server ends a lease in whole seconds, and by a clock that may be ahead of the one by which the next leader does.
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
	case wrongSequence(err): // another replica was first
		s.index.postpone(hash, retryClaim)
		return nil, nil
	case err != nil:
		return nil, err
	}
	r.Version = version
	return r, nil
}

// retryClaim is after which time a task is tried again that cannot be claimed now, unless it changes before.
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
		// The lease is read first: a claim after that makes the write fail.
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

// CountActive implements [mcptask.Store].
func (s *taskStore) CountActive(ctx context.Context, account mcptask.Digest) (int, error) {
	ctx, cancel, err := s.begin(ctx)
	if err != nil {
		return 0, err
	}
	defer cancel()
	if err := s.readAll(ctx); err != nil {
		return 0, err
	}
	_, n, _, err := s.count(ctx, account)
	return n, err
}

// readAll waits until the index contains everything that the stream contained when readAll was called. A creation reads up to the
// last turn, which precedes the ends of tasks at other replicas; what refuses for lack of room reads those first.
func (s *taskStore) readAll(ctx context.Context) error {
	var target uint64
	err := s.attempts(ctx, func(ctx context.Context) error {
		info, err := s.tasks.Info(ctx)
		if err == nil {
			target = info.State.LastSeq
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("mcpnats: %w", err)
	}
	for {
		soon, cancel := context.WithTimeout(ctx, readPause)
		err := s.index.wait(soon, target)
		cancel()
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return context.Cause(ctx)
		}
		// Messages that were deleted, and those of a lost stream, are not read any more.
		last, err := s.lastSequence(ctx, s.subject("task", ">"))
		if err != nil {
			return err
		}
		target = min(target, last)
	}
}

// Close implements [mcptask.Store]. The tasks stay in the store.
func (s *taskStore) Close() error {
	s.cancel(mcptask.ErrStoreClosed)
	s.reading.Wait()
	return nil
}

func (s *taskStore) leaseSubject(hash string) string { return s.subject("task", "lease", hash) }

func (s *taskStore) turnSubject() string { return s.subject("task", "turn") }

// lastSequence returns the number of the last message of a subject, or 0.
func (s *taskStore) lastSequence(ctx context.Context, subject string) (uint64, error) {
	m, err := s.last(ctx, s.tasks, subject)
	switch {
	case errors.Is(err, jetstream.ErrMsgNotFound):
		return 0, nil
	case err != nil:
		return 0, fmt.Errorf("mcpnats: %w", err)
	}
	return m.Sequence, nil
}
