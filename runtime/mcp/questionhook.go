package mcp

import (
	"context"
	"encoding/json"

	"github.com/mcpgen/mcpgen/runtime/internal/jsonobject"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// This file calls the functions of [WithQuestionHook], on the goroutine that sends a question and
// waits for its answer.

// SentQuestion is a request of the server to the client, for the functions of [WithQuestionHook].
type SentQuestion struct {
	// Method is elicitation/create, sampling/createMessage or roots/list.
	Method string
	// ID is the identifier of the request as JSON text; "" before it is sent, or if it cannot be
	// sent.
	ID string
	// Trace is added to the _meta of the request. A hook may set it before the request is sent.
	Trace Trace
}

// questionHook is a function of [WithQuestionHook].
type questionHook = func(context.Context, *SentQuestion) func(error)

// withHooks calls send with the params and the trace of the hooks.
func withHooks(
	ctx context.Context, hooks []questionHook, method string, params []byte,
	send func(q *SentQuestion, params []byte) (json.RawMessage, error),
) (result json.RawMessage, err error) {
	q := &SentQuestion{Method: method}
	for _, begin := range hooks {
		if end := begin(ctx, q); end != nil {
			defer func() { end(err) }()
		}
	}
	return send(q, withTrace(params, q.Trace))
}

// withTrace returns params with a trace in the member _meta.
func withTrace(params json.RawMessage, t Trace) json.RawMessage {
	if t == (Trace{}) {
		return params
	}
	b := []byte{'{'}
	var meta json.RawMessage
	jsonrpc.Members(params, func(name, value []byte) bool {
		if string(name) == "_meta" {
			meta = value
			return true
		}
		b = wire.AppendString(jsonobject.Comma(b, 1), string(name))
		b = append(append(b, ':'), value...)
		return true
	})
	b = append(jsonobject.Comma(b, 1), `"_meta":{`...)
	start := len(b)
	for _, member := range [...]struct{ name, value string }{
		{"traceparent", t.Parent}, {"tracestate", t.State}, {"baggage", t.Baggage},
	} {
		if member.value != "" {
			b = wire.AppendString(jsonobject.Comma(b, start), member.name)
			b = wire.AppendString(append(b, ':'), member.value)
		}
	}
	jsonrpc.Members(meta, func(name, value []byte) bool {
		switch string(name) {
		case "traceparent", "tracestate", "baggage":
			return true
		}
		b = wire.AppendString(jsonobject.Comma(b, start), string(name))
		b = append(append(b, ':'), value...)
		return true
	})
	return append(b, "}}"...)
}

// Trace is the trace context that came with a request (W3C Trace Context and Baggage), as text. A
// part that is missing is "".
type Trace struct {
	Parent, State, Baggage string
}
