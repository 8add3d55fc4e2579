package mcp

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/netip"

	"github.com/mcpgen/mcpgen/runtime/internal/engine"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// This file defines the caller of a request: how handlers read it, and how transports set it.

// Principal returns the sender of the request, or the zero Principal without authentication, as on
// stdio.
func (c *Call) Principal() Principal {
	if c == nil || c.x == nil {
		return Principal{}
	}
	return identity(&c.x.From)
}

// Header returns the header fields of the HTTP request that carries the call, or of the request
// that opened its WebSocket. It is nil over transports without header fields. The keys are in
// canonical form (http.CanonicalHeaderKey). It must not be changed, and may contain credentials: do
// not log it.
func (c *Call) Header() map[string][]string {
	if c == nil || c.x == nil {
		return nil
	}
	return c.x.From.Header
}

// RemoteAddr returns the address of the client: the result of the transport's WithClientAddress
// function if it has one, and otherwise the address of the peer. It is the zero Addr over
// transports without addresses, such as stdio.
func (c *Call) RemoteAddr() netip.Addr {
	if c == nil || c.x == nil {
		return netip.Addr{}
	}
	return c.x.From.Address
}

// CallerContext returns a context for [Server.Serve] with the principal at the other end of the
// connection, and the header fields of the request that opened the connection. It is for authors of
// transports. Either may be empty.
func CallerContext(ctx context.Context, p Principal, header map[string][]string) context.Context {
	c := engine.ConnectionFrom(ctx)
	c.Principal, c.Header = nil, header
	if p.isKnown() {
		c.Principal = (*sender)(&p)
	}
	return c.Context(ctx)
}

// AddressContext returns a context for [Server.Serve] with the address of the client. If the
// principal has no ID, rate limits and the shares of [Limits] count by that address, and for IPv6
// by its /64 network. All connections with the zero address, which means an unknown address, count
// together; without this function each counts by itself, as on stdio. It is for authors of
// transports.
func AddressContext(ctx context.Context, address netip.Addr) context.Context {
	c := engine.ConnectionFrom(ctx)
	c.Address, c.Addressed = address, true
	return c.Context(ctx)
}

// errNoID is the error for data that a server would store for one caller and give to others,
// because it cannot distinguish their principals.
var errNoID = &ProtocolError{
	Code: jsonrpc.CodeInternal, Message: "the principal of the caller has no ID, so tasks and request states are refused",
	Data: json.RawMessage(`{"reason":"principal without ID"}`),
}

// needsID returns an error, and logs it, if the principal is known and has no ID.
func (x *exchange) needsID() error {
	if x.From.Principal == nil || x.From.ID() != "" {
		return nil
	}
	x.conn.server.log.Client(&x.Ctx, slog.LevelWarn, "task or request state refused: Principal.ID is empty; set it, for instance to a digest of the credential",
		slog.String("method", x.MethodName), slog.String("name", x.Feature))
	return errNoID
}
