package mcptest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/mcpclient"
)

// ErrCancelled is returned for a request that the test has cancelled.
var ErrCancelled = errors.New("cancelled by the test")

// ErrRefused is returned for a request whose handler asked for a model message that the client
// refused, from revision 2026-07-28 on: the client then does not send the request again
// (client/sampling).
var ErrRefused = errors.New("the client refused to answer, and does not call again")

// Request sends any request and returns its result unchanged. The params are an object, or nil;
// Request adds the members that the revision requires. The error is a [*jsonrpc.Error] if the
// server replied with one; if the server does not reply, the test fails.
func (c *Client) Request(method string, params any, options ...RequestOption) (json.RawMessage, error) {
	c.t.Helper()
	object, err := objectOf(params)
	if err != nil {
		c.t.Fatalf("mcptest: params of %s: %v", method, err)
	}
	q, below := c.newRequest(method, options)
	result, err := c.once(q.in(context.Background()), method, object, below)
	if err == nil {
		return result, nil
	}
	err = c.reason(err)
	if _, ok := errors.AsType[*jsonrpc.Error](err); !ok {
		c.t.Fatalf("mcptest: %s: %v", method, err)
	}
	return nil, err
}

// once sends a request, and returns a result that requires input without answering it.
func (c *Client) once(ctx context.Context, method string, params json.RawMessage, options []mcpclient.RequestOption) (json.RawMessage, error) {
	requestIn(ctx).once = true
	_, err := c.client.Request(ctx, method, params, options...)
	if r, ok := errors.AsType[*onlyResult](err); ok {
		return r.result, nil
	}
	return nil, err
}

// Notify sends any notification. The params are an object, or nil.
func (c *Client) Notify(method string, params any) {
	c.t.Helper()
	object, err := objectOf(params)
	if params == nil {
		object = nil
	}
	if err == nil {
		err = c.client.Notify(context.Background(), method, object)
	}
	if err != nil {
		c.t.Fatalf("mcptest: send %s: %v", method, c.reason(err))
	}
}

// must sends a request that must succeed, and reads the result unless to is nil.
func (c *Client) must(method string, params, to any, options ...RequestOption) {
	c.t.Helper()
	raw, err := c.Request(method, params, options...)
	if err != nil {
		c.t.Fatalf("mcptest: %s: the server refused: %v", method, err)
	}
	if to != nil {
		c.read(raw, to, "the result of "+method)
	}
}

// objectOf returns the JSON of an object.
func objectOf(v any) (json.RawMessage, error) {
	if v == nil {
		return json.RawMessage("{}"), nil
	}
	data, err := marshal(v)
	if err != nil {
		return nil, err
	}
	var object map[string]json.RawMessage
	if err := json.Unmarshal(data, &object); err != nil {
		return nil, fmt.Errorf("not an object: %s", data)
	}
	return data, nil
}

// request is a request of the test. The underlying client gets it from the context.
type request struct {
	method    string
	arguments json.RawMessage // of a call: any value; nil for none
	meta      map[string]any  // from the options
	once      bool            // return a result that requires input

	entered   func(id string) // called before the first message is written; may be nil
	begun     chan struct{}   // closed at that time
	cancelled chan struct{}   // closed when its cancellation is written

	// The lock of the client guards the fields below.
	id      string // of the newest message
	written bool   // the connection got the newest message
	leaving bool   // and will get its cancellation
}

type requestKey struct{}

// in returns a context with the request.
func (q *request) in(ctx context.Context) context.Context {
	return context.WithValue(ctx, requestKey{}, q)
}

func requestIn(ctx context.Context) *request {
	q, _ := ctx.Value(requestKey{}).(*request)
	return q
}

// newRequest returns a request, and its options for the underlying client.
func (c *Client) newRequest(method string, options []RequestOption) (*request, []mcpclient.RequestOption) {
	o := new(requestOptions)
	for _, option := range options {
		option(o)
	}
	q := &request{method: method, meta: map[string]any{}, begun: make(chan struct{}), cancelled: make(chan struct{})}
	c.mu.Lock()
	if level := c.options.LogLevel; level != "" && c.revision.PerRequest {
		q.meta[protocol.MetaLogLevel] = level
	}
	c.mu.Unlock()
	maps.Copy(q.meta, o.meta)
	var below []mcpclient.RequestOption
	if o.progress != nil {
		below = append(below, mcpclient.WithProgress(o.progress))
	}
	return q, below
}

// write records the identifier of a message that is about to be written. The caller holds the
// client's lock.
func (q *request) write(id string) {
	q.id, q.written = id, true
	select {
	case <-q.begun:
		return
	default:
	}
	if q.entered != nil {
		q.entered(id)
	}
	close(q.begun)
}

