package mcp

import (
	"context"
	"errors"
	"sync"
	"time"
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

// maxConsumed bounds the states that a process remembers.
const maxConsumed = 1 << 17

var errStoreFull = errors.New("too many request states have been used lately")

// localStore is the store of one process.
type localStore struct {
	mu   sync.Mutex
	used map[string]time.Time
	next time.Time // when to look for those that have expired
}

func (s *localStore) Consume(_ context.Context, id string, expires time.Time) (bool, error) {
	now := time.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.used == nil {
		s.used = map[string]time.Time{}
	}
	if now.After(s.next) || len(s.used) >= maxConsumed {
		for id, end := range s.used {
			if now.After(end) {
				delete(s.used, id)
			}
		}
		s.next = now.Add(time.Minute)
	}
	if _, used := s.used[id]; used {
		return false, nil
	}
	if len(s.used) >= maxConsumed {
		return false, errStoreFull // rather than to forget one
	}
	s.used[id] = expires
	return true, nil
}
