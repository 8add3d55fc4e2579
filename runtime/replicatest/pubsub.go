// Package replicatest contains implementations of the shared state of replicas in memory, and test
// suites for other implementations of [mcp.PubSub], [mcphttp.SessionStore] and [mcprate.Store], and
// for stores of tasks ([mcptask.Store]).
//
// The implementations here are for tests of programs that run several replicas in one process.
package replicatest

import (
	"context"
	"errors"
	"iter"
	"slices"
	"sync"

	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// PubSub is an [mcp.PubSub] in memory. It keeps all notices.
type PubSub struct {
	mu      sync.Mutex
	notices []mcp.Notice
	added   chan struct{} // closed when a notice is added, or the PubSub is closed
	closed  bool
}

// NewPubSub returns an empty PubSub.
func NewPubSub() *PubSub { return &PubSub{added: make(chan struct{})} }

// Publish adds a notice.
func (p *PubSub) Publish(_ context.Context, notice []byte) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return errors.New("publish: the PubSub is closed")
	}
	p.notices = append(p.notices, mcp.Notice{Sequence: uint64(len(p.notices) + 1), Data: slices.Clone(notice)})
	close(p.added)
	p.added = make(chan struct{})
	return nil
}

// Subscribe returns the notices after a number.
func (p *PubSub) Subscribe(ctx context.Context, after uint64) iter.Seq2[mcp.Notice, error] {
	return func(yield func(mcp.Notice, error) bool) {
		for {
			p.mu.Lock()
			rest := p.notices[min(after, uint64(len(p.notices))):]
			added, closed := p.added, p.closed
			p.mu.Unlock()
			for _, n := range rest {
				if !yield(n, nil) {
					return
				}
				after = n.Sequence
			}
			if closed {
				return
			}
			select {
			case <-added:
			case <-ctx.Done():
				yield(mcp.Notice{}, context.Cause(ctx))
				return
			}
		}
	}
}

// Close ends all subscriptions.
func (p *PubSub) Close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.closed {
		p.closed = true
		close(p.added)
	}
}
