// Package generator turns annotated Go packages into their mcp_gen.go, as the command mcpgen does,
// for programs that generate without it. The command itself is package cli. The directives are
// described in docs/write/directives.md.
package generator

import (
	"context"
	"go/token"
	"io"

	"github.com/mcpgen/mcpgen/generator/internal/diag"
	"github.com/mcpgen/mcpgen/generator/internal/pipeline"
)

// Config selects the packages to generate for. Its zero value selects the package in the current
// directory.
type Config struct {
	Dir      string             // directory that patterns are relative to; "" is the current one
	Env      []string           // environment of the go command, as "key=value"; nil means the process's environment
	Tags     string             // build tags, separated by commas
	Patterns []string           // package patterns as the go command takes them; an empty list means "."
	Progress func(stage string) // called before each stage with its name, on the caller's goroutine; may be nil
}

// Result contains the packages and diagnostics of a run, and the files to write.
type Result struct {
	// Packages are the packages with features, in order of import path. After an error diagnostic
	// they have no Source.
	Packages []*Package
	// Diagnostics are in order of file, line and column.
	Diagnostics []Diagnostic

	found *pipeline.Result
}

// Package is one package with features.
type Package struct {
	ImportPath string
	File       string // absolute path of its mcp_gen.go
	Source     []byte // content for File; nil for a package with //mcp:defaults emit=none

	found *pipeline.Package
}

// Current reports whether File exists with the content Source. A package with emit=none needs no
// file.
func (p *Package) Current() bool { return p.found.Current() }

// Diagnostic is an error or a warning about the annotated source.
type Diagnostic struct {
	Pos     token.Position // zero if the diagnostic is not about a file; Line is 0 if it is about a whole file
	Warning bool           // a warning leaves the files to be written; an error does not
	Subject string         // the feature or its part, such as "tool Search: argument filter"; may be empty
	Message string         // the problem, in lower case, without a full stop
	Hint    string         // how to fix it; may be empty
	Related []Related
}

// Text returns subject and message as the command prints them.
func (d *Diagnostic) Text() string {
	if d.Subject == "" {
		return d.Message
	}
	return d.Subject + ": " + d.Message
}

// Related is another position that a diagnostic mentions, such as the other one of two equal names.
type Related struct {
	Pos     token.Position // may be zero
	Message string
}

// Generate loads and analyses packages, and generates their files in memory; it writes none. It
// returns an error if packages cannot be loaded at all; problems in their source are in
// Result.Diagnostics. It runs the go command, and stops when ctx is done. Several calls may run at
// the same time.
func Generate(ctx context.Context, cfg Config) (*Result, error) {
	found, err := pipeline.Generate(ctx, pipeline.Config{
		Dir: cfg.Dir, Env: cfg.Env, Tags: cfg.Tags, Patterns: cfg.Patterns, Progress: cfg.Progress,
	})
	if err != nil {
		return nil, err
	}
	res := &Result{found: found}
	for _, d := range found.Diagnostics.All() {
		res.Diagnostics = append(res.Diagnostics, public(d))
	}
	for _, p := range found.Packages {
		res.Packages = append(res.Packages, &Package{
			ImportPath: p.Loaded.Path, File: p.Path, Source: p.Source, found: p,
		})
	}
	return res, nil
}

func public(d *diag.Diagnostic) Diagnostic {
	out := Diagnostic{Pos: d.Pos, Warning: d.Severity == diag.Warning, Subject: d.Subject, Message: d.Message, Hint: d.Hint}
	for _, r := range d.Related {
		out.Related = append(out.Related, Related(r))
	}
	return out
}

// HasErrors reports whether Diagnostics contains more than warnings. Write then writes nothing.
func (r *Result) HasErrors() bool { return r.found.Diagnostics.HasErrors() }

// PrintDiagnostics writes the diagnostics as the command prints them. File names are relative to
// dir where that is shorter; "" leaves them absolute. After 50 diagnostics it writes only the
// number of the others.
func (r *Result) PrintDiagnostics(w io.Writer, dir string) error {
	out := &errWriter{w: w}
	diag.Print(out, r.found.Diagnostics, dir)
	return out.err
}

// errWriter keeps the error of the single write that diag.Print makes.
type errWriter struct {
	w   io.Writer
	err error
}

func (e *errWriter) Write(p []byte) (n int, err error) {
	n, e.err = e.w.Write(p)
	return n, e.err
}

// Write writes the files that are not current, and returns their paths. After an error diagnostic
// it writes nothing and returns an error. Each file is written beside the old one and renamed, so
// that the old one remains after a crash or on a full disk.
func (r *Result) Write() (written []string, err error) { return r.found.Write() }
