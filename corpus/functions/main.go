// Functions generates tools from the exported functions and methods of well-known modules: it wraps
// each in a function with the same comment, parameters and results. It lists and skips functions
// that the generator refuses, and builds, serves and calls all others. The script
// corpus/run-functions runs it.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

func main() {
	verbose := flag.Bool("v", false, "list every refusal, warning and answer that is out of the ordinary")
	flag.Parse()
	if err := run(flag.Args(), *verbose); err != nil {
		fmt.Fprintln(os.Stderr, "functions:", err)
		os.Exit(1)
	}
}

func run(names []string, verbose bool) (err error) {
	bin, err := os.MkdirTemp("", "functions")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(bin)) }()
	for _, name := range names {
		if !slices.ContainsFunc(modules, func(m module) bool { return m.name == name }) {
			return fmt.Errorf("there is no module %s in targets.go", name)
		}
	}
	var rows []*row
	for _, m := range modules {
		if len(names) > 0 && !slices.Contains(names, m.name) {
			continue
		}
		r, err := try(m, bin)
		if err != nil {
			return fmt.Errorf("%s: %w", m.path, err)
		}
		rows = append(rows, r)
		r.progress(os.Stdout, verbose)
	}
	return report(os.Stdout, rows)
}

// row contains the results of one module.
type row struct {
	module   module
	version  string
	packages []*settled
	outcome  *outcome
}

// try runs all steps for one module.
func try(m module, bin string) (*row, error) {
	dir := filepath.Join("out", "functions", m.name)
	if err := os.RemoveAll(dir); err != nil {
		return nil, err
	}
	r := &row{module: m, outcome: &outcome{}}
	if m.generate != nil {
		if err := m.generate.run(); err != nil {
			return nil, err
		}
	}
	var err error
	if r.version, err = m.version(); err != nil {
		return nil, err
	}
	var serve []*settled
	var want []string
	for _, src := range m.packages {
		s, err := settle(src, dir)
		if err != nil {
			return nil, err
		}
		r.packages = append(r.packages, s)
		if len(s.works) > 0 {
			serve = append(serve, s)
		}
	}
	if len(serve) == 0 {
		return r, nil
	}
	for _, s := range serve {
		for _, t := range s.tools {
			if len(serve) > 1 {
				want = append(want, s.name+"_"+t)
			} else {
				want = append(want, t)
			}
		}
	}
	program, err := build(m, serve, bin)
	if err != nil {
		return nil, err
	}
	r.outcome, err = drive(program, want)
	return r, err
}

// version returns the version of the module in the build, or of its generator.
func (m module) version() (string, error) {
	if m.path == "std" {
		return runtime.Version(), nil
	}
	list := exec.Command("go", "list", "-m", "-f", "{{.Version}}", m.path)
	if m.generate != nil {
		list.Dir = toolsDir
	}
	out, err := list.Output()
	return strings.TrimSpace(string(out)), err
}
