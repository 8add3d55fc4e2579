package cli

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/generator/internal/model"
	"github.com/mcpgen/mcpgen/generator/internal/program"
)

// The command of a script keeps what takes most of its time: the packages that the go command
// lists, and the programs that it builds. Another command has the same ones as long as no file of
// its script has changed, and a program also in another script with the same files.
//
// keptVariable names the directory of what is kept. The command keeps nothing if it is not set.
const keptVariable = "MCPGEN_TEST_KEPT"

// withKept makes a directory for what is kept as long as tests run.
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

// scriptMain is [Main] where nothing is kept, and the same with what is kept.
func scriptMain() {
	kept := os.Getenv(keptVariable)
	if kept == "" {
		Main()
	}
	if err := listOnce(kept); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(exitFound)
	}
	tuneGC()
	os.Exit(start(buildOnce))
}

// buildOnce builds a program as [program.Build] does, unless another command has built it from the
// same files.
func buildOnce(ctx context.Context, t *program.Target, cfg program.Config) (*program.Program, error) {
	key, err := programKey(os.Getenv("WORK"), t, &cfg)
	if err != nil {
		return nil, err
	}
	name := model.ServerName(t.Model.Path)
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	kept := filepath.Join(os.Getenv(keptVariable), key, name)
	if _, err := os.Stat(kept); err == nil {
		return &program.Program{Path: kept}, nil
	}
	built, err := program.Build(ctx, t, cfg)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Dir(kept), 0o755); err != nil {
		return nil, err
	}
	// A program of which there are two names outlives Close. Another script may have built it at the
	// same time.
	if err := os.Link(built.Path, kept); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	return built, nil
}

// programKey identifies what a program is built from: the generated file, the flags, and all files
// of the script. Where the script has them does not matter.
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
	fmt.Fprintf(h, "%q %q %q %t %t %q\n%q\n", generated, dir, cfg.Tags, cfg.HTTP, cfg.Auth, goVariables(cfg.Env), t.Source)
	err = writeState(h, work, readByGo(cfg.Env), t.Generated) // which is overlaid
	return hex.EncodeToString(h.Sum(nil)), err
}

// goVariables are the variables of an environment that the go command reads, without its directory
// for temporary files.
func goVariables(env []string) []string {
	last := map[string]string{}
	for _, v := range env {
		name, value, _ := strings.Cut(v, "=")
		if (strings.HasPrefix(name, "GO") || strings.HasPrefix(name, "CGO_")) && name != "GOTMPDIR" {
			last[name] = value
		}
	}
	var all []string
	for name, value := range last {
		all = append(all, name+"="+value)
	}
	slices.Sort(all)
	return all
}

// unseen are the directories of a script for temporary files, caches and settings.
func unseen() (all []string) {
	for _, name := range []string{"TMPDIR", "TMP", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "HOME"} {
		if dir := os.Getenv(name); dir != "" {
			all = append(all, dir)
		}
	}
	return all
}

// writeState writes the names and the contents of the files of a script that are read, and the names
// of its directories. It leaves out some files, and what is in the directories of [unseen].
func writeState(w io.Writer, work string, read func(name string) bool, except ...string) error {
	skipped := unseen()
	embeds := false
	err := filepath.WalkDir(work, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != work && slices.Contains(skipped, path):
			return filepath.SkipDir
		case slices.Contains(except, path), d.Type() == 0 && !read(d.Name()):
			return nil
		}
		name, err := filepath.Rel(work, path)
		if err != nil {
			return err
		}
		var text []byte
		switch d.Type() {
		case 0:
			text, err = os.ReadFile(path)
			embeds = embeds || bytes.Contains(text, []byte("//go:embed"))
		case fs.ModeSymlink:
			var to string
			to, err = os.Readlink(path)
			text = []byte(to)
		}
		fmt.Fprintf(w, "%q %v %d\n", name, d.Type(), len(text))
		_, _ = w.Write(text) // a hash takes everything
		return err
	})
	if err == nil && embeds && !read("embedded") {
		return writeState(w, work, readAll, except...)
	}
	return err
}

func readAll(string) bool { return true }

// readByGo reports for the name of a file whether the go command reads it, unless it is embedded.
// GOFLAGS may name other files.
func readByGo(env []string) func(name string) bool {
	for _, v := range env {
		if strings.HasPrefix(v, "GOFLAGS=") && (strings.Contains(v, "-overlay") || strings.Contains(v, "-modfile")) {
			return readAll
		}
	}
	return func(name string) bool {
		return readAsModule(name) || slices.Contains([]string{".go", ".s", ".S", ".c", ".h", ".syso"}, filepath.Ext(name))
	}
}

// readAsModule reports the same for a go command that looks only at its own properties.
func readAsModule(name string) bool {
	return slices.Contains([]string{"go.mod", "go.sum", "go.work", "go.work.sum", "modules.txt"}, name)
}

