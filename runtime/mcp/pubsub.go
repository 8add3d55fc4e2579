package mcp

import (
	"context"
	"encoding/json"
	"iter"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/logs"
	"github.com/mcpgen/mcpgen/runtime/internal/usercode"
)

// This file sends changes of resources to the other replicas of a server. [Server.ResourceUpdated]
// and [Server.ResourcesChanged] queue a notice; one goroutine publishes the queue, and ends when it
// is empty. notices.go reads the notices that all replicas have published. changes.mu guards the
// queue.

// PubSub carries notices of changes between the replicas of a server. Its methods may be called by
// many goroutines.
type PubSub interface {
	// Publish adds a notice, of at most 64 KiB, for all replicas, including this one. After an
	// error the notice may or may not have been added.
	Publish(ctx context.Context, notice []byte) error
	// Subscribe returns the notices after the given sequence number: the stored ones, then the ones
	// to come. The sequence ends when ctx is cancelled, with its cause. After another error,
	// Subscribe is called again with the number of the last notice. The sequence ends without an
	// error when the PubSub is closed.
	Subscribe(ctx context.Context, after uint64) iter.Seq2[Notice, error]
}

// Notice is a change in the form in which a [PubSub] carries it.
type Notice struct {
	// Sequence is the number of the notice, equal for all replicas: at least 1, one more for each
	// notice that follows, and greater in a new store that replaces a lost one. A gap means that
	// the notices between are no longer stored; the server then notifies its clients of everything
	// that they subscribe to.
	Sequence uint64
	Data     []byte // as given to Publish
}

// change is a change of resources. Its JSON text is the content of a notice.
type change struct {
	Resource  string `json:"resource,omitempty"`  // URI of a resource that has changed
	Resources bool   `json:"resources,omitempty"` // the list of resources has changed
	All       bool   `json:"all,omitempty"`       // all resources may have changed
}

const (
	// changePause is the time between two rounds of publishing. Equal changes within it are one
	// notice: a program may write a resource thousands of times a second.
	changePause = 50 * time.Millisecond
	// changeWait limits the time of one attempt to publish a notice, and failedPause is the time
	// until the next attempt.
	changeWait, failedPause = 5 * time.Second, time.Second
	// maxChanges limits the changes that wait to be published. When the queue is full, writers
	// wait, as for a disk; while notices cannot be published, the queue becomes one notice that all
	// resources may have changed.
	maxChanges = 4096
)

// changeHost notifies the clients of one replica.
type changeHost interface {
	// notifyOf notifies the clients of a change. number is the number of its notice, or 0 for a
	// change without a notice.
	notifyOf(c change, number uint64)
	// notifyAll notifies the clients of everything that they subscribe to, except lists of features
	// of this process.
	notifyAll()
}

// changes is the queue of a server with a [PubSub].
type changes struct {
	host   changeHost
	log    *logs.Log
	pubsub PubSub

	mu         sync.Mutex
	room       sync.Cond // waits for mu
	waiting    []change  // not published yet, each once
	publishing bool      // a goroutine publishes
	failing    bool      // the last notice was not published, which is logged once; this replica's clients do not wait

	reading sync.Once
	notices recentNotices
}

// publish queues a change. It waits if too many are queued.
func (c *changes) publish(one change) {
	c.mu.Lock()
	for !c.failing && len(c.waiting) >= maxChanges && !c.has(one) {
		c.room.Wait()
	}
	c.add(one)
	if !c.publishing {
		c.publishing = true
		go c.publishAll()
	}
	failing := c.failing
	c.mu.Unlock()
	if failing {
		c.host.notifyOf(one, 0)
	}
}

// has reports whether a change is queued. The caller holds the lock.
func (c *changes) has(one change) bool {
	return slices.Contains(c.waiting, one) || len(c.waiting) > 0 && c.waiting[0].All
}

// wait waits until all changes are published, or cannot be now.
func (c *changes) wait(ctx context.Context) {
	ticker := time.NewTicker(changePause / 5)
	defer ticker.Stop()
	for {
		c.mu.Lock()
		busy := c.publishing && !c.failing
		c.mu.Unlock()
		if !busy {
			return
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return
		}
	}
}

// add queues a change. The caller holds the lock.
func (c *changes) add(one change) {
	switch {
	case c.has(one):
	case len(c.waiting) >= maxChanges:
		c.waiting = []change{{All: true}}
	default:
		c.waiting = append(c.waiting, one)
	}
}

// publishAll publishes the queue, until it is still empty after a pause.
func (c *changes) publishAll() {
	for {
		c.mu.Lock()
		round := c.waiting
		c.waiting = nil
		c.room.Broadcast()
		if len(round) == 0 {
			c.publishing = false
			c.mu.Unlock()
			return
		}
		before := c.failing
		c.mu.Unlock()
		pause := changePause
		for i, one := range round {
			if err := c.publishOne(one); err != nil {
				c.again(round[i:], before)
				pause = failedPause
				break
			}
			before = false
		}
		time.Sleep(pause)
	}
}

// again queues changes that were not published. It notifies the clients of this replica now, unless
// notified is set.
func (c *changes) again(rest []change, notified bool) {
	c.mu.Lock()
	later := c.waiting
	c.waiting = slices.Clone(rest)
	for _, one := range later {
		c.add(one)
	}
	c.room.Broadcast() // writers do not wait while it fails
	c.mu.Unlock()
	if !notified {
		for _, one := range rest {
			c.host.notifyOf(one, 0)
		}
	}
}

// publishOne publishes a change. It logs an error if the change before was published.
func (c *changes) publishOne(one change) error {
	text, err := json.Marshal(one)
	if err == nil {
		ctx, cancel := context.WithTimeout(context.Background(), changeWait)
		defer cancel()
		err = usercode.Within(ctx, "Publish of the PubSub", func() error { return c.pubsub.Publish(ctx, text) })
	}
	c.mu.Lock()
	before := c.failing
	c.failing = err != nil
	c.mu.Unlock()
	log := c.log
	switch {
	case err != nil && !before:
		log.Program(context.Background(), slog.LevelError, "changes cannot be published: clients of other replicas are not notified", slog.Any("error", err))
	case err == nil && before:
		log.Program(context.Background(), slog.LevelInfo, "changes are published again")
	}
	return err
}
