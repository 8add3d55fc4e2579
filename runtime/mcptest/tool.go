package mcptest

import (
	"encoding/json"
	"reflect"

	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
)

// Start calls a tool and does not wait. The arguments are a struct or a map with
// the members of an object, JSON as a [json.RawMessage], or nil for none.
func (c *Client) Start(tool string, arguments any, options ...RequestOption) *Running[ToolResult] {
	c.t.Helper()
	params := map[string]any{"name": tool}
	if arguments != nil {
		params["arguments"] = arguments
	}
	return start[ToolResult](c, protocol.ToolsCall.String(), tool, params, options)
}

// Call calls a tool and returns its result, also that of a tool that has failed
// (isError). Arguments are those of [Client.Start]. The generic function [Call] also
// reads the structured content.
func (c *Client) Call(tool string, arguments any, options ...RequestOption) *ToolResult {
	c.t.Helper()
	return c.Start(tool, arguments, options...).Wait()
}

// CallError calls a tool that has to fail, and returns the text for the model.
func (c *Client) CallError(tool string, arguments any, options ...RequestOption) string {
	c.t.Helper()
	r := c.Call(tool, arguments, options...)
	if !r.IsError {
		c.t.Fatalf("mcptest: %s has not failed: %s", tool, r.Text())
	}
	return r.Text()
}

// Call calls a tool that has to succeed and returns its structured content as a T, in
// every revision: before 2025-06-18 it is read from the text, and from 2026-07-28 on it
// may be any value; in between, a value that is not an object is unwrapped from the
// object {"result": value}. The text of a tool that has no structured content is a
// string. Arguments are those of [Client.Start].
func Call[T any](c *Client, tool string, arguments any, options ...RequestOption) T {
	c.t.Helper()
	r := c.Call(tool, arguments, options...)
	if r.IsError {
		c.t.Fatalf("mcptest: %s has failed: %s", tool, r.Text())
	}
	var value T
	data := r.value(reflect.TypeFor[T](), func() bool { return !c.revision.Fields.AnyOutput && c.wraps(tool) })
	if data == nil {
		if text, ok := any(&value).(*string); ok {
			*text = r.Text()
			return value
		}
		c.t.Fatalf("mcptest: %s has no structured content: %s", tool, r.Text())
	}
	c.read(data, &value, "the structured content of "+tool)
	return value
}

// value is the structured result, nil where there is none.
func (r *ToolResult) value(as reflect.Type, wrapped func() bool) json.RawMessage {
	var text json.RawMessage
	if len(r.Content) > 0 && r.Content[0].Type == "text" {
		text = json.RawMessage(r.Content[0].Text)
		if !json.Valid(text) {
			text = nil
		}
	}
	if r.Structured == nil {
		if as.Kind() == reflect.String && (len(text) == 0 || text[0] != '"') {
			return nil
		}
		return text
	}
	var object map[string]json.RawMessage
	if json.Unmarshal(r.Structured, &object) != nil || len(object) != 1 || object["result"] == nil {
		return r.Structured
	}
	if wrapped() {
		return object["result"]
	}
	return r.Structured
}

// wraps reports whether a tool's output schema is the object around another schema:
// result is its only property, and additional ones are not mentioned. An author's own
// object schema may look the same; it is then unwrapped, too.
func (c *Client) wraps(tool string) bool {
	c.t.Helper()
	for _, t := range c.Tools() {
		if t.Name != tool {
			continue
		}
		var schema map[string]json.RawMessage
		var properties map[string]json.RawMessage
		if json.Unmarshal(t.OutputSchema, &schema) != nil || json.Unmarshal(schema["properties"], &properties) != nil {
			return t.OutputSchema == nil // the schema of a value without a schema
		}
		_, closed := schema["additionalProperties"]
		return !closed && len(properties) == 1 && properties["result"] != nil
	}
	return true // by an alias
}
