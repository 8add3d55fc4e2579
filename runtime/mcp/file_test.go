package mcp_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/fstest"

	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// A file is found only by the name of its directory entry, on file systems that also open it by
// other names: in other letters, by a short name, as a device or a stream of data.
func TestFileResourcesByOtherNames(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"docs/read me first.txt", ".environment"} {
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte("text"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	s := mcp.NewServer(fixtureInfo(), quiet)
	s.Register(mcp.NewFiles(mcp.FilesInfo{Prefix: "file:///"}, root))
	client := connect(t, s)
	for name, want := range map[string]bool{
		"docs/read%20me%20first.txt": true,
		"docs/Read%20me%20first.txt": false, "DOCS/read%20me%20first.txt": false, "docs/read%20me%20first.TXT": false,
		"docs/README~1.TXT": false, "ENVIRO~1": false, "docs/read%20me%20first.txt.": false, "docs/read%20me%20first.txt%20": false,
		"docs/read%20me%20first.txt::$DATA": false, "docs/read%20me%20first.txt:stream": false,
		"NUL": false, "docs/CON": false, "aux.txt": false, "COM1": false, "C:/x": false,
	} {
		if got := client(request(1, "resources/read", `{"uri":"file:///`+name+`"}`)); strings.Contains(got, `"result"`) != want {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// A link to a hidden file is not followed, through any number of links and directories, unless
// hidden files are shown.
func TestFileResourcesLinksToHidden(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{".env", ".git/config", "docs/a.txt", "docs/.draft/b.txt"} {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte("text"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for name, target := range map[string]string{
		"env.txt": ".env", "docs/env.txt": "../.env", "git": ".git", "draft": "docs/.draft", "twice": "git", "here": ".", "up": "docs/..", "loop": "loop",
		".hidden.txt": "docs/a.txt", "through": "docs/.draft/../a.txt", "plain": "docs/a.txt", "docs/back": "../plain",
	} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Skipf("no symbolic links here: %v", err)
		}
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	for _, hidden := range []bool{false, true} {
		s := mcp.NewServer(fixtureInfo(), quiet)
		s.Register(mcp.NewFiles(mcp.FilesInfo{Prefix: "file:///", Hidden: hidden}, root))
		client := connect(t, s)
		for name, want := range map[string]bool{
			"env.txt": hidden, "docs/env.txt": hidden, "git/config": hidden, "draft/b.txt": hidden, "twice/config": hidden, "here/env.txt": hidden,
			"here/.env": hidden, "up/env.txt": hidden, "here/git/config": hidden, ".hidden.txt": hidden, "loop": false, "loop/x": false,
			"through": true, "plain": true, "docs/back": true, "here/docs/back": true, "up/docs/a.txt": true,
		} {
			if got := client(request(1, "resources/read", `{"uri":"file:///`+name+`"}`)); strings.Contains(got, `"result"`) != want {
				t.Errorf("hidden files shown: %t: %s: %s", hidden, name, got)
			}
		}
	}
}

// A link that changes while files are read does not lead out of the directory.
func TestFileResourcesWhileLinksChange(t *testing.T) {
	base := t.TempDir()
	for name, text := range map[string]string{"in/real/f.txt": "inside", "out/f.txt": "outside"} {
		name = filepath.Join(base, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	point := func(target string) error {
		aside := filepath.Join(base, "in", "aside")
		if err := os.Symlink(target, aside); err != nil {
			return err
		}
		return os.Rename(aside, filepath.Join(base, "in", "dir"))
	}
	if err := point("real"); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
	root, err := os.OpenRoot(filepath.Join(base, "in"))
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	s := mcp.NewServer(fixtureInfo(), quiet)
	s.Register(mcp.NewFiles(mcp.FilesInfo{Prefix: "file:///"}, root))
	client := connect(t, s)
	var stop atomic.Bool
	done := make(chan error, 1)
	go func() {
		for !stop.Load() {
			for _, target := range []string{"../out", "real"} {
				if err := point(target); err != nil {
					done <- err
					return
				}
			}
		}
		done <- nil
	}()
	inside := 0
	for range 2000 {
		got := client(request(1, "resources/read", `{"uri":"file:///dir/f.txt"}`))
		switch {
		case strings.Contains(got, `"text":"inside"`):
			inside++
		case !strings.Contains(got, "not found"):
			t.Fatalf("read %s", got)
		}
	}
	stop.Store(true)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if inside == 0 {
		t.Error("what is inside was never read")
	}
}

// A file system that follows links out of its directory is refused, even if it is wrapped.
func TestFilesOfDirectories(t *testing.T) {
	sub := func(fsys fs.FS) fs.FS {
		s, err := fs.Sub(fsys, "x")
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	for i, test := range []struct {
		fsys    fs.FS
		refused bool
	}{
		{os.DirFS("."), true},
		{sub(os.DirFS(".")), true},
		{sub(sub(os.DirFS("."))), true},
		{fstest.MapFS{}, false},
		{sub(fstest.MapFS{"x/y": {}}), false},
	} {
		text := panics(func() { mcp.NewFS(mcp.FilesInfo{Prefix: "x:///"}, test.fsys) })
		if strings.Contains(text, "use NewFiles with os.OpenRoot") != test.refused {
			t.Errorf("%d: %s: %q", i, fmt.Sprintf("%T", test.fsys), text)
		}
	}
}
