package exactpath_test

import (
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/mcpgen/mcpgen/runtime/internal/exactpath"
)

// lenient is a file system that opens files like Windows and macOS.
type lenient struct{ fstest.MapFS }

// same returns the name of the file that another name opens.
func (l lenient) same(name string) string {
	parts := strings.Split(name, "/")
	for i, part := range parts {
		part = strings.TrimRight(strings.ToLower(part), ". ")
		part = strings.ReplaceAll(part, "u\u0308", "ü") // the composed form
		if part == "secret~1.txt" {
			part = ".secret.txt"
		}
		parts[i] = part
	}
	if name == "." {
		return name
	}
	return strings.Join(parts, "/")
}

func (l lenient) Open(name string) (fs.File, error)          { return l.MapFS.Open(l.same(name)) }
func (l lenient) ReadDir(name string) ([]fs.DirEntry, error) { return l.MapFS.ReadDir(l.same(name)) }

func TestSpelled(t *testing.T) {
	fsys := lenient{fstest.MapFS{"docs/grüße.txt": {}, "docs/a.txt": {}, ".secret.txt": {}, "docs/sub/b.txt": {}}}
	for name, want := range map[string]bool{
		"docs/a.txt": true, "docs/grüße.txt": true, "docs/sub/b.txt": true, ".secret.txt": true, "docs": true,
		"docs/A.txt": false, "DOCS/a.txt": false, "docs/Sub/b.txt": false, "docs/sub/B.TXT": false,
		"docs/a.txt.": false, "docs/a.txt ": false, "docs./a.txt": false, "SECRET~1.TXT": false,
		"docs/gru\u0308\u00dfe.txt": false, "docs/none.txt": false, "docs/a.txt/b": false,
	} {
		_, err := fsys.Open(name)
		if opens := err == nil; !opens && !strings.Contains(name, "none") && !strings.HasSuffix(name, "/b") {
			t.Errorf("%q does not open, so the test says nothing about it: %v", name, err)
		}
		if got := exactpath.Spelled(fsys, name); got != want {
			t.Errorf("%q: %t, want %t", name, got, want)
		}
	}
}

func TestNeeded(t *testing.T) {
	for system, want := range map[string]bool{"windows": true, "darwin": true, "ios": true, "linux": false, "freebsd": false} {
		if exactpath.Needed(system) != want {
			t.Errorf("%s: want %t", system, want)
		}
	}
}
