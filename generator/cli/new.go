package cli

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/generator/internal/diag"
	"github.com/mcpgen/mcpgen/generator/internal/load"
	"github.com/mcpgen/mcpgen/generator/internal/model"
	"github.com/mcpgen/mcpgen/generator/internal/pipeline"
	"github.com/mcpgen/mcpgen/generator/internal/scaffold"
)

const helpNew = `usage: mcpgen new [flags] NAME

Makes the directory NAME with a server that is complete and tested: functions
with //mcp: comments, a main function, tests, go.mod, the generated mcp_gen.go,
a workflow for GitHub, README.md, and AGENTS.md with the rules that a coding
agent needs. Afterwards, this works:

	mcpgen new shop && cd shop && go test ./...

Nothing is overwritten: NAME must not exist, or be an empty directory. If new
fails or is interrupted, nothing is left behind. What this mcpgen was built from
is in the module cache, so that no network is needed.

	-template NAME
	            what is written; default: stdio
%s	-module PATH
	            path of the module; default: the last element of NAME
	-replace DIR
	            take mcpgen from its source in DIR, and not the version of
	            this command
` + helpFlags

// newHelp is the help of new with the templates.
func newHelp() string {
	var b strings.Builder
	for _, t := range scaffold.Templates {
		fmt.Fprintf(&b, "\t            %-6s %s\n", t.Name, t.About)
	}
	return fmt.Sprintf(helpNew, b.String())
}

// newCommand is one run of mcpgen new.
type newCommand struct {
	c        *command
	template *scaffold.Template
	target   string // the directory, absolute
	shown    string // as given
	module   string
	source   string // source of mcpgen, or "" for the version of this command
	aside    string // directory beside target in which the project is made
	environ  []string
	goWork   string // the workspace that will contain the project, or ""
}

// new makes the directory of a server: files of a template, go.mod and mcp_gen.go.
func (c *command) new(args []string) int {
	f := newFlags("new")
	template := f.String("template", scaffold.Templates[0].Name, "what is written: "+strings.Join(scaffold.Names(), ", "))
	module := f.String("module", "", "path of the module; default: the last element of NAME")
	source := f.String("replace", "", "take mcpgen from its source in that directory")
	rest, code, ok := c.parse(f, args)
	if !ok {
		return code
	}
	switch {
	case len(rest) == 0:
		return c.usage("new", "the name is missing", "write "+c.invoked+" new NAME, which makes the directory NAME")
	case len(rest) > 1:
		return c.usage("new", "new takes one name, and not also "+rest[1], "")
	}
	n := &newCommand{c: c, template: scaffold.Find(*template), shown: rest[0]}
	if n.template == nil {
		hint := "the templates are " + strings.Join(scaffold.Names(), ", ")
		if near := diag.Nearest(*template, scaffold.Names()); near != "" {
			hint = "did you mean " + near + "? T" + hint[1:]
		}
		return c.usage("new", "unknown template "+*template, hint)
	}
	if code := n.place(*module); code != exitDone {
		return code
	}
	if code := n.runtime(*source); code != exitDone {
		return code
	}
	if code := n.environment(); code != exitDone {
		return code
	}
	defer n.remove()
	result, code := n.make()
	if code != exitDone {
		return code
	}
	if err := n.publish(); err != nil {
		return c.fail(err)
	}
	n.printNext(result)
	return exitDone
}

// place sets the directory and the path of the module. The go command checks the path.
func (n *newCommand) place(module string) (code int) {
	c, name := n.c, filepath.Clean(n.shown)
	switch {
	case n.shown == "" || name == ".":
		return c.usage("new", "new makes a directory, and "+cmp.Or(n.shown, "an empty name")+" is none that it could make",
			"write "+c.invoked+" new NAME; for the package that is here, "+c.invoked+" init")
	case !filepath.IsLocal(name):
		return c.usage("new", n.shown+" is not a directory below the current one", "change to the directory in which it is to be made, and write its name alone")
	}
	n.target = filepath.Join(c.dir, name)
	n.module = cmp.Or(module, filepath.Base(name))
	parent := filepath.Dir(n.target)
	switch info, err := os.Stat(parent); {
	case errors.Is(err, fs.ErrNotExist):
		hint := "make it first: mkdir -p " + word(filepath.Dir(name))
		if first, _, _ := strings.Cut(filepath.ToSlash(name), "/"); strings.Contains(first, ".") && module == "" {
			hint = fmt.Sprintf("for the path of a module write %s new -module %s %s", c.invoked, word(filepath.ToSlash(name)), word(filepath.Base(name)))
		}
		return n.refuse("there is no directory "+filepath.Dir(name), hint)
	case err != nil:
		return c.fail(err)
	case !info.IsDir():
		return n.refuse(filepath.Dir(name)+" is a file", "name a directory that is there, or none")
	}
	switch info, err := os.Lstat(n.target); {
	case errors.Is(err, fs.ErrNotExist):
		return exitDone
	case err != nil:
		return c.fail(err)
	case !info.IsDir():
		return n.refuse(n.shown+" is there already, and is no directory", "take another name; nothing is overwritten")
	}
	return n.empty()
}

