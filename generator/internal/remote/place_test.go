package remote

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/mcpclient"
)

// place makes files and links ("name -> target") below a new directory.
func place(t *testing.T, files map[string]string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		name, to, isLink := strings.Cut(name, " -> ")
		path := filepath.Join(dir, filepath.FromSlash(name))
		err := os.MkdirAll(filepath.Dir(path), 0o700)
		if isLink {
			err = errors.Join(err, os.Symlink(filepath.FromSlash(strings.ReplaceAll(to, "DIR", dir)), path))
		} else {
			err = errors.Join(err, os.WriteFile(path, []byte(text), 0o600))
		}
		if err != nil {
			t.Skip("there are no links:", err)
		}
	}
	return dir
}

func found(t *testing.T, dir string) (*Entry, error) {
	t.Helper()
	return Find(dir, "s", func(string) (string, bool) { return "", false })
}

const entryOf = `{"mcpServers":{"s":{"command":"run"}}}`

// The search ends at the root of the repository, and a link must not lead out of it. A program is
// started in the directory of its entry.
func TestFindStays(t *testing.T) {
	dir := place(t, map[string]string{
		".mcp.json": entryOf, "outside/mcp.json": entryOf,
		"git/.git/HEAD": "", "git/a/b/x": "",
		"tree/.git": "gitdir: elsewhere", "tree/a/x": "",
		"root/.git/HEAD": "", "root/.mcp.json": entryOf, "root/a/b/x": "", "root/c/.mcp.json -> ../.mcp.json": "",
		"out/.git/HEAD": "", "out/.mcp.json -> ../outside/mcp.json": "",
		"far/.git/HEAD": "", "far/mcp.json -> DIR/outside/mcp.json": "", "far/a/x": "",
		"twice/.git/HEAD": "", "twice/.mcp.json -> next": "", "twice/next -> ../outside/mcp.json": "",
		"folder/.git/HEAD": "", "folder/.mcp.json -> other/mcp.json": "", "folder/other -> ../outside": "",
		"free/a/x": "", "way -> root/a/b": "",
	})
	for at, want := range map[string]string{
		"git/a/b": "there is no server @s", "git": "there is no server @s", "tree/a": "there is no server @s",
		"root": "root/.mcp.json", "root/a/b": "root/.mcp.json", "root/c": "root/c/.mcp.json", "free/a": ".mcp.json", "way": "root/.mcp.json",
		"out": "is a link to ", "far/a": "is a link to ", "twice": "is a link to ", "folder": "is a link to ",
	} {
		e, err := found(t, filepath.Join(dir, at))
		if err != nil {
			if !strings.Contains(err.Error(), want) || strings.HasPrefix(want, "is a link") && !strings.Contains(err.Error(), filepath.Join(dir, "outside")) {
				t.Errorf("%s: %v, want %s", at, err, want)
			}
			continue
		}
		if file := filepath.Join(dir, want); e.File != file || e.Target(Credentials{}).(mcpclient.Command).Dir != filepath.Dir(file) {
			t.Errorf("%s: %s, started in %s, want %s", at, e.File, e.Target(Credentials{}).(mcpclient.Command).Dir, file)
		}
	}
}

// Errors do not contain the values of variables and credentials.
func TestURLNotShown(t *testing.T) {
	dir := place(t, map[string]string{".mcp.json": `{"mcpServers":{"s":{"url":"ftp://me:swordfish@x/y?z=swordfish"}}}`})
	if _, err := found(t, dir); err == nil || strings.Contains(err.Error(), "swordfish") || !strings.Contains(err.Error(), "ftp://***@x/y?z=***") {
		t.Error(err)
	}
}
