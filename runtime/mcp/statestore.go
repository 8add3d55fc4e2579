package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/clientlimit"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// This file records which request states (roundstate.go) have been used: by [exchange.consume],
// on the goroutine of a request that came with one, before its tool runs. The store of a process
// has a lock; one that several processes share is a [StateStore] of the author.

// StateStore records which request states have been used, so that a tool that is neither
// read-only nor idempotent does not run twice with one. Several processes with the same state
// keys need a common store. Many goroutines may call its methods at the same time.
type StateStore interface {
	// Consume records that the state is used, and reports whether this is the first use.
	// The record is not needed after expires.
	Consume(ctx context.Context, id string, expires time.Time) (first bool, err error)
}

// errNoStateStore is the reply while the store fails. The cause is in the log.
var errNoStateStore = &ProtocolError{
	Code: jsonrpc.CodeInternal, Message: "the store of request states cannot be used now; try again later",
	Data: json.RawMessage(`{"reason":"state store"}`),
}

// maxConsumed is how many used states a process records, and maxConsumedEach how many of one
// client.
const (
	maxConsumed     = 1 << 17
	maxConsumedEach = maxConsumed / 4
)

var errStoreFull = errors.New("too many request states have been used in the last minutes")

// localStore is the store of one process.
type localStore struct {
	mu      sync.Mutex
	used    map[string]consumed
	next    time.Time // of the next removal of expired states
	clients *clientlimit.Counter
	// forgotten is the latest end of a state that has been removed. A clock that is set back makes
	// such states valid again: up to there it is not known which were used.
	forgotten time.Time
}

// consumed is a state that has been used.
type consumed struct {
	expires time.Time
	client  *clientlimit.Client // nil if it counts for all clients together
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
		client := *x.From.CountedAs() // not with the header fields of the request
		state.client = &client
	}
	if !s.clients.Take(state.client) {
		return false, errStoreFull // no state is removed before it expires
	}
	s.used[id] = state
	return true, nil
}

// consume marks the state of the round as used, before a tool runs that must not run twice with
// it. It does nothing without a state.
func (x *exchange) consume(ctx context.Context) error {
	r := x.questions.opened()
	if r == nil || r.consumed {
		return nil
	}
	first, err := x.conn.server.store.Consume(ctx, r.id, r.expires)
	if err != nil {
		x.conn.server.log.Program(ctx, slog.LevelError, "request states cannot be marked as used", slog.Any("error", err))
		return errNoStateStore
	}
	if !first {
		return x.refuseState("it has been used")
	}
	r.consumed = true
	return nil
}

// isUnavailable reports whether an error means that a request has not run, and may later.
func isUnavailable(err error) bool {
	return errors.Is(err, errNoTaskStore) || errors.Is(err, errNoStateStore)
}
