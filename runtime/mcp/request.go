package mcp

import (
	"context"
	"encoding/json"

	"github.com/mcpgen/mcpgen/runtime/internal/logs"
	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// This file defines the request that interceptors, extensions and generated code get. The exchange
// behind it does the work; a Request is used on the request goroutine, without a lock.

// Request is a request with its parameters, for interceptors and extensions, and is valid only
// until the handler returns. A [Call] is the part of the same request that handlers read from their
// context, without the parameters, and may be stored. The fields must not be changed. The JSON
// aliases a buffer that is used again. One goroutine at a time may use a Request.
type Request struct {
	// Method is the method of the request, such as tools/call.
	Method string
	// Name is the feature that the request is about: the name of the tool or prompt, or the URI of
	// the resource, as the client spelled it; "" if the method does not concern a feature.
	Name string
	// Arguments are the arguments of the tool or prompt, or nil if the client sent none. For a
	// tool, the text between the braces is not checked yet.
	Arguments json.RawMessage
	// Params is the whole params object, or nil if the client sent none.
	Params json.RawMessage

	found    foundFeature  // once it is looked up
	traits   *traits       // of the feature; nil before it is found
	resource *resourceForm // if the feature is a resource
	checking bool          // the handler only reads the arguments
	x        *exchange
}

// foundFeature is the feature that a request concerns.
type foundFeature interface {
	// variables appends the arguments that come from the URI, as an object; it returns nil without
	// any.
	variables() json.RawMessage
}

// traits describe how the arguments of a feature are read, and its results written. They are known
// when it is registered.
type traits struct {
	help        wire.Help                // with arguments
	choices     map[string]*wire.Choices // of arguments, by their functions
	output      outputForm               // of a tool
	description string                   // of a prompt
}

// Call returns the Call that [CallFrom] returns in a handler of the request.
func (r *Request) Call() *Call { return &r.x.call }

// decoder returns a decoder of the arguments, as lenient as the tool is. If the client sent none,
// it reads an empty object. The arguments of a prompt, and the variables of a resource template,
// are strings: for these it accepts "5" for 5.
func (r *Request) decoder() *wire.Decoder {
	d := &r.x.Buffers.Decoder
	d.Reset(r.arguments(), r.decoding())
	return d
}

func (r *Request) decoding() wire.Options {
	o := wire.Options{Help: wire.Advice(), MaxDepth: max(1, r.x.conn.server.limits.Depth-2), Context: (*readingContext)(r.x), Check: r.checking}
	if r.traits != nil {
		o.Help, o.Choices = r.traits.help, r.traits.choices
	}
	return o
}

// readingContext is the context of an exchange for its decoder, which stops when the time of the
// handler is over. It is a conversion of the exchange, since a context would be allocated.
type readingContext exchange

// Err returns the cause of the cancellation of the handler's context, or nil.
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

// encodingError is the error for a result that JSON cannot represent, such as NaN.
type encodingError struct {
	err error
}

func (e *encodingError) Error() string { return "encode result: " + e.err.Error() }
func (e *encodingError) Unwrap() error { return e.err }

func (r *Request) isCall() bool { return r.x.Method == protocol.ToolsCall }

func (r *Request) log() *logs.Log { return r.x.conn.server.log }

// maxResult returns the limit of results, in bytes.
func (r *Request) maxResult() int {
	if r.traits != nil && r.traits.output.most > 0 {
		return r.traits.output.most
	}
	return r.x.conn.server.limits.ResultBytes
}
