package cli

import (
	"errors"
	"fmt"
	"go/ast"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"

	"github.com/mcpgen/mcpgen/generator/internal/diag"
	"github.com/mcpgen/mcpgen/generator/internal/load"
	"github.com/mcpgen/mcpgen/generator/internal/model"
	"github.com/mcpgen/mcpgen/generator/internal/pipeline"
	"github.com/mcpgen/mcpgen/internal/regularfile"
)

// initCommand contains facts about the package and the planned changes.
type initCommand struct {
	c     *command
	tags  string
	all   bool // show all suitable functions
	pkg   *load.Package
	root  string         // root of the module
	model *model.Package // includes the functions of -annotate

	edits []*edit
	files []newFile

	expose  string        // value of -expose
	exposed *load.Package // the package that it names, or nil

	made []string // created for a new package; removed if init fails

	auth   bool   // the program uses mcpauth.Flags
	served string // directory of a program that already serves the package; "" if unknown
}

// newFile is a file to be created.
type newFile struct {
	path, text, about string
}

// init adds the files and directives that a package needs to be served, and prints the next steps.
func (c *command) init(args []string) int {
	f := newFlags("init")
	annotate := f.String("annotate", "", "")
	expose := f.String("expose", "", "")
	withMain := f.Bool("main", false, "")
	agents := f.Bool("agents", false, "")
	i := &initCommand{c: c}
	f.BoolVar(&i.auth, "auth", false, "")
	f.BoolVar(&i.all, "all", false, "")
	rest, code, ok := c.parse(f, args)
	if !ok {
		return code
	}
	dir := "."
	switch {
	case len(rest) > 1:
		return c.usage("init", "init takes one directory", "")
	case len(rest) == 1:
		dir = rest[0]
	}
	if strings.Contains(dir, "...") {
		return c.usage("init", "init takes one directory, and "+dir+" may be many", "name the directory of the package whose functions are to be called")
	}
	if *agents {
		if f.NFlag() > 1 {
			return c.usage("init", "flag -agents goes with no other flag", "it writes AGENTS.md alone; run init twice")
		}
		return c.writeAgents(c.absolute(dir))
	}
	i.tags, i.expose = f.tags, *expose
	if i.auth && !*withMain {
		return c.usage("init", "flag -auth has no meaning without -main", "it is about the program: give both or neither")
	}
	if *expose != "" && *annotate != "" {
		return c.usage("init", "-annotate and -expose do not go together", "run init twice")
	}
	if path, _ := exposedPath(*expose); *expose != "" && !load.ImportPath(path) {
		return c.usage("init", fmt.Sprintf("-expose %s: %q is not an import path", *expose, path), "write it as in -expose example.com/shop/db or example.com/shop/db.Queries")
	}
	defer i.remove()
	if code, ok := i.load(c.absolute(dir)); !ok {
		return code
	}
	all := targets(i.pkg)
	t := &trial{pkg: i.pkg, docs: load.NewDocs(i.pkg)}
	chosen, code, ok := i.choose(t, all, *annotate)
	if ok && *expose != "" {
		code, ok = i.planExposed()
	}
	if !ok {
		return code
	}
	for _, plan := range []func() *diag.Diagnostic{
		func() *diag.Diagnostic { return i.planDirectives(*withMain) },
		func() *diag.Diagnostic { return i.planMain(*withMain) },
	} {
		if d := plan(); d != nil {
			c.diagnostic(*d)
			return exitFound
		}
	}
	i.noteMade()
	if err := i.write(); err != nil {
		return c.fail(err)
	}
	if len(i.edits)+len(i.files) == 0 {
		c.noteln("nothing to add: package %s has what it needs (%s)", i.pkg.Name, summary(i.model))
	}
	if len(chosen) == 0 && (i.all || !i.model.HasFeatures()) {
		i.printProposals(t, all)
	}
	i.printNext()
	return exitDone
}

