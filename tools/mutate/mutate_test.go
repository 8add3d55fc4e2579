package main

import (
	"errors"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
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

// Each mutant is a file that can be parsed, differs in one place, and has a unique name.
func TestMutantsOf(t *testing.T) {
	path := filepath.Join(t.TempDir(), "p.go")
	if err := os.WriteFile(path, []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	found, err := mutantsOf(path, "p/p.go")
	if err != nil {
		t.Fatal(err)
	}
	number(found)
	together := withMutants([]byte(source), found)
	if _, err := parser.ParseFile(token.NewFileSet(), "p.go", together, 0); err != nil {
		t.Errorf("all together: %v\n%s", err, together)
	}
	var keys []string
	for _, m := range found {
		keys = append(keys, m.key())
		changed := withMutants([]byte(source), []*mutant{m})
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
	r = &report{leftOut: []string{"TestX"}}
	if !r.failed() {
		t.Error("a test that is left out passes")
	}
	r = &report{}
	if r.add(a, unreached); !r.failed() {
		t.Error("a mutant that no test reaches passes")
	}
	r = &report{}
	r.add(a, endless)
	r.add(b, killedByOther)
	if r.failed() {
		t.Error("dead mutants fail")
	}
	if r.add(a, survived); !r.failed() || !strings.Contains(r.text(), "without a reason:\na: ") {
		t.Errorf("a survivor passes:\n%s", r.text())
	}
}

// The tests that reach a mutant are run, the quick ones together and first.
func TestBatches(t *testing.T) {
	tests := []*test{
		{name: "A", took: time.Millisecond, asks: map[int]bool{7: true}},
		{name: "B", took: time.Millisecond, asks: map[int]bool{8: true}},
		{name: "C", took: 10 * time.Millisecond, asks: map[int]bool{7: true, 8: true}},
		{name: "D", took: time.Second, asks: map[int]bool{7: true}},
		{name: "E", took: 2 * time.Second, asks: map[int]bool{7: true}},
	}
	var got []string
	for _, batch := range (&suite{tests: tests}).batches(7) {
		names := ""
		for _, t := range batch {
			names += t.name
		}
		got = append(got, names)
	}
	if want := []string{"AC", "D", "E"}; !slices.Equal(got, want) {
		t.Errorf("batches %v, want %v", got, want)
	}
}

func TestFailingTest(t *testing.T) {
	for out, want := range map[string]string{
		"--- FAIL: TestA (0.01s)\n    --- FAIL: TestA/b (0.00s)\nFAIL\n":                                   "TestA",
		"panic: test timed out after 30s\n\trunning tests:\n\t\tTestB (30s)\n\ngoroutine 1 [running]:\n":   "TestB",
		"panic: test timed out after 30s\n\trunning tests:\n\t\tTestC/of_d (1m2.5s)\n\ngoroutine 1 [r]:\n": "TestC",
		"PASS\ngoleak: Errors on successful test run: found unexpected goroutines\n":                       "",
	} {
		if got := failingTest(out); got != want {
			t.Errorf("%q: %q, want %q", out, got, want)
		}
	}
}

const module = `-- go.mod --
module example.com/m

go 1.26
-- runtime/p/p.go --
package p

func Small(n int) bool {
	if n > 9 || n < 0 {
		return false
	}
	return true
}

func Spins(n int) {
	for {
		if n--; n < 0 {
			return
		}
	}
}

func Elsewhere(n int) bool {
	if n > 9 {
		return false
	}
	return true
}

func Unused(n int) bool {
	if n > 9 {
		return false
	}
	return true
}
-- runtime/p/p_test.go --
package p

import "testing"

func TestSmall(t *testing.T) {
	if Small(10) || !Small(1) {
		t.Error("wrong")
	}
}

func TestSpins(t *testing.T) { Spins(3) }
-- runtime/internal/hardening/p_test.go --
package hardening

import (
	"testing"

	"example.com/m/runtime/p"
)

func TestElsewhere(t *testing.T) {
	if p.Small(1) != p.Small(2) || p.Elsewhere(10) {
		t.Error("wrong")
	}
}
`

// A program with mutants of every outcome.
func TestTry(t *testing.T) {
	dir := t.TempDir()
	for _, f := range txtar(module) {
		name := filepath.Join(dir, f[0])
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(f[1]), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	all, err := mutantsOf(filepath.Join(dir, "runtime/p/p.go"), "runtime/p/p.go")
	if err != nil {
		t.Fatal(err)
	}
	number(all)
	t.Setenv("GOWORK", "off")
	r, err := newRunner(dir, time.Second, all)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	want := map[string]verdict{
		"Small: never: n > 9 || n < 0": killedByOwn,
		"Small: without: n > 9":        killedByOwn,
		"Small: without: n < 0":        survived,
		"Spins: never: n < 0":          endless,
		"Elsewhere: never: n > 9":      killedByOther,
		"Unused: never: n > 9":         unreached,
	}
	for _, m := range all {
		v, by, err := r.try(t.Context(), m)
		key := strings.TrimPrefix(m.key(), "runtime/p/p.go: ")
		if err != nil || v != want[key] {
			t.Errorf("%s: %s by %s, %v, want %s", key, v, by, err, want[key])
		}
	}
	if len(all) != len(want) || len(r.leftOut()) > 0 {
		t.Errorf("%d mutants, left out %v", len(all), r.leftOut())
	}
}

// txtar returns the names and contents of the files in an archive.
func txtar(archive string) (files [][2]string) {
	for _, part := range strings.Split("\n"+archive, "\n-- ")[1:] {
		name, text, _ := strings.Cut(part, " --\n")
		files = append(files, [2]string{name, text + "\n"})
	}
	return files
}
