package mcp

import (
	"context"

	"github.com/mcpgen/mcpgen/internal/uritemplate"
	"github.com/mcpgen/mcpgen/runtime/internal/engine"
	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// This file manages the subscriptions of sessions (resources/subscribe), and counts all
// subscriptions of a connection. It runs on the goroutine that reads or on the request goroutine;
// conn.counts guards the counts, and the lock of the subscriber its URIs.

// notSubscribed is the subscriber of all sessions that cannot get notifications. It is a literal
// because new would link the types of servers into every program that imports this package.
var notSubscribed = &subscriber{}

// newSubscriber returns the subscriber of a session. It is notified of the lists whose changes the
// server has declared to the client.
func (c *conn) newSubscriber() *subscriber {
	if c.Out == nil {
		return notSubscribed
	}
	sub := &subscriber{out: c.Out, session: c, uris: map[string]struct{}{}}
	sub.send = c.NotifySession
	sub.lists = c.server.offersListChanged()
	return sub
}

// newSession returns a session without hooks.
func (c *conn) newSession(opening engine.Session) *session {
	s := &session{Session: opening, subscriber: c.newSubscriber()}
	s.Part = s
	return s
}

// startNotifying handles notifications/initialized: from now on the session gets notifications.
func (c *conn) startNotifying() {
	opened := c.SetInitialized()
	if opened == nil {
		return
	}
	s := sessionOf(opened)
	if s.subscriber.out == nil {
		return // the transport has no channel for messages that do not belong to a request
	}
	c.server.subscribers.add(s.subscriber)
	if !c.Has(opened) {
		c.server.subscribers.remove(s.subscriber)
	}
}

// subscribe answers resources/subscribe and resources/unsubscribe.
func (c *conn) subscribe(ctx context.Context, p *jsonrpc.Params, on bool, rev *protocol.Revision) *jsonrpc.Error {
	uri, e := uriParam(p)
	if e != nil {
		return e
	}
	s := sessionOf(c.Opened())
	if s == nil || c.Out == nil || !c.server.offersSubscribe() {
		return methodNotFound(on)
	}
	sub := s.subscriber
	if !on {
		sub.mu.Lock()
		defer sub.mu.Unlock()
		c.removeSubscription(sub, uri)
		return nil
	}
	if c.server.findResource(ctx, uri) == nil {
		return refusedAs(ctx, resourceNotFound(rev, uri, ""))
	}
	sub.mu.Lock()
	defer sub.mu.Unlock()
	if c.server.decidesFor(ctx) {
		sub.request = exchangeFrom(ctx).withoutMessage()
	}
	return c.addSubscription(sub, uri)
}

// addSubscription adds a subscription of the session, unless it exists. The caller holds the lock
// of the subscriber.
func (c *conn) addSubscription(sub *subscriber, uri string) *jsonrpc.Error {
	uri = uritemplate.Normal(uri)
	if _, had := sub.uris[uri]; had {
		return nil
	}
	size := subscriptionSize(uri)
	if e := c.reserve(1, size); e != nil {
		return e
	}
	if !c.Charge(size) {
		c.unreserve(1, size)
		return engine.ErrOverloaded
	}
	sub.uris[uri] = struct{}{}
	return nil
}

// removeSubscription removes a subscription of the session.
func (c *conn) removeSubscription(sub *subscriber, uri string) {
	uri = uritemplate.Normal(uri)
	if _, had := sub.uris[uri]; had {
		delete(sub.uris, uri)
		c.unreserve(1, subscriptionSize(uri))
		c.Uncharge(subscriptionSize(uri))
	}
}

func methodNotFound(on bool) *jsonrpc.Error {
	if on {
		return engine.NotFound(protocol.ResourcesSubscribe.String())
	}
	return engine.NotFound(protocol.ResourcesUnsubscribe.String())
}

// reserve counts n more subscriptions of a connection. It returns an error, and counts nothing, if
// their number or their bytes exceed the limits.
func (c *conn) reserve(n, size int) *jsonrpc.Error {
	c.counts.Lock()
	defer c.counts.Unlock()
	switch l := &c.server.limits; {
	case c.subscriptions+n > l.Subscriptions:
		return errTooManySubscriptions
	case c.subscribed+size > l.subscriptionBytes():
		return errLongSubscriptions
	}
	c.subscriptions += n
	c.subscribed += size
	return nil
}

// unreserve releases a reservation of reserve.
func (c *conn) unreserve(n, size int) {
	c.counts.Lock()
	defer c.counts.Unlock()
	c.subscriptions -= n
	c.subscribed -= size
}

var errTooManySubscriptions = &jsonrpc.Error{
	Code: jsonrpc.CodeInternal, Message: "too many subscriptions of this connection",
	Data: []byte(`{"reason":"too many subscriptions"}`),
}

var errLongSubscriptions = &jsonrpc.Error{
	Code: jsonrpc.CodeInternal, Message: "the URIs of the subscriptions of this connection are too long together",
	Data: []byte(`{"reason":"too many subscriptions"}`),
}
