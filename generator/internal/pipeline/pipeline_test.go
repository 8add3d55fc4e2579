package pipeline_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/mcpgen/mcpgen/generator/internal/diag"
	"github.com/mcpgen/mcpgen/generator/internal/pipeline"
)

var update = flag.Bool("update", false, "write what the tests got into their golden files")

// module lays out a module of its own that finds the runtime in this one.
func module(t testing.TB, files []txtar.File) string {
	t.Helper()
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write := func(name string, data []byte) {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("go.mod", []byte("module example.com/shop\n\ngo 1.26\n\nrequire github.com/mcpgen/mcpgen v0.0.0\n\nreplace github.com/mcpgen/mcpgen => "+root+"\n"))
	sums, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	write("go.sum", sums)
	for _, f := range files {
		write(f.Name, f.Data)
	}
	return dir
}

// environment keeps the go command off the network and out of workspaces.
func environment(dir string) []string {
	return append(os.Environ(), "GOPROXY=off", "GOWORK=off", "GOFLAGS=-mod=mod", "PWD="+dir)
}

func generate(t testing.TB, dir string, patterns ...string) *pipeline.Result {
	t.Helper()
	res, err := pipeline.Generate(t.Context(), pipeline.Config{Dir: dir, Env: environment(dir), Patterns: patterns})
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// eachArchive runs a test for each archive whose name matches a pattern.
func eachArchive(t *testing.T, pattern string, test func(t *testing.T, path string, archive *txtar.Archive)) {
	archives, err := filepath.Glob(pattern)
	if err != nil || len(archives) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, path := range archives {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			t.Parallel()
			archive, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			test(t, path, archive)
		})
	}
}

// TestDiagnostics runs every package of testdata/diagnostics, whose file want has what is
// reported. No file is written then.
func TestDiagnostics(t *testing.T) {
	eachArchive(t, "testdata/diagnostics/*.txtar", func(t *testing.T, path string, archive *txtar.Archive) {
		var want *txtar.File
		var files []txtar.File
		for i := range archive.Files {
			if archive.Files[i].Name == "want" {
				want = &archive.Files[i]
			} else {
				files = append(files, archive.Files[i])
			}
		}
		if want == nil {
			t.Fatal("the case has no file want")
		}
		dir := module(t, files)
		res := generate(t, dir, "./...")
		var got bytes.Buffer
		diag.Print(&got, res.Diagnostics, dir)
		if got.String() != string(want.Data) {
			if *update {
				want.Data = got.Bytes()
				if err := os.WriteFile(path, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			t.Errorf("got\n%s\nwant\n%s", got.String(), want.Data)
		}
		if written, err := res.Write(); res.Diagnostics.HasErrors() && (err == nil || len(written) > 0) {
			t.Errorf("Write after errors wrote %v, err %v", written, err)
		}
	})
}
