package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/generator/internal/diag"
	"github.com/mcpgen/mcpgen/generator/internal/load"
	"github.com/mcpgen/mcpgen/generator/internal/model"
	"github.com/mcpgen/mcpgen/generator/internal/pipeline"
)

// serverPackage is the PACKAGE of bundle and registry: a program, or a package with features, with
// the packages whose features it publishes.
type serverPackage struct {
	given  string // as given on the command line
	dir    string // working directory of the go command
	path   string // import path
	module string // path of its module
	tags   string
	server *model.Package // with the identity of the server
	models []*model.Package
}

// goPackage is a package in the output of go list.
type goPackage struct {
	ImportPath, Name, Dir string
	DepOnly, Standard     bool
	GoFiles               []string
	Module                *struct{ Path string }
}

// serverPackage finds a package and the features that it publishes: its own, and the features of
// the packages with a generated file among its imports. With program, it must be package main. If
// ok is false, the command returns code.
func (c *command) serverPackage(f *flags, given string, program bool) (p *serverPackage, code int, ok bool) {
	p = &serverPackage{given: given, tags: f.tags}
	var pattern string
	p.dir, pattern = c.locate(given)
	c.progress.begin("listing the packages of " + given)
	all, err := c.listDeps(p.dir, f.tags, pattern)
	c.progress.end()
	if err != nil {
		return nil, c.fail(err), false
	}
	named := slices.DeleteFunc(slices.Clone(all), func(g *goPackage) bool { return g.DepOnly })
	if len(named) != 1 {
		return nil, c.usage(f.Name(), given+" matches more than one package", "name one of them"), false
	}
	p.path = named[0].ImportPath
	if program && named[0].Name != "main" {
		return nil, c.notProgram(p), false
	}
	if named[0].Module != nil {
		p.module = named[0].Module.Path
	}
	var patterns []string
	for _, g := range all {
		if !g.Standard && (slices.Contains(g.GoFiles, load.GeneratedFile) || !g.DepOnly && c.hasDirective(g.Dir)) {
			patterns = append(patterns, g.ImportPath)
		}
	}
	if len(patterns) == 0 {
		c.diagnostic(diag.Diagnostic{
			Subject: "package " + p.path, Message: "has no feature, and imports no package with a generated " + load.GeneratedFile,
			Hint: "name the program that serves a package, and run " + c.invoked + " in that package first",
		})
		return nil, exitFound, false
	}
	result, err := pipeline.Generate(c.ctx, pipeline.Config{
		Dir: p.dir, Env: c.environment(), Tags: f.tags, Patterns: patterns, Progress: c.progress.begin, Packages: c.progress.packages,
	})
	c.progress.end()
	switch {
	case err != nil:
		return nil, c.fail(err), false
	case result.Diagnostics.HasErrors():
		c.diagnostics(result.Diagnostics)
		return nil, exitFound, false
	case len(result.Packages) == 0:
		c.diagnostic(*c.nothing(given))
		return nil, exitFound, false
	}
	for _, one := range result.Packages {
		if !one.Current() {
			c.diagnostic(diag.Diagnostic{
				Subject: "package " + one.Model.Path, Message: "its " + load.GeneratedFile + " is not current, so that the program has other features than the source",
				Hint: c.invoked + " " + one.Model.Path,
			})
			return nil, exitFound, false
		}
	}
	p.models = models(result.Packages)
	// The contract refuses two features of one name, and several packages that are servers.
	if _, err := publishedBy(c.ctx, p.models); err != nil {
		return nil, c.fail(err), false
	}
	p.server = serverOf(p.models)
	return p, exitDone, true
}

// identity returns the source's description of the server, or the zero value.
func (p *serverPackage) identity() model.Server {
	if p.server.Server == nil {
		return model.Server{Name: p.server.Name}
	}
	return *p.server.Server
}

// listDeps lists packages and their direct and indirect imports.
func (c *command) listDeps(dir, tags, pattern string) ([]*goPackage, error) {
	out, err := c.goOutput(dir, nil, "list", "-deps", "-tags", tags, "-json=ImportPath,Name,Dir,DepOnly,Standard,GoFiles,Module", "--", pattern)
	if err != nil {
		return nil, err
	}
	var all []*goPackage
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		g := &goPackage{}
		if err := d.Decode(g); errors.Is(err, io.EOF) {
			return all, nil
		} else if err != nil {
			return nil, fmt.Errorf("read what go list printed: %w", err)
		}
		all = append(all, g)
	}
}

// notProgram reports a package that is not a program, with the programs that import it.
func (c *command) notProgram(p *serverPackage) int {
	hint := "write one: " + c.invoked + " init -main " + word(p.given)
	if programs := c.programsOf(p); len(programs) > 0 {
		hint = "name a program that imports it: " + strings.Join(programs, ", ")
	}
	c.diagnostic(diag.Diagnostic{Subject: "package " + p.path, Message: "is not package main, so that there is no program to bundle", Hint: hint})
	return exitFound
}

// programsOf returns the directories of the programs of a module that import a package, relative to
// the current directory, as arguments of this command.
func (c *command) programsOf(p *serverPackage) []string {
	root := moduleRoot(c.absolute(p.dir))
	out, err := c.goOutput(root, nil, "list", "-e", "-tags", p.tags, "-f", `{{if eq .Name "main"}}{{.Dir}}{{range .Deps}} {{.}}{{end}}{{end}}`, "./...")
	if err != nil {
		return nil // the programs are only for a hint
	}
	var programs []string
	for line := range strings.Lines(string(out)) {
		dir, deps, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		if !slices.Contains(strings.Fields(deps), p.path) {
			continue
		}
		if rel, err := filepath.Rel(c.dir, dir); err == nil {
			dir = rel
		}
		if !isPath(dir) {
			dir = "./" + filepath.ToSlash(dir)
		}
		programs = append(programs, dir)
	}
	return programs
}

// goOutput runs the go command in a directory, with additions to the environment, and returns its
// output. If it fails, the error contains its message.
func (c *command) goOutput(dir string, env []string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(c.ctx, "go", args...)
	cmd.Dir, cmd.Env = dir, append(append(c.environment(), "PWD="+dir), env...)
	// On an interrupt, the go command stops the compilers and removes its temporary files.
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 3 * time.Second
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if text := strings.TrimSpace(stderr.String()); err != nil && text != "" {
		return nil, errors.New(relocate(text, dir, c.dir))
	}
	if err != nil {
		return nil, fmt.Errorf("go %s: %w", args[0], err)
	}
	return stdout.Bytes(), nil
}
