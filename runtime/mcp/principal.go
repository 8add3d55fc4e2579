package mcp

import "context"

// Principal is who makes a request, as the authentication in front of the server
// has found out. The zero value stands for nobody that is known.
type Principal struct {
	// ID identifies the principal, always by the same text, and nobody else.
	// Sessions, rate limits and request states are bound to it. It is opaque to
	// the server, and not a secret: it may stand in logs.
	ID string
	// Value is what else is known, such as claims. Handlers that want it assert
	// its type.
	Value any
}

// Principal returns who makes the request; the zero Principal where nobody has
// found out, as on stdio.
func (c *Call) Principal() Principal {
	if c == nil {
		return Principal{}
	}
	return c.principal
}

// Header returns the header fields of the HTTP request that carries the call, or
// that has opened its WebSocket; nil over transports without header fields. The
// keys are in canonical form (http.CanonicalHeaderKey). It must not be changed,
// and it may hold credentials: do not log it.
func (c *Call) Header() map[string][]string {
	if c == nil {
		return nil
	}
	return c.header
}

// CallerContext returns a context for [Server.Serve] that says who is at the
// other end of the connection, and with which header fields the connection was
// opened. It is for authors of transports. Either may be empty.
func CallerContext(ctx context.Context, p Principal, header map[string][]string) context.Context {
	return context.WithValue(ctx, callerKey{}, &caller{principal: p, header: header})
}

type callerKey struct{}

// caller is what a transport knows of the other end.
type caller struct {
	remote    string          // network address; "" where a connection says more
	values    context.Context // for the handlers; may be nil
	principal Principal
	header    map[string][]string
}

var nobody caller

func callerFrom(ctx context.Context) *caller {
	if c, ok := ctx.Value(callerKey{}).(*caller); ok {
		return c
	}
	return &nobody
}
