package main

import (
	"errors"
	"fmt"
	"go/token"
	"go/types"
	"maps"
	"path/filepath"
	"slices"
	"strings"
)

// lock is a lock or condition variable under which something may wait.
type lock struct {
	name  string
	waits []wait
}

func (l lock) names() []string {
	names := make([]string, len(l.waits))
	for i, w := range l.waits {
		names[i] = w.what
	}
	return names
}

// wait is an operation that may wait, with the calls between the lock and it.
type wait struct {
	what string
	path []string
}

// summary is the effect of calling a function on locks.
type summary struct {
	events           map[string]event
	uses             map[string]use
	leaves, releases set // locks that it holds when it returns, and locks of the caller that it has released
}

// use is a call of a parameter.
type use struct {
	param          *types.Var
	held, released set
	path           []string
}

func newSummary() summary {
	return summary{events: map[string]event{}, uses: map[string]use{}}
}

func (s *summary) add(e event) {
	k := fmt.Sprint(e.what, " ", e.lock, " ", e.released)
	if _, ok := s.events[k]; !ok {
		s.events[k] = e
	}
}

func (s *summary) use(u use) {
	u.held, u.released = maps.Clone(u.held), maps.Clone(u.released)
	k := fmt.Sprintf("%s %d %s %s", u.param.Name(), u.param.Pos(), u.held, u.released)
	if _, ok := s.uses[k]; !ok {
		s.uses[k] = u
	}
}

// same reports whether two summaries have the same keys.
func (s summary) same(o summary) bool {
	keys := func(s summary) string {
		return strings.Join(slices.Sorted(maps.Keys(s.events)), "\n") + "\n\n" + strings.Join(slices.Sorted(maps.Keys(s.uses)), "\n") +
			"\n\n" + s.leaves.String() + "\n\n" + s.releases.String()
	}
	return keys(s) == keys(o)
}

type scanner struct {
	p     *program
	under map[string]map[string]event
	given map[*types.Var]*node
}

func (s *scanner) record(lock string, e event) {
	if e.lock && e.what == lock {
		return // of another value
	}
	if s.under[lock] == nil {
		s.under[lock] = map[string]event{}
	}
	if old, ok := s.under[lock][e.what]; !ok || len(e.path) < len(old.path) {
		s.under[lock][e.what] = e
	}
}

// maxRounds limits how often all functions are read. About ten rounds suffice, the depth of calls.
const maxRounds = 50

// scan returns the locks in modules under which an operation may wait, sorted by name.
func scan(dirs ...string) ([]lock, error) {
	p, err := load(dirs...)
	if err != nil {
		return nil, err
	}
	s := &scanner{p: p, given: map[*types.Var]*node{}}
	slices.SortFunc(p.nodes, func(a, b *node) int { return int(a.body.Pos() - b.body.Pos()) })
	for changed, rounds := true, 0; changed; rounds++ {
		if rounds == maxRounds {
			return nil, errors.New("the summaries of functions do not settle")
		}
		changed = false
		s.under = map[string]map[string]event{}
		for _, n := range p.nodes {
			if out := s.walk(n); !out.same(n.summary) {
				n.summary, changed = out, true
			}
		}
		for v, n := range maps.Clone(s.given) {
			if out := s.walkStored(v, n); !out.same(n.summary) {
				n.summary, changed = out, true
			}
		}
	}
	s.strangers()
	return s.found(), nil
}

// strangers records the functions that other code passes and that are called under a lock.
func (s *scanner) strangers() {
	for _, n := range s.p.nodes {
		for _, u := range n.summary.uses {
			if of := s.p.params[u.param].of; of.public || s.p.values[of] {
				for l := range u.held {
					s.record(l, event{what: "function " + u.param.Name() + " of " + of.declared(), path: u.path})
				}
			}
		}
	}
}

// found omits locks that are taken under others if nothing waits under them.
func (s *scanner) found() []lock {
	waiting := set{}
	for changed := true; changed; {
		changed = false
		for name, events := range s.under {
			for _, e := range events {
				if !waiting[name] && (!e.lock || waiting[e.what]) {
					waiting[name], changed = true, true
				}
			}
		}
	}
	var out []lock
	for name := range waiting {
		l := lock{name: name}
		for _, what := range slices.Sorted(maps.Keys(s.under[name])) {
			if e := s.under[name][what]; !e.lock || waiting[what] {
				l.waits = append(l.waits, wait{what, e.path})
			}
		}
		out = append(out, l)
	}
	slices.SortFunc(out, func(a, b lock) int { return strings.Compare(a.name, b.name) })
	return out
}

// position returns the position of a token relative to the folder of the first module.
func (p *program) position(pos token.Pos) string {
	at := p.fset.Position(pos)
	if rel, err := filepath.Rel(p.root, at.Filename); err == nil {
		at.Filename = rel
	}
	return fmt.Sprintf("%s:%d", filepath.ToSlash(at.Filename), at.Line)
}
