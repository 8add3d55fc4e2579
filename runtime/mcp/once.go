package mcp

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// This file stores values of a handler that runs several times for one call. They are stored with
// the answers of the request (questions.go), under the same lock, and in the same sealed state.
// [Once] runs on the handler's goroutine.

// Once calls f in the first run of the handler, and returns the same value in later runs: if the
// client answers questions by calling again, the handler runs again from its beginning, and f does
// not. The value is encoded as JSON and sealed in the request state, which the client carries, so
// it must be small. The first run, too, gets the value after it has passed through encoding/json.
//
// Once is not a transaction: f runs again if the client repeats its last round, and the value is
// lost if the client never calls again. An error of f is not stored. The key is unique in the call;
// two goroutines must not use one key at the same time.
//
// Outside of a request whose handler can ask the client, Once only calls f.
func Once[T any](ctx context.Context, key string, f func() (T, error)) (value T, err error) {
	x := exchangeFrom(ctx)
	if x == nil || !x.Method.MayAskClient() {
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
			return value, fmt.Errorf("store the value %q: %w", key, err)
		}
		text = e.Bytes()
		if err := x.questions.setOnce(x, key, text); err != nil {
			return value, err
		}
		if r := x.record(); r != nil {
			if err := r.Store(ctx, key, text); err != nil {
				return value, err
			}
		}
	}
	if err := json.Unmarshal(text, &value); err != nil {
		return value, fmt.Errorf("read the value %q: %w", key, err)
	}
	return value, nil
}

// onceValue returns a value of an earlier run.
func (c *questions) onceValue(key string) (json.RawMessage, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.made == nil {
		return nil, nil
	}
	if len(c.made.pending) > 0 {
		return nil, ErrPending
	}
	return c.made.once[key], nil
}

// setOnce stores a value for later runs.
func (c *questions) setOnce(x *exchange, key string, text json.RawMessage) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	r := c.make()
	if r.once == nil {
		r.once = map[string]json.RawMessage{}
	}
	r.once[key] = text
	if !x.Revision.ServerRequests.Rounds {
		return nil // does not become part of a request state
	}
	if err := r.addSize(x, len(text)); err != nil {
		return err
	}
	return r.charge(x)
}
