package cli

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
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

// Once the bookstore is cached, its tools are completed without the go command, which takes longer
// than a person waits.
func TestCompletionIsKept(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the cache directory has another variable")
	}
	keepGoCache(t)
	for _, path := range []string{os.Getenv("PATH"), t.TempDir()} {
		t.Setenv("PATH", path)
		c, out, _ := inExamples(t)
		code := c.run([]string{"completion", "fish", "--", "mcpgen", "call", "./bookstore", "search_books", "sort="})
		if code != exitDone || !strings.Contains(out.String(), "sort=price\n") {
			t.Fatalf("with PATH=%s: exit code %d, %q", path, code, out)
		}
	}
}

// keepGoCache sets a new cache directory for the user, but not for the go command.
func keepGoCache(t *testing.T) {
	t.Helper()
	cache, err := exec.Command("go", "env", "GOCACHE").Output()
	if err != nil {
		t.Skip("there is no go command:", err)
	}
	t.Setenv("GOCACHE", strings.TrimSpace(string(cache)))
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
}

// The committed reference of the bookstore is current, and each run writes the same.
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
