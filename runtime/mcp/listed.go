package mcp

import (
	"context"

	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/internal/toolfind"
)

// This file decides which registered features a list contains. The lock of the server guards the
// items of a set. Functions of users run without it.

// WithListed leaves features out of lists if listed returns false for them. They can still be
// called, read and got by their names, as by an alias. If the option is given several times, every
// function must return true. A function is called when the feature is registered: it does not
// depend on the request, so lists stay public. For features that only some callers may use, see
// [WithAccess].
func WithListed(listed func(FeatureInfo) bool) Option {
	return func(s *Server) { s.listed = append(s.listed, listed) }
}

// newEntry returns the entry of a feature that is about to be registered.
func (s *Server) newEntry(f Feature) entry {
	e := entry{Feature: f}
	if len(s.listed) == 0 && s.finder == nil {
		return e
	}
	info := f.Info()
	for _, listed := range s.listed {
		e.unlisted = e.unlisted || !listed(info)
	}
	if s.finder != nil && info.Kind == KindTool {
		e.finds = toolfind.Is(info.Name)
		// In revision 2025-11-25 clients decide whether to ask for a task by the tool's entry in
		// the list. Hosts find there the page for the results of a tool, and whether a page may
		// call it.
		e.kept = info.Task == "required" || uiOf(f) != nil || s.finder.Keeps(info.Name, info.Groups)
	}
	return e
}

// publicItems returns the features of a set in a list that is the same for every request. The
// caller holds the lock.
func (s *Server) publicItems(l *pagedList, rev *protocol.Revision) []entry {
	all := s.sets[l.set].items
	brings := l.set == resourceSet && s.brought.Load() != nil
	if len(s.listed) == 0 && s.tasks() == nil && s.finder == nil && !brings {
		return all
	}
	items := make([]entry, 0, len(all))
	for _, e := range all {
		if !e.unlisted && !needsTask(e.Feature, rev) && (!brings || l.has(e.Feature) && s.isServed(e.Feature, rev)) {
			items = append(items, e)
		}
	}
	return s.finder.shorten(l.set, items)
}

// itemsAfter returns the features of a set after a position. It reports whether they are the
// features that the request sees in lists, or whether the caller must still decide.
func (s *Server) itemsAfter(ctx context.Context, set int, number uint64, rev *protocol.Revision) (items []entry, decided bool) {
	if set != toolSet || s.finder == nil {
		s.mu.RLock()
		defer s.mu.RUnlock()
		return s.sets[set].after(number), false
	}
	all := s.finder.shorten(set, s.visibleTools(ctx, rev))
	for len(all) > 0 && all[0].number <= number {
		all = all[1:]
	}
	return all, true
}

// visibleTools returns the tools that the request sees and that no [WithListed] leaves out.
func (s *Server) visibleTools(ctx context.Context, rev *protocol.Revision) []entry {
	s.mu.RLock()
	all := s.sets[toolSet].after(0)
	s.mu.RUnlock()
	items := make([]entry, 0, len(all))
	for _, e := range all {
		if !e.unlisted && !needsTask(e.Feature, rev) && s.isListed(ctx, e) {
			items = append(items, e)
		}
	}
	return items
}
