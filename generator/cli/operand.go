package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/mcpgen/mcpgen/generator/internal/diag"
	"github.com/mcpgen/mcpgen/generator/internal/load"
	"github.com/mcpgen/mcpgen/generator/internal/pipeline"
	"github.com/mcpgen/mcpgen/generator/internal/revision"
	"github.com/mcpgen/mcpgen/internal/contract"
	"github.com/mcpgen/mcpgen/internal/trust"
)

// operand is one of the two operands of diff: a file, a package, or a package or file at a
// revision.
type operand struct {
	c     *command
	name  string // as given
	tags  string
	notes []string

	revision string // "" for the present state
	commit   string
	pkg      string // package, or file of the revision
	guessed  bool   // nothing else has this name, so it may be a package
	inGit    bool
}

// sideError is an error of one side: diagnostics, or one message.
type sideError struct {
	side  *operand
	diags *diag.List
	dir   string // to which positions are relative
	err   error
	hint  string
}

func (e *sideError) Error() string {
	if e.err == nil {
		return e.side.name + " has errors"
	}
	return e.err.Error()
}

func (c *command) failSide(err error) int {
	e, ok := errors.AsType[*sideError](err)
	if !ok || c.ctx.Err() != nil {
		return c.fail(err)
	}
	if e.diags != nil {
		c.noteln("%s: the source has errors", e.side.name)
		diag.Print(c.err, e.diags, e.dir)
		return exitFound
	}
	c.diagnostic(diag.Diagnostic{Message: fmt.Sprintf("%s: %v", e.side.name, e.err), Hint: e.hint})
	return exitFound
}

// sides resolves the two arguments. A revision without a package means the package on the other
// side, or else the package in the current directory.
func (c *command) sides(before, after, tags string) [2]*operand {
	both := [2]*operand{{c: c, name: before, tags: tags}, {c: c, name: after, tags: tags}}
	for _, s := range both {
		s.resolve()
	}
	for i, s := range both {
		if s.revision == "" || s.pkg != "" {
			continue
		}
		s.pkg = "."
		if other := both[1-i]; other.pkg != "" && !other.guessed {
			s.pkg = other.pkg
		}
	}
	return both
}

// resolve resolves everything except the package of a bare revision.
func (s *operand) resolve() {
	name := s.name
	if name == "-" {
		return
	}
	if info, err := os.Stat(s.c.absolute(name)); err == nil && !info.IsDir() {
		return
	}
	if isPath(name) {
		s.pkg = name
		return
	}
	if repository, err := revision.Open(s.c.ctx, s.c.dir); err == nil {
		s.inGit = true
		rev, pkg, both := strings.Cut(name, ":")
		if commit := repository.Commit(s.c.ctx, rev); commit != "" && (!both || pkg != "") {
			s.revision, s.commit, s.pkg = rev, commit, pkg
			return
		}
	}
	s.pkg, s.guessed = name, true
}

const linkHint = "replace the link by a file, or name the file that it leads to"

// follow resolves the links of a file that is named on the command line. The user chose its name;
// links in a repository are not trusted.
func (c *command) follow(path string) (string, error) {
	real, err := trust.Follow(c.dir, path)
	if err != nil {
		err = fmt.Errorf("%w\n\thint: %s", err, linkHint)
	}
	return real, err
}

// absolute returns a path as the file system takes it.
func (c *command) absolute(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(c.dir, name)
}

// contract reads or makes the contract.
func (s *operand) contract() (*contract.Contract, error) {
	switch {
	case s.name == "-":
		data, err := io.ReadAll(s.c.in)
		if err != nil {
			return nil, s.fail(fmt.Errorf("read standard input: %w", err), "")
		}
		return s.parse(data)
	case s.revision != "":
		return s.atRevision()
	case s.pkg != "":
		return s.fromSource(s.c.dir, s.pkg, s.c.environment())
	}
	path := s.c.absolute(s.name)
	if _, err := trust.Follow(s.c.dir, path); err != nil {
		return nil, s.fail(err, linkHint)
	}
	data, err := os.ReadFile(path) // a shell's pipe has a name that does not resolve
	if err != nil {
		return nil, s.fail(err, "")
	}
	return s.parse(data)
}

func (s *operand) fail(err error, hint string) error {
	return &sideError{side: s, err: err, hint: hint}
}

// parse reads a contract, or a reply.
func (s *operand) parse(data []byte) (*contract.Contract, error) {
	c, err := contract.Read(data)
	if err != nil {
		hint := ""
		if !bytes.HasPrefix(bytes.TrimSpace(data), []byte("{")) {
			hint = "a file is a contract or a saved answer to tools/list; for the package in a directory write ./DIR"
		}
		return nil, s.fail(fmt.Errorf("read contract: %w", err), hint)
	}
	return c, nil
}

