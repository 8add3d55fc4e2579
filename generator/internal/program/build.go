package program

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"go/build"
	"go/types"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/generator/internal/diag"
	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// BuildError is the output of the go command about code that does not build.
type BuildError struct {
	// Output is the go command's output: positions are relative to Config.Dir.
	Output string
}

// Error returns the output.
func (e *BuildError) Error() string { return strings.TrimRight(e.Output, "\n") }

// Problem is another reason why a program cannot be built, which its author can fix.
type Problem struct {
	diag.Diagnostic
}

// Error returns the message, without position and hint.
func (p *Problem) Error() string { return p.Text() }

// check refuses targets for which the go command's message would be unclear.
func (t *Target) check(cfg *Config) error {
	for _, recv := range t.Model.Receivers {
		if recv.Constructor == nil && recv.Type != nil && types.IsInterface(recv.Type) {
			return &Problem{diag.Diagnostic{
				Pos: recv.Pos, Subject: "receiver " + recv.TypeName,
				Message: "is an interface, and no function of the package makes one",
				Hint:    fmt.Sprintf("write func New%s() %s, or annotate a function that returns one with //mcp:constructor", recv.TypeName, typeName(recv)),
			}}
		}
	}
	if cache := moduleCache(cfg.Env); cache != "" && within(t.Generated, cache) {
		return &Problem{diag.Diagnostic{
			Subject: "package " + t.Model.Path,
			Message: "lies in the module cache, where nothing can be overlaid",
			Hint:    "run the command in a checkout of its module, or replace the module by a directory",
		}}
	}
	return nil
}

// typeName returns the name of a receiver's type in the package of the program.
func typeName(recv *model.Receiver) string {
	if recv.Pkg == nil {
		return recv.TypeName
	}
	return recv.Pkg.Name() + "." + recv.TypeName
}

// runBuild runs the go command.
func runBuild(ctx context.Context, cfg *Config, overlay, output, main string) error {
	args := []string{"build", "-o", output, "-overlay", overlay, "-buildvcs=false"}
	if cfg.Tags != "" {
		args = append(args, "-tags", cfg.Tags)
	}
	// Without debug information linking is faster. The user's flags for the linker take precedence.
	if !strings.Contains(lookup(cfg.Env, "GOFLAGS"), "-ldflags") {
		args = append(args, "-ldflags=-s -w")
	}
	text, err := runGo(ctx, cfg, append(args, "--", main)...)
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if _, ok := errors.AsType[*exec.ExitError](err); !ok {
		return fmt.Errorf("run go build: %w", err)
	}
	for _, path := range cfg.packages() {
		if problem := missing(ctx, cfg, path); problem != nil {
			return problem
		}
	}
	return &BuildError{Output: text}
}

// missing checks, after a failure, whether the module lacks a package that the program imports.
func missing(ctx context.Context, cfg *Config, path string) *Problem {
	list := []string{"list", "-find", "-f", "{{.Dir}}"}
	if cfg.Tags != "" {
		list = append(list, "-tags", cfg.Tags)
	}
	text, err := runGo(ctx, cfg, append(list, "--", path)...)
	if err == nil {
		return nil
	}
	p := &Problem{diag.Diagnostic{
		Message: "the module does not require the package " + path + " yet",
		Hint:    "go get -tool github.com/mcpgen/mcpgen/cmd/mcpgen",
	}}
	refused := diag.DownloadHint(text)
	switch {
	case lookup(cfg.Env, "GO111MODULE") == "off":
		p.Message, p.Hint = "modules are switched off", "unset GO111MODULE"
	case refused != "":
		lines := strings.Split(strings.TrimSpace(text), "\n") // the first lines name the downloads
		p.Message, p.Hint = "the go command cannot load the package "+path+": "+lines[len(lines)-1], refused
	case strings.Contains(text, "updates to go.mod needed"):
		p.Message = "go.mod is not up to date"
		p.Hint = "go mod tidy, which also raises the go line where a required module asks for a later Go"
	case strings.Contains(text, "-mod=vendor"):
		p.Message = "the vendor directory does not have the package " + path + " yet"
		p.Hint = "run mcpgen, then go mod vendor"
		if path != runtimePackage {
			p.Hint = "set GOFLAGS=-mod=mod for this command, or import the package in a program of the module, then go mod vendor"
		}
	case !strings.Contains(text, path):
		return nil // the go command's message has another cause
	}
	return p
}

// runGo runs the go command and returns its output.
func runGo(ctx context.Context, cfg *Config, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = cfg.Dir
	cmd.Env = environment(cfg)
	// On an interrupt, the go command stops the compilers and removes its temporary files; it is
	// killed only if it does not exit.
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 3 * time.Second
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	return out.String(), err
}

// environment returns the go command's environment. PWD determines how the go command spells paths,
// and the overlay must spell them alike.
func environment(cfg *Config) []string {
	env := cfg.Env
	if env == nil {
		env = os.Environ()
	}
	dir, err := filepath.Abs(cfg.Dir)
	if err != nil {
		return env
	}
	return append(slices.Clip(env), "PWD="+dir)
}

// lookup returns a variable of the environment; the last setting counts.
func lookup(env []string, name string) string {
	if env == nil {
		return os.Getenv(name)
	}
	value := ""
	for _, entry := range env {
		if v, ok := strings.CutPrefix(entry, name+"="); ok {
			value = v
		}
	}
	return value
}

// moduleCache returns the directory in which the go command keeps modules, as far as the
// environment determines it.
func moduleCache(env []string) string {
	if dir := lookup(env, "GOMODCACHE"); dir != "" {
		return dir
	}
	gopath := lookup(env, "GOPATH")
	if gopath == "" {
		gopath = build.Default.GOPATH
	}
	if list := filepath.SplitList(gopath); len(list) > 0 {
		return filepath.Join(list[0], "pkg", "mod")
	}
	return ""
}

// within reports whether path lies below dir.
func within(path, dir string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}
