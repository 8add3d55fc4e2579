package main

import (
	"bufio"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

const waiting = `package main

import "context"

//mcp:tool
func Wait(ctx context.Context) error {
	println("waiting")
	<-ctx.Done()
	println("stopped")
	return ctx.Err()
}

//mcp:tool
func Hang() {
	println("hanging")
	select {}
}
`

// start starts this command in a module with the tools above, and returns it
// when it has written the line to standard error.
func startCommand(t *testing.T, line string, in io.Reader, args ...string) (cmd *exec.Cmd, temp string, rest *bufio.Reader) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("there are no signals to send")
	}
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	dir, temp := t.TempDir(), t.TempDir()
	if err := writeModule(dir, root, "example.com/wait"); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "wait.go"), []byte(waiting), 0o644); err != nil {
		t.Fatal(err)
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd = exec.CommandContext(t.Context(), exe)
	cmd.Args = append([]string{"mcpgen"}, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), append(goEnvironment(t), "TMPDIR="+temp, "PWD="+dir)...)
	cmd.Stdin = in
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	rest = bufio.NewReader(stderr)
	for {
		got, err := rest.ReadString('\n')
		if strings.TrimSpace(got) == line {
			return cmd, temp, rest
		}
		if err != nil {
			t.Fatalf("%v before %q was written: %s", err, line, got)
		}
	}
}

// ended waits for the command and returns its exit code and the rest of what it
// wrote. It fails if something temporary was left behind. That standard error
// ends shows that the program has ended too.
func ended(t *testing.T, cmd *exec.Cmd, temp string, rest io.Reader) (code int, text string) {
	t.Helper()
	out, err := io.ReadAll(rest)
	if err != nil {
		t.Fatal(err)
	}
	err = cmd.Wait()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		code = exit.ExitCode()
	} else if err != nil {
		t.Fatal(err)
	}
	left, err := filepath.Glob(filepath.Join(temp, "mcpgen-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	return code, string(out)
}

func TestInterruptCall(t *testing.T) {
	cmd, temp, rest := startCommand(t, "hanging", nil, "call", ".", "hang")
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if code, text := ended(t, cmd, temp, rest); code != 130 || text != "" {
		t.Errorf("exit code %d, %q", code, text)
	}
}

const callWait = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"wait","arguments":{},"_meta":` +
	`{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}` + "\n"

// TestTerminateRun stops a server as a supervisor does: the program is told, its
// handlers end, and so does the command.
func TestTerminateRun(t *testing.T) {
	for _, test := range []struct {
		signal os.Signal
		code   int
	}{{syscall.SIGTERM, 0}, {os.Interrupt, 130}} {
		in, out, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		defer in.Close()
		defer out.Close() // the client does not end the input
		if _, err := out.WriteString(callWait); err != nil {
			t.Fatal(err)
		}
		cmd, temp, rest := startCommand(t, "waiting", in, "run", ".")
		if err := cmd.Process.Signal(test.signal); err != nil {
			t.Fatal(err)
		}
		if code, text := ended(t, cmd, temp, rest); code != test.code || !strings.HasPrefix(text, "stopped\n") {
			t.Errorf("%v: exit code %d, %q", test.signal, code, text)
		}
	}
}
