package mcpcmd_test

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// expressions are the packages that import package regexp: wire for patterns of schemas, which a
// program links if it has some.
var expressions = []string{"github.com/mcpgen/mcpgen/internal/pattern", "github.com/mcpgen/mcpgen/runtime/wire"}

// The commands of a program do without regular expressions, which would make them larger by a half.
func TestNoExpressions(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", "-f", `{{if not .Standard}}{{.ImportPath}} {{join .Imports " "}}{{end}}`, ".").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var importers []string
	for line := range strings.Lines(string(out)) {
		if words := strings.Fields(line); slices.Contains(words, "regexp") || slices.Contains(words, "regexp/syntax") {
			importers = append(importers, words[0])
		}
	}
	slices.Sort(importers)
	if !slices.Equal(importers, expressions) {
		t.Errorf("package regexp is imported by %q, want %q", importers, expressions)
	}
}

// A program of this package links the standard library and this module.
func TestImports(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", "-f", "{{if not .Standard}}{{.ImportPath}}{{end}}", ".").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	for path := range strings.FieldsSeq(string(out)) {
		if !strings.HasPrefix(path, "github.com/mcpgen/mcpgen/runtime/") && !strings.HasPrefix(path, "github.com/mcpgen/mcpgen/internal/") {
			t.Errorf("%s is imported", path)
		}
	}
}