// load reads the package, and refuses packages whose files do not belong to the user. If it returns
// false, the command exits with the code.
func (i *initCommand) load(dir string) (code int, ok bool) {
	c := i.c
	refuse := func(message, hint string) (int, bool) {
		c.diagnostic(diag.Diagnostic{Message: message, Hint: hint})
		return exitFound, false
	}
	if info, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		if i.expose == "" {
			return refuse("there is no directory "+dir, "init adds to a package that is there: name the directory of its source files")
		}
	} else if err != nil {
		return c.fail(err), false
	} else if !info.IsDir() {
		return refuse(dir+" is a file, and init works on packages", "name the directory: "+word(c.shortest(filepath.Dir(dir))))
	}
	if vendor := vendored(dir); vendor != "" {
		return refuse(fmt.Sprintf("%s is a copy of another module, in which no change lasts", dir),
			"annotate functions of your own that call it")
	}
	i.root = moduleRoot(dir)
	if i.expose != "" && i.root != "" {
		if err := i.makePackage(dir); err != nil { // before the compiler runs, which may take minutes
			return c.fail(err), false
		}
	}
	patterns := []string{"."}
	if i.expose != "" {
		path, _ := exposedPath(i.expose)
		patterns = append(patterns, path)
	}
	pkgs, diags, err := load.Load(c.ctx, load.Config{Dir: dir, Env: c.environment(), Tags: i.tags, Patterns: patterns, Progress: c.progress.begin, Packages: c.progress.packages})
	c.progress.end()
	if nothing, ok := errors.AsType[*load.Error](err); ok && c.ctx.Err() == nil {
		c.diagnostic(*nothing.Diagnostic())
		return exitFound, false
	}
	if err != nil {
		return c.fail(err), false
	}
	if diags.HasErrors() {
		c.diagnostics(diags)
		return exitFound, false
	}
	p, named := i.find(pkgs, dir)
	if p == nil || i.expose != "" && named == nil {
		return refuse("the go command finds no package "+i.expose, "name it by its import path; go get adds its module")
	}
	i.pkg, i.exposed = p, named
	if p.ModuleDir != "" {
		i.root = p.ModuleDir
	}
	switch {
	case p.Module == "" && os.Getenv("GO111MODULE") == "off":
		return refuse("modules are switched off", "unset GO111MODULE")
	case i.root == "" || p.Module == "":
		return refuse(dir+" is not in a module of yours", "start in a directory below your own go.mod")
	case p.GeneratedState == load.Foreign:
		return refuse(c.relative(p.Generated)+" was not written by mcpgen, which would have to overwrite it", "rename it")
	}
	if sources := len(p.Files); i.expose == "" && sources > 0 && !hasSource(p.Files) {
		return refuse(fmt.Sprintf("%s holds nothing but generated files, which are not to be edited", dir),
			"annotate functions of another package that call these")
	}
	return exitDone, true
}

// vendored returns the vendor directory or module cache that contains a directory, or "".
func vendored(dir string) string {
	for at := dir; ; {
		parent := filepath.Dir(at)
		if parent == at {
			return ""
		}
		if filepath.Base(at) == "vendor" {
			if _, err := os.Stat(filepath.Join(at, "modules.txt")); err == nil {
				return at
			}
		}
		if _, version, ok := strings.Cut(filepath.Base(at), "@v"); ok && version != "" {
			return at
		}
		at = parent
	}
}

func hasSource(files []*ast.File) bool {
	for _, file := range files {
		if !ast.IsGenerated(file) {
			return true
		}
	}
	return false
}

// choose resolves the names of -annotate and finds the directives that exist already. If it returns
// false, the command exits with the code.
func (i *initCommand) choose(t *trial, all []*target, names string) (chosen []*target, code int, ok bool) {
	c := i.c
	if names != "" {
		found, message, hint := choose(all, strings.Split(names, ","))
		if message != "" {
			return nil, c.usage("init", message, hint), false
		}
		for _, s := range found {
			if word := s.annotated(); word != "" {
				c.noteln("%s has %s already", s.name, word)
				continue
			}
			chosen = append(chosen, s)
		}
	}
	m, diags := t.analyze(chosen...)
	if diags.HasErrors() && i.exposed == nil { // the exposed functions may be the missing features
		i.refuse(t, chosen, diags)
		return nil, exitFound, false
	}
	i.model = m
	edits, wrong := insertions(i.pkg, chosen)
	if wrong != nil {
		c.diagnostic(*wrong)
		return nil, exitFound, false
	}
	i.edits = edits
	return chosen, exitDone, true
}

// refuse prints the errors of functions, each analysed as the only one: otherwise an error of a
// type that several use is reported for one of them.
func (i *initCommand) refuse(t *trial, chosen []*target, diags *diag.List) {
	all := &diag.List{}
	all.Append(diags)
	var good []string
	for _, s := range chosen {
		_, alone := t.analyze(s)
		all.Append(alone)
		if !alone.HasErrors() {
			good = append(good, s.name)
		}
	}
	i.c.diagnostics(all)
	if len(good) > 0 && len(good) < len(chosen) {
		i.c.noteln("\thint: the others would do: %s init -annotate %s%s", i.c.invoked, strings.Join(good, ","), i.here(" "))
	}
}

// generateLine matches a line by which go generate runs this command.
var generateLine = regexp.MustCompile(`(?m)^//go:generate[ \t].*\bmcpgen\b.*$`)

