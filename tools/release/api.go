package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"golang.org/x/exp/apidiff"
	"golang.org/x/mod/semver"
	"golang.org/x/tools/go/packages"
)

// api compares the exported API of the root module with the last release before the version. From
// v1.0.0 on, incompatible changes need a new major version, and additions a new minor version.
// Before, incompatible changes need a new minor version.
func (r *release) api() error {
	last, err := r.last()
	if err != nil {
		return err
	}
	if last == "" {
		_, err := fmt.Fprintln(r.out, "no release to compare the exported API with")
		return err
	}
	old, err := os.MkdirTemp("", "release")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(old) }()
	if _, err := command(old, "git", "clone", "--quiet", "--shared", "--branch", last, r.dir, "."); err != nil {
		return err
	}
	before, errBefore := exported(old)
	after, errAfter := exported(r.dir)
	if err := errors.Join(errBefore, errAfter); err != nil {
		return fmt.Errorf("compare the exported API with that of %s: %w", last, err)
	}
	report := apidiff.ModuleChanges(before, after)
	fmt.Fprintf(r.out, "exported API since %s:\n%s", last, report)
	sameMinor := semver.MajorMinor(r.version) == semver.MajorMinor(last)
	sameMajor := semver.Major(r.version) == semver.Major(last)
	stable := semver.Major(last) != "v0"
	for _, change := range report.Changes {
		if change.Compatible && stable && sameMinor || !change.Compatible && (sameMinor || stable && sameMajor) {
			return fmt.Errorf("the step from %s to %s is too small for the changes of the exported API, such as %s", last, r.version, change.Message)
		}
	}
	return nil
}

// last returns the highest tagged version before r.version, or "". It ignores versions with a
// suffix, such as v1.0.0-rc.1, which promise nothing.
func (r *release) last() (string, error) {
	out, err := command(r.dir, "git", "tag", "--list", "v*")
	if err != nil {
		return "", err
	}
	last := ""
	for _, tag := range strings.Fields(out) {
		if semver.Canonical(tag) == tag && semver.Prerelease(tag) == "" && semver.Compare(tag, r.version) < 0 && semver.Compare(tag, last) > 0 {
			last = tag
		}
	}
	return last, nil
}

// exported loads the types of a module's packages that others can import.
func exported(dir string) (*apidiff.Module, error) {
	// With -trimpath, packages compiled in one folder are in the cache for others.
	pkgs, err := packages.Load(&packages.Config{
		Mode: packages.LoadTypes | packages.NeedModule,
		Dir:  dir,
		Env:  append(os.Environ(), "GOWORK=off", "GOFLAGS=-trimpath", "PWD="+dir),
	}, "./...")
	if err != nil {
		return nil, err
	}
	m := &apidiff.Module{}
	for _, pkg := range pkgs {
		if len(pkg.Errors) > 0 {
			return nil, pkg.Errors[0]
		}
		m.Path = pkg.Module.Path
		if pkg.Name != "main" && !slices.Contains(strings.Split(pkg.PkgPath, "/"), "internal") {
			m.Packages = append(m.Packages, pkg.Types)
		}
	}
	return m, nil
}
