//go:build unix && !solaris

package revision_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// fakeGit replaces git by a script, in which $GIT is the real git.
func fakeGit(t *testing.T, script string) {
	t.Helper()
	real, err := exec.LookPath("git")
	if err != nil {
		t.Skip("there is no git command")
	}
	dir := t.TempDir()
	script = "#!/bin/sh\nGIT=" + real + "\n" + script + "\nexec $GIT \"$@\"\n"
	if err := os.WriteFile(filepath.Join(dir, "git"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
}

// TestExtractFails runs a git that fails at each step.
func TestExtractFails(t *testing.T) {
	dir := repository(t, map[string]string{"a.go": "package a\n", "b.go": "package b\n"})
	r := open(t, dir)
	for _, c := range []struct {
		name, script, want string // "" for no error
	}{
		{"warning", `echo "warning: beware" >&2`, ""},
		{"ls-tree fails", `if [ "$1" = ls-tree ]; then echo "fatal: bad tree" >&2; exit 128; fi`, "list files of HEAD: bad tree"},
		{"ls-tree is not understood", `if [ "$1" = ls-tree ]; then echo "what?"; exit; fi`, "read output of git ls-tree"},
		{"cat-file fails", `if [ "$1" = cat-file ]; then echo "fatal: bad object" >&2; exit 128; fi`, "copy files of HEAD: fatal: bad object"},
		{"cat-file fails silently", `if [ "$1" = cat-file ]; then exit 3; fi`, "copy files of HEAD: git cat-file answers"},
		{"cat-file fails at the end", `if [ "$1" = cat-file ]; then $GIT "$@"; exit 3; fi`, "copy files of HEAD: exit status 3"},
		{"cat-file goes on", `if [ "$1" = cat-file ]; then echo "what?"; exec sleep 600; fi`, "copy files of HEAD: git cat-file answers"},
		{"two files of one name", `if [ "$1" = ls-tree ]; then printf '100644 blob 0 70000\ta\000100644 blob 0 70000\ta/b\000'; exit; fi`, "copy files of HEAD: "},
	} {
		t.Run(c.name, func(t *testing.T) {
			fakeGit(t, c.script)
			_, err := r.Extract(t.Context(), "HEAD", t.TempDir())
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("%v, want %s", err, c.want)
			}
		})
	}
	if _, err := r.Extract(t.Context(), "HEAD", filepath.Join(t.TempDir(), "nowhere")); err == nil || !strings.HasPrefix(err.Error(), "open directory: ") {
		t.Errorf("no directory: %v", err)
	}
}

// TestGone removes git between two commands.
func TestGone(t *testing.T) {
	dir := repository(t, map[string]string{"a.go": "package a\n"})
	r := open(t, dir)
	fakeGit(t, `if [ "$1" = ls-tree ]; then $GIT "$@"; /bin/rm "$0"; exit; fi`)
	t.Setenv("PATH", strings.Split(os.Getenv("PATH"), string(os.PathListSeparator))[0])
	if _, err := r.Extract(t.Context(), "HEAD", t.TempDir()); !errors.Is(err, exec.ErrNotFound) {
		t.Errorf("got %v", err)
	}
}

// TestContext checks that a cancelled context's cause is returned from each step.
func TestContext(t *testing.T) {
	dir := repository(t, map[string]string{"a.go": "package a\n"})
	r := open(t, dir)
	reason := errors.New("the reason")
	for _, command := range []string{"ls-tree", "cat-file"} {
		t.Run(command, func(t *testing.T) {
			began := filepath.Join(t.TempDir(), "began")
			if err := syscall.Mkfifo(began, 0o600); err != nil {
				t.Fatal(err)
			}
			fakeGit(t, `if [ "$1" = `+command+` ]; then echo >`+began+`; exec sleep 600; fi`)
			ctx, cancel := context.WithCancelCause(t.Context())
			go func() {
				_, _ = os.ReadFile(began) // waits for the command
				cancel(reason)
			}()
			if _, err := r.Extract(ctx, "HEAD", t.TempDir()); !errors.Is(err, reason) {
				t.Errorf("got %v", err)
			}
		})
	}
}

// TestFileFails runs a git that returns the kind of a file but not its contents.
func TestFileFails(t *testing.T) {
	dir := repository(t, map[string]string{"a.go": "package a\n"})
	r := open(t, dir)
	fakeGit(t, `if [ "$2" = blob ]; then echo "fatal: bad object" >&2; exit 128; fi`)
	if text, ok, err := r.File(t.Context(), "HEAD", "a.go"); ok || err == nil || err.Error() != "read HEAD:a.go: bad object" {
		t.Errorf("%q, %v, %v", text, ok, err)
	}
}
