package mcpclient

import (
	"context"
	"encoding/json"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/dial"
	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// This file contains the methods for an interceptor that implements an extension, as package
// mcptaskclient does.

// Client returns the client that sends the request, or nil for a request that an interceptor has
// created.
func (r *Request) Client() *Client {
	if r.options == nil {
		return nil
	}
	return r.options.client
}

// Progress returns the function of [WithProgress], or nil without one. The request goroutine may
// call it, sequentially, until the request has returned.
func (r *Request) Progress() func(Progress) {
	if r.options == nil {
		return nil
	}
	return r.options.progress
}

// Deadline returns the time at which Limits.MaxTime or [WithMaxTime] expires, or the zero time for
// a request that an interceptor has created.
func (r *Request) Deadline() time.Time {
	if r.options == nil {
		return time.Time{}
	}
	return r.options.deadline
}

// Answer answers a question that an extension has received, like a question in a result that
// requires input (basic/patterns/mrtr): by the functions of [Options], within Limits.QuestionTime
// and Limits.Questions. The key names the question in errors. The error is a
// *ProtocolViolationError for a question whose capability the client has not declared or that it
// cannot read, [ErrRefused], an error of the function, or the cause of ctx.
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

// ReadToolResult reads the result of a tool call that a client of this package has not received,
// such as one from another library, within the defaults of [Limits]. The result refers to data,
// which must not be modified afterwards.
func ReadToolResult(data json.RawMessage) (*mcp.ToolResult, error) {
	return readToolResult(data, &defaultLimits, nil)
}

// ReadToolResult reads the result of a tool call that is part of the result of another request. The
// returned value refers to data, which must not be modified afterwards.
func (c *Client) ReadToolResult(data json.RawMessage) (*mcp.ToolResult, error) {
	result, err := readToolResult(data, &c.limits, nil)
	return result, c.wrap("", err)
}
