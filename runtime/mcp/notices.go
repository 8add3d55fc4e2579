package mcp

import (
	"context"
	"encoding/json"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/usercode"
)

// This file reads the notices that all replicas have published (pubsub.go), on a goroutine that
// begins with the first connection and ends when the [PubSub] is closed. It stores the latest
// notices, so that a client that resumes the stream of its session at this replica misses none.

// maxNotices limits the notices that a replica stores.
const maxNotices = 1024

// noticePause is the time between two tries to read notices.
const noticePause = time.Second

// recentNotices are the latest notices, in order.
type recentNotices struct {
	mu   sync.Mutex
	kept []numberedChange
	last uint64 // number of the latest notice, stored or not
	done uint64 // number of the latest notice that the subscribers have received
	gap  uint64 // number of the last notice that was missed; 0 if none was
}

// numberedChange is the content of a notice.
type numberedChange struct {
	number uint64
	change change
}

// read reads notices and notifies the clients of this replica, until the PubSub is closed.
func (c *changes) read() {
	failing := false
	for {
		closed, err := c.readSome(func() {
			if failing {
				c.log.Program(context.Background(), slog.LevelInfo, "notices of other replicas are read again")
			}
			failing = false
		})
		if closed {
			return
		}
		if !failing {
			failing = true
			c.log.Program(context.Background(), slog.LevelError,
				"notices of other replicas cannot be read", slog.Any("error", err))
		}
		time.Sleep(noticePause)
	}
}

// readSome reads notices until an error, or until the PubSub is closed. It calls works after each.
func (c *changes) readSome(works func()) (closed bool, err error) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	err = usercode.Within(ctx, "Subscribe of the PubSub", func() error {
		for notice, err := range c.pubsub.Subscribe(ctx, c.notices.latest()) {
			if err != nil {
				return err
			}
			works()
			c.receive(notice)
		}
		closed = true
		return nil
	})
	return closed, err
}

// receive notifies the clients of this replica of a notice.
func (c *changes) receive(n Notice) {
	var one change
	known := json.Unmarshal(n.Data, &one) == nil
	fresh, gap := c.notices.add(n.Sequence, one)
	switch {
	case !fresh:
		return
	case gap:
		c.log.Program(context.Background(), slog.LevelWarn, "notices of other replicas were missed", slog.Uint64("next", n.Sequence))
		c.host.notifyAll()
	}
	if known {
		c.host.notifyOf(one, n.Sequence)
	}
	c.notices.notified(n.Sequence)
}

// notified records that the subscribers have been notified of a notice.
func (r *recentNotices) notified(number uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.done = number
}

// doneUpTo returns the number of the latest notice that the subscribers have received.
func (r *recentNotices) doneUpTo() uint64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.done
}

// latest returns the number of the latest notice.
func (r *recentNotices) latest() uint64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.last
}

// add stores a notice. It reports whether the notice is new, and whether notices before it were
// missed.
func (r *recentNotices) add(number uint64, one change) (fresh, gap bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if number <= r.last {
		return false, false
	}
	if number > r.last+1 {
		gap = r.last > 0
		r.gap = number - 1
		r.kept = nil
	}
	r.last = number
	if len(r.kept) == maxNotices {
		r.kept[0] = numberedChange{}
		r.kept = r.kept[1:]
	}
	r.kept = append(r.kept, numberedChange{number, one})
	return true, gap
}

// after returns the notices after that number. It returns false if some of them are not stored.
func (r *recentNotices) after(number uint64) ([]numberedChange, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if number > r.last || number < r.gap || len(r.kept) > 0 && number+1 < r.kept[0].number {
		return nil, false
	}
	i := slices.IndexFunc(r.kept, func(n numberedChange) bool { return n.number > number })
	if i < 0 {
		return nil, true
	}
	return slices.Clone(r.kept[i:]), true
}
