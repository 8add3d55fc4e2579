package load

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/mcpgen/mcpgen/generator/internal/diag"
)

// write unpacks an archive into a fresh directory and returns it.
func write(t testing.TB, archive string) string {
	t.Helper()
	dir := t.TempDir()
	unpack(t, dir, archive)
	return dir
}

func unpack(t testing.TB, dir, archive string) {
	t.Helper()
	for _, f := range txtar.Parse([]byte(archive)).Files {
		name := filepath.Join(dir, f.Name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, f.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// offline returns an environment for a separate module, without a network.
func offline(more ...string) []string {
	return append(os.Environ(), append([]string{"GOWORK=off", "GOPROXY=off", "GOFLAGS=-mod=mod", "GOTOOLCHAIN=local"}, more...)...)
}

// loadIn loads patterns and returns the diagnostics as they are printed.
func loadIn(t testing.TB, dir string, patterns ...string) ([]*Package, string, error) {
	t.Helper()
	pkgs, diags, err := Load(t.Context(), Config{Dir: dir, Env: offline(), Patterns: patterns})
	return pkgs, printed(diags, dir), err
}

func printed(l *diag.List, dir string) string {
	var b strings.Builder
	diag.Print(&b, l, dir)
	return b.String()
}

// one loads one package, which must load without diagnostics.
func one(t testing.TB, dir string, patterns ...string) *Package {
	t.Helper()
	pkgs, diags, err := loadIn(t, dir, patterns...)
	if err != nil || diags != "" || len(pkgs) != 1 {
		t.Fatalf("%d packages, %v\n%s", len(pkgs), err, diags)
	}
	return pkgs[0]
}

func fileNames(p *Package) string {
	var names []string
	for _, f := range p.Files {
		names = append(names, filepath.Base(p.Position(f.Package).Filename))
	}
	return strings.Join(names, " ")
}
