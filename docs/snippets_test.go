package docs_test

import (
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/generator"
	"github.com/mcpgen/mcpgen/generator/diag"
)

// goBlock is a fenced block of Go in a document.
type goBlock struct {
	line   int // of the fence
	source string
}

func goBlocks(document string) []goBlock {
	var blocks []goBlock
	var lines []string
	start := 0
	for i, line := range strings.Split(document, "\n") {
		fence := strings.TrimSpace(line)
		switch {
		case start == 0 && fence == "```go":
			start, lines = i+1, nil
		case start > 0 && fence == "```":
			blocks = append(blocks, goBlock{start, strings.Join(lines, "\n") + "\n"})
			start = 0
		case start > 0:
			lines = append(lines, line)
		}
	}
	return blocks
}

// TestSnippets parses every block of Go in the documents. Those that are whole
// files are packages: mcpgen generates a server for the annotated ones, without a
// complaint, and all of it compiles.
func TestSnippets(t *testing.T) {
	documents, err := filepath.Glob("*.md")
	if err != nil {
		t.Fatal(err)
	}
	s := shell{t, t.TempDir()}
	s.must("", "go mod init example.com/docs")
	s.install(root(t))
	packages := 0
	for _, name := range documents {
		for _, b := range goBlocks(read(t, "docs/"+name)) {
			at := fmt.Sprintf("docs/%s:%d", name, b.line)
			whole := strings.HasPrefix(b.source, "package ") || strings.Contains(b.source, "\npackage ")
			if !whole {
				b.source = "package p\n\n" + b.source
			}
			if _, err := parser.ParseFile(token.NewFileSet(), at, b.source, parser.ParseComments|parser.SkipObjectResolution); err != nil {
				t.Errorf("%s: %v", at, err)
				continue
			}
			if !whole {
				continue
			}
			packages++
			dir := filepath.Join(s.dir, fmt.Sprintf("snippet%02d", packages))
			if err := os.Mkdir(dir, 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, "snippet.go"), []byte("// "+at+"\n\n"+b.source), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	if packages == 0 {
		t.Fatal("no document has a package")
	}
	result, err := generator.Generate(t.Context(), generator.Config{
		Dir: s.dir, Patterns: []string{"./..."},
		Env: append(os.Environ(), "GOPROXY=off", "GOWORK=off", "GOFLAGS=", "PWD="+s.dir),
	})
	if err != nil {
		t.Fatal(err)
	}
	if result.Diagnostics.Len() > 0 {
		var b strings.Builder
		diag.Print(&b, result.Diagnostics, s.dir)
		t.Fatalf("the snippets are not right:\n%s", &b)
	}
	if _, err := result.Write(); err != nil {
		t.Fatal(err)
	}
	s.must("", "go vet ./...")
}

// TestReflectorClasses keeps the table of differences in the page about types
// equal to the one that the test of the zoo writes, without its counts.
func TestReflectorClasses(t *testing.T) {
	const begin, end = "<!-- reflector -->\n", "<!-- end -->\n"
	page := read(t, "docs/types.md")
	before, rest, ok := strings.Cut(page, begin)
	_, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatal("docs/types.md has no place for the table")
	}
	var table strings.Builder
	table.WriteString("| what | reason |\n|---|---|\n")
	for line := range strings.Lines(read(t, "generator/zoo/testdata/reflector.md")) {
		cells := strings.Split(strings.Trim(line, "| \n"), " | ")
		if len(cells) == 3 && cells[0] != "class" {
			fmt.Fprintf(&table, "| %s | %s |\n", cells[0], cells[2])
		}
	}
	want := before + begin + table.String() + end + after
	if *update {
		if err := os.WriteFile("types.md", []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if page != want {
		t.Error("docs/types.md is not current: go test ./docs -update")
	}
}
