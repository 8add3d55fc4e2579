package mcptest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// ErrRefused ends a request whose handler asked for a message of the client's model and
// was refused, from revision 2026-07-28 on: the client then does not send the request
// again (client/sampling).
var ErrRefused = errors.New("the client refused to answer, and does not call again")

// capabilities returns the capabilities that the client declares.
func (c *Client) capabilities() map[string]any {
	type object = map[string]any
	all := object{}
	nested := c.revision.ClientMessages.CapabilityMembers
	if c.options.Elicit != nil {
		all["elicitation"] = object{}
		if nested {
			all["elicitation"] = object{"form": object{}, "url": object{}}
		}
	}
	if c.options.Sample != nil {
		all["sampling"] = object{}
		if nested {
			all["sampling"] = object{"tools": object{}, "context": object{}}
		}
	}
	if c.options.Roots != nil {
		all["roots"] = object{}
		if c.revision.ClientMessages.RootsListChanged {
			all["roots"] = object{"listChanged": true}
		}
	}
	for name, value := range c.options.Capabilities {
		if value == nil {
			delete(all, name)
		} else {
			all[name] = value
		}
	}
	return all
}

// answer answers one question of the server. The error is a *jsonrpc.Error.
func (c *Client) answer(ctx context.Context, method string, params json.RawMessage) (any, error) {
	switch {
	case method == protocol.CreateElicitation && c.options.Elicit != nil:
		var e Elicitation
		if err := read(params, &e); err != nil {
			return nil, c.invalidRequest(method, err)
		}
		return c.options.Elicit(ctx, &e), nil
	case method == protocol.CreateMessage && c.options.Sample != nil:
		var r SampleRequest
		if err := read(params, &r); err != nil {
			return nil, c.invalidRequest(method, err)
		}
		a, err := c.options.Sample(ctx, &r)
		if e, ok := errors.AsType[*jsonrpc.Error](err); ok {
			return nil, e
		}
		if err != nil {
			return nil, &jsonrpc.Error{Code: codeRefused, Message: err.Error()}
		}
		if a == nil {
			return nil, &jsonrpc.Error{Code: codeRefused, Message: "no message"}
		}
		message := *a
		if message.Role == "" {
			message.Role = string(mcp.RoleAssistant)
		}
		if message.Model == "" {
			message.Model = "mcptest"
		}
		return &message, nil
	case method == protocol.ListRoots && c.options.Roots != nil:
		roots := []root{}
		for _, r := range c.options.Roots() {
			roots = append(roots, root{r.URI, r.Name})
		}
		return map[string]any{"roots": roots}, nil
	case method == protocol.Ping.String() && !c.revision.PerRequest:
		return struct{}{}, nil
	}
	c.t.Errorf("mcptest: the server asks for %s, which the client does not support: %s", method, string(params))
	return nil, &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "method not found: " + method}
}

// root is the JSON form of a root.
type root struct {
	URI  string `json:"uri"`
	Name string `json:"name,omitempty"`
}

// codeRefused is the code of a request that the user has rejected (client/sampling,
// errors).
const codeRefused = -1

func (c *Client) invalidRequest(method string, err error) error {
	c.t.Errorf("mcptest: the server sent a %s that cannot be read: %v", method, err)
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "invalid params"}
}

// answerRequest answers a request of the server in a new goroutine.
func (c *Client) answerRequest(id, params json.RawMessage, method string) {
	ctx, cancel := context.WithCancel(c.ctx)
	key := string(id)
	c.mu.Lock()
	if c.closed {
		c.mu.Unlock()
		cancel()
		return
	}
	c.answering[key] = cancel
	c.background.Add(1)
	c.mu.Unlock()
	go func() {
		defer c.background.Done()
		defer cancel()
		result, err := c.answer(ctx, method, params)
		c.mu.Lock()
		_, pending := c.answering[key]
		delete(c.answering, key)
		c.mu.Unlock()
		if !pending {
			return // the server has cancelled the request
		}
		reply := map[string]any{"jsonrpc": "2.0", "id": id}
		if e, ok := errors.AsType[*jsonrpc.Error](err); ok {
			reply["error"] = wireError{Code: e.Code, Message: e.Message, Data: e.Data}
		} else {
			reply["result"] = result
		}
		if err := c.send(reply); err != nil && !c.isClosed() {
			c.t.Errorf("mcptest: answer %s: %v", method, err)
		}
	}()
}

// answerInputs answers the questions of a round, one after the other.
func (c *Client) answerInputs(requests map[string]inputRequest) (map[string]any, error) {
	answers := map[string]any{}
	for _, key := range sortedKeys(requests) {
		a, err := c.answer(c.ctx, requests[key].Method, requests[key].Params)
		if err != nil {
			return nil, fmt.Errorf("%w: %s %q: %w", ErrRefused, requests[key].Method, key, err)
		}
		answers[key] = a
	}
	return answers, nil
}

// inputRequest is a request of the server inside a result.
type inputRequest struct {
	Method string          `json:"method"`
	Params json.RawMessage `json:"params,omitempty"`
}
