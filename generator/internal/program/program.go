// Package program makes a program that can be run out of an annotated package, from its source and
// without writing anything beside it: the package needs neither a generated file on disk, nor a
// main function, nor a server.
//
// [Build] runs the go command with an overlay that shows it three files that do not exist. The
// first is the generated file. The second lies in the package itself, for only there can unexported
// constructors and types be named; it makes the receivers and the server. The third is a main
// package in a directory below the package, so that internal packages can be imported. A package
// main gets no third file: its own main function is replaced instead.
//
// [Arguments] turns what is written in a shell into a tool's arguments, and [Texts] into those of a
// prompt. Any client can call the program.
package program

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"

	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// Target is the package that a program is made of.
type Target struct {
	Model *model.Package

	// Files, Fset and Info are the syntax of the package and what is known of it. They are looked
	// at in package main only, to find its main function.
	Files []*ast.File
	Fset  *token.FileSet
	Info  *types.Info

	// Generated is the absolute path of the generated file, which need not exist, and Source its
	// content. The path must be spelled as the go command spells it when it is run in Config.Dir:
	// an overlay does not look through symbolic links.
	Generated string
	Source    []byte
}

// Config says how to build.
type Config struct {
	Dir      string             // where the go command is run; "" = the current directory
	Env      []string           // its environment; nil = that of this process
	Tags     string             // build tags, separated by commas
	Progress func(stage string) // called with the name of each stage; may be nil

	// HTTP makes a program that reads the flags of package mcpcmd: it serves over HTTP if a flag
	// asks for it, and stops when its standard input ends. Otherwise the program serves over
	// standard input and output alone, and does not link net/http.
	HTTP bool
	// Auth adds the flags of package mcpauth to a program for HTTP.
	Auth bool
}

// Program is a built program. It serves the features of its package.
type Program struct {
	// Path is the executable.
	Path string

	dir string // temporary, holds all there is of it
}

// Build builds the program. The error is a [*BuildError] when the go command refused the code, a
// [*Problem] if there is something else to be fixed. After an error no temporary file is left;
// otherwise Close removes it.
func Build(ctx context.Context, t *Target, cfg Config) (*Program, error) {
	if err := t.check(&cfg); err != nil {
		return nil, err
	}
	if cfg.Progress != nil {
		cfg.Progress("building " + t.Model.Path)
	}
	// GOTMPDIR is set where programs cannot be run from the usual place.
	dir, err := os.MkdirTemp(lookup(cfg.Env, "GOTMPDIR"), "mcpgen-")
	if err != nil {
		return nil, fmt.Errorf("make directory for the program: %w", err)
	}
	p := &Program{dir: dir, Path: filepath.Join(dir, executable(t.Model))}
	if err := p.build(ctx, t, &cfg); err != nil {
		return nil, errors.Join(err, p.Close())
	}
	return p, nil
}

func (p *Program) build(ctx context.Context, t *Target, cfg *Config) error {
	o := overlay{dir: p.dir}
	if err := o.merge(cfg.Env, cfg.Dir); err != nil {
		return err
	}
	main, err := t.overlay(&o, cfg)
	if err != nil {
		return err
	}
	file, err := o.write()
	if err != nil {
		return err
	}
	err = runBuild(ctx, cfg, file, p.Path, main)
	if broken, ok := errors.AsType[*BuildError](err); ok {
		broken.Output = o.original(broken.Output, cfg.Dir)
	}
	return err
}

// Command returns the program as a command with nothing connected yet. The caller sets in Cancel
// what cancelling ctx does; by default the program is killed. It looks at its arguments only where
// Config.HTTP was set.
func (p *Program) Command(ctx context.Context, args ...string) *exec.Cmd {
	return exec.CommandContext(ctx, p.Path, args...)
}

// Close removes the program from disk. It may be called more than once, and must not be called
// while the program runs on Windows.
func (p *Program) Close() error {
	if err := os.RemoveAll(p.dir); err != nil {
		return fmt.Errorf("remove program: %w", err)
	}
	return nil
}

// executable is the file name of the program, which shows in a list of processes.
func executable(m *model.Package) string {
	name := model.ServerName(m.Path)
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	return name
}
