package mcp

import (
	"sync/atomic"

	"github.com/mcpgen/mcpgen/runtime/internal/toolfind"
)

// This file is what package mcpfind leaves of a list of tools.

// finder is what a server has with package mcpfind.
type finder struct {
	toolfind.Finder
	register func(*Server)
	changes  atomic.Uint64 // of the tools
}

// shorten returns the tools in a list, of those that a request sees: if there are too many, those to
// keep and those that find the others. A nil finder shortens nothing.
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

// count returns how many tools a search can find among those that a request sees, and reports whether
// a list leaves them to it. It does not if the request does not see the search.
func (f *finder) count(items []entry) (others int, short bool) {
	search := false
	for _, e := range items {
		if !e.finds {
			others++
		} else if e.names()[0] == toolfind.SearchTools {
			search = true
		}
	}
	return others, search && others > f.Threshold
}
