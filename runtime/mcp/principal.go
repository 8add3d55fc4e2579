package mcp

import (
	"context"
	"net/netip"

	"github.com/mcpgen/mcpgen/runtime/internal/share"
)

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
	c := *callerFrom(ctx)
	c.principal, c.header = p, header
	return c.context(ctx)
}

// AddressContext returns a context for [Server.Serve] that says from which address the
// connection comes. Where its principal has no ID, rate limits and the shares of
// [Limits] then count by that address, of IPv6 by the network of 64 bits. All connections
// whose address is the zero one, which means that it is not known, count together;
// without this function each counts by itself, as on stdio. It is for authors of
// transports.
func AddressContext(ctx context.Context, address netip.Addr) context.Context {
	c := *callerFrom(ctx)
	c.address, c.addressed = address, true
	return c.context(ctx)
}

func (c *caller) context(ctx context.Context) context.Context {
	c.client = share.Of(c.principal.ID, c.address)
	return context.WithValue(ctx, callerKey{}, c)
}

type callerKey struct{}

// caller is what a transport knows of the other end.
type caller struct {
	values    context.Context // for the handlers; may be nil
	principal Principal
	header    map[string][]string
	address   netip.Addr
	addressed bool         // the transport has said the address, if only that it is not known
	client    share.Client // of principal and address
}

// share is whom limits count by, nil where that is the connection itself.
func (c *caller) share() *share.Client {
	if !c.addressed && c.principal.ID == "" {
		return nil
	}
	return &c.client
}

var unknownCaller caller

func callerFrom(ctx context.Context) *caller {
	if c, ok := ctx.Value(callerKey{}).(*caller); ok {
		return c
	}
	return &unknownCaller
}
