package mcptest

import (
	"encoding/json"
	"errors"
	"fmt"
	"sync"
)

// maxRounds is the number of rounds after which clients give up (basic/patterns/mrtr).
const maxRounds = 10

// Running is a request that has been sent. If the server requires input first, from
// revision 2026-07-28 on, it is sent again with the answers.
type Running[R any] struct {
	client *Client
	what   string // for messages: "tools/call search"
	done   chan struct{}
	result *R
	err    error

	mu        sync.Mutex
	now       *sent
	cancelled bool
	reason    string
}

// start sends a request whose result may require input.
func start[R any](c *Client, method, name string, params map[string]any, options []RequestOption) *Running[R] {
	c.t.Helper()
	r := &Running[R]{client: c, what: method + " " + name, done: make(chan struct{})}
	object, err := objectOf(params)
	if err != nil {
		c.t.Fatalf("mcptest: %s: %v", r.what, err)
	}
	o := apply(options)
	if r.now, err = c.begin(method, object, o); err != nil {
		c.t.Fatalf("mcptest: %s: %v", r.what, err)
	}
	c.background.Go(func() {
		defer close(r.done)
		raw, err := r.rounds(method, object, o)
		if err == nil {
			r.result = new(R)
			if err = read(raw, r.result); err != nil {
				err = fmt.Errorf("the result cannot be read: %w", err)
			}
		}
		r.err = err
	})
	return r
}

// rounds answers the input requests of the server until there is a result.
func (r *Running[R]) rounds(method string, params map[string]json.RawMessage, o *requestOptions) (json.RawMessage, error) {
	c := r.client
	for range maxRounds {
		raw, err := r.now.await()
		if err != nil {
			return nil, err
		}
		required, err := inputRequired(raw)
		if err != nil || required == nil {
			return raw, err
		}
		answers, err := c.answerInputs(required.Requests)
		if err != nil {
			return nil, err
		}
		delete(params, "inputResponses")
		delete(params, "requestState")
		if len(answers) > 0 {
			if params["inputResponses"], err = marshal(answers); err != nil {
				return nil, err
			}
		}
		if required.State != nil {
			params["requestState"] = required.State
		}
		next, err := c.begin(method, params, o)
		if err != nil {
			return nil, err
		}
		r.mu.Lock()
		r.now = next
		cancelled := r.cancelled
		r.mu.Unlock()
		if cancelled {
			next.cancel(r.reason)
		}
	}
	return nil, fmt.Errorf("the server still requires input after %d rounds", maxRounds)
}

// roundResult is a result that requires input (basic/patterns/mrtr).
type roundResult struct {
	Type     string                  `json:"resultType"`
	Requests map[string]inputRequest `json:"inputRequests,omitempty"`
	State    json.RawMessage         `json:"requestState,omitempty"`
}

// inputRequired returns a result that requires input, nil for any other result.
func inputRequired(raw json.RawMessage) (*roundResult, error) {
	var r roundResult
	if err := read(raw, &r); err != nil {
		return nil, err
	}
	if r.Type != "input_required" {
		return nil, nil
	}
	if r.Requests == nil && r.State == nil {
		return nil, errors.New("the server requires input, and says neither which nor a state")
	}
	return &r, nil
}

// Cancel cancels the request, as a user does who does not want to wait; reason may be
// "". The error of Result is then [ErrCancelled], unless the reply has arrived already.
func (r *Running[R]) Cancel(reason string) {
	r.mu.Lock()
	now := r.now
	if r.cancelled {
		r.mu.Unlock()
		return
	}
	r.cancelled, r.reason = true, reason
	r.mu.Unlock()
	now.cancel(reason)
	<-r.done
}

// Result waits for the result. The error is a [*jsonrpc.Error] of the server,
// [ErrCancelled], [ErrRefused], or one for a server that has not answered.
func (r *Running[R]) Result() (*R, error) {
	<-r.done
	return r.result, r.err
}

// Wait waits for the result and fails the test where there is an error instead.
func (r *Running[R]) Wait() *R {
	r.client.t.Helper()
	result, err := r.Result()
	if err != nil {
		r.client.t.Fatalf("mcptest: %s: %v", r.what, err)
	}
	return result
}
