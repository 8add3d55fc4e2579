package pages_test

import (
	"cmp"
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/generator"
)

// TestSnippets parses every block of Go in the documents. Blocks that are whole files are packages,
// and those with file names are one package for each document: mcpgen generates a server for the
// annotated ones without a diagnostic, and everything compiles.
func TestSnippets(t *testing.T) {
	s := newShell(t)
	s.must("", "go mod init example.com/docs")
	s.install(root(t))
	packages := 0
	for _, name := range documents(t, "docs") {
		if name == "docs/write/wiring.md" {
			continue // see TestWiring
		}
		together := "" // the directory of the named files
		for _, b := range fenced(read(t, name)) {
			if b.language != "go" {
				continue
			}
			at := fmt.Sprintf("%s:%d", name, b.line)
			whole := strings.HasPrefix(b.text, "package ") || strings.Contains(b.text, "\npackage ")
			if !whole {
				b.text = "package p\n\n" + b.text
			}
			if _, err := parser.ParseFile(token.NewFileSet(), at, b.text, parser.ParseComments|parser.SkipObjectResolution); err != nil {
				t.Errorf("%s: %v", at, err)
				continue
			}
			if !whole {
				continue
			}
			dir, file := together, cmp.Or(b.file, "snippet.go")
			if b.file == "" || together == "" {
				packages++
				dir = filepath.Join(s.dir, fmt.Sprintf("snippet%02d", packages))
				if err := os.Mkdir(dir, 0o755); err != nil {
					t.Fatal(err)
				}
			}
			if b.file != "" {
				together = dir
			}
			if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, file)), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, file), []byte("// "+at+"\n\n"+b.text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	if packages == 0 {
		t.Fatal("no document has a package")
	}
	result, err := generator.Generate(t.Context(), generator.Config{
		Dir: s.dir, Patterns: []string{"./..."},
		Env: s.environment(),
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(result.Diagnostics) > 0 {
		var b strings.Builder
		if err := result.PrintDiagnostics(&b, s.dir); err != nil {
			t.Fatal(err)
		}
		t.Fatalf("the snippets are not right:\n%s", &b)
	}
	if _, err := result.Write(); err != nil {
		t.Fatal(err)
	}
	s.must("", "go vet ./...")
}

// TestReflectorClasses compares the table of differences in the page about types with the table
// that the test of the zoo writes, without its counts.
func TestReflectorClasses(t *testing.T) {
	const begin, end = "<!-- reflector -->\n", "<!-- end -->\n"
	page := read(t, "docs/write/types.md")
	before, rest, ok := strings.Cut(page, begin)
	_, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatal("docs/write/types.md has no place for the table")
	}
	var table strings.Builder
	table.WriteString("| what | reason |\n|---|---|\n")
	for line := range strings.Lines(read(t, "internal/proof/zoo/testdata/reflector.md")) {
		cells := strings.Split(strings.Trim(line, "| \n"), " | ")
		if len(cells) == 3 && cells[0] != "class" {
			fmt.Fprintf(&table, "| %s | %s |\n", cells[0], cells[2])
		}
	}
	want := before + begin + table.String() + end + after
	if *update {
		if err := os.WriteFile(filepath.Join(root(t), "docs/write/types.md"), []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if page != want {
		t.Error("docs/write/types.md is not current: go test ./docs/internal/pages -update")
	}
}
