package mcp_test

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/internal/proof/spec"
)

// program starts the test binary as a server.
func program(t *testing.T, name string, env ...string) (*exec.Cmd, *bytes.Buffer) {
	t.Helper()
	if runtime.GOOS == "windows" || runtime.GOOS == "js" || runtime.GOOS == "wasip1" {
		t.Skip("needs a shell")
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), exe)
	cmd.Env = append(append(os.Environ(), "MCP_TEST_PROGRAM="+name), env...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	return cmd, &stderr
}

var printing = lines(initialize("2025-11-25"), call(1, "print", "{}"))

const printed = `"id":1,"result":{"content":[{"type":"text","text":"done"}]}`

// validate validates the messages that a program read, and the messages among the lines that it
// printed.
func validate(t *testing.T, read, printed string) {
	t.Helper()
	tap := spec.NewTap(t).Conversation()
	for line := range strings.Lines(read) {
		tap.Client(line)
	}
	for line := range strings.Lines(printed) {
		if strings.HasPrefix(line, "{") {
			tap.Server(line)
		}
	}
}

func TestStdoutShieldOfFiles(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "in")
	if err := os.WriteFile(in, []byte(printing), 0o666); err != nil {
		t.Fatal(err)
	}
	stdin, err := os.Open(in)
	if err != nil {
		t.Fatal(err)
	}
	defer stdin.Close()
	stdout, err := os.Create(filepath.Join(dir, "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer stdout.Close()
	// Both outputs are the same file: then output of the program is discarded.
	cmd, _ := program(t, "printer")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = stdin, stdout, stdout
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	out, err := os.ReadFile(stdout.Name())
	if err != nil {
		t.Fatal(err)
	}
	validate(t, printing, string(out))
	if !strings.Contains(string(out), printed) || strings.Contains(string(out), "printed") {
		t.Errorf("standard output:\n%s", out)
	}
}

func TestWithoutStdoutShield(t *testing.T) {
	cmd, stderr := program(t, "printer", "MCP_TEST_UNSHIELDED=1")
	cmd.Stdin = strings.NewReader(printing)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr)
	}
	validate(t, printing, string(out))
	if !strings.Contains(string(out), "printed by a child") {
		t.Errorf("standard output:\n%s", out)
	}
}

// Cancelling the context stops ServeStdio even if a read cannot be interrupted.
func TestStdioCancelled(t *testing.T) {
	for _, name := range []string{"pipe", "terminal"} {
		t.Run(name, func(t *testing.T) {
			cmd, stderr := program(t, "cancelled")
			switch name {
			case "pipe":
				in, err := cmd.StdinPipe()
				if err != nil {
					t.Fatal(err)
				}
				defer in.Close()
			case "terminal":
				f, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
				if err != nil {
					t.Skipf("no terminal: %v", err)
				}
				defer f.Close()
				cmd.Stdin = f // its master side blocks just as well
			}
			out, err := cmd.Output()
			if err != nil {
				t.Fatalf("%v\n%s", err, stderr)
			}
			if got := strings.TrimSpace(string(out)); got != "context deadline exceeded" {
				t.Errorf("ServeStdio: %s", got)
			}
		})
	}
}

func TestStdioUnreadOutput(t *testing.T) {
	cmd, stderr := program(t, "printer")
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	stdout.Close() // the client no longer reads
	io.WriteString(in, initialize("2025-11-25")+"\n")
	defer in.Close()
	if err := cmd.Wait(); err == nil || !strings.Contains(stderr.String(), "write message") {
		t.Errorf("%v, %s", err, stderr)
	}
}
