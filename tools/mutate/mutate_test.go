package main

import (
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const source = `package p

func (s *server) admit(r request) error {
	if r.size > limit || r.late() {
		return errLarge
	}
	defer s.release()
	switch {
	case !s.open:
		return errClosed
	}
	if s.verbose {
		s.log("request")
	}
	_ = s.conn.Close()
	return nil
}
`

// Each mutant is a file that can be parsed, differs in one place, and has a name of its
// own.
func TestMutantsOf(t *testing.T) {
	path := filepath.Join(t.TempDir(), "p.go")
	if err := os.WriteFile(path, []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	found, err := mutantsOf(path, "p/p.go")
	if err != nil {
		t.Fatal(err)
	}
	var keys []string
	for _, m := range found {
		keys = append(keys, m.key())
		changed := m.apply([]byte(source))
		if _, err := parser.ParseFile(token.NewFileSet(), "p.go", changed, 0); err != nil || string(changed) == source {
			t.Errorf("%s: %v\n%s", m.key(), err, changed)
		}
	}
	want := []string{
		"p/p.go: server.admit: never: r.size > limit || r.late()",
		"p/p.go: server.admit: without: r.size > limit",
		"p/p.go: server.admit: without: r.late()",
		"p/p.go: server.admit: leave out: defer s.release()",
		"p/p.go: server.admit: never: !s.open",
		"p/p.go: server.admit: leave out: _ = s.conn.Close()",
	}
	if !slices.Equal(keys, want) {
		t.Errorf("found\n%s", strings.Join(keys, "\n"))
	}
}

// The files of the list exist, and every reason belongs to a mutant.
func TestLists(t *testing.T) {
	targets, err := readTargets("targets.txt")
	if err != nil || len(targets) == 0 {
		t.Fatalf("%d targets, %v", len(targets), err)
	}
	var all []*mutant
	for _, target := range targets {
		found, err := mutantsOf(filepath.Join("..", "..", target), target)
		if err != nil {
			t.Error(err)
		}
		all = append(all, found...)
	}
	reasons, err := readReasons("reasons.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range reasons.without(all) {
		t.Errorf("reasons.txt: there is no such mutant: %s", key)
	}
}

func TestReport(t *testing.T) {
	a, b, c := &mutant{file: "a"}, &mutant{file: "b"}, &mutant{file: "c"}
	r := &report{reasons: reasons{b.key(): "equal", c.key(): "equal"}}
	r.add(b, survived)
	if r.failed() {
		t.Error("a survivor with a reason fails")
	}
	r.add(c, killedByOwn)
	if !r.failed() {
		t.Error("a reason that is not needed passes")
	}
	r = &report{}
	r.add(a, invalid)
	r.add(b, killedByHardening)
	if r.failed() {
		t.Error("dead mutants fail")
	}
	if r.add(a, survived); !r.failed() || !strings.Contains(r.text(), "without a reason:\na: ") {
		t.Errorf("a survivor passes:\n%s", r.text())
	}
}
