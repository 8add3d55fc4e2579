package mcptest

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpclient"
)

// Start calls a tool without waiting. The arguments are a struct or a map, JSON as a
// [json.RawMessage], or nil for none.
func (c *Client) Start(tool string, arguments any, options ...RequestOption) *Running[mcp.ToolResult] {
	c.t.Helper()
	method := protocol.ToolsCall.String()
	q, below := c.newRequest(method, options)
	if arguments != nil {
		var err error
		if q.arguments, err = marshal(arguments); err != nil {
			c.t.Fatalf("mcptest: %s %s: %v", method, tool, err)
		}
	}
	// The interceptor adds the arguments, which need not be an object.
	return start(c, method+" "+tool, q, func(ctx context.Context) (*mcp.ToolResult, error) {
		return c.client.Call(ctx, tool, nil, below...)
	})
}

// Call calls a tool and returns its result, which may be a failed one (isError). Arguments are the
// same as for [Client.Start]. The generic function [Call] also reads the structured content.
func (c *Client) Call(tool string, arguments any, options ...RequestOption) *mcp.ToolResult {
	c.t.Helper()
	return c.Start(tool, arguments, options...).Wait()
}

// CallError calls a tool that must fail, and returns the text for the model.
func (c *Client) CallError(tool string, arguments any, options ...RequestOption) string {
	c.t.Helper()
	r := c.Call(tool, arguments, options...)
	if !r.IsError {
		c.t.Fatalf("mcptest: %s has not failed: %s", tool, r.Text())
	}
	return r.Text()
}

// Call calls a tool that must succeed and returns its structured content as a T, in every revision:
// before 2025-06-18 it reads the text, and from 2026-07-28 on the content may be any value; in
// between, it unwraps a value that is not an object from {"result": value}. If a tool has no
// structured content, its text is read as a string. Arguments are the same as for [Client.Start].
func Call[T any](c *Client, tool string, arguments any, options ...RequestOption) T {
	c.t.Helper()
	return structured[T](c, tool, c.Call(tool, arguments, options...))
}

// structured returns the structured content of a result.
func structured[T any](c *Client, tool string, r *mcp.ToolResult) T {
	c.t.Helper()
	if r.IsError {
		c.t.Fatalf("mcptest: %s has failed: %s", tool, r.Text())
	}
	if !c.revision.Fields.AnyOutput && mayBeWrapped(r.Structured) {
		c.Tools() // the underlying client unwraps a value by the schema of its tool
	}
	var value T
	err := c.client.Decode(tool, r, &value)
	if errors.Is(err, mcpclient.ErrNoStructured) {
		c.t.Fatalf("mcptest: %s has no structured content: %s", tool, r.Text())
	}
	if err != nil {
		data := r.Structured
		if data == nil {
			data = json.RawMessage(r.Text())
		}
		if first := errors.Unwrap(err); first != nil {
			err = first
		}
		c.t.Fatalf("mcptest: the structured content of %s cannot be read: %v: %s", tool, err, string(data))
	}
	return value
}

// mayBeWrapped reports whether structured content may be a value wrapped as {"result": value}.
func mayBeWrapped(structured json.RawMessage) bool {
	var object map[string]json.RawMessage
	return json.Unmarshal(structured, &object) == nil && len(object) == 1 && object["result"] != nil
}
