package generator_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/generator"
)

// generate runs the generator on a module of one file, which finds the runtime in this repository.
func generate(t *testing.T, source string) (dir string, res *generator.Result) {
	t.Helper()
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	sums, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	dir = t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module example.com/shop\n\ngo 1.26\n\nrequire github.com/mcpgen/mcpgen v0.0.0\n\nreplace github.com/mcpgen/mcpgen => " + filepath.ToSlash(root) + "\n",
		"go.sum": string(sums), "shop.go": source,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	res, err = generator.Generate(t.Context(), generator.Config{
		Dir: dir, Env: append(os.Environ(), "GOPROXY=off", "GOWORK=off", "GOFLAGS=-mod=mod", "PWD="+dir),
	})
	if err != nil {
		t.Fatal(err)
	}
	return dir, res
}

func TestGenerate(t *testing.T) {
	dir, res := generate(t, "// Package shop sells.\npackage shop\n\n// Add adds two numbers.\n//\n//mcp:tool\nfunc Add(a, b int) int { return a + b }\n")
	if res.HasErrors() || len(res.Diagnostics) > 0 || len(res.Packages) != 1 {
		t.Fatalf("%d packages, diagnostics %v", len(res.Packages), res.Diagnostics)
	}
	p := res.Packages[0]
	file := filepath.Join(dir, "mcp_gen.go")
	if p.ImportPath != "example.com/shop" || filepath.Base(p.File) != "mcp_gen.go" || p.Current() {
		t.Errorf("%s, %s, current: %t", p.ImportPath, p.File, p.Current())
	}
	if _, err := os.Stat(file); !os.IsNotExist(err) {
		t.Error("Generate has written the file")
	}
	written, err := res.Write()
	if err != nil || len(written) != 1 || written[0] != p.File {
		t.Fatalf("written: %v, %v", written, err)
	}
	if got, err := os.ReadFile(file); err != nil || string(got) != string(p.Source) || !p.Current() {
		t.Errorf("the file is not the source (%v), current: %t", err, p.Current())
	}
}

func TestGenerateWithErrors(t *testing.T) {
	dir, res := generate(t, "package shop\n\n// Add adds.\n//\n//mcp:tool\nfunc Add(a chan int) int { return 0 }\n")
	if !res.HasErrors() || len(res.Diagnostics) != 1 {
		t.Fatalf("diagnostics: %v", res.Diagnostics)
	}
	d := res.Diagnostics[0]
	if d.Warning || d.Pos.Line != 6 || d.Hint == "" || d.Text() != d.Subject+": "+d.Message {
		t.Errorf("%+v", d)
	}
	var printed strings.Builder
	if err := res.PrintDiagnostics(&printed, dir); err != nil || !strings.Contains(printed.String(), "shop.go:6:") || !strings.Contains(printed.String(), d.Text()) {
		t.Errorf("%v: %s", err, &printed)
	}
	if written, err := res.Write(); err == nil || len(written) > 0 {
		t.Errorf("written after an error: %v", written)
	}
	if _, err := os.Stat(filepath.Join(dir, "mcp_gen.go")); !os.IsNotExist(err) {
		t.Error("there is a file after an error")
	}
}

func TestNewAnalyzer(t *testing.T) {
	a := generator.NewAnalyzer()
	for _, name := range []string{"rules", "disable", "max-tools"} {
		if a.Flags.Lookup(name) == nil {
			t.Errorf("no flag -%s", name)
		}
	}
	if a == generator.NewAnalyzer() {
		t.Error("two calls return the same analyzer, whose flags would be shared")
	}
}
