package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"time"
)

// hardening are the tests that know how servers fail, whatever package is to blame.
const hardening = "./runtime/internal/hardening"

// verdict is what became of a mutant.
type verdict string

const (
	killedByOwn       verdict = "killed"             // by the tests of its package
	killedByHardening verdict = "killed (hardening)" // by those of runtime/internal/hardening alone
	survived          verdict = "SURVIVED"
	invalid           verdict = "does not compile"
)

// runner runs tests with one file replaced.
type runner struct {
	root    string
	timeout time.Duration
}

// baseline runs the tests without a change: where they fail by themselves, every mutant
// would look dead.
func (r *runner) baseline(ctx context.Context, mutants []*mutant) error {
	done := map[string]bool{}
	for _, m := range mutants {
		for _, pkg := range m.packages() {
			if done[pkg] {
				continue
			}
			done[pkg] = true
			if out, err := r.test(ctx, pkg, ""); err != nil {
				return fmt.Errorf("tests of %s fail without a change: %w\n%s", pkg, err, out)
			}
		}
	}
	return nil
}

// packages are those whose tests are run, in order.
func (m *mutant) packages() []string {
	own := "./" + path.Dir(m.file)
	if strings.HasPrefix(m.file, "runtime/internal/") {
		return []string{own, "./runtime/mcp", hardening} // most are used by package mcp
	}
	if strings.HasPrefix(m.file, "runtime/") {
		return []string{own, hardening}
	}
	if strings.HasPrefix(m.file, "generator/") {
		return []string{own, "./generator/internal/pipeline"}
	}
	return []string{own}
}

func (r *runner) try(ctx context.Context, m *mutant) verdict {
	overlay, err := r.overlay(m)
	if err != nil {
		return verdict(err.Error())
	}
	defer func() { _ = os.RemoveAll(filepath.Dir(overlay)) }()
	for i, pkg := range m.packages() {
		out, err := r.test(ctx, pkg, overlay)
		if err == nil {
			continue
		}
		switch {
		case strings.Contains(out, "[build failed]"):
			return invalid
		case i == 0:
			return killedByOwn
		}
		return killedByHardening
	}
	return survived
}

// overlay writes the changed file and the overlay that puts it in place.
func (r *runner) overlay(m *mutant) (string, error) {
	original, err := filepath.Abs(filepath.Join(r.root, m.file))
	if err != nil {
		return "", err
	}
	src, err := os.ReadFile(original)
	if err != nil {
		return "", err
	}
	dir, err := os.MkdirTemp("", "mutate-")
	if err != nil {
		return "", err
	}
	changed, overlay := filepath.Join(dir, filepath.Base(m.file)), filepath.Join(dir, "overlay.json")
	text, err := json.Marshal(map[string]any{"Replace": map[string]string{original: changed}})
	if err != nil {
		return "", err
	}
	return overlay, errors.Join(os.WriteFile(changed, m.apply(src), 0o666), os.WriteFile(overlay, text, 0o666))
}

// test runs the tests of a package. The error is nil where they pass.
func (r *runner) test(ctx context.Context, pkg, overlay string) (string, error) {
	args := []string{"test", "-count=1", "-vet=off", "-failfast", "-timeout=" + r.timeout.String()}
	if overlay != "" {
		args = append(args, "-overlay="+overlay)
	}
	ctx, cancel := context.WithTimeout(ctx, r.timeout+time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "go", append(args, pkg)...)
	cmd.Dir = r.root
	cmd.WaitDelay = 10 * time.Second
	out, err := cmd.CombinedOutput()
	return string(out), err
}
