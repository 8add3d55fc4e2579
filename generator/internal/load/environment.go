package load

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/generator/internal/diag"
)

// Error is a reason why nothing could be loaded: a fault of the environment or of the command line,
// without a place in the source.
type Error struct {
	Message string
	Hint    string // how to fix it; may be empty
	err     error
}

// Error returns message and hint.
func (e *Error) Error() string {
	if e.Hint == "" {
		return e.Message
	}
	return e.Message + "\n\thint: " + e.Hint
}

// Unwrap returns the error of the go command, or nil.
func (e *Error) Unwrap() error { return e.err }

// Diagnostic returns the error as a diagnostic without a position.
func (e *Error) Diagnostic() *diag.Diagnostic {
	return &diag.Diagnostic{Message: e.Message, Hint: e.Hint}
}

// explain adds a hint to an error of the go command.
func (l *loader) explain(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("load packages: %w", context.Cause(ctx))
	}
	if _, missing := exec.LookPath("go"); missing != nil {
		return &Error{Message: "there is no go command in the PATH", Hint: "install Go, or add its bin directory to the PATH", err: err}
	}
	e := &Error{Message: plainMessage(err), err: err}
	if strings.Contains(e.Message, "updates to go.mod needed") {
		e.Message = "go.mod is not up to date"
		e.Hint = "go mod tidy, which also raises the go line where a required module asks for a later Go"
	}
	if strings.Contains(e.Message, "requires go >= ") {
		e.Hint = "install that version of Go, or let the go command fetch it: GOTOOLCHAIN=auto"
	}
	return l.inEnvironment(ctx, e)
}

// inEnvironment replaces an error by its cause in the environment. It determines the cause itself,
// as the wording of the go command may change.
func (l *loader) inEnvironment(ctx context.Context, e *Error) *Error {
	var env struct{ GOMOD, GOWORK, GOFLAGS, GO111MODULE, GOMODCACHE string }
	out, err := l.goCommand(ctx, "env", "-json", "GOMOD", "GOWORK", "GOFLAGS", "GO111MODULE", "GOMODCACHE")
	if err != nil || json.Unmarshal(out, &env) != nil {
		return e
	}
	workspace := env.GOWORK != "" && env.GOWORK != "off"
	switch {
	case env.GOMODCACHE == "":
		// The go command then takes every file for one in the cache, and refuses to replace it.
		e.Message = "the go command has no directory for modules: none of HOME (on Windows USERPROFILE), GOPATH and GOMODCACHE is set"
		e.Hint = "set HOME, or both GOMODCACHE and GOCACHE, to absolute paths"
	case env.GO111MODULE == "off":
		e.Hint = "modules are switched off: unset GO111MODULE"
	case workspace && slices.Contains(strings.Fields(env.GOFLAGS), "-mod=mod"):
		e.Message = fmt.Sprintf("GOFLAGS=-mod=mod does not work inside a workspace (%s)", env.GOWORK)
		e.Hint = "take -mod=mod out of GOFLAGS, or set GOWORK=off"
	case !workspace && (env.GOMOD == "" || env.GOMOD == os.DevNull) && hasModule(l.dir):
		e.Message = fmt.Sprintf("the go command ignores the go.mod in %s, since that is the directory for temporary files", l.dir)
		e.Hint = "work in a directory below it"
	case !workspace && (env.GOMOD == "" || env.GOMOD == os.DevNull):
		e.Message = fmt.Sprintf("there is no go.mod in %s or in a directory above it", l.dir)
		e.Hint = "make the directory a module: go mod init example.com/NAME"
	case workspace && (e.Hint == "" || e.Hint == inAnotherModule):
		e.Hint = "the workspace " + env.GOWORK + " is in force; go work use adds a module to it, GOWORK=off leaves it"
	}
	return e
}

// hasModule reports whether a directory contains a go.mod file.
func hasModule(dir string) bool {
	info, err := os.Stat(filepath.Join(dir, "go.mod"))
	return err == nil && info.Mode().IsRegular()
}

// plainMessage removes the text that go/packages and os/exec put around the go command's message.
func plainMessage(err error) string {
	text := err.Error()
	for _, marker := range []string{"stderr: ", "exit status 1: "} {
		if _, after, ok := strings.Cut(text, marker); ok && strings.TrimSpace(after) != "" {
			text = after
		}
	}
	return strings.TrimSpace(text)
}

