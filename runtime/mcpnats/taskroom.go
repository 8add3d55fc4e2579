package mcpnats

import (
	"context"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/mcpgen/mcpgen/runtime/internal/taskroom"
	"github.com/mcpgen/mcpgen/runtime/mcptask"
)

// keptTasks are the tasks in the stream, including finished ones. The stream does not report that a
// message has expired, or that another replica has deleted one; a task that no longer exists is
// deleted again, which is harmless.
type keptTasks struct {
	sizes   taskroom.Ledger[string, mcptask.Digest] // by hash
	tasks   map[string]keptTask
	expires time.Time // at or before the first expiry in tasks
}

type keptTask struct {
	expires time.Time
	parts   string // subject of its parts
}

// put records a task.
func (k *keptTasks) put(hash string, h *taskHead) {
	if k.tasks == nil {
		k.tasks = map[string]keptTask{}
	}
	if len(k.tasks) == 0 || h.ends().Before(k.expires) {
		k.expires = h.ends()
	}
	k.tasks[hash] = keptTask{h.ends(), h.Parts}
	k.sizes.Put(hash, digest(h.Account), h.Size, h.Status.Ended())
}

func (k *keptTasks) remove(hash string) {
	delete(k.tasks, hash)
	k.sizes.Remove(hash)
}

// forgetExpired removes expired tasks.
func (k *keptTasks) forgetExpired(now time.Time) {
	if now.Before(k.expires) {
		return
	}
	k.expires = now.Add(time.Hour)
	for hash, t := range k.tasks {
		switch {
		case !now.Before(t.expires):
			k.remove(hash)
		case t.expires.Before(k.expires):
			k.expires = t.expires
		}
	}
}

// victims returns the tasks to delete, with the subjects of their parts.
func (x *taskIndex) victims(n *mcptask.Need, now time.Time) (parts map[string]string, ok bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.kept.forgetExpired(now)
	hashes, ok := x.kept.sizes.Victims(n.Account, n.Tasks, n.Bytes, taskroom.Limits(n.Room))
	parts = map[string]string{}
	for _, hash := range hashes {
		parts[hash] = x.kept.tasks[hash].parts
	}
	return parts, ok
}

// deleted records that a task was deleted.
func (x *taskIndex) deleted(hash string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.kept.remove(hash)
}

// MakeRoom implements [mcptask.Store].
func (s *taskStore) MakeRoom(ctx context.Context, n mcptask.Need) error {
	ctx, cancel, err := s.begin(ctx)
	if err != nil {
		return err
	}
	defer cancel()
	if err := s.index.wait(ctx, 0); err != nil {
		return err
	}
	parts, ok := s.index.victims(&n, s.clock.time())
	if !ok {
		if err := s.readAll(ctx); err != nil {
			return err
		}
		if parts, ok = s.index.victims(&n, s.clock.time()); !ok {
			return mcptask.ErrTooMany
		}
	}
	for hash, subject := range parts {
		err := s.attempts(ctx, func(ctx context.Context) error {
			return s.tasks.Purge(ctx, jetstream.WithPurgeSubject(s.subject("task", "record", hash)))
		})
		if err != nil {
			return err
		}
		s.index.deleted(hash)
		s.removeParts(subject)
	}
	return nil
}
