package mcp

import (
	"context"
	"encoding/json"

	"github.com/mcpgen/mcpgen/runtime/internal/jsonobject"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// Call is the part of a request that a handler reads from its context, without the parameters. A
// handler may store it. A [Request] is the same request with its parameters, for interceptors and
// extensions, and is valid only until the handler returns. A Call is the same in every revision and
// over every transport. Its methods may be called by many goroutines, and on nil.
type Call struct {
	x *exchange // the exchange that the call is a part of; only fields that do not change are read
}

type callKey struct{}

// CallFrom returns the call that ctx belongs to, or nil if ctx does not belong to a call.
func CallFrom(ctx context.Context) *Call {
	call, _ := ctx.Value(callKey{}).(*Call)
	return call
}

// Method returns the method of the request, such as tools/call.
func (c *Call) Method() string {
	if c == nil || c.x == nil {
		return ""
	}
	return c.x.MethodName
}

// Feature returns the name of the called feature as the client wrote it, which may be an alias.
func (c *Call) Feature() string {
	if c == nil || c.x == nil {
		return ""
	}
	return c.x.Feature
}

// ID returns the identifier of the request as JSON text: 7 or "7". It is unique among the requests
// of one connection that run at the same time.
func (c *Call) ID() string {
	if c == nil || c.x == nil {
		return ""
	}
	return c.x.ID.String()
}

// Revision returns the protocol revision of the reply, such as 2025-11-25.
func (c *Call) Revision() string {
	if c == nil || c.x == nil {
		return ""
	}
	return c.x.Revision.Version
}

// Session returns the id of the session of the request, which is unique among all sessions, as a
// key for data that handlers store by session; [WithSessionHook] opens and closes such data. It is
// "" for a request without a session, such as every request from revision 2026-07-28 on. Over
// streamable HTTP and HTTP+SSE a client that knows the id can use the session: do not log it.
func (c *Call) Session() string {
	if c == nil || c.x == nil || c.x.InSession == nil {
		return ""
	}
	return c.x.InSession.ID
}

// Transport returns the name of the transport: stdio, memory ([Server.Connect]), http (streamable
// HTTP), sse (HTTP+SSE), websocket, or the network of a socket, such as tcp or unix. It is "" for a
// connection of another package that does not implement the method Transport of [Server.Serve].
func (c *Call) Transport() string {
	if c == nil || c.x == nil {
		return ""
	}
	return c.x.conn.Transport
}

// Client returns the identity that the client declares. It is not authenticated.
func (c *Call) Client() ClientInfo {
	if c == nil || c.x == nil || c.x.Client == nil {
		return ClientInfo{}
	}
	return clientInfo(c.x.Client)
}

// Can reports whether the client has declared a capability, and the revision of the request defines
// it.
func (c *Call) Can(capability Capability) bool {
	if c == nil || c.x == nil || c.x.Client == nil {
		return false
	}
	declared, ok := c.x.Revision.ServerRequests.Capabilities[string(capability)]
	return ok && c.x.Client.Can(declared)
}

// Trace returns the trace context of the request, for a tracing library.
func (c *Call) Trace() Trace {
	if c == nil || c.x == nil || c.x.Meta == nil {
		return Trace{}
	}
	var t Trace
	jsonrpc.Members(c.x.Meta, func(name, value []byte) bool {
		text, _ := jsonrpc.String(value)
		switch string(name) {
		case "traceparent":
			t.Parent = text
		case "tracestate":
			t.State = text
		case "baggage":
			t.Baggage = text
		}
		return true
	})
	return t
}

// Meta returns the value of a key in the _meta of the request, such as traceparent, or nil if there
// is no such key.
func (c *Call) Meta(key string) json.RawMessage {
	if c == nil || c.x == nil {
		return nil
	}
	return jsonobject.Member(c.x.Meta, key)
}