// listOnce has the packages of this process listed by [goMain].
func listOnce(kept string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	bin := filepath.Join(kept, "bin")
	if err := os.MkdirAll(bin, 0o755); err != nil {
		return err
	}
	// Without links the go command itself is run.
	_ = os.Symlink(self, filepath.Join(bin, "go"))
	return os.Setenv("PATH", bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
}

// realGo is the first go command in PATH other than this program.
func realGo() (string, error) {
	path, err := os.Executable()
	if err != nil {
		return "", err
	}
	self, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		path, err := exec.LookPath(filepath.Join(dir, "go"))
		if err != nil {
			continue
		}
		if info, err := os.Stat(path); err == nil && !os.SameFile(info, self) {
			return path, nil
		}
	}
	return "", exec.ErrNotFound
}

// printed is what the go command has printed.
type printed struct {
	Out, Err []byte
	Code     int
}

// goMain is the go command. What go list and go env have printed is kept.
func goMain() {
	args := os.Args[1:]
	key, ok := listKey(args)
	if !ok {
		os.Exit(goCommand(os.Stdout, os.Stderr, args))
	}
	file := filepath.Join(os.Getenv(keptVariable), key)
	var p printed
	if text, err := os.ReadFile(file); err != nil || json.Unmarshal(text, &p) != nil {
		var out, errs bytes.Buffer
		p.Code = goCommand(&out, &errs, args)
		p.Out, p.Err = out.Bytes(), errs.Bytes()
		keep(file, &p)
	}
	_, _ = os.Stdout.Write(p.Out)
	_, _ = os.Stderr.Write(p.Err)
	os.Exit(p.Code)
}

// keep writes a file that another command may read at the same time. Without it that command takes
// longer.
func keep(file string, p *printed) {
	text, err := json.Marshal(p)
	if err != nil {
		return
	}
	temp, err := os.CreateTemp(filepath.Dir(file), "new-")
	if err != nil {
		return
	}
	_, err = temp.Write(text)
	if errors.Join(err, temp.Close()) != nil || os.Rename(temp.Name(), file) != nil {
		_ = os.Remove(temp.Name())
	}
}

// listKey identifies what the go command prints, if it is kept.
func listKey(args []string) (key string, ok bool) {
	if os.Getenv(keptVariable) == "" || len(args) == 0 || args[0] != "list" && args[0] != "env" {
		return "", false
	}
	dir, err := os.Getwd()
	if err != nil || slices.ContainsFunc(unseen(), func(other string) bool {
		name, err := filepath.Rel(other, dir)
		return err == nil && filepath.IsLocal(name)
	}) {
		return "", false
	}
	work := os.Getenv("WORK")
	read := readByGo(os.Environ())
	if (args[0] == "env" || args[len(args)-1] == "unsafe") && !read("embedded") {
		read = readAsModule
	}
	h := sha256.New()
	fmt.Fprintf(h, "%q %q\n", dir, goVariables(os.Environ()))
	var deleted []string
	for _, arg := range args {
		file, ok := strings.CutPrefix(arg, "-overlay=")
		if !ok {
			fmt.Fprintf(h, "%q\n", arg)
			continue
		}
		text, err := os.ReadFile(file)
		var overlay struct{ Replace map[string]string }
		if err != nil || json.Unmarshal(text, &overlay) != nil {
			return "", false
		}
		for name, by := range overlay.Replace {
			if by != "" {
				return "", false
			}
			deleted = append(deleted, name)
		}
	}
	// A file that an overlay deletes is as good as none. Those of other modules are not part of the
	// state.
	slices.Sort(deleted)
	for _, name := range slices.Compact(deleted) {
		if inside, err := filepath.Rel(work, name); err != nil || !filepath.IsLocal(inside) {
			fmt.Fprintf(h, "without %q\n", name)
		}
	}
	fmt.Fprintf(h, "%q\n", work)
	if work == "" || writeState(h, work, read, deleted...) != nil {
		return "", false
	}
	return hex.EncodeToString(h.Sum(nil)), true
}

// goCommand runs the go command and returns its exit code. Signals are passed on.
func goCommand(stdout, stderr io.Writer, args []string) int {
	path, err := realGo()
	if err != nil {
		fmt.Fprintln(stderr, err)
		return 1
	}
	cmd := exec.Command(path, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, stdout, stderr
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, stopSignals()...)
	if err := cmd.Start(); err != nil {
		fmt.Fprintln(stderr, err)
		return 1
	}
	go func() {
		for s := range signals {
			_ = cmd.Process.Signal(s)
		}
	}()
	if err := cmd.Wait(); err != nil {
		return max(1, cmd.ProcessState.ExitCode())
	}
	return 0
}
