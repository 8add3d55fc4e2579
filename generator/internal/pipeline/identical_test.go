package pipeline_test

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/mcpgen/mcpgen/generator/internal/pipeline"
)

// TestSameEverywhere generates for copies of one module on different paths, as on different
// machines: the files are identical, including doc comments of other packages, which are found by
// the positions in export data. If MCPGEN_LONG is set in the environment, they are also compared
// with another system's, for which the standard library has to be compiled.
func TestSameEverywhere(t *testing.T) {
	archive, err := txtar.ParseFile("testdata/modules/names.txtar")
	if err != nil {
		t.Fatal(err)
	}
	archive.Files = append(archive.Files, txtar.File{Name: "emitted/emitted.go", Data: []byte(`// Package emitted emits what it finds.
//
//mcp:server
//mcp:from example.com/shop/generic example.com/shop/renamed example.com/shop/imports
package emitted
`)})

	first := module(t, archive.Files)
	want := sources(t, first, pipeline.Config{Dir: first, Env: environment(first)})
	if len(want) < 15 {
		t.Fatalf("%d files", len(want))
	}

	second := filepath.Join(t.TempDir(), "a longer path, with spaces", "über", "shop@v1")
	if err := os.CopyFS(second, os.DirFS(module(t, archive.Files))); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(second, link); err != nil {
		t.Skip(err)
	}
	with := func(env []string, more ...string) []string { return append(env, more...) }
	for _, c := range []struct {
		name string
		cfg  pipeline.Config
	}{
		{"again", pipeline.Config{Dir: first, Env: environment(first)}},
		{"another path", pipeline.Config{Dir: second, Env: environment(second)}},
		{"a symbolic link", pipeline.Config{Dir: link, Env: environment(link)}},
		{"PWD spelt otherwise", pipeline.Config{Dir: second, Env: environment(link)}},
		{"PWD wrong", pipeline.Config{Dir: second, Env: with(environment(second), "PWD=/")}},
		{"-trimpath", pipeline.Config{Dir: second, Env: with(environment(second), "GOFLAGS=-mod=mod -trimpath")}},
		{"-trimpath over a link", pipeline.Config{Dir: link, Env: with(environment(link), "GOFLAGS=-mod=mod -trimpath")}},
		{"another system", pipeline.Config{Dir: first, Env: with(environment(first), "GOOS=windows")}},
		{"one by one", pipeline.Config{Dir: second, Env: environment(second)}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.name == "another system" && !long {
				t.Skip("compiles the standard library for another system: set MCPGEN_LONG")
			}
			got := map[string][]byte{}
			if c.name == "one by one" {
				for name := range want {
					c.cfg.Patterns = []string{"./" + filepath.ToSlash(filepath.Dir(name))}
					for name, source := range sources(t, c.cfg.Dir, c.cfg) {
						got[name] = source
					}
				}
			} else {
				got = sources(t, c.cfg.Dir, c.cfg)
			}
			for name, source := range want {
				if !bytes.Equal(got[name], source) {
					t.Errorf("%s differs", name)
				}
			}
			if len(got) != len(want) {
				t.Errorf("%d files, want %d", len(got), len(want))
			}
		})
	}

	// Existing files, correct or not, change nothing.
	for name, source := range want {
		if err := os.WriteFile(filepath.Join(second, name), append([]byte("<<<<<<< ours\n"), source...), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for name, source := range sources(t, second, pipeline.Config{Dir: second, Env: environment(second)}) {
		if !bytes.Equal(source, want[name]) {
			t.Errorf("%s differs where a conflicted one is there", name)
		}
	}
	// The files do not contain the path at which they were made.
	for name, source := range want {
		if bytes.Contains(source, []byte(first)) || bytes.Contains(source, []byte(os.TempDir())) {
			t.Errorf("%s has a path of this machine", name)
		}
	}
}

// long is set if tests may take minutes.
var long = os.Getenv("MCPGEN_LONG") != ""

// sources returns the generated files by their paths in the module.
func sources(t *testing.T, dir string, cfg pipeline.Config) map[string][]byte {
	t.Helper()
	if cfg.Patterns == nil {
		cfg.Patterns = []string{"./..."}
	}
	res, err := pipeline.Generate(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	if res.Diagnostics.HasErrors() {
		t.Fatalf("%v", res.Diagnostics.All()[0])
	}
	all := map[string][]byte{}
	for _, p := range res.Packages {
		name, err := filepath.Rel(dir, p.Path)
		if err != nil || !fs.ValidPath(filepath.ToSlash(name)) {
			t.Fatalf("%s is not below %s", p.Path, dir)
		}
		all[name] = p.Source
	}
	return all
}
