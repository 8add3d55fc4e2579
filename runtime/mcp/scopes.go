package mcp

import "github.com/mcpgen/mcpgen/runtime/internal/transport"

// This file collects the scopes of the features, which a guard tells clients before they have a
// credential. They are collected once for each change of the features, since strangers ask for
// them.

func (h transportServer) Scopes() *transport.Scopes {
	if known := h.scopes.Load(); known != nil {
		return known
	}
	// The value is stored under the lock, so that no change comes in between.
	h.mu.RLock()
	defer h.mu.RUnlock()
	found := new(transport.Scopes)
	all, reading := map[string]bool{}, map[string]bool{}
	for set := range h.sets {
		for _, e := range h.sets[set].items {
			info := e.Info()
			for _, scope := range info.Scopes {
				if !all[scope] {
					all[scope], found.All = true, append(found.All, scope)
				}
				if (info.Kind != KindTool || info.Hints.ReadOnly) && !reading[scope] {
					reading[scope], found.Reading = true, append(found.Reading, scope)
				}
			}
		}
	}
	h.scopes.Store(found)
	return found
}
