//go:build unix && !solaris

package mcp

import (
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// A file that is replaced by a pipe before it is opened does not block.
func TestOpenPipe(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	file, err := openWithoutWaiting(root, "pipe")
	if err != nil {
		t.Fatal(err)
	}
	if info, err := file.Stat(); err != nil || info.Mode().Type() != fs.ModeNamedPipe {
		t.Errorf("opened %v, %v", info, err)
	}
	_ = file.Close()
}
