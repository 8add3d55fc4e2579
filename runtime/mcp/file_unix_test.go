//go:build unix && !solaris

package mcp_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// A pipe is not found, and not opened. TestOpenPipe tests a file that becomes one.
func TestFileResourcesPipe(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	opened := &countingFS{FS: root.FS()}
	s := mcp.NewServer(fixtureInfo(), quiet)
	s.Register(mcp.NewFiles(mcp.FilesInfo{Prefix: "file:///"}, root))
	s.Register(mcp.NewFS(mcp.FilesInfo{Prefix: "other:///"}, opened))
	client := connect(t, s)
	for _, uri := range []string{"file:///pipe", "other:///pipe"} {
		if got := client(request(1, "resources/read", `{"uri":`+quoted(uri)+`}`)); !strings.Contains(got, "resource not found") {
			t.Errorf("%s: %s", uri, got)
		}
	}
	if opened.count != 0 {
		t.Errorf("the pipe of another file system was opened")
	}
}

// countingFS counts opened files.
type countingFS struct {
	fs.FS
	count int
}

func (c *countingFS) Open(name string) (fs.File, error) {
	c.count++
	return nil, fs.ErrNotExist
}

func (c *countingFS) Stat(name string) (fs.FileInfo, error) { return fs.Stat(c.FS, name) }
