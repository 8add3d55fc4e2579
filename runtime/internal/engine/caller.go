package engine

import (
	"context"
	"errors"
	"net/netip"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/clientlimit"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// This file identifies the senders of messages. A transport knows the sender of each message, or of
// a connection; contexts pass it to [Conn.Serve].

// Principal is the authenticated sender of a request.
type Principal interface {
	// Identity returns the id, or "", and the expiry of the authentication, zero for never.
	Identity() (id string, expires time.Time)
}

// Caller describes the other end, as far as a transport knows it. Each request has a copy.
type Caller struct {
	Values    context.Context // for the handlers; may be nil
	Principal Principal       // nil if it is unknown
	Groups    []string        // groups in the URL of the request, to which its features are narrowed; nil for all
	Header    map[string][]string
	Address   netip.Addr         // address of the client; zero if it is unknown
	Addressed bool               // the transport has set the address, known or not
	Client    clientlimit.Client // made from principal and address
}

// ID returns the id of the principal, or "" if it is unknown.
func (c *Caller) ID() string {
	if c.Principal == nil {
		return ""
	}
	id, _ := c.Principal.Identity()
	return id
}

// CountedAs returns the client for limits per client, or nil if the connection itself is the unit.
func (c *Caller) CountedAs() *clientlimit.Client {
	if !c.Addressed && (c.Principal == nil || c.ID() == "") {
		return nil
	}
	return &c.Client
}

// unknownCaller is the caller of connections without any information.
var unknownCaller Caller

// connectionCaller is the caller of all messages of a connection.
type connectionCaller struct{ Caller }

type callerKey struct{}

// Context returns a context with the caller.
func (c *connectionCaller) Context(ctx context.Context) context.Context {
	c.Client = clientlimit.Of(c.ID(), c.Address)
	return context.WithValue(ctx, callerKey{}, c)
}

// ConnectionFrom returns a copy of the caller in a context, or of the unknown caller.
func ConnectionFrom(ctx context.Context) *connectionCaller {
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

// errPrincipalExpired is the cause with which a connection closes.
var errPrincipalExpired = errors.New("the authentication of the connection has expired")

// Expires returns the time when the principal expires, or the zero time if it does not.
func (c *Caller) Expires() time.Time {
	if c.Principal == nil {
		return time.Time{}
	}
	_, at := c.Principal.Identity()
	return at
}

// Expiry returns a channel that gets the time at which the principal expires, or nil if it does
// not.
func (c *Caller) Expiry() (at <-chan time.Time, stop func()) {
	end := c.Expires()
	if end.IsZero() {
		return nil, func() {}
	}
	t := time.NewTimer(time.Until(end))
	return t.C, func() { t.Stop() }
}

// Expired reports whether the principal has expired.
func (c *Caller) Expired() bool {
	end := c.Expires()
	return !end.IsZero() && !time.Now().Before(end)
}
