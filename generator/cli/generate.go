package cli

import (
	"errors"
	"fmt"
	"go/token"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/generator/internal/diag"
	"github.com/mcpgen/mcpgen/generator/internal/load"
	"github.com/mcpgen/mcpgen/generator/internal/model"
	"github.com/mcpgen/mcpgen/generator/internal/pipeline"
	"github.com/mcpgen/mcpgen/internal/linediff"
	"github.com/mcpgen/mcpgen/internal/trust"
)

// generate writes the generated files of packages, or checks them.
func (c *command) generate(args []string) int {
	f := newFlags("generate")
	check := f.Bool("check", false, "write nothing; exit 1 with a diff if a file is not current")
	asJSON := f.Bool("json", false, "write diagnostics as JSON, one object a line, to standard output")
	file := f.String("contract", "", "also write the contract to that `file`; with -check, compare it")
	patterns, code, ok := c.parse(f, args)
	if !ok {
		return code
	}
	result, err := pipeline.Generate(c.ctx, pipeline.Config{
		Dir: c.dir, Env: c.environment(), Tags: f.tags, Patterns: patterns, Progress: c.progress.begin, Packages: c.progress.packages, Emitting: true,
	})
	c.progress.end()
	report := c.diagnostics
	if *asJSON {
		report = func(l *diag.List) { diag.PrintJSON(c.out, l, c.dir) }
	}
	if nothing, ok := errors.AsType[*load.Error](err); ok && c.ctx.Err() == nil {
		var l diag.List
		l.Add(nothing.Diagnostic())
		report(&l)
		return exitFound
	}
	if err != nil {
		return c.fail(err)
	}
	switch {
	case result.Diagnostics.HasErrors():
	case len(result.Packages) == 0 && len(result.NotEmitted) == 0:
		result.Diagnostics.Add(c.nothing(patterns...))
	case len(result.Packages) == 0 && *file != "":
		pkg := result.NotEmitted[0].Loaded
		result.Diagnostics.Errorf(pkg.Position(pkg.Files[0].Name.Pos()), "", "nothing is emitted for %s, so it has no contract of its own", pkg.Path).
			Hint = "name the package with //mcp:from " + pkg.Path
	default:
		c.checkRuntime(result, f.tags)
	}
	var published *contractFile
	if *file != "" && !result.Diagnostics.HasErrors() {
		if published, err = c.contractFile(*file, result.Packages); err != nil {
			return c.fail(err)
		}
		if err := hasDirectory(published.real); err != nil && !*check {
			return c.fail(err)
		}
	}
	if *check && *asJSON && !result.Diagnostics.HasErrors() {
		c.addStale(result, published, f.tags, patterns)
	}
	report(result.Diagnostics)
	switch {
	case result.Diagnostics.HasErrors():
		if !*check && !*asJSON && warns(result.Diagnostics) {
			c.noteln("nothing was written") // the error may be far above, before warnings
		}
		return exitFound
	case *check:
		return max(c.check(result, f), c.checkPublished(published, f, patterns))
	}
	if code := c.write(result, f); code != exitDone || published == nil {
		return code
	}
	if err := c.writeContract(published, f.verbose); err != nil {
		return c.fail(err)
	}
	return exitDone
}

// warns reports whether there are warnings, too.
func warns(l *diag.List) bool {
	return slices.ContainsFunc(l.All(), func(d *diag.Diagnostic) bool { return d.Severity == diag.Warning })
}

func (c *command) checkPublished(published *contractFile, f *flags, patterns []string) int {
	if published == nil {
		return exitDone
	}
	return c.checkContract(published, c.contractCommand(published, f.tags, patterns), f.verbose)
}

// contractCommand returns the command that updates a contract.
func (c *command) contractCommand(published *contractFile, tags string, patterns []string) string {
	words := []string{c.invoked}
	if tags != "" {
		words = append(words, "-tags", word(tags))
	}
	words = append(words, "-contract", word(published.name))
	for _, p := range patterns {
		words = append(words, word(p))
	}
	return strings.Join(words, " ")
}

// checkRuntime adds a diagnostic if a module cannot import a package that a file to be written
// would import. It costs a run of the go command, so it skips current files.
func (c *command) checkRuntime(result *pipeline.Result, tags string) {
	for _, p := range result.Packages {
		if p.Current() {
			continue
		}
		err := p.Loaded.CheckRuntime(c.ctx, load.Config{Env: c.environment(), Tags: tags})
		if missing, ok := errors.AsType[*load.Error](err); ok {
			result.Diagnostics.Add(missing.Diagnostic())
		}
	}
}

