package cli

import (
	"bytes"
	"errors"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestInsert(t *testing.T) {
	for _, test := range []struct{ name, source, want string }{
		{"no comment", "package p\n\nfunc F() {}\n", "package p\n\n//mcp:tool\nfunc F() {}\n"},
		{"text", "package p\n\n// F is.\nfunc F() {}\n", "package p\n\n// F is.\n//\n//mcp:tool\nfunc F() {}\n"},
		{"text and line", "package p\n\n// F is.\n//\nfunc F() {}\n", "package p\n\n// F is.\n//\n//mcp:tool\nfunc F() {}\n"},
		{"directive", "package p\n\n// F is.\n//\n//go:noinline\nfunc F() {}\n", "package p\n\n// F is.\n//\n//go:noinline\n//mcp:tool\nfunc F() {}\n"},
		{"other linter", "package p\n\n//nolint:all\nfunc F() {}\n", "package p\n\n//nolint:all\n//mcp:tool\nfunc F() {}\n"},
		{"block", "package p\n\n/*\nF is.\n*/\nfunc F() {}\n", "package p\n\n/*\nF is.\n*/\n//mcp:tool\nfunc F() {}\n"},
		{"apart", "package p\n\n// Apart.\n\nfunc F() {}\n", "package p\n\n// Apart.\n\n//mcp:tool\nfunc F() {}\n"},
		{"carriage returns", "package p\r\n\r\n// F is.\r\nfunc F() {}\r\n", "package p\r\n\r\n// F is.\r\n//\r\n//mcp:tool\r\nfunc F() {}\r\n"},
		{"no end of line", "package p\n\nfunc F() {}", "package p\n\n//mcp:tool\nfunc F() {}"},
		{"byte order mark", "\ufeffpackage p\n\n// F is.\nfunc F() {}\n", "\ufeffpackage p\n\n// F is.\n//\n//mcp:tool\nfunc F() {}\n"},
		{"line directive", "package p\n\n//line x.y:100\n\n// F is.\nfunc F() {}\n", "package p\n\n//line x.y:100\n\n// F is.\n//\n//mcp:tool\nfunc F() {}\n"},
		{"behind another", "package p; func F() {}\n", ""},
		{"behind a comment", "package p\n\n/* F is. */ func F() {}\n", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, ok := insertAbove(t, test.source)
			if !ok {
				got = nil
			}
			if string(got) != test.want {
				t.Errorf("got\n%q\nwant\n%q", got, test.want)
			}
		})
	}
}

// insertAbove inserts the directive above the first function.
func insertAbove(t *testing.T, source string) ([]byte, bool) {
	t.Helper()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "p.go", source, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	for _, decl := range file.Decls {
		if fn, ok := decl.(*ast.FuncDecl); ok {
			return insert([]byte(source), fset.PositionFor(fn.Type.Func, false).Offset, fn.Doc)
		}
	}
	t.Fatal("there is no function")
	return nil, false
}

// TestInsertFormatted inserts into random doc comments: formatted files are still formatted
// afterwards, and lines are only added.
func TestInsertFormatted(t *testing.T) {
	lines := []string{"// F does.", "//", "//go:noinline", "//nolint", "//   - item", "// # Heading", "//export F", "//mcp:arg a", "/* block */", "// +build x"}
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 6))
		var doc strings.Builder
		for range r.IntN(5) {
			doc.WriteString(lines[r.IntN(len(lines))] + "\n")
		}
		before, err := format.Source([]byte("package p\n\nvar x = 1\n\n" + doc.String() + "func F(a int) {}\n"))
		if err != nil {
			t.Fatal(err)
		}
		if again, err := format.Source(before); err != nil || !bytes.Equal(again, before) {
			continue // gofmt changes its own output
		}
		after, ok := insertAbove(t, string(before))
		if !ok {
			t.Fatalf("seed %d: nothing was inserted into\n%s", seed, before)
		}
		formatted, err := format.Source(after)
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, after)
		}
		if !bytes.Equal(formatted, after) {
			t.Errorf("seed %d: gofmt makes of\n%s\nthis:\n%s", seed, after, formatted)
		}
		left := bytes.Replace(after, []byte("//mcp:tool\n"), nil, 1)
		if !bytes.Equal(left, before) && !bytes.Equal(bytes.Replace(after, []byte("//\n//mcp:tool\n"), nil, 1), before) {
			t.Errorf("seed %d: more than the directive has changed:\n%s", seed, after)
		}
	}
}

func TestCreate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "mcp.go")
	if err := create(path, "one"); err != nil {
		t.Fatal(err)
	}
	if err := create(path, "two"); !errors.Is(err, fs.ErrExist) {
		t.Errorf("over a file: %v", err)
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != "one" {
		t.Errorf("the file is %q, %v", text, err)
	}
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(entries) != 1 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
}

func TestUnwritable(t *testing.T) {
	at := func(err error) error { return &fs.PathError{Op: "open", Path: "/d/.mcp.go.123", Err: err} }
	for _, test := range []struct {
		err  error
		want string
	}{
		{at(syscall.EACCES), "write /d/mcp.go: permission denied\n\thint: the directory or file is read-only for you, and is unchanged"},
		{at(syscall.ENOSPC), "write /d/mcp.go: no space left on device\n\thint: make room and start again; the file is unchanged"},
		{&os.LinkError{Op: "rename", Old: "/d/.mcp.go.1", New: "/d/mcp.go", Err: syscall.EACCES}, "write /d/mcp.go: permission denied\n\thint: the directory or file is read-only for you, and is unchanged"},
		{at(syscall.EROFS), "write /d/mcp.go: read-only file system\n\thint: the directory or file is read-only for you, and is unchanged"},
		{fs.ErrExist, "write /d/mcp.go: another program has just written it\n\thint: look at it, and start again"},
	} {
		if got := unwritable("/d/mcp.go", test.err).Error(); got != test.want {
			t.Errorf("got %q\nwant %q", got, test.want)
		}
	}
}

func TestMisplaced(t *testing.T) {
	for line, want := range map[string]string{
		"//mcpgen:tool":        "p.go:3:1: //mcpgen:tool is not a directive, write //mcp:tool",
		"//mcp-tool":           "p.go:3:1: //mcp-tool is not a directive, write //mcp:tool",
		"// MCP server of p":   "",
		"// MCPServer is":      "",
		"\t// @mcp-resource x": "p.go:3:2: // @mcp-resource is not a directive, write //mcp:resource",
		"//go:mcp:prompt":      "p.go:3:1: //go:mcp:prompt is not a directive, write //mcp:prompt",
		"// the mcp tool":      "",
		"// mcp toolkit":       "",
		"//mcp:tool":           "", // it would have been found, unless the file is left out
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "p.go"), []byte("package p\n\n"+line+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		got := ""
		if d := misplaced(dir); d != nil {
			d.Pos.Filename = filepath.Base(d.Pos.Filename)
			got = d.Pos.String() + ": " + d.Message + ", " + d.Hint
		}
		if got != want {
			t.Errorf("%s: got %q, want %q", line, got, want)
		}
	}
}