// edit returns the params with the values of the test, including values that the underlying client
// would refuse to send.
func (q *request) edit(params json.RawMessage) (json.RawMessage, error) {
	call := q.method == protocol.ToolsCall.String() && !q.once
	if !call && len(q.meta) == 0 {
		return params, nil
	}
	members := map[string]json.RawMessage{}
	if len(params) > 0 {
		if err := json.Unmarshal(params, &members); err != nil {
			return nil, err
		}
	}
	if call {
		if delete(members, "arguments"); q.arguments != nil {
			members["arguments"] = q.arguments
		}
	}
	if len(q.meta) > 0 {
		meta := map[string]json.RawMessage{}
		if given := members["_meta"]; given != nil {
			if err := json.Unmarshal(given, &meta); err != nil {
				return nil, fmt.Errorf("_meta is not an object: %s", given)
			}
		}
		for key, value := range q.meta {
			if meta[key] != nil {
				continue
			}
			data, err := marshal(value)
			if err != nil {
				return nil, fmt.Errorf("_meta %s: %w", key, err)
			}
			meta[key] = data
		}
		data, err := marshal(meta)
		if err != nil {
			return nil, err
		}
		members["_meta"] = data
	}
	return marshal(members)
}

// onlyResult is a result that the underlying client must not inspect.
type onlyResult struct{ result json.RawMessage }

func (*onlyResult) Error() string { return "a result" }

// onlyError is an error of the server that the underlying client must not act on.
type onlyError struct{ err *jsonrpc.Error }

func (e *onlyError) Error() string { return e.err.Error() }
func (e *onlyError) Unwrap() error { return e.err }

// intercept passes the requests of the test to the connection one after the other, so that they are
// sent in the order of the test, and each learns its identifier.
func (c *Client) intercept(next mcpclient.Sender) mcpclient.Sender {
	return func(ctx context.Context, r *mcpclient.Request) (json.RawMessage, error) {
		q := requestIn(ctx)
		if q == nil {
			return next(ctx, r)
		}
		edited := *r
		var err error
		if edited.Params, err = q.edit(r.Params); err != nil {
			return nil, err
		}
		select {
		case c.sending <- struct{}{}:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
		c.mu.Lock()
		c.current, q.written = q, false
		c.mu.Unlock()
		result, err := next(ctx, &edited)
		_, left := errors.AsType[*mcpclient.CancelError](err)
		c.mu.Lock()
		if c.current == q { // nothing was written
			c.current = nil
			<-c.sending
		}
		q.leaving = left && q.written
		c.mu.Unlock()
		if e, ok := errors.AsType[*jsonrpc.Error](err); ok {
			return nil, &onlyError{e}
		}
		if err == nil && q.once {
			return nil, &onlyResult{result}
		}
		return result, err
	}
}

// reason returns the test's error for an error of the underlying client.
func (c *Client) reason(err error) error {
	c.mu.Lock()
	closed, failure := c.closed, c.failure
	c.mu.Unlock()
	if _, text, ok := strings.Cut(err.Error(), mcpclient.ErrRefused.Error()); ok && errors.Is(err, mcpclient.ErrRefused) {
		return &refused{text: ErrRefused.Error() + text, err: err}
	}
	if e, ok := errors.AsType[*jsonrpc.Error](err); ok {
		return e
	}
	if _, ok := errors.AsType[*mcpclient.CancelError](err); ok {
		return ErrCancelled
	}
	if e, ok := errors.AsType[*mcpclient.ProtocolViolationError](err); ok {
		text := e.Text
		if !strings.HasPrefix(text, "the server ") {
			text = "the server breaks the protocol: " + text
		}
		if len(e.Bytes) > 0 {
			text += ": " + string(e.Bytes)
		}
		return errors.New(text)
	}
	if e, ok := errors.AsType[*mcpclient.LimitError](err); ok && e.Limit == "Rounds" {
		return fmt.Errorf("the server still requires input after %d rounds", maxRounds)
	}
	if errors.Is(err, mcpclient.ErrTimeout) {
		return fmt.Errorf("no answer within %v", c.options.Timeout)
	}
	switch _, lost := errors.AsType[*mcpclient.ConnectionError](err); {
	case closed && (lost || errors.Is(err, mcpclient.ErrClosed)):
		return errClosed
	case lost && failure != nil:
		return failure
	}
	return err
}

// refused is the error of a request that is not sent again.
type refused struct {
	text string
	err  error
}

func (r *refused) Error() string   { return r.text }
func (r *refused) Unwrap() []error { return []error{ErrRefused, r.err} }
