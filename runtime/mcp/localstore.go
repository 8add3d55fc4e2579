package mcp

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/clientlimit"
)

// This file records the used request states of one process. The store has a lock; a store that
// several processes share is a [StateStore] of the author.

// maxConsumed limits the used states that a process records, and maxConsumedEach the states of one
// client among them.
const (
	maxConsumed     = 1 << 17
	maxConsumedEach = maxConsumed / 4
)

var errStoreFull = errors.New("too many request states have been used in the last minutes")

// localStore is the store of one process.
type localStore struct {
	mu      sync.Mutex
	used    map[string]consumed
	next    time.Time // time of the next removal of expired states
	clients *clientlimit.Counter
	// forgotten is the latest expiry of the removed states. If the clock is set back, states that
	// expire before forgotten may be valid again, and the store does not know which were used.
	forgotten time.Time
}

// consumed is a state that was used.
type consumed struct {
	expires time.Time
	client  *clientlimit.Client // nil for a state that counts for all clients together
}

func newLocalStore() *localStore {
	return &localStore{used: map[string]consumed{}, clients: clientlimit.NewCounter(maxConsumed, maxConsumedEach)}
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
				if state.expires.After(s.forgotten) {
					s.forgotten = state.expires
				}
			}
		}
		s.next = now.Add(time.Minute)
	}
	if _, used := s.used[id]; used || !expires.After(s.forgotten) {
		return false, nil
	}
	state := consumed{expires: expires}
	if x := exchangeFrom(ctx); x != nil && x.From.CountedAs() != nil {
		client := *x.From.CountedAs() // a copy, which does not keep the header fields of the request
		state.client = &client
	}
	if !s.clients.Take(state.client) {
		return false, errStoreFull // no state is removed before it expires
	}
	s.used[id] = state
	return true, nil
}
