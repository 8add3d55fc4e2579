package mcpnats

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/mcpgen/mcpgen/runtime/mcptask"
)

// Tasks returns a store of tasks. A record is the last message of a subject, which expires with the
// task. A lease is a message that expires by the server's clock, in whole seconds; if the server
// keeps it longer, it ends by the clock of the replica that claims the task. Related writes form
// one atomic batch. Each replica reads the headers of all records, so that it knows which tasks can
// be claimed; the rest of a record remains in the store. A replica that runs more tasks than others
// leaves a ready task to them for up to 0.2 seconds, and of several tasks it claims one of the
// first eight. Closing the cluster closes its stores.
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

	creating sync.Mutex // this replica creates one task at a time, so that only others can be faster
}

// StateKeys implements [mcp.KeySource], so that each replica can read data that another one has
// sealed in a task. A task should not be kept for longer than keys open states: see
// [Cluster.StateKeys].
func (s *taskStore) StateKeys(ctx context.Context) ([][]byte, error) {
	return s.Cluster.StateKeys().StateKeys(ctx)
}

// begin returns the context of one call, or an error if the call cannot begin.
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

// Create implements [mcptask.Store]. Each creation replaces the message of one subject, the turn,
// and fails if another creation was faster. So the creations of all replicas are ordered, and a
// replica that has read the stream up to the turn has counted all open tasks.
func (s *taskStore) Create(ctx context.Context, r *mcptask.Record, q mcptask.Quota, lease time.Duration) error {
	ctx, cancel, err := s.begin(ctx)
	if err != nil {
		return err
	}
	defer cancel()
	s.creating.Lock()
	defer s.creating.Unlock()
	hash := taskHash(r.Key)
	before, leased := uint64(0), uint64(0) // versions of the replaced record and lease
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
		read := s.index.lastTurn()
		turn, err = s.lastSequence(ctx, s.turnSubject())
		if err != nil {
			return err
		}
		s.index.resetAfter(read, turn)
		if err := s.index.wait(ctx, turn); err != nil {
			return err
		}
	}
}

// absent sets version to the version of an expired record, or 0; an existing task is an error.
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

// count returns the number of open tasks, and the turn at which it was correct.
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

// readAll waits until the index has read everything that the stream contained when readAll was
// called. A creation reads up to the last turn, which precedes the ends of tasks on other replicas;
// before a refusal for lack of room, the store reads those first.
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
		// Deleted messages, and messages of a lost stream, are never read.
		last, err := s.lastSequence(ctx, s.subject("task", ">"))
		if err != nil {
			return err
		}
		target = min(target, last)
	}
}

// Close implements [mcptask.Store]. The tasks remain in the stream.
func (s *taskStore) Close() error {
	s.cancel(mcptask.ErrStoreClosed)
	s.reading.Wait()
	return nil
}

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
