package mcp

import (
	"context"
	"log/slog"
	"maps"
	"slices"

	"github.com/mcpgen/mcpgen/runtime/internal/engine"
	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/internal/transport"
	"github.com/mcpgen/mcpgen/runtime/internal/usercode"
)

// This file tells transports which groups exist for a caller.

// UnknownGroups implements [transport.Server].
func (h transportServer) UnknownGroups(ctx context.Context, from transport.Caller, over string, groups []string) (unknown, known []string) {
	c := newConn(h.Server)
	c.Ctx, c.Transport = ctx, over
	x := newMute(c)
	x.Revision = protocol.Latest
	x.From = engine.Caller{Values: from.Values, Header: from.Header, Address: from.Address}
	p, _ := from.Principal.(*Principal)
	setPrincipal(&x.From, p)
	features := h.groupedFeatures()
	sees := func(group string) (sees bool) {
		usercode.Call(func() {
			sees = slices.ContainsFunc(features[group], func(f Feature) bool { return h.isListed(&x.Ctx, f) })
		}, func(e usercode.Failure) {
			h.log.Program(ctx, slog.LevelError, "panic in the function of an Access", e.Attrs()...)
		})
		return sees
	}
	for _, group := range groups {
		if !sees(group) {
			unknown = append(unknown, group)
		}
	}
	if len(unknown) == 0 {
		return nil, nil
	}
	for _, group := range slices.Sorted(maps.Keys(features)) {
		if sees(group) {
			known = append(known, group)
		}
	}
	return unknown, known
}

// groupedFeatures returns the features of each group.
func (s *Server) groupedFeatures() map[string][]Feature {
	s.mu.RLock()
	defer s.mu.RUnlock()
	features := map[string][]Feature{}
	for i := range s.sets {
		for _, e := range s.sets[i].items {
			for _, group := range e.Info().Groups {
				features[group] = append(features[group], e.Feature)
			}
		}
	}
	return features
}
