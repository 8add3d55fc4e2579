package cli

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/runtime/mcpauth"
)

// runKey runs mcpgen key.
func runKey(t *testing.T, args ...string) (code int, key, stderr string) {
	t.Helper()
	var out, err lockedBuffer
	c := &command{ctx: t.Context(), dir: t.TempDir(), invoked: "mcpgen", out: &out, err: &err, progress: newProgress(io.Discard, false)}
	code = c.run(append([]string{"key"}, args...))
	return code, strings.TrimSpace(out.String()), err.String()
}

// TestKeysAtOnce checks that each of many concurrent commands adds its key, and that the server
// accepts all.
func TestKeysAtOnce(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	dir := t.TempDir()
	path := filepath.Join(dir, "keys.json")
	var mu sync.Mutex
	texts := map[string]bool{}
	var all sync.WaitGroup
	for n := range 16 {
		all.Go(func() {
			code, text, stderr := runKey(t, "new", fmt.Sprint("key ", n), "-file", path)
			if code != exitDone || strings.Contains(stderr, text) {
				t.Errorf("exit code %d, %s", code, stderr)
			}
			mu.Lock()
			defer mu.Unlock()
			texts[text] = true
		})
	}
	all.Wait()
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	keys, err := mcpauth.ReadKeys(file)
	if err != nil || len(keys) != 16 || len(texts) != 16 {
		t.Fatalf("%d keys of %d, %v", len(keys), len(texts), err)
	}
	for text := range texts {
		if bytes.Contains(file, []byte(text)) {
			t.Error("the file has a key")
		}
		i, err := mcpauth.APIKeys(mcpauth.KeysFile(path)).Verify(t.Context(), &mcpauth.Credential{Scheme: mcpauth.SchemeBearer, Token: text})
		if err != nil || !strings.HasPrefix(i.Subject, "key ") {
			t.Errorf("%+v, %v", i, err)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) != 1 {
		t.Errorf("files are left: %v", left)
	}
}

// TestKeyFiles checks that a link stays one, that a mode that is too wide does not, and that an
// unreadable file is left unchanged.
func TestKeyFiles(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("files have no such modes there")
	}
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	dir := t.TempDir()
	path, link := filepath.Join(dir, "real.json"), filepath.Join(dir, "keys.json")
	if err := os.WriteFile(path, []byte(`{"keys":[]}`), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("real.json", link); err != nil {
		t.Fatal(err)
	}
	if code, _, stderr := runKey(t, "new", "a", "-file", link); code != exitDone {
		t.Fatal(stderr)
	}
	if to, err := os.Readlink(link); err != nil || to != "real.json" {
		t.Errorf("the link: %s, %v", to, err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 || info.Size() < 20 {
		t.Errorf("%v, %v", info, err)
	}
	for _, text := range []string{`{"keys":[],"more":1}`, `{"keys":[{"name":"a","sha256":"1"}]}`, `{`, ``} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		code, key, stderr := runKey(t, "new", "b", "-file", path)
		if after, err := os.ReadFile(path); err != nil || string(after) != text || code != exitFound || key != "" || !strings.Contains(stderr, "real.json") {
			t.Errorf("%q: exit code %d, %s, now %q, %v", text, code, stderr, after, err)
		}
	}
}

func TestExpiry(t *testing.T) {
	now := time.Date(2026, 11, 23, 12, 30, 0, 5, time.UTC)
	for text, want := range map[string]string{
		"90d":                       "2027-02-21T12:30:00Z",
		"12h":                       "2026-11-24T00:30:00Z",
		"2027-01-31":                "2027-01-31T00:00:00Z",
		"2027-01-31T12:00:00+01:00": "2027-01-31T11:00:00Z",
		"":                          "write a time",
		"d":                         "write a time",
		"-1d":                       "write a time",
		"1e9d":                      "write a time",
		"99999999d":                 "write a time",
		"0d":                        "expired already",
		"-1h":                       "expired already",
		"2026-11-23":                "expired already",
		"2027-02-30":                "write a time",
		"soon":                      "write a time",
	} {
		got, err := expiry(text, now)
		if err != nil {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want %s", text, err, want)
			}
			continue
		}
		if got := got.Format(time.RFC3339); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}
