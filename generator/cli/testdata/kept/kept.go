// Package kept identifies the state of a script's files, so that tests of the command build a program once for each state.
package kept

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Variable names the directory of what is kept. Nothing is kept if it is not set.
const Variable = "MCPGEN_TEST_KEPT"

// GoVariables are the variables of an environment that the go command reads, without its directory
// for temporary files.
func GoVariables(env []string) []string {
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

// Unseen are the directories of a script for temporary files, caches and settings.
func Unseen() (all []string) {
	for _, name := range []string{"TMPDIR", "TMP", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "HOME"} {
		if dir := os.Getenv(name); dir != "" {
			all = append(all, dir)
		}
	}
	return all
}

// WriteState writes the names and the contents of the files of a script that are read, and the names
// of its directories. It leaves out some files, and what is in the directories of [Unseen].
func WriteState(w io.Writer, work string, read func(name string) bool, except ...string) error {
	skipped := Unseen()
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
		return WriteState(w, work, readAll, except...)
	}
	return err
}

func readAll(string) bool { return true }

// ReadByGo reports for the name of a file whether the go command reads it, unless it is embedded.
// GOFLAGS may name other files.
func ReadByGo(env []string) func(name string) bool {
	for _, v := range env {
		if strings.HasPrefix(v, "GOFLAGS=") && (strings.Contains(v, "-overlay") || strings.Contains(v, "-modfile")) {
			return readAll
		}
	}
	return func(name string) bool {
		return ReadAsModule(name) || slices.Contains([]string{".go", ".s", ".S", ".c", ".h", ".syso"}, filepath.Ext(name))
	}
}

// ReadAsModule reports the same for a go command that needs no package of the script.
func ReadAsModule(name string) bool {
	return slices.Contains([]string{"go.mod", "go.sum", "go.work", "go.work.sum", "modules.txt"}, name)
}
