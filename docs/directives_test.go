package docs_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/mcpgen/mcpgen/generator/directive"
)

var update = flag.Bool("update", false, "write the generated pages")

const preamble = `# Directives

A directive is a comment of Go's directive form: //mcp:, a word and its arguments, without a space after the slashes, in
the doc comment of what it is about. Arguments are words, key=word, key="Go string", key=` + "`raw string`" + ` and flags, which
key=false turns off. The namespace is closed: any other comment that begins with mcp: is an error with its position and
a hint. What is marked as not built yet says so, too, when it is used.

The table below is the one that the parser uses; mcpgen help directives prints it in the terminal.

`

// TestDirectives keeps the reference equal to the table that the parser uses.
func TestDirectives(t *testing.T) {
	want := bytes.NewBufferString(preamble)
	directive.WriteMarkdown(want)
	path := filepath.Join(root(t), "docs", "directives.md")
	if *update {
		if err := os.WriteFile(path, want.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got := read(t, "docs/directives.md"); got != want.String() {
		t.Error("docs/directives.md is not current: go test ./docs -update")
	}
}
