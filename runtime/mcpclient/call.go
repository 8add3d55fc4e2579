package mcpclient

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/mcpgen/mcpgen/runtime/internal/dial"
	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Call calls a tool. The arguments are an object: a struct, a map, a json.RawMessage, or nil. A
// failed result (IsError) is not an error.
func (c *Client) Call(ctx context.Context, tool string, arguments any, options ...RequestOption) (*mcp.ToolResult, error) {
	data, err := object(arguments, "arguments of "+tool)
	if err != nil {
		return nil, err
	}
	params := make([]byte, 0, len(data)+len(tool)+len(`{"name":"","arguments":}`))
	params = append(wire.AppendString(append(params, `{"name":`...), tool), `,"arguments":`...)
	if data == nil {
		data = json.RawMessage("{}")
	}
	params = append(append(params, data...), '}')
	r := &Request{Method: protocol.ToolsCall.String(), Name: tool, Params: params, options: c.apply(options)}
	raw, err := c.rounds(ctx, r)
	if err != nil {
		return nil, err
	}
	result, err := readToolResult(raw, &c.limits, c.reporter(r.Method))
	return result, c.wrap(r.Method, err)
}

// reporter returns a function that reports defects of a result that is still usable.
func (c *Client) reporter(method string) func(text string) {
	return func(text string) { c.reportViolation(&dial.Violation{Text: method + ": " + text}) }
}

// Read reads a resource.
func (c *Client) Read(ctx context.Context, uri string, options ...RequestOption) (*mcp.ResourceResult, error) {
	r := &Request{
		Method: protocol.ResourcesRead.String(), Name: uri, Params: append(addMember([]byte{'{'}, "uri", wire.AppendString(nil, uri)), '}'),
		options: c.apply(options),
	}
	raw, err := c.cached(ctx, r)
	if err != nil {
		return nil, err
	}
	report := c.reporter(r.Method)
	result, err := readResourceResult(raw, &c.limits, report)
	if err != nil {
		return nil, c.wrap(r.Method, err)
	}
	if len(result.Contents) > 0 && !slices.ContainsFunc(result.Contents, func(c mcp.ResourceContents) bool { return c.URI == uri }) {
		report("none of the contents is of the resource that was asked for, " + shortText(uri) + "; the first one is of " + shortText(result.Contents[0].URI))
	}
	return result, nil
}

// Prompt gets a prompt.
func (c *Client) Prompt(ctx context.Context, name string, arguments map[string]string, options ...RequestOption) (*mcp.PromptResult, error) {
	params := addMember([]byte{'{'}, "name", wire.AppendString(nil, name))
	if len(arguments) > 0 {
		params = addMember(params, "arguments", appendStrings(arguments))
	}
	r := &Request{Method: protocol.PromptsGet.String(), Name: name, Params: append(params, '}'), options: c.apply(options)}
	raw, err := c.rounds(ctx, r)
	if err != nil {
		return nil, err
	}
	result, err := readPromptResult(raw, &c.limits, c.reporter(r.Method))
	return result, c.wrap(r.Method, err)
}

func appendStrings(m map[string]string) []byte {
	b := []byte{'{'}
	for _, name := range sortedKeys(m) {
		b = addMember(b, name, wire.AppendString(nil, m[name]))
	}
	return append(b, '}')
}

// CompletePrompt completes the typed prefix of a prompt argument. given contains the arguments that
// already have a value; revisions before 2025-06-18 do not send them.
func (c *Client) CompletePrompt(ctx context.Context, prompt, argument, typed string, given map[string]string, options ...RequestOption) (mcp.Completion, error) {
	return c.complete(ctx, "ref/prompt", "name", prompt, argument, typed, given, options)
}

// CompleteTemplate completes the typed prefix of a variable of a resource template, like
// [Client.CompletePrompt].
func (c *Client) CompleteTemplate(ctx context.Context, uriTemplate, variable, typed string, given map[string]string, options ...RequestOption) (mcp.Completion, error) {
	return c.complete(ctx, "ref/resource", "uri", uriTemplate, variable, typed, given, options)
}

func (c *Client) complete(
	ctx context.Context, kind, member, name, argument, typed string, given map[string]string, options []RequestOption,
) (mcp.Completion, error) {
	method := protocol.Complete.String()
	o := c.apply(options)
	x, err := c.connectedFor(ctx, o)
	if err != nil {
		return mcp.Completion{}, c.wrap(method, err)
	}
	str := func(s string) []byte { return wire.AppendString(nil, s) }
	ref := append(addMember(addMember([]byte{'{'}, "type", str(kind)), member, str(name)), '}')
	arg := append(addMember(addMember([]byte{'{'}, "name", str(argument)), "value", str(typed)), '}')
	params := addMember(addMember([]byte{'{'}, "ref", ref), "argument", arg)
	if len(given) > 0 && x.revision.Load().ClientMessages.CompletionContext {
		params = addMember(params, "context", append(addMember([]byte{'{'}, "arguments", appendStrings(given)), '}'))
	}
	raw, err := c.rounds(ctx, &Request{Method: method, Params: append(params, '}'), options: o})
	if err != nil {
		return mcp.Completion{}, err
	}
	completion, err := readCompletion(raw, &c.limits, c.reporter(method))
	if err != nil {
		return mcp.Completion{}, c.wrap(method, err)
	}
	return *completion, nil
}

// Decode reads the structured content of a result of [Client.Call] into v, a pointer, like the
// function [Call]. It sends no request. The error is [ErrNoStructured], or names the parts that
// encoding/json cannot read into v; v may then contain a part of the content.
func (c *Client) Decode(tool string, result *mcp.ToolResult, v any) error {
	known, _ := c.tools.get(tool)
	return decodeStructured(result, known.output, c.revision.Load(), v)
}

// Call calls a tool and reads its structured content, in every revision; without structured content
// it reads the text. A failed result is a [*ToolError]. T is any type that encoding/json can read
// the content into. If the content does not fit, the error is a [*ContentError] that names the
// places.
func Call[T any](ctx context.Context, c *Client, tool string, arguments any, options ...RequestOption) (T, error) {
	var value T
	result, err := c.Call(ctx, tool, arguments, options...)
	if err != nil {
		return value, err
	}
	if result.IsError {
		return value, &ToolError{Tool: tool, Text: result.Text(), Result: result}
	}
	switch err := c.Decode(tool, result, &value); {
	case errors.Is(err, ErrNoStructured):
		return value, c.wrap(protocol.ToolsCall.String(), fmt.Errorf("%s: %w", tool, err))
	case err != nil:
		var none T // some of it may have been read
		return none, &ContentError{Target: c.target.Name(), Tool: tool, Type: reflect.TypeFor[T]().String(), Err: err}
	}
	return value, nil
}
