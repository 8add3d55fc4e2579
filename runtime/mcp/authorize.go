package mcp

import (
	"context"
	"log/slog"
	"slices"

	"github.com/mcpgen/mcpgen/runtime/internal/engine"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// This file decides which features a request may use: by [WithAccess] and
// [Principal].Access. It calls functions of users without a lock.

// WithAccess makes an [Access] decide, for every caller, which features a request may use. With
// several, and with that of the principal, each has to let the request pass. Lists become private
// to the client. Of an update, by [Server.ResourceUpdated], only clients are notified that may see the
// resource; the context is then that of the subscription, whose request may have ended. That a list
// has changed is sent to all.
func WithAccess(a Access) Option {
	return func(s *Server) { s.access = append(s.access, a) }
}

// decides reports whether what a request sees depends on who has sent it, or on the groups that its
// URL names. The caller may be nil.
func (s *Server) decides(c *engine.Caller) bool {
	return len(s.access) > 0 ||
		c != nil && (len(c.Groups) > 0 || c.Principal != nil && principalOf(c).Access != nil)
}

// decidesFor is decides for the request of a context.
func (s *Server) decidesFor(ctx context.Context) bool { return s.decides(callerFrom(ctx)) }

// callerFrom returns who has sent the request of a context, nil without one.
func callerFrom(ctx context.Context) *engine.Caller {
	if call := CallFrom(ctx); call != nil && call.x != nil {
		return &call.x.From
	}
	return nil
}

// authorize decides on a feature. It reports whether the feature exists for the request, and
// returns the error for its use.
func (s *Server) authorize(ctx context.Context, f Feature) (refusal *AccessError, exists bool) {
	c := callerFrom(ctx)
	if !s.decides(c) && !s.hasScopes.Load() {
		return nil, true
	}
	info := f.Info()
	var p *Principal
	if c != nil {
		if p = principalOf(c); !s.inGroups(c.Groups, &info) {
			return nil, false
		}
	}
	guarded := false
	for _, a := range s.access {
		guarded = guarded || guards(a)
		if refusal, exists = merge(refusal, a.Authorize(ctx, info)); !exists {
			return nil, false
		}
	}
	if p != nil && p.Access != nil {
		guarded = guarded || guards(p.Access)
		if refusal, exists = merge(refusal, p.Access.Authorize(ctx, info)); !exists {
			return nil, false
		}
	}
	if !guarded && len(info.Scopes) > 0 && overNetwork(ctx) {
		refusal = unguarded(info.Scopes)
	}
	return refusal, true
}

// unguarded is the error for features with scopes on a server that has no [Access].
func unguarded(scopes []string) *AccessError {
	return &AccessError{Scopes: scopes, StepUp: true, Text: "this needs scopes, and the server does not know those of any caller"}
}

// overNetwork reports whether a request has come over a network. The client of a program, and one
// in memory, is its user.
func overNetwork(ctx context.Context) bool {
	switch CallFrom(ctx).Transport() {
	case "stdio", "memory":
		return false
	}
	return true
}

// mayUse reports whether the request may use a feature. If it may not, and the feature exists for
// it, mayUse records the refusal as the reply of the request.
func (s *Server) mayUse(ctx context.Context, f Feature) bool {
	refusal, exists := s.authorize(ctx, f)
	if refusal == nil {
		return exists
	}
	refuse(ctx, refusal)
	return false
}

// isListed reports whether the request sees a feature in lists.
func (s *Server) isListed(ctx context.Context, f Feature) bool {
	_, exists := s.authorize(ctx, f)
	return exists
}

// refuse records why the request of a context is refused. Several refusals are one.
func refuse(ctx context.Context, e *AccessError) {
	if call := CallFrom(ctx); call != nil && call.x != nil {
		call.x.refusal, _ = merge(call.x.refusal, e)
	}
}

// refused returns the error of a request that was refused, or else err.
func (x *exchange) refused(err error) error {
	if x.refusal != nil {
		return x.refusal.response()
	}
	return err
}

// refusedAs is refused for errors of the protocol.
func refusedAs(ctx context.Context, err *jsonrpc.Error) *jsonrpc.Error {
	if call := CallFrom(ctx); call != nil && call.x != nil && call.x.refusal != nil {
		e := call.x.refusal.response()
		return &jsonrpc.Error{Code: e.Code, Message: e.Message, Data: e.Data}
	}
	return err
}

// warnUnguarded logs once that features have scopes and no Access looks at them.
func (s *Server) warnUnguarded(ctx context.Context, transport string, p *Principal) {
	if !s.hasScopes.Load() || slices.ContainsFunc(s.access, guards) || p != nil && p.Access != nil && guards(p.Access) {
		return
	}
	switch transport {
	case "stdio", "memory":
		return
	}
	s.warnScopes.Do(func() {
		s.log.Program(ctx, slog.LevelWarn, "features with scopes are refused over networks: the server does not know the scopes of callers; add a guard, such as that of package mcpauth, or WithAccess")
	})
}