// atRevision makes the contract of the source at a revision.
func (s *operand) atRevision() (*contract.Contract, error) {
	ctx := s.c.ctx
	repository, err := revision.Open(ctx, s.c.dir)
	if err != nil {
		return nil, s.fail(err, "")
	}
	data, isFile, err := repository.File(ctx, s.commit, s.pkg)
	if err != nil {
		return nil, s.fail(err, "")
	}
	if isFile {
		return s.parse(data)
	}
	s.c.progress.begin("reading " + s.revision)
	tree, dir, err := s.extract(ctx, repository)
	s.c.progress.end()
	if err != nil {
		return nil, s.fail(err, "")
	}
	pkg, at := s.pkg, tree.Dir
	if filepath.IsAbs(pkg) {
		if pkg, err = filepath.Rel(s.c.dir, pkg); err != nil {
			return nil, s.fail(err, "")
		}
		pkg = "." + string(filepath.Separator) + pkg
	}
	if isPath(pkg) {
		target := filepath.Join(at, strings.TrimSuffix(filepath.FromSlash(pkg), "..."))
		if info, err := os.Stat(target); err != nil || !info.IsDir() {
			s.notes = append(s.notes, "there is no directory "+s.pkg+" yet: taken as an empty contract")
			return contract.Empty(), nil
		}
	} else if _, err := os.Stat(at); err != nil {
		at = tree.Root
	}
	at, pkg = locateFrom(at, pkg)
	env, err := tree.Prepare(ctx, at, append(s.c.environment(), "PWD="+at))
	if err != nil {
		return nil, s.fail(err, "put the directory back, or compare with a contract file of that revision")
	}
	s.notes = append(s.notes, tree.Notes...)
	return s.fromTree(dir, at, pkg, env)
}

// extract copies the files of the commit into a directory that is removed when the command exits.
func (s *operand) extract(ctx context.Context, repository *revision.Repository) (*revision.Tree, string, error) {
	s.c.environment() // creates the directory
	dir, err := os.MkdirTemp(s.c.temporary, "revision-")
	if err != nil {
		return nil, "", fmt.Errorf("make directory: %w", err)
	}
	tree, err := repository.Extract(ctx, s.commit, dir)
	return tree, dir, err
}

// fromTree is like fromSource, for a package at an old commit, which may lack directives.
func (s *operand) fromTree(dir, at, pkg string, env []string) (*contract.Contract, error) {
	c, err := s.fromSource(at, pkg, env)
	e, ok := errors.AsType[*sideError](err)
	if !ok {
		return c, err
	}
	if e.err != nil && errors.Is(e.err, errNoDirective) {
		s.notes = append(s.notes, "there is no //mcp: directive in "+s.pkg+" yet: taken as an empty contract")
		return contract.Empty(), nil
	}
	if e.dir != "" {
		e.dir = at
	}
	if e.err != nil {
		e.err = errors.New(strings.ReplaceAll(e.err.Error(), dir+string(filepath.Separator), ""))
		if e.hint == "" {
			e.hint = "the revision is built from committed files: a go.work file that is not committed does not count"
		}
	}
	return nil, e
}

var errNoDirective = errors.New("there is no //mcp: directive")

// fromSource makes the contract of packages: one, or several that feed one server.
func (s *operand) fromSource(here, pkg string, env []string) (*contract.Contract, error) {
	dir, pattern := locateFrom(here, pkg)
	result, err := pipeline.Generate(s.c.ctx, pipeline.Config{
		Dir: dir, Env: env, Tags: s.tags, Patterns: []string{pattern}, Progress: s.c.progress.begin, Packages: s.c.progress.packages, Unformatted: true,
	})
	s.c.progress.end()
	nothing, isLoad := errors.AsType[*load.Error](err)
	switch {
	case s.c.ctx.Err() != nil:
		return nil, context.Cause(s.c.ctx)
	case isLoad && s.guessed:
		return nil, s.fail(errors.New("it is not a file, a revision of this git repository, or a package"), s.guess(nothing))
	case isLoad:
		return nil, s.fail(errors.New(nothing.Message), nothing.Hint)
	case err != nil:
		return nil, s.fail(err, "")
	case result.Diagnostics.HasErrors():
		return nil, &sideError{side: s, diags: result.Diagnostics, dir: s.c.dir}
	case len(result.Packages) == 0:
		return nil, s.fail(errNoDirective, s.c.nothing(pkg).Hint)
	}
	made, err := publishedBy(s.c.ctx, models(result.Packages))
	if err != nil {
		return nil, s.fail(err, "")
	}
	return made, nil
}

// guess returns a hint for a name that is not found.
func (s *operand) guess(e *load.Error) string {
	if info, err := os.Stat(s.c.absolute(s.name)); err == nil && info.IsDir() {
		return "for the package in that directory write ./" + s.name
	}
	if strings.HasSuffix(s.name, ".json") || !s.inGit {
		return "files and packages are looked for from the current directory; " + s.c.invoked + " help diff lists what can be compared"
	}
	rev, _, both := strings.Cut(s.name, ":")
	if first, _, path := strings.Cut(rev, "/"); !both && path && strings.Contains(first, ".") {
		return e.Hint
	}
	return "a clone without its history has few revisions: git fetch origin " + word(rev) + ", or fetch-depth: 0 in CI"
}
