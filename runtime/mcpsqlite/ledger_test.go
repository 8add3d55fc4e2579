package mcpsqlite_test

import (
	"fmt"
	"strings"
	"testing"
)

// ledger is the file to which handlers write, one line each: "begin TASK STEP PID" before a step,
// and "kept TASK STEP PID" after its value is stored.
type ledger struct {
	lines  []string
	killed map[string]bool // processes, by their ids
}

// check returns the violations: a step that begins after it was kept, or begins twice without a
// kill in between.
func (l *ledger) check() (faults []string) {
	type step struct{ task, name string }
	begun, kept := map[step]string{}, map[step]bool{}
	for _, line := range l.lines {
		var word, pid string
		var s step
		if _, err := fmt.Sscan(line, &word, &s.task, &s.name, &pid); err != nil {
			continue // cut by a kill
		}
		switch {
		case word == "kept":
			kept[s] = true
			continue
		case kept[s]:
			faults = append(faults, fmt.Sprintf("%s of %s begins after it was kept", s.name, s.task))
		case begun[s] == pid:
			faults = append(faults, fmt.Sprintf("%s of %s begins twice in one process", s.name, s.task))
		case begun[s] != "" && !l.killed[begun[s]]:
			faults = append(faults, fmt.Sprintf("%s of %s begins twice, and process %s was not killed", s.name, s.task, begun[s]))
		}
		begun[s] = pid
	}
	return faults
}

// The checker finds violations in a ledger.
func TestLedger(t *testing.T) {
	for name, test := range map[string]struct{ lines, want string }{
		"good":           {"begin a 1 7\nkept a 1 7\nbegin a 2 7\nbegin a 2 8\nkept a 2 8\nbegin b 1 8", ""},
		"cut":            {"begin a 1 7\nkept a", ""},
		"after it":       {"begin a 1 7\nkept a 1 7\nbegin a 1 8", "1 of a begins after it was kept"},
		"in one process": {"begin a 1 7\nbegin a 1 7", "1 of a begins twice in one process"},
		"no kill":        {"begin a 1 8\nbegin a 1 9", "1 of a begins twice, and process 8 was not killed"},
	} {
		l := ledger{strings.Split(test.lines, "\n"), map[string]bool{"7": true}}
		if got := strings.Join(l.check(), "; "); got != test.want {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
}
