package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A package that is valid only on Linux, and one whose test is.
func TestCheck(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":             "module m\n\ngo 1.26\n",
		"a/a.go":             "package a\n\nimport \"syscall\"\n\nfunc A() { b() }\n\nvar Sent = syscall.Getpid()\n",
		"a/b_linux.go":       "package a\n\nfunc b() {}\n",
		"a/b_windows.go":     "package a\n\nfunc b() {}\n",
		"c/c.go":             "package c\n",
		"c/c_test.go":        "package c\n\nimport (\n\t\"syscall\"\n\t\"testing\"\n)\n\nfunc TestC(*testing.T) { _ = syscall.Getrusage }\n",
		"e/e.go":             "package e\n\nconst E int = 1 << 40\n",
		"d/d.go":             "package d\n\nimport \"m/a\"\n\nfunc D() { a.A() }\n",
		"d/wrong_windows.go": "package d\n\nfunc wrong() int { return \"\" }\n",
	} {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct {
		system system
		want   []string
	}{
		{system{os: "linux", arch: "amd64", tests: true}, nil},
		{system{os: "linux", arch: "386"}, []string{"e.go:3:"}},
		{system{os: "darwin", arch: "arm64"}, []string{"a.go:5:"}},
		{system{os: "windows", arch: "amd64", tests: true}, []string{"c_test.go:8:", "wrong_windows.go:3:"}},
	} {
		problems, _, err := test.system.check(dir)
		if err != nil {
			t.Fatal(err)
		}
		if len(problems) != len(test.want) {
			t.Errorf("%s: %q, want %q", test.system, problems, test.want)
			continue
		}
		for _, want := range test.want {
			if !strings.Contains(strings.Join(problems, "\n"), want) {
				t.Errorf("%s: %q, want one in %s", test.system, problems, want)
			}
		}
	}
}

// A module has exceptions on exactly the systems in the list.
func TestExceptions(t *testing.T) {
	for _, test := range []struct {
		dir    string
		system system
		want   bool
	}{
		{filepath.Join("..", "..", "runtime", "mcpsqlite"), system{os: "js", arch: "wasm"}, true},
		{filepath.Join("..", "..", "runtime", "mcpsqlite"), system{os: "linux", arch: "386"}, false},
		{filepath.Join("..", ".."), system{os: "js", arch: "wasm"}, false},
	} {
		if why, err := exceptionOf(test.dir, test.system); err != nil || (why != "") != test.want {
			t.Errorf("%s on %s: %q, %v", test.dir, test.system, why, err)
		}
	}
	if _, err := exceptionOf(t.TempDir(), systems[0]); err == nil {
		t.Error("a folder without go.mod has exceptions")
	}
}
