// Command go is the go command of the scripts of the command mcpgen. It keeps what go list and go env
// have printed. It is a program of its own since it is started a thousand times, and the binary of
// the tests takes four times as long to start.
package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/mcpgen/mcpgen/generator/cli/testdata/kept"
)

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

// printed is the output of the go command.
type printed struct {
	Out, Err []byte
	Code     int
}

func main() {
	args := os.Args[1:]
	key, ok := listKey(args)
	if !ok {
		os.Exit(goCommand(os.Stdout, os.Stderr, args))
	}
	file := filepath.Join(os.Getenv(kept.Variable), key)
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

// runtimePath is the package whose directory mcpgen looks for. No script changes its files.
const runtimePath = "github.com/mcpgen/mcpgen/runtime/mcp"

// listKey identifies what the go command prints, if it is kept.
func listKey(args []string) (key string, ok bool) {
	if os.Getenv(kept.Variable) == "" || len(args) == 0 || args[0] != "list" && args[0] != "env" {
		return "", false
	}
	dir, err := os.Getwd()
	if err != nil || slices.ContainsFunc(kept.Unseen(), func(other string) bool {
		name, err := filepath.Rel(other, dir)
		return err == nil && filepath.IsLocal(name)
	}) {
		return "", false
	}
	work := os.Getenv("WORK")
	read := kept.ReadByGo(os.Environ())
	if last := args[len(args)-1]; (args[0] == "env" || last == "unsafe" || last == runtimePath) && !read("embedded") {
		read = kept.ReadAsModule
	}
	h := sha256.New()
	fmt.Fprintf(h, "%q %q\n", dir, kept.GoVariables(os.Environ()))
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
	if work == "" || kept.WriteState(h, work, read, deleted...) != nil {
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
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) {
		signal.Notify(signals, syscall.SIGHUP)
	}
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
