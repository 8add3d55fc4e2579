package mcp

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Values of a handler that runs several times for one call. They are kept with the answers of
// the conversation, under its lock, and sealed with them.

// Once returns what f has returned when the call came to this place first, in
// every run of the handler: runs that repeat it for a client that answers
// questions by calling again do not run f again. The value travels as JSON, with
// the client and sealed, so it must be small, and is what it is after a turn
// through encoding/json in the first run too.
//
// It is no transaction: f runs again where the client repeats its last round, and
// the value is lost where the client never comes back. An error of f is not kept.
// The key is unique in the call; two goroutines must not use one at once.
//
// Where nobody can be asked, Once just calls f.
func Once[T any](ctx context.Context, key string, f func() (T, error)) (value T, err error) {
	x := exchangeFrom(ctx)
	if x == nil || !x.method.MayAskClient() {
		return f()
	}
	text, err := x.questions.onceValue(key)
	if err != nil {
		return value, err
	}
	if text == nil {
		made, err := f()
		if err != nil {
			return value, err
		}
		e := new(wire.Encoder)
		e.SetLimit(x.conn.server.limits.ResultBytes, nil)
		wire.PutReflect(e, &made)
		if err := e.Err(); err != nil {
			return value, fmt.Errorf("keep the value %q: %w", key, err)
		}
		text = e.Bytes()
		if err := x.questions.setOnce(x, key, text); err != nil {
			return value, err
		}
	}
	if err := json.Unmarshal(text, &value); err != nil {
		return value, fmt.Errorf("read the value %q: %w", key, err)
	}
	return value, nil
}

// onceBefore returns a value of an earlier run.
func (c *questions) onceValue(key string) (json.RawMessage, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.pending) > 0 {
		return nil, ErrPending
	}
	return c.once[key], nil
}

func (c *questions) setOnce(x *exchange, key string, text json.RawMessage) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.once == nil {
		c.once = map[string]json.RawMessage{}
	}
	c.once[key] = text
	if !x.revision.ServerRequests.Rounds {
		return nil // no client carries it
	}
	return c.addSize(x, len(text))
}
