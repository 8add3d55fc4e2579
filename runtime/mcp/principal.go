package mcp

import (
	"context"
	"net/netip"

	"github.com/mcpgen/mcpgen/runtime/internal/clientlimit"
)

// Principal is the authenticated sender of a request: a user or a program. The zero value is an
// unknown sender.
type Principal struct {
	// ID identifies one principal, always by the same text. Sessions, rate limits and request
	// states are bound to it. It is opaque to the server, and not a secret: logs contain it.
	ID string
	// Value is further data, such as claims. Handlers assert its type.
	Value any
}

// Principal returns the sender of the request; the zero Principal without authentication, as on
// stdio.
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

// CallerContext returns a context for [Server.Serve] with the principal at the other end of the
// connection, and the header fields with which the connection was opened. It is for authors of
// transports. Either may be empty.
func CallerContext(ctx context.Context, p Principal, header map[string][]string) context.Context {
	c := *callerFrom(ctx)
	c.principal, c.header = p, header
	return c.context(ctx)
}

// AddressContext returns a context for [Server.Serve] with the address of the client. If the
// principal has no ID, rate limits and the shares of [Limits] count by that address, of IPv6 by
// the network of 64 bits. All connections with the zero address, which means an unknown one, count
// together; without this function each counts by itself, as on stdio. It is for authors of
// transports.
func AddressContext(ctx context.Context, address netip.Addr) context.Context {
	c := *callerFrom(ctx)
	c.address, c.addressed = address, true
	return c.context(ctx)
}

func (c *caller) context(ctx context.Context) context.Context {
	c.client = clientlimit.Of(c.principal.ID, c.address)
	return context.WithValue(ctx, callerKey{}, c)
}

type callerKey struct{}

// caller is what a transport knows about the other end.
type caller struct {
	values    context.Context // for the handlers; may be nil
	principal Principal
	header    map[string][]string
	address   netip.Addr
	addressed bool               // the transport has set the address, known or not
	client    clientlimit.Client // of principal and address
}

// countedAs is the client by which limits count, nil if that is the connection itself.
func (c *caller) countedAs() *clientlimit.Client {
	if !c.addressed && c.principal.ID == "" {
		return nil
	}
	return &c.client
}

// unknownCaller is the caller of connections without [CallerContext] and [AddressContext].
var unknownCaller caller

func callerFrom(ctx context.Context) *caller {
	if c, ok := ctx.Value(callerKey{}).(*caller); ok {
		return c
	}
	return &unknownCaller
}
