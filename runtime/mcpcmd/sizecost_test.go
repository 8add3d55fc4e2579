//go:build cost

package mcpcmd_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// mostBytes limits the size that the commands add to a program. Half of it is the editing of files,
// a quarter package os/exec, and a tenth the redaction of credentials.
const mostBytes = 520 << 10

// The commands add little to the size of a program: it is built with them, and with an overlay
// without them.
func TestSize(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	none := write("none.go", `package mcpcmd

import "context"

type subcommand struct{}

func given([]string) *subcommand { return nil }

func (*program) runCommand(context.Context, *subcommand, []string) error { return nil }

func WithCommands() Option { return func(p *program) { p.commands = true } }

func clientNames() string { return "" }

func commandNames() []string { return nil }
`)
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	// A new file in this directory is the main package: it may import internal packages.
	main := write("main.go", `package main

import (
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpcmd"
)

func main() { mcpcmd.Main(mcp.NewServer(mcp.ServerInfo{Name: "size"})) }
`)
	program := map[string]string{filepath.Join(here, "testprogram", "main.go"): main}
	without := map[string]string{filepath.Join(here, "probe.go"): "", filepath.Join(here, "complete.go"): "", filepath.Join(here, "commands.go"): none}
	for path, with := range program {
		without[path] = with
	}
	size := func(name string, overlay map[string]string) int64 {
		text, err := json.Marshal(map[string]any{"Replace": overlay})
		if err != nil {
			t.Fatal(err)
		}
		out := filepath.Join(dir, name)
		// The settings of releases, for the same size on every machine.
		build := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-overlay", write(name+".json", string(text)), "-o", out, "./testprogram")
		build.Env = append(os.Environ(), "GOOS=linux", "GOARCH=amd64", "CGO_ENABLED=0")
		if out, err := build.CombinedOutput(); err != nil {
			t.Fatalf("build %s: %v\n%s", name, err, out)
		}
		info, err := os.Stat(out)
		if err != nil {
			t.Fatal(err)
		}
		return info.Size()
	}
	with, bare := size("with", program), size("without", without)
	t.Logf("%d bytes with the commands, %d without: %d more", with, bare, with-bare)
	if with-bare > mostBytes || with <= bare {
		t.Errorf("the commands make a program %d bytes larger, want at most %d", with-bare, mostBytes)
	}
}
