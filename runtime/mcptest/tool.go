package mcptest

import (
	"encoding"
	"encoding/json"
	"reflect"

	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/internal/toolschema"
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
	as := reflect.TypeFor[T]()
	data := valueOf(r, as, func() bool { return !c.revision.Fields.AnyOutput && c.wraps(tool, as) })
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

// valueOf returns the structured result, nil where there is none.
func valueOf(r *ToolResult, as reflect.Type, wrapped func() bool) json.RawMessage {
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

// wraps reports whether the results of a tool are sent as {"result": value}: if its output
// schema, as the newest revision publishes it, has another root than an object. Without a
// schema the value decides, and as is the type that it is read into.
func (c *Client) wraps(tool string, as reflect.Type) bool {
	c.t.Helper()
	options := c.options
	options.Revision = ""
	newest := New(c.t, c.server, options)
	defer newest.Close()
	for _, t := range newest.Tools() {
		if t.Name == tool && t.OutputSchema != nil {
			return !toolschema.HasObjectRoot(string(t.OutputSchema))
		}
	}
	return !isObject(as)
}

// isObject reports whether encoding/json reads a type from an object.
func isObject(t reflect.Type) bool {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if p := reflect.PointerTo(t); p.Implements(reflect.TypeFor[json.Unmarshaler]()) || p.Implements(reflect.TypeFor[encoding.TextUnmarshaler]()) {
		return false
	}
	return t.Kind() == reflect.Struct || t.Kind() == reflect.Map
}
