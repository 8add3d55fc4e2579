package mcp

import (
	"context"
	"encoding/json"
	"log/slog"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/usercode"
)

// This file reads the notices that all replicas have published (pubsub.go), on a goroutine that
// begins with the first connection and ends when the [PubSub] is closed.

// noticePause is the time between two tries to read notices.
const noticePause = time.Second

// recentNotices are the notices that this replica has read.
type recentNotices struct {
	mu   sync.Mutex
	last uint64 // the number of the latest one
}

// read reads notices, and notifies the clients of this replica.
func (c *changes) read() {
	failing := false
	for {
		closed, err := c.readSome(func() {
			if failing {
				c.server.log.Program(context.Background(), slog.LevelInfo, "notices of other replicas are read again")
			}
			failing = false
		})
		if closed {
			return
		}
		if !failing {
			failing = true
			c.server.log.Program(context.Background(), slog.LevelError,
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

// receive notifies the clients of this replica of one notice.
func (c *changes) receive(n Notice) {
	var one change
	known := json.Unmarshal(n.Data, &one) == nil
	fresh, gap := c.notices.add(n.Sequence)
	switch {
	case !fresh:
		return
	case gap:
		c.server.log.Program(context.Background(), slog.LevelWarn, "notices of other replicas were missed", slog.Uint64("next", n.Sequence))
		c.server.notifyAll()
	}
	if known {
		c.server.notifyOf(one, n.Sequence)
	}
}

// latest returns the number of the latest notice.
func (r *recentNotices) latest() uint64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.last
}

// add records a notice. It reports whether the notice is new, and whether some before it were missed.
func (r *recentNotices) add(number uint64) (fresh, gap bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if number <= r.last {
		return false, false
	}
	gap = r.last > 0 && number > r.last+1
	r.last = number
	return true, gap
}

// notifyAll notifies all clients of all that they subscribe to, except lists of features of this
// process.
func (s *Server) notifyAll() {
	var subs []*subscriber
	s.subscribers.each(func(sub *subscriber) { subs = append(subs, sub) })
	for _, sub := range subs {
		s.notifyAllOf(sub)
	}
}

// notifyAllOf is notifyAll for one subscriber.
func (s *Server) notifyAllOf(sub *subscriber) {
	sub.changed(resourcesChanged, 0)
	for _, uri := range sub.subscribed() {
		if s.isNotifiable(uri) && s.mayNotify(sub, uri) {
			sub.updated(uri, 0)
		}
	}
}
