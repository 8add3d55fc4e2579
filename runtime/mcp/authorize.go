package mcp

import (
	"context"
	"log/slog"
	"slices"

	"github.com/mcpgen/mcpgen/runtime/internal/engine"
	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// This file decides which features a request may use, by [WithAccess] and [Principal].Access. It
// does not hold a lock while it calls functions of users, which may block.

// WithAccess makes an [Access] decide, for every caller, which features a request may use. If there
// are several, and an Access of the principal, every one of them must let the request pass. Lists
// become private to the client. [Server.ResourceUpdated] notifies only clients that may see the
// resource; the context is then the context of the subscription, whose request may be finished.
// Notifications that a list changed are sent to all clients.
func WithAccess(a Access) Option {
	return func(s *Server) { s.access = append(s.access, a) }
}

// decides reports whether the features that a request sees depend on its sender, or on the groups
// that its URL names. The caller may be nil.
func (s *Server) decides(c *engine.Caller) bool {
	return len(s.access) > 0 ||
		c != nil && (len(c.Groups) > 0 || c.Principal != nil && principalOf(c).Access != nil)
}

// decidesFor calls decides with the caller of ctx.
func (s *Server) decidesFor(ctx context.Context) bool { return s.decides(callerFrom(ctx)) }

// callerFrom returns the caller whose request ctx belongs to, or nil if ctx does not belong to a
// request.
func callerFrom(ctx context.Context) *engine.Caller {
	if call := CallFrom(ctx); call != nil && call.x != nil {
		return &call.x.From
	}
	return nil
}

// authorize decides on a feature, and on those that it needs. It reports whether the feature exists
// for the request, and returns the error for its use.
func (s *Server) authorize(ctx context.Context, f Feature) (refusal *AccessError, exists bool) {
	refusal, exists = s.authorizeOne(ctx, f)
	if part := partOf(f); part != nil && exists {
		return s.authorizeNeeds(ctx, part, refusal)
	}
	return refusal, exists
}

// authorizeNeeds adds the decisions on the features that a resource needs.
func (s *Server) authorizeNeeds(ctx context.Context, part resourcePart, refusal *AccessError) (_ *AccessError, exists bool) {
	x := exchangeFrom(ctx)
	for _, need := range part.needs() {
		f := s.lookUp(need.set, need.name)
		if f == nil || x != nil && x.Revision != nil && needsTask(f, x.Revision) {
			return nil, false
		}
		also, exists := s.authorize(ctx, f)
		if !exists {
			return nil, false
		}
		if also != nil {
			refusal, _ = merge(refusal, also)
		}
	}
	return refusal, true
}

// isServed reports whether the features are registered that a feature needs, in a revision. The
// caller holds the lock.
func (s *Server) isServed(f Feature, rev *protocol.Revision) bool {
	part := partOf(f)
	if part == nil {
		return true
	}
	for _, need := range part.needs() {
		f := s.sets[need.set].byName[need.name]
		if f == nil || needsTask(f, rev) || !s.isServed(f, rev) {
			return false
		}
	}
	return true
}

// authorizeOne is authorize without the features that f needs.
func (s *Server) authorizeOne(ctx context.Context, f Feature) (refusal *AccessError, exists bool) {
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

// unguarded returns the error for features with scopes on a server without an [Access].
func unguarded(scopes []string) *AccessError {
	return &AccessError{Scopes: scopes, StepUp: true, Text: "this needs scopes, and the server does not know those of any caller"}
}

// overNetwork reports whether the request of ctx arrived over a network. On stdio and in memory the
// client is the user who started the program.
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

// isListed reports whether lists contain the feature for the request of ctx.
func (s *Server) isListed(ctx context.Context, f Feature) bool {
	_, exists := s.authorize(ctx, f)
	return exists
}

// refuse records the reason why the request of ctx is refused. Several refusals of a request are
// merged.
func refuse(ctx context.Context, e *AccessError) {
	if call := CallFrom(ctx); call != nil && call.x != nil {
		call.x.refusal, _ = merge(call.x.refusal, e)
	}
}

// refused returns the recorded refusal, or err if the request was not refused.
func (x *exchange) refused(err error) error {
	if x.refusal != nil {
		return x.refusal.response()
	}
	return err
}

// refusedAs is like refused for an error of the protocol.
func refusedAs(ctx context.Context, err *jsonrpc.Error) *jsonrpc.Error {
	if call := CallFrom(ctx); call != nil && call.x != nil && call.x.refusal != nil {
		e := call.x.refusal.response()
		return &jsonrpc.Error{Code: e.Code, Message: e.Message, Data: e.Data}
	}
	return err
}

// warnUnguarded logs once that features need scopes and that the server has no Access to check
// them.
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
