package pipeline_test

import (
	"flag"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/mcpgen/mcpgen/generator/internal/pipeline"
)

var update = flag.Bool("update", false, "write what the tests got into their golden files")

// module writes a module that finds the runtime in this repository.
func module(t testing.TB, files []txtar.File) string {
	t.Helper()
	root, dir := repository(t), t.TempDir()
	write := func(name string, data []byte) {
		t.Helper()
		writeFile(t, filepath.Join(dir, filepath.FromSlash(name)), data)
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

// compilesC reports whether the go command can compile C here, for the system that the tests run
// on.
func compilesC(t testing.TB) bool {
	t.Helper()
	out, err := exec.Command("go", "env", "CGO_ENABLED").Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out)) == "1"
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

// TestDiagnostics runs every package of testdata/diagnostics, whose part want contains the expected
// diagnostics. No file is written then.
func TestDiagnostics(t *testing.T) {
	dir, cases := shopCases(t, "testdata/diagnostics/*.txtar", func(part string) bool { return part == "want" })
	// This one reads strings from source, and so does everything that imports it, which changes
	// their positions.
	alone := slices.IndexFunc(cases, func(c *shopCase) bool { return c.name == "apart" })
	others := slices.Delete(slices.Clone(cases), alone, alone+1)
	loaded := loadCases(t, dir, others)
	maps.Copy(loaded, loadCases(t, dir, cases[alone:alone+1]))
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			res, err := pipeline.GenerateLoaded(t.Context(), pipeline.Config{}, loaded[c].packages, loaded[c].reported)
			if err != nil {
				t.Fatal(err)
			}
			if len(c.part("want").Data) == 0 && !*update {
				t.Fatal("the case has no part want")
			}
			c.golden(t, "want", said(res.Diagnostics, c.dir))
			if written, err := res.Write(); res.Diagnostics.HasErrors() && (err == nil || len(written) > 0) {
				t.Errorf("Write after errors wrote %v, err %v", written, err)
			}
		})
	}
}
