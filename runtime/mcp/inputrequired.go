package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// This file asks several questions at once, which a handler returns as a value.
// [exchange.endRoundWith] makes it the reply if the client calls again with the answers;
// [exchange.askAll] asks one question after the other if the server sends requests.
// [Server.runRounds] calls both on the request goroutine, after the handler.

// unanswered renders the questions that are not answered yet.
func (x *exchange) unanswered(e *InputRequired) (keys []string, questions []*question, err error) {
	if len(e.Questions) == 0 && e.State == nil {
		return nil, nil, errors.New("a handler has asked for input without a question and without a state")
	}
	var missing []Capability // of all questions, for one error that names them all
	for _, key := range slices.Sorted(maps.Keys(e.Questions)) {
		if key == "" || key[0] == '#' {
			return nil, nil, fmt.Errorf("the key %q of a question must not be empty, nor begin with #", key)
		}
		asked := e.Questions[key]
		if asked == nil {
			return nil, nil, fmt.Errorf("the question %q is nil", key)
		}
		q, err := asked.question(x, &askOptions{key: key})
		if lacks, ok := errors.AsType[*CapabilityError](err); ok {
			missing = append(missing, lacks.all()...)
			continue
		}
		if err != nil {
			return nil, nil, err
		}
		if a := x.questions.make().answers[key]; a != nil && (a.unasked || a.digest == q.digest) {
			continue
		}
		keys, questions = append(keys, key), append(questions, q)
	}
	if len(missing) > 0 {
		return nil, nil, lacking(missing)
	}
	return keys, questions, nil
}

// setState stores the state for the next run of the handler.
func (x *exchange) setState(e *InputRequired) error {
	r := x.questions.make()
	if e.State == nil {
		r.state = nil
		return nil
	}
	state, err := wire.Compact(nil, e.State, 0)
	if err != nil {
		return fmt.Errorf("state of the handler: %w", err)
	}
	if limit := x.conn.server.limits.StateBytes; len(state)+r.size > limit {
		return fmt.Errorf("the state of the handler and the answers of the client have %d bytes, and at most %d are kept", len(state)+r.size, limit)
	}
	r.state = state
	if err := r.charge(x); err != nil {
		r.state = nil
		return err
	}
	return nil
}

// endRoundWith returns the reply that asks the questions.
func (x *exchange) endRoundWith(e *InputRequired) (Reply, error) {
	c := &x.questions
	c.mu.Lock()
	defer c.mu.Unlock()
	keys, questions, err := x.unanswered(e)
	if err == nil {
		err = x.setState(e)
	}
	if err != nil {
		return nil, err
	}
	r := c.make()
	for i, q := range questions {
		r.forget(keys[i])
		r.pending = append(r.pending, pendingQuestion{keys[i], q.method, q.params(""), q.digest})
	}
	return x.endRoundLocked()
}

// askAll asks the questions one after the other, before the next run of the handler.
func (x *exchange) askAll(ctx context.Context, e *InputRequired) error {
	c := &x.questions
	c.mu.Lock()
	keys, questions, err := x.unanswered(e)
	if err == nil {
		err = x.setState(e)
	}
	clear(c.make().keys)
	c.mu.Unlock()
	if err != nil {
		return err
	}
	for i, q := range questions {
		if err := x.ask(ctx, keys[i], q); err != nil {
			return err
		}
	}
	c.restart()
	return nil
}

// Answered reports whether the client has answered the question with that key in an earlier round,
// or sent an answer with the request.
func Answered(ctx context.Context, key string) bool {
	x := exchangeFrom(ctx)
	if x == nil {
		return false
	}
	c := &x.questions
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.made != nil && c.made.answers[key] != nil
}

// RequestState returns the State of the [*InputRequired] that the previous run of the handler has
// returned, or nil without one.
func RequestState(ctx context.Context) json.RawMessage {
	x := exchangeFrom(ctx)
	if x == nil {
		return nil
	}
	c := &x.questions
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.made == nil {
		return nil
	}
	return c.made.state
}
