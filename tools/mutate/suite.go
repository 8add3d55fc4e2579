package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// suite is the tests of one package, built with the mutants.
type suite struct {
	pkg    string
	dir    string
	binary string
	tests  []*test // quickest first
	failed []string
}

type test struct {
	name string
	took time.Duration
	asks map[int]bool // the mutants that it requests
}

// build builds the tests of a package. It returns nil if the package has none.
func (r *runner) build(ctx context.Context, pkg string) (*suite, error) {
	s := &suite{pkg: pkg, dir: filepath.Join(r.root, pkg), binary: filepath.Join(r.dir, strings.ReplaceAll(pkg, "/", "+")+".test")}
	cmd := exec.CommandContext(ctx, "go", "test", "-c", "-vet=off", "-overlay="+r.overlay, "-o", s.binary, pkg)
	cmd.Dir = r.root
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("build the tests of %s: %w\n%s", pkg, err, out)
	}
	if _, err := os.Stat(s.binary); err != nil {
		return nil, nil //nolint:nilerr,nilnil // go test has built nothing: there are no tests
	}
	names, err := s.list(ctx)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		if err := r.learn(ctx, s, name); err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(s.tests, func(a, b *test) int { return cmp.Compare(a.took, b.took) })
	return s, nil
}

func (s *suite) list(ctx context.Context) ([]string, error) {
	cmd := exec.CommandContext(ctx, s.binary, "-test.list=^(Test|Fuzz|Example)")
	cmd.Dir = s.dir
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("list the tests of %s: %w", s.pkg, err)
	}
	return strings.Fields(string(out)), nil
}

// learn runs one test without a mutant, and records which mutants it requests. A test that fails by
// itself would make every mutant look dead, and is omitted.
func (r *runner) learn(ctx context.Context, s *suite, name string) error {
	asked := filepath.Join(r.dir, "asked")
	defer func() { _ = os.Remove(asked) }()
	began := time.Now()
	if out, err := r.run(ctx, s, 0, 10*time.Minute, []string{name}, envAsked+"="+asked); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		s.failed = append(s.failed, name)
		fmt.Fprintf(os.Stderr, "%s fails without a change and is left out: %s: %v\n%s", s.pkg, name, err, out)
		return nil
	}
	t := &test{name: name, took: time.Since(began), asks: map[int]bool{}}
	text, err := os.ReadFile(asked)
	if err != nil && !os.IsNotExist(err) {
		return err
	}
	for _, id := range strings.Fields(string(text)) {
		n, err := strconv.Atoi(id)
		if err != nil {
			return err
		}
		t.asks[n] = true
	}
	s.tests = append(s.tests, t)
	return nil
}

// run runs some tests with a mutant. It returns nil if they pass.
func (r *runner) run(ctx context.Context, s *suite, id int, timeout time.Duration, tests []string, env ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout+time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, s.binary, "-test.failfast", "-test.timeout="+timeout.String(), "-test.run=^("+strings.Join(tests, "|")+")$")
	cmd.Dir = s.dir
	cmd.Env = append(append(os.Environ(), envMutant+"="+strconv.Itoa(id)), env...)
	cmd.WaitDelay = 10 * time.Second
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// batches returns the tests that request a mutant: the quick ones, which kill most mutants, and
// then the others.
func (s *suite) batches(id int) (batches [][]*test) {
	var sum time.Duration
	for _, t := range s.tests {
		if !t.asks[id] {
			continue
		}
		if sum += t.took; len(batches) == 0 || sum > time.Second {
			batches, sum = append(batches, nil), 0
		}
		last := len(batches) - 1
		batches[last] = append(batches[last], t)
	}
	return batches
}

var failing = regexp.MustCompile(`(?m)^--- FAIL: (\w+)|^\t+(\w+)(?:/\S+)? \([\dhmsnµ.]+\)$`)

// failingTest returns the test that failed, or hung, according to the output of a run.
func failingTest(out string) string {
	m := failing.FindStringSubmatch(out)
	if m == nil {
		return ""
	}
	return m[1] + m[2]
}
