package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/mcpgen/mcpgen/runtime/internal/engine"
)

// This file asks one question, from a handler's call of [Elicit], [Sample] or [Roots] to a valid
// answer. [ask] and [exchange.ask] run on the handler's goroutine. The record of the request
// (questions.go) contains the answers of earlier rounds. A question without an answer goes to one
// of two askers, depending on the revision of the request: a requestAsker sends a request to the
// client and waits (clientrequests.go); a roundAsker ends the round, so that the question is the
// reply and the client calls again with the answer (rounds.go).

var (
	// ErrPending means that the reply to the request is a question, and the client calls again with
	// the answer (from revision 2026-07-28 on). The functions that ask return it, and it is the
	// cause of the context's cancellation. Handlers return it, or any other error: the reply is the
	// question, whatever the handler returns.
	ErrPending = errors.New("waiting for the client to call again with an answer")
	// ErrNoCall means that there is no client to ask: the context does not belong to a tool, prompt
	// or resource request, or the request already has its reply.
	ErrNoCall error = &engine.NoCall
)

// maxAttempts limits the number of times that a question is asked if its answers are not valid.
const maxAttempts = 3

// AnswerError means that the client answered a question several times, and no answer was valid.
type AnswerError struct {
	Err error // reason why the last answer is not valid
}

// Error returns a message that contains the message of Err.
func (e *AnswerError) Error() string { return "the client's answer is not valid: " + e.Err.Error() }

// Unwrap returns Err.
func (e *AnswerError) Unwrap() error { return e.Err }

// checkSize returns an error for a question that is larger than a result may be.
func (x *exchange) checkSize(q *question) error {
	if limit := x.conn.server.limits.ResultBytes; len(q.params("")) > limit {
		return fmt.Errorf("the question has more than the %d bytes that are allowed", limit)
	}
	return nil
}

// ask asks the client, and reads the answer with question.read.
func ask(ctx context.Context, q Question, options []AskOption) error {
	x := exchangeFrom(ctx)
	if x == nil || !x.Method.MayAskClient() || x.hasReply() {
		return ErrNoCall
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	var o askOptions
	for _, option := range options {
		option(&o)
	}
	rendered, err := q.question(x, &o)
	if err != nil {
		return err
	}
	return x.ask(ctx, o.key, rendered)
}

// ask asks one rendered question, up to maxAttempts times until the answer is valid.
func (x *exchange) ask(ctx context.Context, name string, q *question) error {
	c := &x.questions
	if err := x.checkSize(q); err != nil {
		return err
	}
	key, value, err := c.lookUp(x, name, q)
	if err != nil {
		return err
	}
	complaint := ""
	for {
		if value != nil {
			wrong := q.read(value)
			if wrong == nil {
				return c.record(x, key, q, value)
			}
			if c.countInvalid(key) >= maxAttempts {
				return &AnswerError{wrong}
			}
			complaint = wrong.Error()
		}
		if value, err = x.asker().ask(ctx, x, key, q, complaint); err != nil {
			return err
		}
	}
}

// asker returns the asker for the revision of the request.
func (x *exchange) asker() asker {
	if x.part != nil {
		if a := x.part.asker(); a != nil {
			return a
		}
	}
	if x.Revision.ServerRequests.Rounds {
		return roundAsker{}
	}
	return requestAsker{}
}

// requestAsker sends a question as a request, and the handler waits for the answer.
type requestAsker struct{}

func (requestAsker) ask(ctx context.Context, x *exchange, _ string, q *question, complaint string) (json.RawMessage, error) {
	result, err := x.sendRequest(ctx, q.method, q.params(complaint))
	if err != nil {
		return nil, err
	}
	return result, nil
}

// roundAsker ends the round with the question. The client calls again with the answer, and the
// handler runs again from its beginning; questions with answers return at once
// (basic/patterns/mrtr).
type roundAsker struct{}

func (roundAsker) ask(_ context.Context, x *exchange, key string, q *question, complaint string) (json.RawMessage, error) {
	c := &x.questions
	c.mu.Lock()
	r := c.make()
	if c.returned.Load() {
		c.mu.Unlock()
		return nil, ErrNoCall
	}
	if len(r.pending) == 0 {
		r.pending = []pendingQuestion{{key, q.method, q.params(complaint), q.digest}}
	}
	c.mu.Unlock()
	x.Stop(ErrPending)
	return nil, ErrPending
}
