package interop

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
)

// bookstore is the path of the built example program.
var bookstore string

func TestMain(m *testing.M) {
	os.Exit(run(m))
}

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "interop")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }()
	bookstore = filepath.Join(dir, "bookstore")
	if runtime.GOOS == "windows" {
		bookstore += ".exe"
	}
	build := exec.Command("go", "build", "-o", bookstore, "./bookstore/cmd/bookstore")
	build.Dir = filepath.Join("..", "examples")
	build.Env = append(os.Environ(), "GOWORK=off")
	build.Stdout, build.Stderr = os.Stderr, os.Stderr
	if err := build.Run(); err != nil {
		fmt.Fprintln(os.Stderr, "build bookstore:", err)
		return 1
	}
	return m.Run()
}
