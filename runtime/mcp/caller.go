package mcp

import (
	"context"
	"errors"
	"net/netip"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/clientlimit"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// This file is who sends messages. Transports know it of each message, or of a connection; contexts
// carry it to [engineConn.serve].

// principal is the authenticated sender of a request.
type principal interface {
	// Identity returns the id, "" without one, and the end of the authentication, zero for none.
	Identity() (id string, expires time.Time)
}

// caller is what a transport knows about the other end. Each request has a copy.
type caller struct {
	values    context.Context // for the handlers; may be nil
	principal principal       // nil if it is unknown
	groups    []string        // to which the URL of the request narrows the features; nil for all
	header    map[string][]string
	address   netip.Addr         // from which the client has come; zero if it is unknown
	addressed bool               // the transport has set the address, known or not
	client    clientlimit.Client // of principal and address
}

// id returns the id of the principal, "" if it is unknown.
func (c *caller) id() string {
	if c.principal == nil {
		return ""
	}
	id, _ := c.principal.Identity()
	return id
}

// countedAs is the client by which limits count, nil if that is the connection itself.
func (c *caller) countedAs() *clientlimit.Client {
	if !c.addressed && c.id() == "" {
		return nil
	}
	return &c.client
}

// unknownCaller is the caller of connections of which nothing is known.
var unknownCaller caller

// connectionCaller is the caller of all messages of a connection.
type connectionCaller struct{ caller }

type callerKey struct{}

// context returns a context with the caller.
func (c *connectionCaller) context(ctx context.Context) context.Context {
	c.client = clientlimit.Of(c.id(), c.address)
	return context.WithValue(ctx, callerKey{}, c)
}

// connectionFrom returns a copy of the caller in a context, without one the unknown caller.
func connectionFrom(ctx context.Context) *connectionCaller {
	if c, ok := ctx.Value(callerKey{}).(*connectionCaller); ok {
		copied := *c
		return &copied
	}
	return new(connectionCaller)
}

// errExpired is the error for requests after [Principal].Expires.
var errExpired = &jsonrpc.Error{
	Code: jsonrpc.CodeInternal, Message: "the authentication of the connection has expired",
	Data: []byte(`{"reason":"authentication expired"}`),
}

// errPrincipalExpired is the cause of the end of a connection.
var errPrincipalExpired = errors.New("the authentication of the connection has expired")

// expires returns when the principal expires, the zero time if it does not.
func (c *caller) expires() time.Time {
	if c.principal == nil {
		return time.Time{}
	}
	_, at := c.principal.Identity()
	return at
}

// expiry returns a channel that gets the time at which the principal expires, nil if it does not.
func (c *caller) expiry() (at <-chan time.Time, stop func()) {
	end := c.expires()
	if end.IsZero() {
		return nil, func() {}
	}
	t := time.NewTimer(time.Until(end))
	return t.C, func() { t.Stop() }
}

// expired reports whether the principal has expired.
func (c *caller) expired() bool {
	end := c.expires()
	return !end.IsZero() && !time.Now().Before(end)
}
