package mcp

import (
	"strconv"

	"github.com/mcpgen/mcpgen/internal/uritemplate"
)

// This file registers features, under the lock of the server, and notifies clients of it.

// Register adds a feature. It may be called while the server serves: subscribed clients get a
// notification that the list changed, unless [WithoutCapabilities] leaves that out.
//
// It panics, as http.ServeMux does for a mistake in the program: if the specification does not
// allow the name of a tool or prompt (it consists of 1 to 128 letters, digits and _ - .), if a URI
// is invalid, if the name or URI is already registered, if an icon, an annotation, a MIME type or a
// key of [Meta] is not valid, if hosts could not show an interface ([ToolUI], [ResourceUI]), if an
// argument with x-mcp-header in its schema cannot be sent as a header field, or if OAuth does not
// allow the syntax of a scope. A feature that a [Policy] does not allow is not added.
func (s *Server) Register(f Feature) {
	f.check(s.published.declared)
	if !s.allowFeature(f) {
		return
	}
	s.checkTimeout(f)
	part := partOf(f)
	if part != nil {
		part.check(s, f.(*resource))
	}
	if t, ok := f.(*tool); ok && t.task != nil {
		defer t.task.register(s)() // runs after the lock is released
	}
	set, e := setOf[f.Info().Kind], s.newEntry(f)
	s.mu.Lock()
	defer s.notifyListChanged(set)
	defer s.mu.Unlock()
	s.checkListChange(set, string(f.Info().Kind)+" "+strconv.Quote(f.names()[0]), "registered")
	s.sets[set].add(e)
	if len(f.Info().Scopes) > 0 {
		s.hasScopes.Store(true)
	}
	if part != nil {
		s.brought.Store(part.brings())
	}
	s.complete = s.complete || f.completes()
	switch f := f.(type) {
	case *tool:
		s.embeds = s.embeds || f.info.Embeds
		s.pages = s.pages || f.info.UI.hasPage()
	case *prompt:
		s.embeds = s.embeds || f.info.Embeds
	}
	s.reindex(set)
}

// Unregister removes the feature with that published name (the URI of a resource, the URI template
// of a resource template), and reports whether it was registered. Running calls continue.
func (s *Server) Unregister(kind FeatureKind, name string) bool {
	set, ok := setOf[kind]
	if set == resourceSet || set == templateSet {
		name = uritemplate.Encode(name)
	}
	if !ok || !s.unregister(set, kind, name) {
		return false
	}
	s.notifyListChanged(set)
	return true
}

// unregister removes a feature if it is registered.
func (s *Server) unregister(set int, kind FeatureKind, name string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.sets[set].has(name) {
		s.checkListChange(set, string(kind)+" "+strconv.Quote(name), "unregistered")
	}
	delete(s.denied, deniedKey{kind, name})
	if !s.sets[set].has(name) {
		return false
	}
	s.sets[set].remove(name)
	s.reindex(set)
	return true
}

// reindex updates the data that depends on the features of a set. The caller holds the lock.
func (s *Server) reindex(set int) {
	clear(s.sets[set].first[:])
	if s.brought.Load() != nil { // a resource may need what has changed
		clear(s.sets[resourceSet].first[:])
		clear(s.sets[resourceSet].entries[:])
	}
	s.scopes.Store(nil)
	switch {
	case set == templateSet:
		s.sortTemplates()
	case set == toolSet && s.finder != nil:
		s.finder.changes.Add(1)
	}
}

// notifyListChanged notifies subscribers that the features of a set have changed. Resources may
// need tools, and be listed with them only.
func (s *Server) notifyListChanged(set int) {
	s.subscribers.each(func(sub *subscriber) { sub.changed(topicOf[set], 0) })
	if set == toolSet && s.brought.Load() != nil && !s.without.lists[resourcesChanged] {
		s.subscribers.each(func(sub *subscriber) { sub.changed(resourcesChanged, 0) })
	}
	s.subscribers.callWatchers()
}