// generates reports whether a go:generate line covers the package: its own, or one in the root of
// the module for all packages.
func (i *initCommand) generates() bool {
	for _, dir := range []string{i.pkg.Dir, i.root} {
		names, _ := filepath.Glob(filepath.Join(escapeGlob(dir), "*.go"))
		for _, name := range names {
			src, err := regularfile.Read(name)
			if err != nil {
				continue
			}
			for _, line := range generateLine.FindAllString(string(src), -1) {
				if dir == i.pkg.Dir || strings.Contains(line, "./...") {
					return true
				}
			}
		}
	}
	return false
}

// escapeGlob returns a pattern that matches only a directory.
func escapeGlob(dir string) string {
	return regexp.MustCompile(`[*?\[]`).ReplaceAllString(dir, "[$0]")
}

// planDirectives plans the file with the go:generate line and //mcp:server, if the package lacks
// them. A package with the line but without a server is one of several that feed a server, so that
// it gets one only together with a program.
func (i *initCommand) planDirectives(withMain bool) *diag.Diagnostic {
	if i.model.NotEmitted {
		return nil // another package contains its generated file
	}
	var text, about []string
	generates := i.generates()
	if i.model.Server == nil && !i.model.Main && (!generates || withMain && i.findMain() == "") {
		text = append(text, "//mcp:server\n")
		about = append(about, "//mcp:server")
	}
	text = append(text, "package "+i.pkg.Name+"\n")
	if !generates {
		text = append(text, "\n//go:generate go tool mcpgen"+i.generateFlags()+"\n")
		about = append(about, "//go:generate go tool mcpgen"+i.generateFlags())
	}
	if len(about) == 0 {
		return nil
	}
	for _, name := range []string{"mcp.go", "doc.go"} {
		path := filepath.Join(i.pkg.Dir, name)
		if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
			i.files = append(i.files, newFile{path, strings.Join(text, ""), strings.Join(about, ", ")})
			return nil
		}
	}
	hint := "write //go:generate go tool mcpgen into a file of the package"
	if about[0] == "//mcp:server" {
		hint = "write //mcp:server into the package comment, and //go:generate go tool mcpgen below the imports"
	}
	return &diag.Diagnostic{Message: "both mcp.go and doc.go are there already, and are left as they are", Hint: hint}
}

func (i *initCommand) generateFlags() string {
	if i.tags == "" {
		return ""
	}
	return " -tags " + word(i.tags)
}

// write makes the planned changes, new files first: the next run adds directives that they lack.
func (i *initCommand) write() error {
	c := i.c
	for _, file := range i.files {
		if err := create(file.path, file.text); err != nil {
			return unwritable(file.path, err)
		}
		c.noteln("wrote %s (%s)", c.relative(file.path), file.about)
	}
	for _, e := range i.edits {
		if err := e.write(); err != nil {
			return unwritable(e.path, err)
		}
		c.noteln("wrote %s (%s above %s)", c.relative(e.path), toolDirective, strings.Join(e.names, ", "))
	}
	return nil
}

// create creates a file, which must not exist. It becomes visible only when it is complete.
func create(path, text string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	aside, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	defer os.Remove(aside.Name()) //nolint:errcheck // after the renaming it is gone
	_, err = aside.WriteString(text)
	if err == nil {
		err = aside.Chmod(0o644)
	}
	if closed := aside.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return err
	}
	// The link is made only if the path is free; some file systems do not support links.
	if err := os.Link(aside.Name(), path); err == nil || errors.Is(err, fs.ErrExist) {
		return err
	}
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		return fs.ErrExist
	}
	return os.Rename(aside.Name(), path)
}

// unwritable returns the reason why a file could not be written.
func unwritable(path string, err error) error {
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("write %s: another program has just written it\n\thint: look at it, and start again", path)
	}
	// The error names the temporary file.
	if at, ok := errors.AsType[*fs.PathError](err); ok {
		err = at.Err
	}
	if at, ok := errors.AsType[*os.LinkError](err); ok {
		err = at.Err
	}
	return readOnly(fmt.Errorf("write %s: %w", path, err))
}

// hasDirectory reports an error if the directory of a file is missing: the user chose the name,
// which may be mistyped.
func hasDirectory(path string) error {
	dir := filepath.Dir(path)
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("write %s: there is no directory %s\n\thint: if the path is right, make it: mkdir -p %s", path, dir, word(dir))
	}
	return nil
}

// writeNamed writes a complete file whose name the user chose.
func writeNamed(path string, text []byte) error {
	if err := hasDirectory(path); err != nil {
		return err
	}
	if err := pipeline.Replace(path, text); err != nil {
		return unwritable(path, err)
	}
	return nil
}

// readOnly adds a hint to errors of permissions and of a full disk.
func readOnly(err error) error {
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		return fmt.Errorf("%w\n\thint: make room and start again; the file is unchanged", err)
	}
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) {
		return fmt.Errorf("%w\n\thint: the directory or file is read-only for you, and is unchanged", err)
	}
	return err
}
