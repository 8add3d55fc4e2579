package trust

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// tree creates files, links ("name -> target") and directories ("name/") below a new directory.
func tree(t *testing.T, entries ...string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		name, target, isLink := strings.Cut(e, " -> ")
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		switch {
		case isLink:
			err = os.Symlink(filepath.FromSlash(strings.ReplaceAll(target, "DIR", dir)), path)
		case strings.HasSuffix(name, "/"):
			err = os.MkdirAll(path, 0o700)
		default:
			err = os.WriteFile(path, []byte(name), 0o600)
		}
		if err != nil {
			t.Skip("there are no links:", err)
		}
	}
	return dir
}

func TestFollow(t *testing.T) {
	dir := tree(t,
		"m/go.mod", "m/sub/in", "m/in", "outside/file", "outside/deep/go.mod", "outside/deep/file",
		"m/link -> in", "m/twice -> link", "m/absolute -> DIR/m/sub/in", "m/back -> ../m/in", "m/folder -> sub", "m/new -> sub/missing",
		"m/out -> ../outside/file", "m/outAbsolute -> DIR/outside/file", "m/outTwice -> out", "m/outFolder -> ../outside", "m/outNew -> ../outside/missing",
		"m/sub/through -> ../outFolder/file", "m/zigzag -> sub/../../outside/file", "m/otherModule -> ../outside/deep", "m/loop -> loop", "m/parent -> ..",
		"m/nested/go.mod", "m/nested/up -> ../in",
		"r/.git/", "r/docs/page -> ../readme", "r/readme", "r/secret -> ../outside/file", "r/m/go.mod", "r/m/page -> ../readme",
		"way -> m", "own -> outside/file", "chain -> m/out",
	)
	for _, c := range []struct{ from, path, want string }{
		{"m", "in", "m/in"},
		{"m", "missing", "m/missing"},
		{"m", "no/such/file", "m/no/such/file"},
		{"m", "link", "m/in"},
		{"m", "twice", "m/in"},
		{"m", "absolute", "m/sub/in"},
		{"m", "back", "m/in"},
		{"m", "folder/in", "m/sub/in"},
		{"m", "new", "m/sub/missing"},
		{"m/sub", "../link", "m/in"},
		{"outside", "../m/link", "m/in"},
		{"m", "out", ""},
		{"m", "outAbsolute", ""},
		{"m", "outTwice", ""},
		{"m", "outFolder/file", ""},
		{"m", "outFolder/no/file", ""},
		{"m", "outNew", ""},
		{"m", "sub/through", ""},
		{"m", "zigzag", ""},
		{"m", "otherModule/file", ""},
		{"m", "loop", ""},
		{"m", "parent/outside/file", ""},
		{"outside", "../m/out", ""},
		// The nearest root applies.
		{"m", "nested/up", ""},
		{"r/m", "../docs/page", "r/readme"},
		{"r", "secret", ""},
		{"r/m", "page", ""},
		// Links of the user, and of the user's directory.
		{"way", "in", "m/in"},
		{"way", "link", "m/in"},
		{"way", "out", ""},
		{"m/outFolder", "file", "outside/file"},
		{"m/outFolder/deep", "../file", "outside/file"},
		{".", "way/in", "m/in"},
		{".", "own", "outside/file"},
		{".", "chain", ""},
	} {
		real, err := Follow(filepath.Join(dir, c.from), filepath.FromSlash(c.path))
		if c.want == "" {
			if err == nil {
				t.Errorf("%s in %s leads to %s", c.path, c.from, real)
			} else if e, ok := errors.AsType[*LinkError](err); !ok && c.path != "loop" || ok && !strings.Contains(err.Error(), e.Real) {
				t.Errorf("%s in %s: %v", c.path, c.from, err)
			}
			continue
		}
		if want := filepath.Join(dir, c.want); err != nil || real != want {
			t.Errorf("%s in %s leads to %s, %v, want %s", c.path, c.from, real, err, want)
		}
	}
}

// Resolve follows every link, even one whose target is missing.
func TestResolve(t *testing.T) {
	dir := tree(t, "a/b/file", "out -> a/b", "gone -> nowhere/x", "a/up -> ../out/../b/./file", "loop -> loop", "file")
	for name, want := range map[string]string{"out/file": "a/b/file", "gone/y": "nowhere/x/y", "a/up": "a/b/file", "none": "none"} {
		if real, err := Resolve(filepath.Join(dir, name)); err != nil || real != filepath.Join(dir, want) {
			t.Errorf("%s: %s, %v, want %s", name, real, err, want)
		}
	}
	for _, name := range []string{"loop", "loop/x", "file/x"} {
		if real, err := Resolve(filepath.Join(dir, name)); err == nil {
			t.Errorf("%s: %s", name, real)
		}
	}
	for path, want := range map[string]bool{"a": true, "a/b/file": true, "a/none/x": true, "ab": false, "": false} {
		if got := Within(filepath.Join(dir, "a"), filepath.Join(dir, path)); got != want {
			t.Errorf("%s within a: %t", path, got)
		}
	}
}
