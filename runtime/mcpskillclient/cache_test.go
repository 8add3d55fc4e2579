package mcpskillclient_test

import (
	"bytes"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/internal/skill"
	"github.com/mcpgen/mcpgen/runtime/mcpskillclient"
)

func newDir(t *testing.T, dir string, n int64) mcpskillclient.Cache {
	t.Helper()
	c, err := mcpskillclient.NewDirCache(dir, n)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// filesIn returns the files below a directory.
func filesIn(t *testing.T, dir string) (files []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// A directory keeps files between clients, under the server's name, and no file is called SKILL.md.
// A file that was changed there is read from the server again.
func TestDirCache(t *testing.T) {
	s := newServer()
	dir := filepath.Join(t.TempDir(), "cache")
	for range 2 {
		if _, err := load(t, s.client(t, mcpskillclient.Options{Cache: newDir(t, dir, 0)}), main); err != nil {
			t.Fatal(err)
		}
	}
	if n := s.count("resources/read"); n != 1 {
		t.Errorf("%d requests", n)
	}
	files := filesIn(t, dir)
	digest := strings.TrimPrefix(skill.Digest([]byte(mainText)), "sha256:")
	if len(files) != 1 || filepath.Base(files[0]) != digest || !strings.Contains(filepath.ToSlash(files[0]), "/server-shop/skill-") {
		t.Fatalf("%q", files)
	}
	if info, err := os.Stat(files[0]); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	for _, text := range []string{strings.Replace(mainText, "Refunds", "Reviews", 1), "", strings.Repeat("x", mcpskillclient.MaxBytes+1)} {
		if err := os.WriteFile(files[0], []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		before := s.count("resources/read")
		skill, err := load(t, s.client(t, mcpskillclient.Options{Cache: newDir(t, dir, 0)}), main)
		if err != nil || skill.Text != mainText || s.count("resources/read") != before+1 {
			t.Errorf("%.20q: %v", text, err)
		}
	}
	// A link leads nowhere else.
	if err := os.Remove(files[0]); err != nil {
		t.Fatal(err)
	}
	outside := filepath.Join(t.TempDir(), "outside")
	if err := os.WriteFile(outside, []byte(mainText), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, files[0]); err != nil {
		t.Skip(err)
	}
	before := s.count("resources/read")
	var log bytes.Buffer
	o := mcpskillclient.Options{Cache: newDir(t, dir, 0), Logger: slog.New(slog.NewTextHandler(&log, nil))}
	if _, err := load(t, s.client(t, o), main); err != nil || s.count("resources/read") != before+1 {
		t.Error(err)
	}
	if !strings.Contains(log.String(), "cannot be read from the cache") {
		t.Errorf("the log: %s", log.String())
	}
}

func key(server, uri, text string) mcpskillclient.CacheKey {
	return mcpskillclient.CacheKey{ID: mcpskillclient.ID{Server: server, URI: uri}, Digest: skill.Digest([]byte(text))}
}

// Both caches keep the files of servers apart, drop those of one, and stay within their bytes; the
// file that was not used for the longest time is removed.
func TestCaches(t *testing.T) {
	for name, make := range map[string]func(limit int) mcpskillclient.Cache{
		"memory":    func(limit int) mcpskillclient.Cache { return mcpskillclient.NewMemoryCache(limit) },
		"directory": func(limit int) mcpskillclient.Cache { return newDir(t, t.TempDir(), int64(limit)) },
	} {
		t.Run(name, func(t *testing.T) {
			c := make(0)
			want := func(k mcpskillclient.CacheKey, want string) {
				t.Helper()
				data, err := c.Get(k)
				if err != nil || string(data) != want || (data == nil) != (want == "") {
					t.Errorf("%v: %q, %v, want %q", k.ID, data, err, want)
				}
			}
			put := func(k mcpskillclient.CacheKey, text string) {
				t.Helper()
				if err := c.Put(k, []byte(text)); err != nil {
					t.Fatal(err)
				}
			}
			put(key("a", main, "x"), "x")
			want(key("a", main, "x"), "x")
			for _, other := range []string{"A", "b", "a/../a", "%61", "."} {
				want(key(other, main, "x"), "")
				put(key(other, main, "x"), "x")
			}
			want(key("a", nested, "x"), "")
			if err := c.Drop("a"); err != nil {
				t.Error(err)
			}
			want(key("a", main, "x"), "")
			for _, other := range []string{"A", "b", "a/../a", "%61", "."} {
				want(key(other, main, "x"), "x")
			}

			const size = 1 << 10
			c = make(8 * (size + 600))
			text := func(i int) string { return fmt.Sprintf("%0*d", size, i) }
			put(key("a", main, text(0)), text(0))
			for i := 1; i < 30; i++ {
				want(key("a", main, text(0)), text(0))
				put(key("a", main, text(i)), text(i))
			}
			kept := 0
			for i := range 30 {
				if data, err := c.Get(key("a", main, text(i))); err != nil {
					t.Error(err)
				} else if data != nil {
					kept++
				}
			}
			if kept < 2 || kept > 13 {
				t.Errorf("%d files are kept", kept)
			}
			put(key("a", main, "long"), strings.Repeat("x", 100*size))
			want(key("a", main, "long"), "")
		})
	}
}

// A key whose digest is none leads to no file.
func TestDirCacheKeys(t *testing.T) {
	c := newDir(t, t.TempDir(), 0)
	for _, digest := range []string{"", "sha256:", "sha256:../../x", "md5:" + strings.Repeat("0", 64), strings.Repeat("0", 64), "sha256:" + strings.Repeat("g", 64)} {
		k := mcpskillclient.CacheKey{ID: mcpskillclient.ID{Server: "s", URI: main}, Digest: digest}
		if err := c.Put(k, nil); err == nil {
			t.Errorf("%q is stored", digest)
		}
		if _, err := c.Get(k); err == nil {
			t.Errorf("%q is read", digest)
		}
	}
}

// The directory removes the file that was not used for the longest time.
func TestDirCacheOldest(t *testing.T) {
	dir := t.TempDir()
	c := newDir(t, dir, 4000)
	for i, text := range []string{"a", "b", "c"} {
		if err := c.Put(key("s", main, text), bytes.Repeat([]byte(text), 1000)); err != nil {
			t.Fatal(err)
		}
		for _, f := range filesIn(t, dir) {
			if filepath.Base(f) == strings.TrimPrefix(skill.Digest([]byte(text)), "sha256:") {
				at := time.Unix(int64(i), 0)
				if err := os.Chtimes(f, at, at); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	if data, err := c.Get(key("s", main, "a")); data == nil || err != nil {
		t.Fatal(err)
	}
	if err := newDir(t, dir, 4000).Put(key("s", main, "d"), make([]byte, 1500)); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]bool{"a": true, "b": false, "c": false, "d": true} {
		if data, err := c.Get(key("s", main, text)); (data != nil) != want || err != nil {
			t.Errorf("%s: %v, %v", text, data != nil, err)
		}
	}
}

// A cache must not be where hosts look for skills, also behind a link.
func TestDirCachePlaces(t *testing.T) {
	home := t.TempDir()
	for _, place := range []string{
		".claude/skills", ".claude/skills/x", ".agents/skills", ".claude", ".Claude/cache", ".github/skills/cache", "project/.cursor/x", "skills", "plugin/skills/x",
	} {
		if _, err := mcpskillclient.NewDirCache(filepath.Join(home, filepath.FromSlash(place)), 0); err == nil {
			t.Errorf("%s is accepted", place)
		}
		if _, err := os.Stat(filepath.Join(home, filepath.FromSlash(place))); err == nil {
			t.Errorf("%s was made", place)
		}
	}
	if err := os.MkdirAll(filepath.Join(home, ".claude", "skills"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(home, ".claude", "skills"), filepath.Join(home, "link")); err != nil {
		t.Skip(err)
	}
	if _, err := mcpskillclient.NewDirCache(filepath.Join(home, "link"), 0); err == nil {
		t.Error("a link to skills is accepted")
	}
	if _, err := mcpskillclient.NewDirCache(filepath.Join(home, "link", "below"), 0); err == nil {
		t.Error("a directory behind a link is accepted")
	}
	if entries, err := os.ReadDir(filepath.Join(home, ".claude", "skills")); err != nil || len(entries) > 0 {
		t.Errorf("%v, %v", entries, err)
	}
	if err := os.Symlink(filepath.Join(home, "none"), filepath.Join(home, "loose")); err != nil {
		t.Fatal(err)
	}
	if _, err := mcpskillclient.NewDirCache(filepath.Join(home, "loose", "below"), 0); err == nil {
		t.Error("a link that leads nowhere is accepted")
	}
}
