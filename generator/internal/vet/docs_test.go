package vet_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/generator/internal/vet"
)

var update = flag.Bool("update", false, "write the generated page")

// TestPage compares the table of rules in docs/decide/review.md with the rules.
func TestPage(t *testing.T) {
	const begin, end = "<!-- rules -->\n", "<!-- end of rules -->\n"
	path := filepath.FromSlash("../../../docs/decide/review.md")
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(page), begin)
	_, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatalf("%s has no table between %q and %q", path, begin, end)
	}
	var table strings.Builder
	vet.WriteMarkdown(&table)
	want := before + begin + table.String() + end + after
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if string(page) != want {
		t.Error("docs/decide/review.md is not current: go test ./generator/internal/vet -update")
	}
}
