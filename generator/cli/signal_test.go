package cli

import (
	"bufio"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/generator/cli/testdata/kept"
)

const waiting = `package main

import "context"

type Waiter struct{}

//mcp:constructor
func newWaiter() (*Waiter, func()) { return new(Waiter), func() { println("closing") } }

//mcp:tool
func (*Waiter) Sit(ctx context.Context) {
	println("sitting")
	<-ctx.Done()
	println("stood up")
}

//mcp:tool
func Wait(ctx context.Context) error {
	println("waiting")
	<-ctx.Done()
	println("stopped")
	return ctx.Err()
}

//mcp:tool
func Quick() string { return "done" }

//mcp:tool
func Hang() {
	println("hanging")
	select {}
}
`

// startCommand starts this command in a module with the tools above, and returns when the command
// has written the line to standard error.
func startCommand(t *testing.T, line string, in io.Reader, args ...string) (cmd *exec.Cmd, temp string, rest *bufio.Reader) {
	t.Helper()
	cmd, temp, rest = prepareCommand(t, in, args...)
	awaitLine(t, rest, "^"+regexp.QuoteMeta(line)+"$")
	return cmd, temp, rest
}

// prepareCommand prepares this command in a module with the tools above, as the leader of a process
// group.
func prepareCommand(t *testing.T, in io.Reader, args ...string) (cmd *exec.Cmd, temp string, stderr *bufio.Reader) {
	t.Helper()
	return prepareCommandTo(t, nil, in, args...)
}

// prepareCommandTo is like prepareCommand, with out as the command's output.
func prepareCommandTo(t *testing.T, out io.Writer, in io.Reader, args ...string) (cmd *exec.Cmd, temp string, stderr *bufio.Reader) {
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
	cmd.Env = append(os.Environ(), append(goEnvironment(t), "TMPDIR="+temp, "PWD="+dir, "WORK="+dir)...)
	cmd.Stdin, cmd.Stdout = in, out
	leadGroup(cmd)
	pipe, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd, temp, bufio.NewReader(pipe)
}

// keepPrograms lets the commands of a test use programs that others built; see [buildOnce].
func keepPrograms(t *testing.T) {
	t.Helper()
	if err := buildKeptGo(); err != nil {
		t.Fatal(err)
	}
	t.Setenv(kept.Variable, keptDir)
}

// awaitLine reads until a line matches, and returns its last group.
func awaitLine(t *testing.T, stderr *bufio.Reader, pattern string) string {
	t.Helper()
	want, before := regexp.MustCompile(pattern), ""
	for {
		line, err := stderr.ReadString('\n')
		if m := want.FindStringSubmatch(strings.TrimSpace(line)); m != nil {
			return m[len(m)-1]
		}
		before += line
		if err != nil {
			t.Fatalf("%v before a line that matches %s:\n%s", err, pattern, before)
		}
	}
}

// ended waits for the command and returns its exit code and the rest of its output. It fails if
// temporary files were left behind. The end of standard error proves that the program has exited,
// too.
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
	// The program calls the cleanup function of its constructor. Before that it may log the
	// cancelled call, if it reads the cancellation before its input ends.
	want := regexp.MustCompile(`^(\S+ \S+ INFO request cancelled by the client [^\n]+\n)?closing\n$`)
	if code, text := ended(t, cmd, temp, rest); code != 130 || !want.MatchString(text) {
		t.Errorf("exit code %d, %q", code, text)
	}
}

