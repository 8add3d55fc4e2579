package mcp

import (
	"cmp"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
)

// This file stores the features of a server, one set for each kind. The lock of the server guards
// all sets ([Server.Register] changes them, requests read them).

// featureSet contains the features of one kind, in order of registration, which is the same in
// every process that runs the same program.
type featureSet struct {
	items   []entry
	byName  map[string]Feature // each feature by all of its names
	last    uint64             // number of the latest feature
	offered bool               // a feature is or was registered
	first   [revisions][]byte  // the first page of the list
	entries [revisions][]byte  // of resources: the first page of the list of their own entries
}

// entry is a feature with its number. Cursors refer to the number.
type entry struct {
	Feature
	number uint64

	unlisted bool // left out of lists by [WithListed]
	kept     bool // stays in the list of tools if others are left to a search
	finds    bool // one of the tools that find and call others
}

// The indices of the sets of a server.
const (
	toolSet = iota
	resourceSet
	templateSet
	promptSet
	setCount
)

var setOf = map[FeatureKind]int{
	KindTool: toolSet, KindResource: resourceSet, KindTemplate: templateSet, KindPrompt: promptSet,
}

func (sh *featureSet) add(e entry) {
	f := e.Feature
	names := f.names()
	kind := f.Info().Kind
	for i, name := range names {
		if other := sh.byName[name]; other != nil {
			panic(fmt.Sprintf("mcp: %s %q registered twice: %s and %s", kind, name, symbolOf(other), symbolOf(f)))
		}
		if slices.Contains(names[:i], name) {
			panic(fmt.Sprintf("mcp: %s %s of %s has the name %q twice", kind, f.Info().Name, symbolOf(f), name))
		}
	}
	if sh.byName == nil {
		sh.byName = map[string]Feature{}
	}
	for _, name := range names {
		sh.byName[name] = f
	}
	sh.last++
	e.number = sh.last
	sh.items = append(sh.items, e)
	sh.offered = true
}

// has reports whether a feature with that published name is registered.
func (sh *featureSet) has(name string) bool {
	f := sh.byName[name]
	return f != nil && f.names()[0] == name
}

// remove removes the feature with that published name, which must be registered.
func (sh *featureSet) remove(name string) {
	f := sh.byName[name]
	for _, n := range f.names() {
		delete(sh.byName, n)
	}
	i := slices.IndexFunc(sh.items, func(s entry) bool { return s.Feature == f })
	// A copy, since goroutines that write a list read the old array without a lock.
	sh.items = append(sh.items[:i:i], sh.items[i+1:]...)
}

// after returns the features after the one with the given number. They must not be changed.
func (sh *featureSet) after(number uint64) []entry {
	i, _ := slices.BinarySearchFunc(sh.items, number+1, func(s entry, n uint64) int { return cmp.Compare(s.number, n) })
	return sh.items[i:len(sh.items):len(sh.items)]
}

// symbolOf returns the function of a feature, for the message of a panic.
func symbolOf(f Feature) string {
	if symbol := f.Info().Symbol; symbol != "" {
		return symbol
	}
	return "a function without a symbol"
}

// listings are the list entries of a feature, one for each revision, rendered at first use. Only
// lists that depend on the request, and pages after the first, need them.
type listings [revisions]atomic.Pointer[[]byte]

func (l *listings) get(f Feature, rev *protocol.Revision) []byte {
	cached := &l[rev.Index()]
	if b := cached.Load(); b != nil {
		return *b
	}
	b := f.appendListing(make([]byte, 0, f.listingSize()), rev)
	cached.Store(&b)
	return b
}
