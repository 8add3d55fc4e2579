package mcp

import (
	"sync/atomic"

	"github.com/mcpgen/mcpgen/runtime/internal/toolfind"
)

// This file shortens lists of tools for package mcpfind.

// finder is the state of a server that uses package mcpfind.
type finder struct {
	toolfind.Finder
	register func(*Server)
	changes  atomic.Uint64 // number of changes of the tools
}

// shorten returns the tools for a list, from the tools that a request sees: if there are too many,
// only the tools to keep and the tools that find the others. A nil finder returns all.
func (f *finder) shorten(set int, items []entry) []entry {
	if f == nil || set != toolSet {
		return items
	}
	_, short := f.count(items)
	shown := make([]entry, 0, len(items))
	for _, e := range items {
		if e.finds && short || !e.finds && (e.kept || !short) {
			shown = append(shown, e)
		}
	}
	return shown
}

// count returns the number of tools that a search can find among the tools that a request sees, and
// reports whether a list leaves them to the search. short is false if the request does not see the
// search.
func (f *finder) count(items []entry) (others int, short bool) {
	search := false
	for _, e := range items {
		if appOnly(e) {
			continue
		}
		if !e.finds {
			others++
		} else if e.names()[0] == toolfind.SearchTools {
			search = true
		}
	}
	return others, search && others > f.Threshold
}
