package directive_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/mcpgen/mcpgen/generator/internal/directive"
)

var update = flag.Bool("update", false, "write the generated page")

const title = `# Directives

A directive is a comment above a declaration that says what mcpgen makes of it:

`

const form = `
## Form

A directive has Go's form of directive comments: ` + "`//mcp:`" + `, a word and its arguments, without a space after the slashes,
in the doc comment of the declaration that it applies to. Arguments are words, ` + "`key=word`" + `, ` + "`key=\"Go string\"`" + `,
` + "``key=`raw string` ``" + ` and flags, which ` + "`key=false`" + ` turns off. Any other comment that begins with ` + "`mcp:`" + ` is an error
with its position and a hint. ` + "`mcpgen help directives`" + ` prints all of this in the terminal.

`

// TestPage compares the reference with the table that the parser uses.
func TestPage(t *testing.T) {
	want := bytes.NewBufferString(title)
	directive.WriteList(want)
	want.WriteString(form)
	directive.WriteMarkdown(want)
	path := filepath.FromSlash("../../../docs/write/directives.md")
	if *update {
		if err := os.WriteFile(path, want.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want.Bytes()) {
		t.Error("docs/write/directives.md is not current: go test ./generator/internal/directive -update")
	}
}
