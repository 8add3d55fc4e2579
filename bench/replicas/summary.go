package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// summary describes a run.
func (l *ledger) summary(effects []effect) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	var b strings.Builder
	done := map[string]int{}
	for _, c := range l.calls {
		if c.done {
			done[c.tool]++
		}
	}
	fmt.Fprintf(&b, "%d kills, %d sessions, %d calls, of which have results:", len(l.kills), len(l.sessions), len(l.calls))
	for _, tool := range slices.Sorted(maps.Keys(done)) {
		fmt.Fprintf(&b, " %d %s", done[tool], tool)
	}
	changes, again, steps := 0, 0, map[string]bool{}
	for _, e := range effects {
		switch e.kind {
		case changedEffect:
			changes++
		case stepEffect:
			if step := e.nonce + " " + e.value; steps[step] {
				again++
			} else {
				steps[step] = true
			}
		}
	}
	fmt.Fprintf(&b, "; %d tasks with %d steps, of which %d were begun again; %d changes for %d listeners; %d of %d limited calls passed; failures:",
		len(l.tasks), len(steps), again, changes, len(l.received), len(l.passed), l.tried)
	kinds := map[string]int{}
	for _, f := range l.failures {
		kinds[f.kind]++
	}
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		fmt.Fprintf(&b, " %d %s", kinds[kind], kind)
	}
	if len(kinds) == 0 {
		b.WriteString(" none")
	}
	return b.String()
}
