package mcptest

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// ErrCancelled ends a request that the test has cancelled.
var ErrCancelled = errors.New("cancelled by the test")

// Request sends any request and returns its result unchanged. The params are an object,
// or nil; the members that the revision requires are added to them. The error is a
// [*jsonrpc.Error] if the server has answered with one; if the server does not answer,
// the test fails.
func (c *Client) Request(method string, params any, options ...RequestOption) (json.RawMessage, error) {
	c.t.Helper()
	object, err := objectOf(params)
	if err != nil {
		c.t.Fatalf("mcptest: params of %s: %v", method, err)
	}
	s, err := c.begin(method, object, apply(options))
	if err == nil {
		var result json.RawMessage
		if result, err = s.await(); err == nil {
			return result, nil
		}
	}
	if _, ok := errors.AsType[*jsonrpc.Error](err); !ok {
		c.t.Fatalf("mcptest: %s: %v", method, err)
	}
	return nil, err
}

// Notify sends any notification. The params are an object, or nil.
func (c *Client) Notify(method string, params any) {
	c.t.Helper()
	m := map[string]any{"jsonrpc": "2.0", "method": method}
	if params != nil {
		m["params"] = params
	}
	if err := c.send(m); err != nil {
		c.t.Fatalf("mcptest: send %s: %v", method, err)
	}
}

// must sends a request that has to succeed, and reads the result unless to is nil.
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

func apply(options []RequestOption) *requestOptions {
	o := new(requestOptions)
	for _, option := range options {
		option(o)
	}
	return o
}

// objectOf returns the members of an object.
func objectOf(v any) (map[string]json.RawMessage, error) {
	if v == nil {
		return map[string]json.RawMessage{}, nil
	}
	data, err := marshal(v)
	if err != nil {
		return nil, err
	}
	object := map[string]json.RawMessage{}
	if err := json.Unmarshal(data, &object); err != nil {
		return nil, fmt.Errorf("not an object: %s", data)
	}
	if object == nil {
		object = map[string]json.RawMessage{}
	}
	return object, nil
}

// sent is a request without a reply yet.
type sent struct {
	client *Client
	id     string
	token  string
	reply  *reply
}

// begin sends a request.
func (c *Client) begin(method string, params map[string]json.RawMessage, o *requestOptions) (*sent, error) {
	s := &sent{client: c, reply: &reply{done: make(chan struct{})}}
	c.mu.Lock()
	if c.failure != nil || c.closed {
		err := c.failure
		c.mu.Unlock()
		if err == nil {
			err = errClosed
		}
		return nil, err
	}
	c.last++
	s.id = jsonrpc.IntID(c.last).String()
	meta, err := c.metaOf(params["_meta"], o)
	if err == nil && o.progress != nil {
		s.token = string(meta["progressToken"])
		if s.token == "" {
			s.token = fmt.Sprintf(`"progress of %s"`, s.id)
			meta["progressToken"] = json.RawMessage(s.token)
		}
		c.progress[s.token] = o.progress
	}
	if err == nil {
		c.waiting[s.id] = s.reply
		if o.begun != nil {
			o.begun(s.id)
		}
	}
	c.mu.Unlock()
	if err != nil {
		return nil, err
	}
	m := map[string]any{"jsonrpc": "2.0", "id": json.RawMessage(s.id), "method": method}
	if len(meta) > 0 {
		with := map[string]any{"_meta": meta}
		for name, value := range params {
			if name != "_meta" {
				with[name] = value
			}
		}
		m["params"] = with
	} else if len(params) > 0 {
		m["params"] = params
	}
	return s, c.send(m)
}

// metaOf returns the _meta of a request: that of its params, of its options, and the
// members that the revision requires. The caller holds the lock.
func (c *Client) metaOf(given json.RawMessage, o *requestOptions) (map[string]json.RawMessage, error) {
	meta := map[string]json.RawMessage{}
	if given != nil {
		if err := json.Unmarshal(given, &meta); err != nil {
			return nil, fmt.Errorf("_meta is not an object: %s", given)
		}
	}
	all := map[string]any{}
	if c.revision.PerRequest {
		all[protocol.MetaVersion] = c.revision.Version
		all[protocol.MetaClientInfo] = c.implementation()
		all[protocol.MetaCapabilities] = c.capabilities()
		if c.options.LogLevel != "" {
			all[protocol.MetaLogLevel] = c.options.LogLevel
		}
	}
	for key, value := range o.meta {
		all[key] = value
	}
	for key, value := range all {
		if meta[key] != nil {
			continue
		}
		data, err := marshal(value)
		if err != nil {
			return nil, fmt.Errorf("_meta %s: %w", key, err)
		}
		meta[key] = data
	}
	return meta, nil
}

// await waits for the reply.
func (s *sent) await() (json.RawMessage, error) {
	c := s.client
	timer := time.NewTimer(c.options.Timeout)
	defer timer.Stop()
	defer s.over()
	select {
	case <-s.reply.done:
		return s.reply.result, s.reply.err
	case <-c.gone:
		select {
		case <-s.reply.done: // the reply was the last message of the server
			return s.reply.result, s.reply.err
		default:
		}
		return nil, c.failure
	case <-timer.C:
		return nil, fmt.Errorf("no answer within %v", c.options.Timeout)
	}
}

// over removes the progress function.
func (s *sent) over() {
	if s.token == "" {
		return
	}
	s.client.mu.Lock()
	defer s.client.mu.Unlock()
	s.client.progress[s.token] = nil
}

// cancel cancels the request. It reports false if the reply has arrived already.
func (s *sent) cancel(reason string) bool {
	c := s.client
	c.mu.Lock()
	if c.waiting[s.id] != s.reply {
		c.mu.Unlock()
		return false
	}
	c.waiting[s.id] = nil // a reply that crosses the cancellation is ignored
	c.mu.Unlock()
	s.reply.err = ErrCancelled
	close(s.reply.done)
	params := map[string]any{"requestId": json.RawMessage(s.id)}
	if reason != "" {
		params["reason"] = reason
	}
	if err := c.send(map[string]any{"jsonrpc": "2.0", "method": protocol.Cancelled, "params": params}); err != nil && !c.isClosed() {
		c.t.Errorf("mcptest: send %s: %v", protocol.Cancelled, err)
	}
	return true
}
