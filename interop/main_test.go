package interop

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/mcpgen/mcpgen/internal/spec"
)

// The paths of the built programs.
var bookstore, talker string

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
	bookstore, talker = filepath.Join(dir, "bookstore"), filepath.Join(dir, "talker")
	if runtime.GOOS == "windows" {
		bookstore += ".exe"
		talker += ".exe"
	}
	if !build(bookstore, filepath.Join("..", "examples"), "./bookstore/cmd/bookstore") || !build(talker, ".", "./talker") {
		return 1
	}
	// The tests mostly wait for other processes.
	flag.Parse()
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "test.parallel" })
	if !given {
		if err := flag.Set("test.parallel", fmt.Sprint(4*runtime.GOMAXPROCS(0))); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	return spec.Main{M: m, Least: 500}.Run()
}

// build builds a program in a directory, whose module is on its own.
func build(to, dir, path string) bool {
	build := exec.Command("go", "build", "-o", to, path)
	build.Dir = dir
	build.Env = append(os.Environ(), "GOWORK=off")
	build.Stdout, build.Stderr = os.Stderr, os.Stderr
	if err := build.Run(); err != nil {
		fmt.Fprintln(os.Stderr, "build "+path+":", err)
		return false
	}
	return true
}
