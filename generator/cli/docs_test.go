package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/generator/internal/program"
)

// inExamples returns a command whose current directory is the module of the examples.
func inExamples(t *testing.T) (c *command, out, err *bytes.Buffer) {
	t.Helper()
	dir, wrong := filepath.Abs(filepath.Join("..", "..", "examples"))
	if wrong != nil {
		t.Fatal(wrong)
	}
	out, err = new(bytes.Buffer), new(bytes.Buffer)
	c = &command{ctx: t.Context(), dir: dir, invoked: "mcpgen", in: strings.NewReader(""), out: out, err: err, data: out, log: err, progress: newProgress(err, false), buildProgram: program.Build}
	t.Cleanup(c.removeTemporary)
	return c, out, err
}

// The reference of the bookstore is what the command writes, each time the same.
func TestBookstoreReference(t *testing.T) {
	c, out, errs := inExamples(t)
	if code := c.run([]string{"docs", "-o", "bookstore/reference.md", "-check", "./bookstore"}); code != exitDone {
		t.Errorf("exit code %d: go generate ./bookstore\n%s%s", code, out, errs)
	}
	text, err := os.ReadFile(filepath.Join(c.dir, "bookstore", "reference.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"# Bookstore\n", `<a id="tool-search_books"></a>`, "(#error-ErrNotFound)", "## <a id=\"forms\"></a>Forms", `"query"`} {
		if !strings.Contains(string(text), want) {
			t.Errorf("there is no %s", want)
		}
	}
}