// runtimePath is the package that generated code imports.
const runtimePath = ownModule + "/runtime/mcp"

const ownModule = "github.com/mcpgen/mcpgen"

const getTool = "go get -tool " + ownModule + "/cmd/mcpgen"

// CheckRuntime checks that the module of a package can import the runtime, which the generated file
// does. It calls the go command only if the package does not import the runtime already, and no
// file proves that an earlier check still holds. The error is an [*Error].
func (p *Package) CheckRuntime(ctx context.Context, cfg Config) error {
	if imp := p.Imports[runtimePath]; imp != nil && len(imp.GoFiles) > 0 || p.checkedRuntime() {
		return nil
	}
	cfg.Dir = p.Dir
	l, err := newLoader(cfg)
	if err != nil {
		return err
	}
	out, err := l.goCommand(ctx, "list", "-e", "-find", "-json=Dir,Error", "--", runtimePath)
	if err != nil {
		return l.explain(ctx, err)
	}
	var answer listed
	if err := json.Unmarshal(out, &answer); err != nil {
		return fmt.Errorf("read output of go list: %w", err)
	}
	if answer.Dir != "" && answer.Error == nil {
		return nil
	}
	where := "the module"
	if p.ModuleDir != "" {
		where = filepath.Join(p.ModuleDir, "go.mod")
	}
	if answer.Error != nil {
		if e := l.unloaded(ctx, where, answer.Error.Err); e != nil {
			return e
		}
	}
	e := &Error{Message: where + " does not require " + runtimePath + ", which the generated file imports", Hint: getTool}
	if answer.Error != nil {
		if hint := diag.DownloadHint(answer.Error.Err); hint != "" {
			e.Message, e.Hint = e.Message+", and it cannot be fetched: "+answer.Error.Err, hint
		}
	}
	return e
}

// checkedRuntime reports whether the generated file is newer than the files that determine the
// modules: it was written after a successful check of them.
func (p *Package) checkedRuntime() bool {
	generated, err := os.Stat(p.Generated)
	if err != nil || p.GeneratedState != Ours || generated.Size() == 0 || p.ModuleDir == "" {
		return false
	}
	mod, err := os.Stat(filepath.Join(p.ModuleDir, "go.mod"))
	if err != nil || !mod.ModTime().Before(generated.ModTime()) {
		return false
	}
	vendored, err := os.Stat(filepath.Join(p.ModuleDir, "vendor"))
	return err != nil || vendored.ModTime().Before(generated.ModTime())
}

// unloaded returns the reason why the runtime cannot be loaded although the module requires it, or
// nil if it does not: it was not downloaded, its replacement does not exist, or the vendor
// directory is older.
func (l *loader) unloaded(ctx context.Context, where, reason string) *Error {
	var module struct {
		Version string
		Replace *struct{ Path string }
	}
	out, err := l.goCommand(ctx, "list", "-m", "-e", "-json=Version,Replace", "--", ownModule)
	if err != nil || json.Unmarshal(out, &module) != nil || module.Version == "" {
		return nil
	}
	text, _, _ := strings.Cut(reason, "; to add:")
	e := &Error{
		Message: fmt.Sprintf("%s requires %s, which cannot be loaded: %s", where, ownModule, strings.TrimSpace(text)),
		Hint:    "go mod download " + ownModule + ", which needs a network where the module cache does not have it",
	}
	if hint := diag.DownloadHint(text); hint != "" {
		e.Hint = hint
	}
	switch {
	case strings.Contains(text, "-mod=vendor"):
		e.Hint = "go mod vendor"
	case strings.Contains(text, "@v") && !strings.Contains(text, ownModule+"@"):
		// If one module cannot be found, the go command loads none.
		e.Message = fmt.Sprintf("the go command cannot load %s: %s", runtimePath, strings.TrimSpace(text))
		e.Hint = "fix that: go list " + runtimePath + " reports it again"
	case module.Replace != nil:
		e.Hint = "go.mod has " + module.Replace.Path + " in its place: fix that line"
	}
	return e
}