const callWait = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"wait","arguments":{},"_meta":` +
	`{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}` + "\n"

// TestTerminateRun stops a server as a supervisor does: the program receives the signal, its
// handlers return, and then the command exits.
func TestTerminateRun(t *testing.T) {
	keepPrograms(t)
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
		if code, text := ended(t, cmd, temp, rest); code != test.code || text != "stopped\nclosing\n" {
			t.Errorf("%v: exit code %d, %q", test.signal, code, text)
		}
	}
}

// TestInterruptGroup stops a server as a terminal does: all processes receive the signal, and the
// program once more from this command, which still cleans up.
func TestInterruptGroup(t *testing.T) {
	keepPrograms(t)
	for _, args := range [][]string{{"run", "."}, {"run", "-http", "0", "."}} {
		in, out, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		defer in.Close()
		defer out.Close()
		var cmd *exec.Cmd
		var temp string
		var rest *bufio.Reader
		want := "closing\n"
		if len(args) == 2 {
			if _, err := out.WriteString(callWait); err != nil {
				t.Fatal(err)
			}
			cmd, temp, rest = startCommand(t, "waiting", in, args...)
			want = "stopped\n" + want
		} else {
			cmd, temp, rest = prepareCommand(t, in, args...)
			awaitLine(t, rest, " at http://127.0.0.1:[0-9]+/mcp$")
		}
		signalGroup(t, cmd, os.Interrupt)
		if code, text := ended(t, cmd, temp, rest); code != 130 || text != want {
			t.Errorf("%v: exit code %d, %q", args, code, text)
		}
	}
}

// TestInterruptAnyTime interrupts a server over HTTP while its package is loaded, while it is
// built, and while it handles a call, which takes a second signal.
func TestInterruptAnyTime(t *testing.T) {
	t.Run("loading", func(t *testing.T) {
		cmd, temp, rest := prepareCommand(t, nil, "run", "-http", "0", ".")
		for { // the temporary directory is its first visible effect
			if made, err := filepath.Glob(filepath.Join(temp, "mcpgen-*")); err != nil || len(made) > 0 {
				break
			}
		}
		signalGroup(t, cmd, os.Interrupt)
		if code, text := ended(t, cmd, temp, rest); code != 130 || text != "" {
			t.Errorf("exit code %d, %q", code, text)
		}
	})
	t.Run("building", func(t *testing.T) {
		cmd, temp, rest := prepareCommand(t, nil, "run", "-v", "-http", "0", ".")
		awaitLine(t, rest, "^generating|^loading")
		signalGroup(t, cmd, os.Interrupt)
		if code, text := ended(t, cmd, temp, rest); code != 130 || strings.Contains(text, "serves") {
			t.Errorf("exit code %d, %q", code, text)
		}
	})
	t.Run("answering", func(t *testing.T) {
		keepPrograms(t)
		cmd, temp, rest := prepareCommand(t, nil, "run", "-http", "0", ".")
		url := awaitLine(t, rest, " at (http://127.0.0.1:[0-9]+/mcp)$")
		answered := make(chan error, 1)
		go func() {
			_, _, err := post(url, strings.Replace(callWait, `"wait"`, `"sit"`, 1), nil)
			answered <- err
		}()
		awaitLine(t, rest, "^sitting$")
		if err := cmd.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
		awaitLine(t, rest, "stopping: calls that run may go on for 10s$")
		gone := make(chan struct{})
		go func() {
			defer close(gone)
			if code, text := ended(t, cmd, temp, rest); code != 130 || strings.Contains(text, "closing") {
				t.Errorf("exit code %d, %q", code, text)
			}
		}()
		// Interrupts are repeated until it exits: the first one may be merged with the one before.
		// So one comes in each of its last steps, too.
		again := time.NewTicker(time.Millisecond)
		defer again.Stop()
		for waits := true; waits; {
			select {
			case <-gone:
				waits = false
			case <-again.C:
				_ = cmd.Process.Signal(os.Interrupt)
			}
		}
		if err := <-answered; err == nil {
			t.Error("a call was answered that had not ended")
		}
	})
}

// TestReaderGone checks that temporary files are removed if the reader of the output, such as head,
// exits early.
func TestReaderGone(t *testing.T) {
	keepPrograms(t)
	for _, args := range [][]string{{"list", "."}, {"call", ".", "quick"}, {"-check", "."}, {"vet", "-json", "."}} {
		out, in, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		out.Close()
		cmd, temp, rest := prepareCommandTo(t, in, nil, args...)
		in.Close()
		code, text := ended(t, cmd, temp, rest)
		if strings.Contains(text, "broken pipe") || code == -1 {
			t.Errorf("%v: exit code %d, %q", args, code, text)
		}
	}
}

// TestRunInTerminal checks the hint for a user who starts a server in a terminal.
func TestRunInTerminal(t *testing.T) {
	keepPrograms(t)
	terminal, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skipf("no terminal: %v", err)
	}
	defer terminal.Close()
	cmd, temp, rest := prepareCommand(t, terminal, "run", ".") // its master side is a terminal, too
	awaitLine(t, rest, `^hint: a client is expected there; mcpgen run -http 8080 \. serves over HTTP$`)
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if code, text := ended(t, cmd, temp, rest); code != 130 || text != "closing\n" && text != "" {
		t.Errorf("exit code %d, %q", code, text)
	}
}

// TestKilled checks that a program over HTTP exits with this command.
func TestKilled(t *testing.T) {
	keepPrograms(t)
	cmd, _, rest := prepareCommand(t, nil, "run", "-http", "0", ".")
	awaitLine(t, rest, " at http://127.0.0.1:[0-9]+/mcp$")
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	awaitLine(t, rest, "^closing$")
	if _, err := io.ReadAll(rest); err != nil {
		t.Error(err)
	}
	_ = cmd.Wait()
}
