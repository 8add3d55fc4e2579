package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"
	"time"
)

// hardening is the package with tests of known failures of servers, whichever package causes them.
const hardening = "./runtime/internal/hardening"

// verdict is the outcome of a mutant.
type verdict string

const (
	killedByOwn   verdict = "killed"             // by the tests of its package
	killedByOther verdict = "killed (elsewhere)" // only by tests of other packages
	endless       verdict = "killed (timeout)"   // a test hung, twice
	survived      verdict = "SURVIVED"
	unreached     verdict = "NOT REACHED" // by any test
)

// runner runs tests with one mutant after another.
type runner struct {
	root    string
	dir     string // for built files
	overlay string
	timeout time.Duration
	skip    string // a package whose tests are not run
	suites  map[string]*suite
}

// newRunner adds the mutants to the program. Close removes its files.
func newRunner(root string, timeout time.Duration, all []*mutant) (*runner, error) {
	dir, err := os.MkdirTemp("", "mutate-")
	if err != nil {
		return nil, err
	}
	r := &runner{root: root, dir: dir, timeout: timeout, suites: map[string]*suite{}}
	if r.overlay, err = writeOverlay(root, dir, all); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return r, nil
}

func (r *runner) Close() error { return os.RemoveAll(r.dir) }

// suite returns the tests of a package.
func (r *runner) suite(ctx context.Context, pkg string) (*suite, error) {
	if s, ok := r.suites[pkg]; ok {
		return s, nil
	}
	s, err := r.build(ctx, pkg)
	if err == nil {
		r.suites[pkg] = s
	}
	return s, err
}

// leftOut returns the tests that fail without a mutant.
func (r *runner) leftOut() (names []string) {
	for _, s := range r.suites {
		if s != nil {
			for _, name := range s.failed {
				names = append(names, s.pkg+"."+name)
			}
		}
	}
	slices.Sort(names)
	return names
}

// packages returns the packages whose tests are run, in order.
func (m *mutant) packages() []string {
	pkgs := []string{"./" + path.Dir(m.file)}
	switch {
	case strings.HasPrefix(m.file, "runtime/internal/"), strings.HasPrefix(m.file, "runtime/jsonrpc/"):
		pkgs = append(pkgs, "./runtime/mcp", "./runtime/mcphttp", "./runtime/mcphttpclient", "./runtime/mcpws", "./runtime/mcpnet", hardening)
	case strings.HasPrefix(m.file, "runtime/"):
		pkgs = append(pkgs, hardening)
	case strings.HasPrefix(m.file, "generator/"):
		pkgs = append(pkgs, "./generator/internal/pipeline")
	}
	return pkgs
}

// try runs the tests that reach a mutant until one fails, and returns its name.
func (r *runner) try(ctx context.Context, m *mutant) (v verdict, by string, err error) {
	reached := false
	for i, pkg := range m.packages() {
		if pkg == r.skip {
			continue
		}
		s, err := r.suite(ctx, pkg)
		if err != nil {
			return "", "", err
		}
		if s == nil {
			continue
		}
		for _, batch := range s.batches(m.id) {
			reached = true
			by, late, err := r.fails(ctx, s, m.id, batch)
			switch {
			case err != nil:
				return "", "", err
			case by == "":
				continue
			case late:
				return endless, pkg + "." + by, nil
			case i > 0:
				return killedByOther, pkg + "." + by, nil
			}
			return killedByOwn, pkg + "." + by, nil
		}
	}
	if !reached {
		return unreached, "", nil
	}
	return survived, "", nil
}

// fails returns the test of a batch that fails twice with a mutant, if any, and reports whether it
// hangs. A test that fails once may have been unlucky; it is skipped, and the others are run.
func (r *runner) fails(ctx context.Context, s *suite, id int, batch []*test) (by string, late bool, err error) {
	for len(batch) > 0 {
		var names []string
		timeout := r.timeout
		for _, t := range batch {
			names = append(names, t.name)
			timeout += 4 * t.took
		}
		out, err := r.run(ctx, s, id, timeout, names)
		if ctx.Err() != nil {
			return "", false, ctx.Err()
		}
		if err == nil {
			return "", false, nil
		}
		name := failingTest(out)
		if !slices.Contains(names, name) {
			// The process exited without naming a test: all of them are run again.
			if _, err := r.run(ctx, s, id, timeout, names); err != nil {
				return strings.Join(names, "|"), false, ctx.Err()
			}
			return "", false, nil
		}
		again, err := r.run(ctx, s, id, timeout, []string{name})
		if ctx.Err() != nil {
			return "", false, ctx.Err()
		}
		if err != nil {
			return name, strings.Contains(out, timedOut) && strings.Contains(again, timedOut), nil
		}
		fmt.Fprintf(os.Stderr, "%s.%s failed once with mutant %d\n", s.pkg, name, id)
		batch = slices.DeleteFunc(slices.Clone(batch), func(t *test) bool { return t.name == name })
	}
	return "", false, nil
}

const timedOut = "panic: test timed out after"
