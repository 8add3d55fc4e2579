package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// workshop builds programs in the directory of this module.
type workshop struct {
	dir string
	bin string // directory of programs
	log io.Writer
}

// findWorkshop returns the module in which the driver was started.
func findWorkshop(log io.Writer) (*workshop, error) {
	out, err := exec.Command("go", "env", "GOMOD").Output()
	if err != nil {
		return nil, fmt.Errorf("find module: %w", err)
	}
	file := strings.TrimSpace(string(out))
	text, err := os.ReadFile(file)
	if err != nil || !strings.HasPrefix(string(text), "module github.com/mcpgen/mcpgen/bench\n") {
		return nil, fmt.Errorf("find module: start the driver in the directory bench, or by bench/run: GOMOD is %q", file)
	}
	return &workshop{dir: filepath.Dir(file), log: log}, nil
}

// out returns a path below the output directory.
func (w *workshop) out(elements ...string) string {
	return filepath.Join(append([]string{w.dir, "out"}, elements...)...)
}

// run runs a command in a directory.
func (w *workshop) run(dir, name string, args ...string) error {
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s %s: %w\n%s", filepath.Base(name), strings.Join(args, " "), err, out)
	}
	return nil
}

// build builds a program without debug information.
func (w *workshop) build(dir, bin, pkg string) error {
	return w.run(dir, "go", "build", "-trimpath", "-ldflags=-s -w", "-o", bin, pkg)
}

// buildServers builds all servers.
func (w *workshop) buildServers() error {
	for _, server := range servers {
		for _, kind := range []string{"stdio", "http"} {
			if err := w.build(w.dir, filepath.Join(w.bin, server+"-"+kind), "./servers/"+server+"/"+kind); err != nil {
				return err
			}
		}
	}
	return nil
}

// size returns the size of a program in bytes.
func (w *workshop) size(server, kind string) int64 {
	info, err := os.Stat(filepath.Join(w.bin, server+"-"+kind))
	if err != nil {
		return 0
	}
	return info.Size()
}

func (w *workshop) say(format string, args ...any) { fmt.Fprintf(w.log, format, args...) }
