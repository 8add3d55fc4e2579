package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"golang.org/x/tools/txtar"
)

// shownHome is the home directory in pictures. The real one has a path of the same length, so that
// tables fit the terminal in the same way everywhere.
const shownHome = "/home/ada"

// machine is a home directory with the command in its PATH, and no other files of this machine.
type machine struct {
	repository string // absolute
	home       string
	env        []string
	dir        string // working directory of commands
}

// newMachine builds the command of a repository into a new home directory.
func newMachine(repository string) (*machine, error) {
	m := &machine{}
	var err error
	if m.repository, err = filepath.Abs(repository); err != nil {
		return nil, err
	}
	goCommand, err := exec.LookPath("go")
	if err != nil {
		return nil, err
	}
	if m.home, err = newHome(); err != nil {
		return nil, err
	}
	bin := filepath.Join(m.home, "go", "bin")
	for _, dir := range []string{bin, filepath.Join(m.home, "bin")} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return nil, errors.Join(err, m.remove())
		}
	}
	known, err := exec.Command(goCommand, "env", "GOCACHE", "GOMODCACHE", "GOPROXY", "GOSUMDB", "GOFLAGS", "GOROOT").Output()
	if err != nil {
		return nil, errors.Join(fmt.Errorf("ask the go command: %w", err), m.remove())
	}
	lines := strings.Split(string(known), "\n")
	m.env = []string{
		"HOME=" + m.home, "PATH=" + bin + ":/usr/bin:/bin", "TERM=xterm", "LANG=C.UTF-8", "SHELL=/bin/sh",
		"GOCACHE=" + lines[0], "GOMODCACHE=" + lines[1], "GOPROXY=" + lines[2], "GOSUMDB=" + lines[3],
		"GOFLAGS=" + lines[4], // other flags would compile everything again
		"GOWORK=off", "GOTOOLCHAIN=local",
	}
	build := exec.Command(goCommand, "build", "-buildvcs=false", "-o", filepath.Join(bin, "mcpgen"), "./cmd/mcpgen")
	build.Dir, build.Env = m.repository, append(os.Environ(), "GOWORK=off")
	if out, err := build.CombinedOutput(); err != nil {
		return nil, errors.Join(fmt.Errorf("build the command: %w\n%s", err, out), m.remove())
	}
	if err := os.Symlink(filepath.Join(lines[5], "bin", "go"), filepath.Join(bin, "go")); err != nil {
		return nil, errors.Join(err, m.remove())
	}
	return m, nil
}

// newHome creates a directory whose path is as long as shownHome.
func newHome() (string, error) {
	const digits = "abcdefghijklmnopqrstuvwxyz0123456789"
	for range 100 {
		name := []byte("/tmp/....")
		for i := len("/tmp/"); i < len(name); i++ {
			name[i] = digits[rand.IntN(len(digits))]
		}
		if err := os.Mkdir(string(name), 0o700); !errors.Is(err, fs.ErrExist) {
			return string(name), err
		}
	}
	return "", errors.New("make a home directory: there is one of each name that was tried in /tmp")
}

func (m *machine) remove() error { return os.RemoveAll(m.home) }

// module creates a module from files, with the command of the repository among its tools, and lets
// commands run there.
func (m *machine) module(name string, files []txtar.File) error {
	m.dir = filepath.Join(m.home, name)
	if err := os.Mkdir(m.dir, 0o755); err != nil {
		return err
	}
	sums, err := os.ReadFile(filepath.Join(m.repository, "go.sum"))
	if err != nil {
		return err
	}
	const path = "github.com/mcpgen/mcpgen"
	for _, f := range append(files, txtar.File{Name: "go.sum", Data: sums}, txtar.File{Name: "go.mod", Data: []byte("module example.com/" + name + "\n\ngo 1.26\n\n" +
		"require " + path + " v0.0.0\n\nreplace " + path + " => " + m.repository + "\n\ntool " + path + "/cmd/mcpgen\n")}) {
		if err := os.WriteFile(filepath.Join(m.dir, f.Name), f.Data, 0o644); err != nil {
			return err
		}
	}
	_, err = m.output("go", "mod", "tidy")
	return err
}

// output runs a program without a terminal and returns its output.
func (m *machine) output(args ...string) ([]byte, error) {
	cmd := exec.Command(filepath.Join(m.home, "go", "bin", args[0]), args[1:]...)
	var out, problems bytes.Buffer
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = m.dir, append(m.env, "PWD="+m.dir), &out, &problems
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("%s: %w\n%s%s", strings.Join(args, " "), err, out.Bytes(), problems.Bytes())
	}
	return out.Bytes(), nil
}

// command runs a shell line in a terminal. It returns the output to the terminal, with the shown
// home directory, and reports whether the command failed.
func (m *machine) command(line string, columns int) (text string, failed bool, err error) {
	cmd := exec.Command("/bin/sh", "-c", line)
	cmd.Dir, cmd.Env = m.dir, append(m.env, "PWD="+m.dir)
	raw, err := inTerminal(cmd, columns)
	if _, exited := errors.AsType[*exec.ExitError](err); err != nil && !exited {
		return "", false, fmt.Errorf("%s: %w", line, err)
	}
	text = strings.ReplaceAll(string(raw), m.home, shownHome)
	if at := strings.Index(text, "/tmp"); at >= 0 {
		return "", false, fmt.Errorf("%s: a path of this machine is in its output: %.60q", line, text[at:])
	}
	if m.repository != "/" && strings.Contains(text, m.repository) {
		return "", false, fmt.Errorf("%s: the path of the repository is in its output:\n%s", line, text)
	}
	return text, err != nil, nil
}
