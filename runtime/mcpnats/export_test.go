package mcpnats

import (
	"context"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/mcpgen/mcpgen/runtime/mcptask"
)

// Parts counts the parts of records.
func (c *Cluster) Parts(ctx context.Context) int { return count(ctx, c.parts, c.subject("part", ">")) }

// Records counts the records of tasks.
func (c *Cluster) Records(ctx context.Context) int {
	return count(ctx, c.tasks, c.subject("task", "record", ">"))
}

func count(ctx context.Context, s jetstream.Stream, subjects string) int {
	info, err := s.Info(ctx, jetstream.WithSubjectFilter(subjects))
	if err != nil {
		return -1
	}
	return len(info.State.Subjects)
}

// WithForgottenTime sets how long a stream must be missing before it is created again.
func WithForgottenTime(d time.Duration) Option { return func(s *settings) { s.forgotten = d } }

// LapseLeases makes a store consider the leases that it has read as expired.
func LapseLeases(store mcptask.Store) (leases int) {
	x := store.(*taskStore).index
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, t := range x.open {
		if t.lease > 0 {
			leases++
			t.leaseEnd = time.Now().Add(-2 * leaseSlack)
			t.tryAt = t.leaseEnd
		}
	}
	x.wake()
	return leases
}
