package mcp

import (
	"context"
	"encoding/json"

	"github.com/mcpgen/mcpgen/runtime/internal/jsonobject"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// Call is what a handler reads of its request from its context, without the parameters, and
// may be stored; a [Request] is the same request with its parameters, for interceptors and
// extensions, and only until the handler has returned. A Call is the same in every revision
// and over every transport. Its methods may be called by many goroutines, on nil too.
type Call struct {
	x *exchange // that the call is a part of, for what does not change there
}

type callKey struct{}

// CallFrom returns the call that ctx belongs to, nil where there is none.
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

// Feature returns the name of the feature that is called, as the client spells
// it: that may be an alias.
func (c *Call) Feature() string {
	if c == nil || c.x == nil {
		return ""
	}
	return c.x.Feature
}

// ID returns the identifier of the request as JSON text: 7 or "7". It is unique
// among the requests of one connection that run at the same time.
func (c *Call) ID() string {
	if c == nil || c.x == nil {
		return ""
	}
	return c.x.ID.String()
}

// Revision returns the revision of the protocol in which the request is
// answered, such as 2025-11-25.
func (c *Call) Revision() string {
	if c == nil || c.x == nil {
		return ""
	}
	return c.x.Revision.Version
}

// Session returns the id of the session of the request, which is unique among all sessions, for what
// is stored by session; [WithSessionHook] begins and ends it. It is "" for a request without a
// session, as all from revision 2026-07-28 on. Over streamable HTTP and HTTP+SSE the id is that by
// which the client finds its session: do not log it.
func (c *Call) Session() string {
	if c == nil || c.x == nil || c.x.InSession == nil {
		return ""
	}
	return c.x.InSession.ID
}

// Transport returns the name of the transport: stdio, memory ([Server.Connect]), http (streamable
// HTTP), sse (HTTP+SSE), websocket, or the network of a socket, such as tcp or unix. It is "" for a
// connection of another package that gives no name to [Server.Serve].
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

// Can reports whether the client has declared a capability that the revision
// has.
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

// Meta returns the value of a key in the _meta of the request, such as
// traceparent; nil where there is none.
func (c *Call) Meta(key string) json.RawMessage {
	if c == nil || c.x == nil {
		return nil
	}
	return jsonobject.Member(c.x.Meta, key)
}
