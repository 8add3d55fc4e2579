package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// generated describes how to generate a package below out/generated.
type generated struct {
	command string // the import path of the program
	dir     string // working directory
	args    []string
	into    string // the directory of the package; %s in args is its absolute path
}

// toolsDir contains the module that pins the versions of the generators. The generators have their
// own module, since the packages that they generate do not need their dependencies.
const toolsDir = "generated/tools"

// run generates the package anew.
func (g *generated) run() error {
	into, err := filepath.Abs(g.into)
	if err != nil {
		return err
	}
	if err := os.RemoveAll(into); err != nil {
		return err
	}
	if err := os.MkdirAll(into, 0o755); err != nil {
		return err
	}
	// ent looks for the package at the path.
	start := []byte("package " + filepath.Base(into) + "\n")
	if err := os.WriteFile(filepath.Join(into, "start.go"), start, 0o644); err != nil {
		return err
	}
	program := filepath.Join(filepath.Dir(into), filepath.Base(g.command)+".bin")
	build := exec.Command("go", "build", "-C", toolsDir, "-o", program, g.command)
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("build %s: %w\n%s", g.command, err, out)
	}
	var args []string
	for _, arg := range g.args {
		if arg == "%s" {
			arg = into
		}
		args = append(args, arg)
	}
	generate := exec.Command(program, args...)
	generate.Dir = g.dir
	if out, err := generate.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", g.command, err, out)
	}
	return nil
}