// empty refuses a target that contains files.
func (n *newCommand) empty() (code int) {
	entries, err := os.ReadDir(n.target)
	if err != nil {
		return n.c.fail(err)
	}
	if len(entries) == 0 {
		return exitDone
	}
	const most = 5
	var names []string
	for _, e := range entries[:min(most, len(entries))] {
		names = append(names, e.Name())
	}
	if more := len(entries) - most; more > 0 {
		names = append(names, count(more, "other"))
	}
	return n.refuse(fmt.Sprintf("%s is there already, and contains %s", n.shown, strings.Join(names, ", ")),
		"take another name; to a package that is there "+n.c.invoked+" init adds what it needs")
}

func (n *newCommand) refuse(message, hint string) (code int) {
	n.c.diagnostic(diag.Diagnostic{Message: message, Hint: hint})
	return exitFound
}

// runtime chooses the source of mcpgen for go.mod: a version, or a directory.
func (n *newCommand) runtime(source string) (code int) {
	c := n.c
	if source == "" {
		if v := version(); !strings.HasPrefix(v, "v") || strings.Contains(v, "+dirty") {
			return n.refuse("this mcpgen was built from a working tree, and has no version that go.mod could require",
				fmt.Sprintf("name the working tree: %s new -replace DIR %s; or install a release: go install %s@latest", c.invoked, word(n.shown), commandPath))
		}
		return exitDone
	}
	n.source = c.absolute(source)
	if declared := load.ModulePath(n.source); declared != modulePath {
		return n.refuse(fmt.Sprintf("-replace %s: there is no go.mod of %s", source, modulePath), "name the root of a clone of mcpgen")
	}
	return exitDone
}

// environment reads the settings of the go command. It switches a workspace above the project off,
// which does not include the project yet.
func (n *newCommand) environment() (code int) {
	c := n.c
	if _, err := exec.LookPath("go"); err != nil {
		return n.refuse("there is no go command in PATH", "install Go, from https://go.dev/dl, or add its directory to PATH")
	}
	n.environ = c.environment()
	out, err := n.goCommand(filepath.Dir(n.target), "env", "-json", "GOROOT", "GOWORK", "GO111MODULE")
	if err != nil {
		return c.fail(err)
	}
	var env struct{ GOROOT, GOWORK, GO111MODULE string }
	if err := json.Unmarshal(out, &env); err != nil {
		return c.fail(fmt.Errorf("read output of go env: %w", err))
	}
	if env.GO111MODULE == "off" {
		return n.refuse("modules are switched off", "unset GO111MODULE")
	}
	if env.GOWORK != "off" {
		n.goWork = env.GOWORK
	}
	n.environ = append(n.environ, "GOWORK=off")
	std := filepath.Join(env.GOROOT, "src", filepath.FromSlash(n.module))
	if _, err := os.Stat(std); filepath.IsLocal(filepath.FromSlash(n.module)) && err == nil || slices.Contains(reserved, n.module) {
		return c.usage("new", n.module+" means packages of Go itself, and cannot be the path of a module",
			fmt.Sprintf("give it another one: -module example.com/%s", n.module))
	}
	return exitDone
}

// reserved contains the names that the go command reserves for sets of packages.
var reserved = []string{"all", "cmd", "std", "tool", "work"}

// goCommand runs the go command in a directory, and returns its output.
func (n *newCommand) goCommand(dir string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(n.c.ctx, "go", args...)
	cmd.Dir, cmd.Env = dir, append(n.environ, "PWD="+dir)
	cmd.WaitDelay = endTime // for a git process that it started
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if text := complaint(errs.String()); err != nil && text != "" {
		err = errors.New(text)
	}
	return out, err
}

// complaint returns the first errors in the output of the go command.
func complaint(printed string) string {
	const most = 3
	var lines []string
	for line := range strings.Lines(printed) {
		line = strings.TrimSpace(strings.TrimPrefix(line, "go: "))
		if line != "" && !strings.HasPrefix(line, "downloading ") && !strings.HasPrefix(line, "finding ") {
			lines = append(lines, line)
		}
	}
	if more := len(lines) - most; more > 0 {
		lines = append(lines[:most], count(more, "line")+" more")
	}
	return strings.Join(lines, "\n\t")
}

// make writes the project into a directory beside its target.
func (n *newCommand) make() (result *pipeline.Result, code int) {
	c := n.c
	n.aside = filepath.Join(filepath.Dir(n.target), ".mcpgen-new-"+rand.Text()[:8])
	if err := os.Mkdir(n.aside, 0o777); err != nil {
		n.aside = ""
		return nil, c.fail(n.unmade(err))
	}
	if _, err := n.goCommand(n.aside, "mod", "init", "--", n.module); err != nil {
		return nil, c.usage("new", err.Error(), "the path of the module is the value of -module, or the last element of NAME")
	}
	files, err := n.template.Files(model.ServerName(n.module))
	if err != nil {
		return nil, c.fail(err)
	}
	for _, file := range files {
		if err := create(filepath.Join(n.aside, filepath.FromSlash(file.Name)), file.Text); err != nil {
			return nil, c.fail(n.unmade(err))
		}
	}
	if code := n.require(); code != exitDone {
		return nil, code
	}
	return n.generate()
}

