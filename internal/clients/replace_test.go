package clients

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
)

// TestMain also implements the program that TestKilled starts.
func TestMain(m *testing.M) {
	if path := os.Getenv("CLIENTS_TEST_WRITE"); path != "" {
		for i := 0; ; i++ {
			err := replaceFile(context.Background(), path, 0o600, func(old []byte) (change, error) {
				return change{text: bytes.Repeat([]byte{byte('a' + i%26)}, 200_000)}, nil
			})
			if err != nil {
				panic(err)
			}
			if i == 0 {
				fmt.Println("begun")
			}
		}
	}
	// Tests edit hundreds of files that need not be durable; TestSynced and the program above sync.
	syncFile = func(*os.File) error { return nil }
	syncFolder = func(string) {}
	os.Exit(m.Run())
}

// caches sets a cache directory, which contains the locks.
func caches(t *testing.T) {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", dir)
	t.Setenv("LocalAppData", dir)
	t.Setenv("HOME", dir)
}

func add(text string) func([]byte) (change, error) {
	return func(old []byte) (change, error) { return change{text: append(bytes.Clone(old), text...)}, nil }
}

func wantFile(t *testing.T, path, want string) {
	t.Helper()
	if got, err := os.ReadFile(path); err != nil || string(got) != want {
		t.Errorf("%s: %q, %v, want %q", filepath.Base(path), got, err, want)
	}
}

// A file gets a new text and keeps its mode, and its first text is stored beside it.
func TestReplaceFile(t *testing.T) {
	caches(t)
	path := filepath.Join(t.TempDir(), "new", "dir", "file")
	for range 2 {
		if err := replaceFile(t.Context(), path, 0o600, add("a")); err != nil {
			t.Fatal(err)
		}
	}
	wantFile(t, path, "aa")
	wantFile(t, path+".bak", "a")
	if err := os.Chmod(path, 0o640); err != nil {
		t.Fatal(err)
	}
	if err := replaceFile(t.Context(), path, 0o600, add("b")); err != nil {
		t.Fatal(err)
	}
	wantFile(t, path+".bak", "a")
	for name, want := range map[string]fs.FileMode{path: 0o640, path + ".bak": 0o600} {
		if info, err := os.Stat(name); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != want {
			t.Errorf("%s: mode %v, %v", name, info.Mode(), err)
		}
	}
	if err := replaceFile(t.Context(), path, 0o600, func([]byte) (change, error) { return change{remove: true}, nil }); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(entries) != 1 || entries[0].Name() != "file.bak" {
		t.Errorf("left: %v, %v", entries, err)
	}
}

