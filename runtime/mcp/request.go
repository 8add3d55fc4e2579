package mcp

import (
	"context"
	"encoding/json"

	"github.com/mcpgen/mcpgen/runtime/internal/logs"
	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// This file is what interceptors, extensions and generated code get of a request. The exchange
// behind it does the work; a Request lives on the goroutine of its request, without a lock.

// Request is a request with its parameters, for interceptors and extensions, and only until
// the handler has returned; a [Call] has what handlers read of the same request from their
// context, without the parameters, and may be stored. The fields must not be changed. The
// JSON aliases a buffer that is used again. One goroutine at a time may use a Request.
type Request struct {
	// Method is what the client asks for, such as tools/call.
	Method string
	// Name is the feature that the request is about: the name of the tool or
	// prompt, or the URI of the resource, as the client spelled it; "" where there
	// is none.
	Name string
	// Arguments are those of the tool or prompt, nil where the client sent none.
	// What is between the braces has not been checked yet for a tool.
	Arguments json.RawMessage
	// Params is the whole params object, nil where there is none.
	Params json.RawMessage

	tool     *tool // once it has been looked up
	prompt   *prompt
	resource *foundResource
	checking bool // the handler reads the arguments, and nothing else
	x        *exchange
}

// Call returns what [CallFrom] returns in a handler of the request.
func (r *Request) Call() *Call { return &r.x.call }

// decoder returns a decoder of the arguments, as lenient as the tool is. Where
// the client sent none, it reads an empty object. Those of a prompt, and the
// variables of a resource template, are strings: there it takes "5" for 5.
func (r *Request) decoder() *wire.Decoder {
	d := r.x.ArgumentDecoder()
	d.Reset(r.arguments(), r.decoding())
	return d
}

func (r *Request) decoding() wire.Options {
	o := wire.Options{MaxDepth: max(1, r.x.conn.server.limits.Depth-2), Context: (*readingContext)(r.x), Check: r.checking}
	switch {
	case r.tool != nil:
		o.Lenient, o.Choices = r.tool.info.Lenient, r.tool.info.choices
	case r.prompt != nil:
		o.Lenient, o.Choices = true, r.prompt.info.choices
	case r.resource != nil:
		o.Lenient, o.Choices = true, r.resource.choices()
	}
	return o
}

// readingContext is the context of an exchange for its decoder, which stops when the time of the
// handler is over. It is a conversion of the exchange, since a context would be allocated.
type readingContext exchange

// Err returns the cause for which the context of the handler has ended, nil before.
func (c *readingContext) Err() error {
	x := (*exchange)(c)
	if x.Ctx.Err() != nil {
		return context.Cause(&x.Ctx)
	}
	return x.Overtime()
}

func (r *Request) arguments() []byte {
	switch {
	case r.Arguments != nil:
	case r.resource != nil:
		return r.resource.appendVariables(nil)
	default:
		return emptyObject
	}
	return r.Arguments
}

// copyArguments returns the arguments, checked, as a copy that may be kept.
func (r *Request) copyArguments() (json.RawMessage, error) {
	a := r.arguments()
	if err := wire.Valid(a, r.decoding().MaxDepth); err != nil {
		return nil, err
	}
	return append(json.RawMessage(nil), a...), nil
}

// encoder returns an encoder for the structured result, which has the limit of the
// result. It belongs to the request and is used again for others once the handler has
// returned.
func (r *Request) encoder() *wire.Encoder {
	e := r.x.ResultEncoder()
	e.Reset()
	limit := r.maxResult()
	if r.resource != nil {
		limit = r.resourceLimit()
	}
	e.SetLimit(limit, (*resultStorage)(r.x))
	return e
}

// structured returns the result that e holds. Its JSON aliases e.
func (r *Request) structured(e *wire.Encoder) (*ToolResult, error) {
	if err := e.Err(); err != nil {
		return nil, r.encodingFailed(err)
	}
	b := e.Bytes()
	return &ToolResult{Structured: b, own: b}, nil
}

// structuredWith is structured for a [Result]: with a text instead of
// the JSON text, unless it is empty, and with further blocks.
func (r *Request) structuredWith(e *wire.Encoder, text string, content ...Content) (*ToolResult, error) {
	result, err := r.structured(e)
	if err != nil || (text == "" && len(content) == 0) {
		return result, err
	}
	result.Content = make([]Content, 0, 1+len(content))
	if text != "" {
		result.Content = append(result.Content, Text{Text: text})
	} else {
		result.Content = append(result.Content, jsonText{result.Structured})
	}
	result.Content = append(result.Content, content...)
	return result, nil
}

// encodingError is a result that has no JSON form, such as one with a NaN.
type encodingError struct {
	err error
}

func (e *encodingError) Error() string { return "encode result: " + e.err.Error() }
func (e *encodingError) Unwrap() error { return e.err }

func (r *Request) isCall() bool { return r.x.Method == protocol.ToolsCall }

func (r *Request) log() *logs.Log { return r.x.conn.server.log }
