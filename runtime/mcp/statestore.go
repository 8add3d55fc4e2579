package mcp

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/share"
)

// StateStore remembers which request states have been used, so that a
// tool that is neither read-only nor idempotent does not run twice on one. Several processes that share state
// keys need a store that they share as well. Its methods may be called by many
// goroutines.
type StateStore interface {
	// Consume notes that the state is used. It reports false where it has been
	// before. After expires it may be forgotten.
	Consume(ctx context.Context, id string, expires time.Time) (first bool, err error)
}

// maxConsumed is how many used states a process remembers, and maxConsumedEach how many of
// one client.
const (
	maxConsumed     = 1 << 17
	maxConsumedEach = maxConsumed / 4
)

var errStoreFull = errors.New("too many request states have been used lately")

// localStore is the store of one process.
type localStore struct {
	mu      sync.Mutex
	used    map[string]consumed
	next    time.Time // of the next removal of expired states
	clients *share.Counter
}

// consumed is a state that has been used.
type consumed struct {
	expires time.Time
	client  *share.Client // nil if it counts for all clients together
}

func newLocalStore() *localStore {
	return &localStore{used: map[string]consumed{}, clients: share.NewCounter(maxConsumed, maxConsumedEach)}
}

func (s *localStore) Consume(ctx context.Context, id string, expires time.Time) (bool, error) {
	now := time.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	if now.After(s.next) || s.clients.Full() {
		for id, state := range s.used {
			if now.After(state.expires) {
				delete(s.used, id)
				s.clients.Give(state.client)
			}
		}
		s.next = now.Add(time.Minute)
	}
	if _, used := s.used[id]; used {
		return false, nil
	}
	state := consumed{expires: expires}
	if x := exchangeFrom(ctx); x != nil && x.from.share() != nil {
		client := *x.from.share() // not with the header fields of the request
		state.client = &client
	}
	if !s.clients.Take(state.client) {
		return false, errStoreFull // no state is removed before it expires
	}
	s.used[id] = state
	return true, nil
}

// consume uses up the state of the round, before a tool runs on it that must not repeat it.
func (x *exchange) consume(ctx context.Context) error {
	r := x.questions.round
	if r == nil || r.consumed {
		return nil
	}
	first, err := x.conn.server.store.Consume(ctx, r.id, r.expires)
	if err != nil {
		return fmt.Errorf("consume request state: %w", err)
	}
	if !first {
		return x.refuseState("it has been used")
	}
	r.consumed = true
	return nil
}
