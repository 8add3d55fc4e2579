package hardening_test

import (
	"os"
	"path/filepath"
	"testing"
)

// newRoot makes a directory, with files beside it that must not be read, and links to them.
func newRoot(t *testing.T) *os.Root {
	t.Helper()
	above := t.TempDir()
	dir := filepath.Join(above, "docs")
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	write := func(name, text string) { must(os.WriteFile(filepath.Join(above, name), []byte(text), 0o600)) }
	must(os.MkdirAll(filepath.Join(dir, "sub"), 0o700))
	write("secret.txt", "do not read this")
	write("docs/read.md", "welcome")
	write("docs/sub/inner.md", "welcome inside")
	write("docs/.hidden", "do not read this")
	write("docs/sub/.hidden", "do not read this")
	for name, target := range map[string]string{"inside": "read.md", "outside": "..", "absolute": filepath.Join(above, "secret.txt"), "self": ".", "loop": "loop"} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Skipf("no links here: %v", err)
		}
	}
	must(makePipe(filepath.Join(dir, "fifo")))
	root, err := os.OpenRoot(dir)
	must(err)
	t.Cleanup(func() { _ = root.Close() })
	return root
}