// A text is synced before it gets the name of the file, the first text before it is stored, and the
// folder after that. If that fails, the file remains unchanged.
func TestSynced(t *testing.T) {
	caches(t)
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "file")
	file, folder := syncFile, syncFolder
	defer func() { syncFile, syncFolder = file, folder }()
	var synced []string
	note := func(what, text string) {
		now, err := os.ReadFile(path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Error(err)
		}
		synced = append(synced, fmt.Sprintf("%s %q while the file has %q", what, text, now))
	}
	syncFile = func(f *os.File) error {
		text, err := os.ReadFile(f.Name())
		note("file", string(text))
		return errors.Join(err, f.Sync())
	}
	syncFolder = func(name string) {
		if name != dir {
			t.Errorf("%s is synced, want %s", name, dir)
		}
		note("folder", "")
		syncDir(name)
	}
	for range 3 {
		if err := replaceFile(t.Context(), path, 0o600, add("a")); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{
		`file "a" while the file has ""`, `folder "" while the file has "a"`,
		`file "a" while the file has "a"`, `file "aa" while the file has "a"`, `folder "" while the file has "aa"`, // the first is kept
		`file "aaa" while the file has "aa"`, `folder "" while the file has "aaa"`,
	}
	if !slices.Equal(synced, want) {
		t.Errorf("synced are\n%s\nwant\n%s", strings.Join(synced, "\n"), strings.Join(want, "\n"))
	}
	failed := errors.New("failed")
	syncFile = func(*os.File) error { return failed }
	if err := replaceFile(t.Context(), path, 0o600, add("a")); !errors.Is(err, failed) {
		t.Error(err)
	}
	wantFile(t, path, "aaa")
	if left, _ := filepath.Glob(filepath.Join(dir, ".*")); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

// A link continues to name its target, whether that exists or not.
func TestReplaceLinked(t *testing.T) {
	caches(t)
	dir := t.TempDir()
	real := filepath.Join(dir, "dotfiles", "file")
	if err := os.MkdirAll(filepath.Join(dir, "home"), 0o700); err != nil {
		t.Fatal(err)
	}
	link, second := filepath.Join(dir, "home", "link"), filepath.Join(dir, "home", "second")
	if err := errors.Join(os.Symlink(filepath.Join("..", "dotfiles", "file"), link), os.Symlink("link", second)); err != nil {
		t.Skip("there are no links:", err)
	}
	for range 2 {
		if err := replaceFile(t.Context(), second, 0o600, add("a")); err != nil {
			t.Fatal(err)
		}
	}
	wantFile(t, real, "aa")
	for _, path := range []string{link, second} {
		if info, err := os.Lstat(path); err != nil || info.Mode()&fs.ModeSymlink == 0 {
			t.Errorf("%s: %v, %v", path, info.Mode(), err)
		}
	}
	loop := filepath.Join(dir, "loop")
	if err := os.Symlink("loop", loop); err != nil {
		t.Fatal(err)
	}
	if err := replaceFile(t.Context(), loop, 0o600, add("a")); err == nil {
		t.Error("a loop of links is a file")
	}
}

// A file that changes in the meantime is read again, three times.
func TestReplaceChanged(t *testing.T) {
	caches(t)
	for changes := range mostReads + 1 {
		path := filepath.Join(t.TempDir(), "file")
		if err := os.WriteFile(path, []byte("old "), 0o600); err != nil {
			t.Fatal(err)
		}
		calls := 0
		err := replaceFile(t.Context(), path, 0o600, func(old []byte) (change, error) {
			if calls++; calls <= changes {
				if err := os.WriteFile(path, append(old, "theirs "...), 0o600); err != nil {
					t.Error(err)
				}
			}
			return add("ours")(old)
		})
		want := "old " + strings.Repeat("theirs ", changes) + "ours"
		if changes == mostReads {
			want = strings.TrimSuffix(want, "ours")
			if !errors.Is(err, ErrChanging) {
				t.Error(err)
			}
		} else if err != nil {
			t.Error(err)
		}
		wantFile(t, path, want)
		if left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), ".*")); len(left) > 0 {
			t.Errorf("left: %v", left)
		}
	}
}

// A file that cannot be replaced remains unchanged.
func TestNotReplaced(t *testing.T) {
	caches(t)
	dir := t.TempDir()
	readOnly := filepath.Join(dir, "read-only")
	if err := os.WriteFile(readOnly, []byte("a"), 0o400); err != nil {
		t.Fatal(err)
	}
	if err := replaceFile(t.Context(), readOnly, 0o600, add("b")); err == nil {
		t.Error("a read-only file is replaced")
	}
	wantFile(t, readOnly, "a")
	if err := replaceFile(t.Context(), dir, 0o600, add("b")); err == nil {
		t.Error("a directory is replaced")
	}
	failed := errors.New("failed")
	if err := replaceFile(t.Context(), filepath.Join(dir, "file"), 0o600, func([]byte) (change, error) { return change{}, failed }); !errors.Is(err, failed) {
		t.Error(err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("left: %v, %v", entries, err)
	}
}

// Concurrent changes are not lost.
func TestReplaceAtOnce(t *testing.T) {
	caches(t)
	path := filepath.Join(t.TempDir(), "file")
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if err := replaceFile(t.Context(), path, 0o600, add("a")); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	wantFile(t, path, "aaaaaaaa")
}

// A process that is killed at any moment leaves the old file or the new one.
func TestKilled(t *testing.T) {
	caches(t)
	path := filepath.Join(t.TempDir(), "file")
	for range 4 {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), "CLIENTS_TEST_WRITE="+path)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if _, err := out.Read(make([]byte, 1)); err != nil {
			t.Error(err)
		}
		_, _ = cmd.Process.Kill(), cmd.Wait()
		text, err := os.ReadFile(path)
		if err != nil || len(text) != 200_000 || strings.Trim(string(text), string(text[:1])) != "" {
			t.Errorf("%d bytes, %v", len(text), err)
		}
	}
}
