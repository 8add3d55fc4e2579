package mcp

import (
	"context"
	"log/slog"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/internal/show"
)

// This file decides which subscribers are notified of a resource. It does not hold a lock while it
// calls functions of users.

// mayNotify reports whether a subscriber may be notified of a URI: whether its client may see a
// feature with the URI or, if no feature has it, the closest feature that the URI is a part of.
func (s *Server) mayNotify(sub *subscriber, uri string) (may bool) {
	sub.mu.Lock()
	x := sub.request
	sub.mu.Unlock()
	if sub.session != nil {
		if x = s.renewed(x, sub.session); x != nil {
			defer x.Stop(nil)
		}
	}
	switch {
	case x == nil:
		return true
	case x.From.Expired():
		return false
	}
	ctx := &x.Ctx
	defer s.recoverAccess(ctx, &may)
	for part := uri; ; {
		found := s.featuresOf(part)
		for _, f := range found {
			if refusal, exists := s.authorize(ctx, f); exists && refusal == nil {
				return true
			}
		}
		end := strings.LastIndexByte(strings.TrimSuffix(part, "/"), '/')
		if len(found) > 0 || end < 0 {
			return len(found) == 0
		}
		part = part[:end+1]
	}
}

// recoverAccess sets may to false after a panic in the function of an [Access], and logs the panic.
// It is deferred by callers without a request that could get the error.
func (s *Server) recoverAccess(ctx context.Context, may *bool) {
	if p := recover(); p != nil {
		s.log.Program(ctx, slog.LevelError, "panic in the function of an Access", slog.String("panic", show.Panic(p)))
		*may = false
	}
}

// renewed returns the request whose caller decides about notifications of a session: its latest
// subscription to a resource, with the principal of the latest request, which may have a new token
// with other scopes. It returns nil if all subscribers see the same features.
func (s *Server) renewed(subscription *exchange, c *conn) *exchange {
	who := c.principal.Load()
	switch {
	case subscription != nil:
	case who == nil || len(s.access) == 0 && who.Access == nil && who.Expires.IsZero():
		return nil
	default: // no Access has decided about the subscription
		subscription = newMute(c)
		subscription.Revision, subscription.Method = c.Negotiated(), protocol.ResourcesSubscribe
		subscription.MethodName = protocol.ResourcesSubscribe.String()
	}
	x := subscription.withoutMessage()
	setPrincipal(&x.From, who)
	return x
}

// withoutMessage returns a copy of a request with a context of its own, for decisions after the
// request: it keeps the properties of the call, and leaves out its message and its reply.
func (x *exchange) withoutMessage() *exchange {
	y := &exchange{conn: x.conn}
	x.CopyWithoutMessage(&y.Exchange, y)
	y.call.x = y
	return y
}

// newMute returns a request without a message, for decisions that concern a connection.
func newMute(c *conn) *exchange {
	x := &exchange{conn: c}
	x.BeginMute(&c.Conn, x)
	x.call.x = x
	return x
}

// featuresOf returns the resources and templates with a URI, with or without a slash at its end.
func (s *Server) featuresOf(uri string) (found []Feature) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	for _, uri := range [...]string{uri, strings.TrimSuffix(uri, "/")} {
		if static := s.sets[resourceSet].byName[uri]; static != nil {
			found = append(found, static)
		}
		for _, t := range s.closest {
			if _, ok := t.(*template).pattern.Match(uri, false); ok {
				found = append(found, t)
			}
		}
		if !strings.HasSuffix(uri, "/") {
			break
		}
	}
	return found
}
