package cli

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/mcpgen/mcpgen/generator/internal/load"
	"github.com/mcpgen/mcpgen/generator/internal/pipeline"
	"github.com/mcpgen/mcpgen/generator/internal/program"
)

// onePackage is the PACKAGE of list, call and run.
type onePackage struct {
	*pipeline.Package
	name string // as given
	dir  string // working directory of the go command
	tags string
}

// load loads one package. If it returns false, the command exits with the code. Warnings are left
// to the command that generates, and to list -v.
func (c *command) load(f *flags, name string) (p *onePackage, code int, ok bool) {
	dir, pattern := c.locate(name)
	result, err := pipeline.Generate(c.ctx, pipeline.Config{
		Dir: dir, Env: c.environment(), Tags: f.tags, Patterns: []string{pattern}, Progress: c.progress.begin, Packages: c.progress.packages,
	})
	c.progress.end()
	if nothing, ok := errors.AsType[*load.Error](err); ok && c.ctx.Err() == nil {
		d := *nothing.Diagnostic()
		if d.Hint == "" && bareWord.MatchString(name) {
			d.Hint = "the package comes first: " + c.invoked + " " + f.Name() + " . " + name
		}
		c.diagnostic(d)
		return nil, exitFound, false
	}
	if err != nil {
		return nil, c.fail(err), false
	}
	switch {
	case result.Diagnostics.HasErrors():
		c.diagnostics(result.Diagnostics)
		return nil, exitFound, false
	case len(result.Packages) == 0:
		c.diagnostic(*c.nothing(name))
		return nil, exitFound, false
	case len(result.Packages) > 1:
		paths := make([]string, len(result.Packages))
		for i, p := range result.Packages {
			paths[i] = p.Model.Path
		}
		return nil, c.usage(f.Name(), name+" matches more than one package", "name one of "+strings.Join(paths, ", ")), false
	}
	if f.verbose && f.Name() == "list" {
		c.diagnostics(result.Diagnostics.WithNotes())
	}
	return &onePackage{Package: result.Packages[0], name: name, dir: dir, tags: f.tags}, exitDone, true
}

// locate returns the working directory of the go command for a package: the current directory,
// unless the package is in another module. That module is found from the current directory only
// with a workspace, but always from the package's own.
func (c *command) locate(name string) (dir, pattern string) { return locateFrom(c.dir, name) }

func locateFrom(here, name string) (dir, pattern string) {
	if !isPath(name) {
		return here, name
	}
	target := name
	if !filepath.IsAbs(target) {
		target = filepath.Join(here, target)
	}
	if info, err := os.Stat(target); err != nil || !info.IsDir() || moduleRoot(target) == moduleRoot(here) {
		return here, name
	}
	return target, "."
}

// isPath reports whether the go command takes an argument for a directory.
func isPath(name string) bool {
	slashed := filepath.ToSlash(name)
	return filepath.IsAbs(name) || name == "." || name == ".." || strings.HasPrefix(slashed, "./") || strings.HasPrefix(slashed, "../")
}

// moduleRoot returns the nearest directory with a go.mod, or "".
func moduleRoot(dir string) string {
	for {
		if info, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil && !info.IsDir() {
			return dir
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return ""
		}
		dir = parent
	}
}

// build builds the program of a package. With http it can serve over HTTP, and with auth it has
// flags for authentication. If build returns false, the command exits with the code.
func (c *command) build(p *onePackage, http, auth bool) (built *program.Program, code int, ok bool) {
	built, err := c.buildProgram(c.ctx, &program.Target{
		Model: p.Model, Files: p.Loaded.Files, Fset: p.Loaded.Fset, Info: p.Loaded.Info,
		Generated: p.Path, Source: p.Source,
	}, program.Config{
		Dir: p.dir, Env: c.environment(), Tags: p.tags, HTTP: http, Auth: auth,
		Progress: func(string) { c.progress.begin("building " + p.name) },
	})
	c.progress.end()
	if err == nil {
		return built, exitDone, true
	}
	if c.ctx.Err() != nil {
		return nil, exitFound, false
	}
	if problem, ok := errors.AsType[*program.Problem](err); ok {
		c.diagnostic(problem.Diagnostic)
		return nil, exitFound, false
	}
	if broken, ok := errors.AsType[*program.BuildError](err); ok {
		c.noteln("%s", relocate(broken.Error(), p.dir, c.dir))
		return nil, exitFound, false
	}
	return nil, c.fail(err), false
}

// remove removes a built program.
func (c *command) remove(built *program.Program) {
	if err := built.Close(); err != nil {
		c.noteln("mcpgen: %v", err)
	}
}

// goPosition matches a position at the beginning of a line of the go command's output.
var goPosition = regexp.MustCompile(`(?m)^(\s*)([^\s:#].*?\.go):(\d+)`)

// relocate makes positions that are relative to one directory relative to another.
func relocate(output, from, to string) string {
	if from == to {
		return output
	}
	return goPosition.ReplaceAllStringFunc(output, func(s string) string {
		m := goPosition.FindStringSubmatch(s)
		path := m[2]
		if !filepath.IsAbs(path) {
			path = filepath.Join(from, path)
		}
		if rel, err := filepath.Rel(to, path); err == nil {
			path = rel
		}
		return m[1] + path + ":" + m[3]
	})
}
