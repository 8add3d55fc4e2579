package cli

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"testing"

	"github.com/mcpgen/mcpgen/generator/cli/testdata/kept"
	"github.com/mcpgen/mcpgen/generator/internal/model"
	"github.com/mcpgen/mcpgen/generator/internal/program"
)

// The command of a script caches its slowest results: the packages that the go command lists, and
// the programs that it builds. Another command uses them as long as no file of its script that is
// read for them has changed, and a program also in another script with the same files.

// withKept makes a directory for the cache for the duration of the tests.
type withKept struct{ *testing.M }

// keptDir is that directory.
var keptDir string

func (m withKept) Run() int {
	dir, err := os.MkdirTemp("", "mcpgen-kept-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }()
	keptDir = dir
	return m.M.Run()
}

// buildKeptGo builds the go command that caches its listings.
var buildKeptGo = sync.OnceValue(func() error {
	out, err := exec.Command("go", "build", "-o", keptBin(keptDir)+string(filepath.Separator), "-ldflags=-s", "./testdata/kept/go").CombinedOutput()
	if err != nil {
		return fmt.Errorf("go build ./testdata/kept/go: %w\n%s", err, out)
	}
	return nil
})

// keptBin returns the directory of that command.
func keptBin(dir string) string { return filepath.Join(dir, "bin") }

// scriptMain is like [Main], with the cache if there is one.
func scriptMain() {
	dir := os.Getenv(kept.Variable)
	if dir == "" {
		Main()
	}
	if err := os.Setenv("PATH", keptBin(dir)+string(filepath.ListSeparator)+os.Getenv("PATH")); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(exitFound)
	}
	tuneGC()
	os.Exit(start(buildOnce))
}

// buildOnce builds a program like [program.Build], unless another command built it from the same
// files.
func buildOnce(ctx context.Context, t *program.Target, cfg program.Config) (*program.Program, error) {
	key, err := programKey(os.Getenv("WORK"), t, &cfg)
	if err != nil {
		return nil, err
	}
	name := model.ServerName(t.Model.Path)
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	known := filepath.Join(os.Getenv(kept.Variable), key, name)
	if _, err := os.Stat(known); err == nil {
		return &program.Program{Path: known}, nil
	}
	built, err := program.Build(ctx, t, cfg)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Dir(known), 0o755); err != nil {
		return nil, err
	}
	// The second name keeps the program when Close removes the first. Another script may have built
	// it at the same time.
	if err := os.Link(built.Path, known); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	return built, nil
}

// programKey identifies the inputs of a program: the generated file, the flags, and all files of
// the script, wherever the script's directory is.
func programKey(work string, t *program.Target, cfg *program.Config) (string, error) {
	generated, err := filepath.Rel(work, t.Generated)
	if err != nil {
		return "", err
	}
	dir, err := filepath.Rel(work, cfg.Dir)
	if err != nil {
		return "", err
	}
	h := sha256.New()
	fmt.Fprintf(h, "%q %q %q %t %t %q\n%q\n", generated, dir, cfg.Tags, cfg.HTTP, cfg.Auth, kept.GoVariables(cfg.Env), t.Source)
	err = kept.WriteState(h, work, kept.ReadByGo(cfg.Env), t.Generated) // which is overlaid
	return hex.EncodeToString(h.Sum(nil)), err
}