// noteNotEmitted prints that packages emit nothing, if there is no other message.
func (c *command) noteNotEmitted(result *pipeline.Result, f *flags) {
	for _, p := range result.NotEmitted {
		if len(result.Packages) == 0 || f.verbose {
			c.noteln("nothing is written for %s (%s): it has //mcp:defaults emit=none", p.Loaded.Path, count(p.Features, "feature"))
		}
	}
	if len(result.Packages) == 0 && len(result.NotEmitted) > 0 {
		c.noteln("\thint: run %s for the package with //mcp:from %s", c.invoked, result.NotEmitted[0].Loaded.Path)
	}
}

// write writes the files that are not current.
func (c *command) write(result *pipeline.Result, f *flags) int {
	c.noteNotEmitted(result, f)
	contents := make(map[string]string)
	for _, p := range result.Packages {
		contents[p.Path] = summary(p.Model)
		if f.verbose && p.Current() {
			c.noteln("%s is current (%s)", c.relative(p.Path), contents[p.Path])
		}
	}
	written, err := result.Write()
	for _, path := range written {
		c.noteln("wrote %s (%s)", c.relative(path), contents[path])
	}
	if err != nil {
		return c.fail(readOnly(err))
	}
	return exitDone
}

// summary counts the features of a package: "2 tools, 1 prompt".
func summary(m *model.Package) string {
	var parts []string
	for _, kind := range []struct {
		n    int
		name string
	}{
		{len(m.Tools), "tool"},
		{len(m.Resources), "resource"},
		{len(m.Templates), "resource template"},
		{len(m.Prompts), "prompt"},
		{len(m.AllSkills()), "skill"},
		{len(m.Forms), "form"},
	} {
		if kind.n > 0 {
			parts = append(parts, count(kind.n, kind.name))
		}
	}
	if len(parts) == 0 {
		return "no features yet"
	}
	return strings.Join(parts, ", ")
}

// check shows how the files that are not current differ from the generated ones.
func (c *command) check(result *pipeline.Result, f *flags) int {
	code := exitDone
	for _, p := range result.Packages {
		name := c.relative(p.Path)
		if p.Current() {
			if f.verbose {
				c.noteln("%s is current", name)
			}
			continue
		}
		code = exitFound
		before := name
		if p.Old == nil {
			before = "/dev/null"
		}
		_, _ = c.out.Write(linediff.Unified(before, p.Old, name, p.Source))
		c.noteln("%s is not current", name)
		c.noteln("\thint: %s", c.fixCommand(p, f.tags))
	}
	return code
}

// addStale adds the files that are not current to the diagnostics.
func (c *command) addStale(result *pipeline.Result, published *contractFile, tags string, patterns []string) {
	if published != nil && !published.current() {
		d := result.Diagnostics.Errorf(token.Position{Filename: published.path, Line: 1, Column: 1}, "", "the contract is not current")
		d.Hint = c.contractCommand(published, tags, patterns)
		for _, line := range published.changes() {
			if line != "" {
				d.Relate(token.Position{}, line)
			}
		}
	}
	for _, p := range result.Packages {
		if !p.Current() {
			at := token.Position{Filename: p.Path, Line: 1, Column: 1}
			result.Diagnostics.Errorf(at, "", "the generated file is not current").Hint = c.fixCommand(p, tags)
		}
	}
}

// fixCommand returns the command that updates a file.
func (c *command) fixCommand(p *pipeline.Package, tags string) string {
	words := []string{c.invoked}
	if tags != "" {
		words = append(words, "-tags", word(tags))
	}
	if dir := filepath.Dir(c.relative(p.Path)); filepath.IsAbs(dir) {
		words = append(words, word(dir))
	} else if dir != "." {
		words = append(words, word("./"+filepath.ToSlash(dir)))
	}
	return strings.Join(words, " ")
}

// relative shortens a path for people.
func (c *command) relative(path string) string {
	dirs := []string{c.dir}
	if real, err := trust.Resolve(c.dir); err == nil {
		dirs = append(dirs, real) // files reached through links are named by their real path
	}
	for _, dir := range dirs {
		if rel, err := filepath.Rel(dir, path); err == nil && filepath.IsLocal(rel) {
			return rel
		}
	}
	return path
}

// nothing returns the message about packages without a directive.
func (c *command) nothing(patterns ...string) *diag.Diagnostic {
	looked := patterns
	if len(looked) == 0 {
		looked = []string{"."}
	}
	for _, p := range looked {
		if isPath(p) {
			if d := misplaced(c.absolute(p)); d != nil {
				return d
			}
		}
	}
	return &diag.Diagnostic{
		Message: "no //mcp: directive in " + strings.Join(orHere(patterns), " "),
		Hint:    "write //mcp:tool above a function: " + c.invoked + " init proposes some, " + c.invoked + " help directives lists all directives",
	}
}

func orHere(patterns []string) []string {
	if len(patterns) == 0 {
		return []string{"the current directory"}
	}
	return patterns
}

func count(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprint(n, " ", noun)
}
