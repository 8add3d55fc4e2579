// Package program builds an executable program from the source of an annotated package, without
// writing anything beside it: the package needs neither a generated file on disk, nor a main
// function, nor a server.
//
// [Build] runs the go command with an overlay that shows it three files that do not exist. The
// first is the generated file. The second lies in the package itself, since unexported constructors
// and types can be named only there; it makes the receivers and the server. The third is a main
// package in a directory below the package, so that internal packages can be imported. A package
// main gets no third file: its own main function is replaced instead.
//
// [Arguments] turns the words of a shell command into a tool's arguments, and [Texts] into a
// prompt's. Any client can call the program.
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

// Target is the package from which a program is built.
type Target struct {
	Model *model.Package

	// Files, Fset and Info are the syntax and type information of the package. They are used only
	// for a package main, to find its main function.
	Files []*ast.File
	Fset  *token.FileSet
	Info  *types.Info

	// Generated is the absolute path of the generated file, which need not exist, and Source is its
	// content. The path must be spelled as the go command spells it in Config.Dir: an overlay does
	// not resolve symbolic links.
	Generated string
	Source    []byte
}

// Config configures a build.
type Config struct {
	Dir      string             // working directory of the go command; "" means the current directory
	Env      []string           // environment of the go command; nil means the process's environment
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

	dir string // temporary directory with all files of the program
}

// Build builds the program. The error is a [*BuildError] if the go command refused the code, or a
// [*Problem] for other errors that an author can fix. After an error no temporary file is left;
// otherwise Close removes the files.
func Build(ctx context.Context, t *Target, cfg Config) (*Program, error) {
	if err := t.check(&cfg); err != nil {
		return nil, err
	}
	if cfg.Progress != nil {
		cfg.Progress("building " + t.Model.Path)
	}
	// Users set GOTMPDIR if programs cannot be run from the default directory.
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

// Command returns a command that runs the program, with nothing connected yet. The caller may set
// Cancel for the case that ctx is cancelled; by default the program is killed. The program reads
// its arguments only if Config.HTTP was set.
func (p *Program) Command(ctx context.Context, args ...string) *exec.Cmd {
	return exec.CommandContext(ctx, p.Path, args...)
}

// Close removes the program from disk. It may be called more than once. On Windows it must not be
// called while the program runs.
func (p *Program) Close() error {
	if err := os.RemoveAll(p.dir); err != nil {
		return fmt.Errorf("remove program: %w", err)
	}
	return nil
}

// executable returns the program's file name, which a list of processes shows.
func executable(m *model.Package) string {
	name := model.ServerName(m.Path)
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	return name
}
