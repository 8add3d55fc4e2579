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

	found    foundFeature // once it has been looked up
	checking bool         // the handler reads the arguments, and nothing else
	x        *exchange
}

// foundFeature is the feature that a request concerns.
type foundFeature interface {
	// reading returns whether arguments are read leniently, and their choices.
	reading() (lenient bool, choices map[string]*wire.Choices)
	// resultLimit is how many bytes a result may have, 0 for the limit of the server.
	resultLimit() int
	// variables appends the arguments that the request has besides its own, as an object; nil for none.
	variables() json.RawMessage
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
	if r.found != nil {
		o.Lenient, o.Choices = r.found.reading()
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
	if r.Arguments != nil {
		return r.Arguments
	}
	if r.found != nil {
		if v := r.found.variables(); v != nil {
			return v
		}
	}
	return emptyObject
}

// copyArguments returns the arguments, checked, as a copy that may be kept.
func (r *Request) copyArguments() (json.RawMessage, error) {
	a := r.arguments()
	if err := wire.Valid(a, r.decoding().MaxDepth); err != nil {
		return nil, err
	}
	return append(json.RawMessage(nil), a...), nil
}

// encodingError is a result that has no JSON form, such as one with a NaN.
type encodingError struct {
	err error
}

func (e *encodingError) Error() string { return "encode result: " + e.err.Error() }
func (e *encodingError) Unwrap() error { return e.err }

func (r *Request) isCall() bool { return r.x.Method == protocol.ToolsCall }

func (r *Request) log() *logs.Log { return r.x.conn.server.log }

// maxResult is the size of results, in bytes.
func (r *Request) maxResult() int {
	if r.found != nil {
		if most := r.found.resultLimit(); most > 0 {
			return most
		}
	}
	return r.x.conn.server.limits.ResultBytes
}
