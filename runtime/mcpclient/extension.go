package mcpclient

import (
	"context"
	"encoding/json"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/dial"
	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// This file is what an interceptor needs that implements an extension, as package mcptaskclient
// does.

// Client returns the client that sends the request, nil for a request that an interceptor has made.
func (r *Request) Client() *Client {
	if r.options == nil {
		return nil
	}
	return r.options.client
}

// Progress returns the function of [WithProgress], nil without one. The goroutine of the request
// may call it, one call after the other, until the request has returned.
func (r *Request) Progress() func(Progress) {
	if r.options == nil {
		return nil
	}
	return r.options.progress
}

// Deadline returns when the time of Limits.MaxTime or [WithMaxTime] is over, the zero time for a request
// that an interceptor has made.
func (r *Request) Deadline() time.Time {
	if r.options == nil {
		return time.Time{}
	}
	return r.options.deadline
}

// Answer answers a question that an extension has brought, as those of a result that requires
// input are answered (basic/patterns/mrtr): by the functions of [Options], within
// Limits.QuestionTime and Limits.Questions. The key names the question in errors. The error is a
// *ProtocolViolationError for a question that the client has not declared or cannot read, [ErrRefused], one
// of the function, or the cause of ctx.
func (c *Client) Answer(ctx context.Context, key, method string, params json.RawMessage) (json.RawMessage, error) {
	revision := c.revision.Load()
	if revision == nil {
		return nil, c.wrap(method, &dial.Violation{Text: "a question before the handshake"})
	}
	answers, err := c.answerInputs(ctx, revision, &inputRequests{keys: []string{key}, questions: []inputRequest{{method, params}}})
	if err != nil {
		return nil, c.wrap(method, err)
	}
	return answers[0], nil
}

// ReadToolResult reads the result of a call of a tool that has not come from a server of a client, such as that
// of another library, within the defaults of [Limits]. It refers to data, which must not be changed
// afterwards.
func ReadToolResult(data json.RawMessage) (*mcp.ToolResult, error) {
	return readToolResult(data, &defaultLimits, nil)
}

// ReadToolResult reads the result of a call of a tool that has come in the result of another
// request. It refers to data, which must not be changed afterwards.
func (c *Client) ReadToolResult(data json.RawMessage) (*mcp.ToolResult, error) {
	result, err := readToolResult(data, &c.limits, nil)
	return result, c.wrap("", err)
}