// goVersion is the version of Go that mcpgen requires.
const goVersion = "1.26.0"

// require writes go.mod and go.sum. The module cache has the modules of this command, and go.mod
// names their versions, so that no request is needed.
func (n *newCommand) require() (code int) {
	c := n.c
	edit := []string{"mod", "edit", "-go=" + goVersion, "-tool=" + commandPath}
	if n.source == "" {
		edit = append(edit, "-require="+modulePath+"@"+version())
	} else {
		edit = append(edit, "-require="+modulePath+"@v0.0.0", "-replace="+modulePath+"="+n.source)
	}
	c.progress.begin("finding the modules of the project")
	defer c.progress.end()
	for _, args := range [][]string{edit, {"list", "-mod=mod", "-deps", "-test", "./..."}, {"list", "-mod=mod", "-deps", commandPath}} {
		if _, err := n.goCommand(n.aside, args...); err != nil {
			c.progress.end()
			if c.ctx.Err() != nil {
				return c.fail(err)
			}
			hint := "the module of mcpgen is downloaded if the cache does not have it; a version that was never pushed needs -replace DIR, with a clone of mcpgen"
			return n.refuse(n.relocated(err.Error()), hint)
		}
	}
	return exitDone
}

// generate writes mcp_gen.go.
func (n *newCommand) generate() (result *pipeline.Result, code int) {
	c := n.c
	result, err := pipeline.Generate(c.ctx, pipeline.Config{
		Dir: n.aside, Env: n.environ, Progress: c.progress.begin, Packages: c.progress.packages, Emitting: true,
	})
	c.progress.end()
	if nothing, ok := errors.AsType[*load.Error](err); ok && c.ctx.Err() == nil {
		d := nothing.Diagnostic()
		return nil, n.refuse(n.relocated(d.Message), d.Hint)
	}
	if err != nil {
		return nil, c.fail(err)
	}
	if result.Diagnostics.HasErrors() {
		c.diagnostics(result.Diagnostics)
		return nil, exitFound
	}
	if _, err := result.Write(); err != nil {
		return nil, c.fail(n.unmade(err))
	}
	return result, exitDone
}

// relocated replaces the temporary directory by the target in a message.
func (n *newCommand) relocated(text string) string {
	return strings.ReplaceAll(text, n.aside, n.target)
}

// unmade returns the reason why a file of the project could not be written.
func (n *newCommand) unmade(err error) error {
	if at, ok := errors.AsType[*fs.PathError](err); ok {
		err = at.Err
	}
	if at, ok := errors.AsType[*os.LinkError](err); ok {
		err = at.Err
	}
	return fmt.Errorf("make directory %s: %w\n\thint: make it where you may write, and where there is room; nothing is left of it", n.shown, err)
}

// publish renames the project to its target. It replaces an empty directory, and nothing else that
// another program has made in the meantime.
func (n *newCommand) publish() error {
	if err := n.c.ctx.Err(); err != nil {
		return err
	}
	err := os.Rename(n.aside, n.target)
	if err != nil && os.Remove(n.target) == nil { // Windows does not replace a directory, even an empty one
		err = os.Rename(n.aside, n.target)
	}
	if err != nil {
		return n.unmade(err)
	}
	n.aside = ""
	return nil
}

// remove removes a project that was not published.
func (n *newCommand) remove() {
	if n.aside != "" {
		_ = os.RemoveAll(n.aside)
	}
}

// printNext prints the files of the project, and the next commands.
func (n *newCommand) printNext(result *pipeline.Result) {
	c := n.c
	var files []string
	_ = filepath.WalkDir(n.target, func(path string, d fs.DirEntry, err error) error {
		if rel, wrong := filepath.Rel(n.target, path); err == nil && wrong == nil && !d.IsDir() {
			files = append(files, filepath.ToSlash(rel))
		}
		return nil
	})
	c.noteln("wrote %s (module %s, template %s, %s): %s", n.shown, n.module, n.template.Name, summary(result.Packages[0].Model), strings.Join(files, ", "))
	if root := moduleRoot(filepath.Dir(n.target)); root != "" {
		c.noteln("it is a module of its own, which ./... in %s does not include\n\thint: to serve a package of that module, remove it and write %s init", root, c.invoked)
	}
	fmt.Fprintf(c.out, "\nNext:\n\n\tcd %s\n", word(n.shown))
	if n.goWork != "" {
		fmt.Fprintf(c.out, "\tgo work use .    # as %s is in force here\n", n.goWork)
	}
	fmt.Fprintf(c.out, "\tgo test ./...\n")
	for _, line := range n.template.Try {
		fmt.Fprintf(c.out, "\t%s\n", scaffold.Named(line, model.ServerName(n.module)))
	}
	fmt.Fprintf(c.out, `
The tools are functions in notes.go. After a change of one: go generate.
README.md says how to run the server, AGENTS.md has the rules for coding agents.
`)
}
