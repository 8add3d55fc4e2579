package mcptest

import (
	"context"
	"errors"
	"sync"

	"github.com/mcpgen/mcpgen/runtime/mcpclient"
)

// maxRounds is the number of rounds after which clients give up (basic/patterns/mrtr).
const maxRounds = 10

// Running is a request in flight. If the server requires input, from revision 2026-07-28 on, it is
// sent again with the answers.
type Running[R any] struct {
	client *Client
	what   string // for messages: "tools/call search"
	sent   *request
	cancel context.CancelCauseFunc
	done   chan struct{}
	result *R
	err    error

	cancelling sync.Once
}

// start sends a request in a new goroutine, and returns when the connection has it.
func start[R any](c *Client, what string, q *request, send func(context.Context) (*R, error)) *Running[R] {
	c.t.Helper()
	r := &Running[R]{client: c, what: what, sent: q, done: make(chan struct{})}
	if !c.enter() {
		c.t.Fatalf("mcptest: %s: %v", what, errClosed)
	}
	ctx, cancel := context.WithCancelCause(q.in(context.Background()))
	r.cancel = cancel
	go func() {
		defer c.background.Done()
		defer cancel(nil)
		defer close(r.done)
		result, err := send(ctx)
		if err != nil {
			r.err = c.reason(err)
			return
		}
		r.result = result
	}()
	select {
	case <-q.begun:
		return r
	case <-r.done:
	}
	select {
	case <-q.begun:
	default:
		c.t.Fatalf("mcptest: %s: %v", what, r.err)
	}
	return r
}

// Cancel cancels the request, like a user who does not want to wait; reason may be "". The error of
// Result is then [ErrCancelled], unless the reply has arrived already.
func (r *Running[R]) Cancel(reason string) {
	r.cancelling.Do(func() {
		c, q := r.client, r.sent
		c.mu.Lock()
		c.cancelling = append(c.cancelling, q)
		c.mu.Unlock()
		r.cancel(&mcpclient.CancelError{Reason: reason})
		<-r.done
		c.mu.Lock()
		leaving := q.leaving
		c.mu.Unlock()
		if leaving && errors.Is(r.err, ErrCancelled) {
			select {
			case <-q.cancelled:
			case <-c.gone:
			}
		}
	})
}

// Result waits for the result. The error is a [*jsonrpc.Error] of the server, [ErrCancelled],
// [ErrRefused], or an error for a server that has not replied.
func (r *Running[R]) Result() (*R, error) {
	<-r.done
	return r.result, r.err
}

// Wait waits for the result. It fails the test if there is an error.
func (r *Running[R]) Wait() *R {
	r.client.t.Helper()
	result, err := r.Result()
	if err != nil {
		r.client.t.Fatalf("mcptest: %s: %v", r.what, err)
	}
	return result
}
