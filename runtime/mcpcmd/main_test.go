package mcpcmd_test

import (
	"bufio"
	"errors"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/internal/proof/spec"
)

// process is the test binary run as a program.
type process struct {
	t       *testing.T
	cmd     *exec.Cmd
	stdin   io.WriteCloser
	stdout  strings.Builder
	lines   *bufio.Reader // of standard error
	cleaned string        // a file that it writes before it exits
}

// start starts the program with additional environment variables.
func start(t *testing.T, env []string, args ...string) *process {
	t.Helper()
	p := prepare(t, env, args...)
	in, err := p.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	p.stdin = in
	p.start()
	return p
}

func prepare(t *testing.T, env []string, args ...string) *process {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("there are no signals to send")
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p := &process{t: t, cmd: exec.CommandContext(t.Context(), exe, args...), cleaned: filepath.Join(t.TempDir(), "cleaned")}
	p.cmd.Env = append(os.Environ(), append([]string{"MCPCMD_TEST_PROGRAM=1", "MCPCMD_TEST_CLEANUP=" + p.cleaned}, env...)...)
	p.cmd.Stdout = &p.stdout
	return p
}

func (p *process) start() {
	p.t.Helper()
	stderr, err := p.cmd.StderrPipe()
	if err != nil {
		p.t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	p.lines = bufio.NewReader(stderr)
}

// line waits for a line of standard error that matches, and returns its first group.
func (p *process) line(pattern string) string {
	p.t.Helper()
	want := regexp.MustCompile(pattern)
	for {
		line, err := p.lines.ReadString('\n')
		if m := want.FindStringSubmatch(line); m != nil {
			return m[len(m)-1]
		}
		if err != nil {
			p.t.Fatalf("%v before a line that matches %s: %s", err, pattern, line)
		}
	}
}

func (p *process) signal(s os.Signal) {
	p.t.Helper()
	if err := p.cmd.Process.Signal(s); err != nil {
		p.t.Fatal(err)
	}
}

// end waits for the process and returns the exit code, or -1 if a signal killed it, and the rest of
// standard error.
func (p *process) end() (code int, stderr string) {
	p.t.Helper()
	rest, _ := io.ReadAll(p.lines)
	err := p.cmd.Wait()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		code = exit.ExitCode()
	} else if err != nil {
		p.t.Fatal(err)
	}
	return code, string(rest)
}

// cleanedUp reports whether the function of WithCleanup was called.
func (p *process) cleanedUp() bool {
	_, err := os.Stat(p.cleaned)
	return err == nil
}

const urlLine = `^fixture 1\.2\.3 serves 3 tools, 1 resource at (http://127\.0\.0\.1:[1-9][0-9]*/mcp)\n$`

// callWait calls the waiting tool, and returns once it waits. The channel receives the body of the
// response.
func (p *process) callWait(url string) <-chan string {
	p.t.Helper()
	body := make(chan string, 1)
	go func() {
		client := &http.Client{Transport: spec.Transport(p.t, &http.Transport{DisableKeepAlives: true})}
		_, text, err := answer(client, request(p.t.Context(), url, "tools/call", "wait"))
		if err != nil {
			text = "error: " + err.Error()
		}
		body <- text
	}()
	p.line("^waiting\n$")
	return body
}

// After a signal the program waits for a running call and exits with 0. A second signal that
// follows at once is ignored, like one from a wrapper that forwards a signal that the terminal sent
// to both.
func TestSignalDrains(t *testing.T) {
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		p := start(t, []string{"MCPCMD_TEST_TOGETHER=1h"}, "-http", "127.0.0.1:0")
		body := p.callWait(p.line(urlLine))
		p.signal(s)
		p.signal(s)
		if _, err := p.stdin.Write([]byte("x")); err != nil {
			t.Fatal(err)
		}
		if got := <-body; !strings.Contains(got, "released") {
			t.Errorf("%v: answer %s", s, got)
		}
		if code, stderr := p.end(); code != 0 || stderr != "" || !p.cleanedUp() {
			t.Errorf("%v: exit code %d, %q, cleaned up: %v", s, code, stderr, p.cleanedUp())
		}
	}
}

// After a second signal the program does not wait for calls.
func TestSecondSignal(t *testing.T) {
	p := start(t, []string{"MCPCMD_TEST_TOGETHER=0s"}, "-http", "127.0.0.1:0")
	body := p.callWait(p.line(urlLine))
	p.signal(syscall.SIGTERM)
	p.line(`^.*: stopping: calls that run may go on for 10s; a second signal ends it at once\n$`)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if code, _ := p.end(); code != -1 {
			t.Errorf("exit code %d", code)
		}
	}()
	// Repeated until the process exits: the first signal may come too early.
	again := time.NewTicker(10 * time.Millisecond)
	defer again.Stop()
	for {
		select {
		case <-ended:
			if p.cleanedUp() {
				t.Error("cleaned up")
			}
			if got := <-body; !strings.HasPrefix(got, "error: ") {
				t.Errorf("answer %s", got)
			}
			return
		case <-again.C:
			_ = p.cmd.Process.Signal(syscall.SIGTERM)
		}
	}
}

func TestExitCodes(t *testing.T) {
	for _, test := range []struct {
		args   string
		code   int
		stdout string
		stderr string
	}{
		{"-version", 0, "fixture 1.2.3\n", ""},
		{"-htpp", 2, "", "unknown flag -htpp"},
		{"-http localhost", 2, "", "write localhost:8080"},
		{"-http 192.0.2.1:0", 1, "", "listen at 192.0.2.1:0: "},
	} {
		p := start(t, nil, strings.Fields(test.args)...)
		code, stderr := p.end()
		if code != test.code || p.stdout.String() != test.stdout || !strings.Contains(stderr, test.stderr) ||
			(stderr != "") != (code != 0) || strings.Count(stderr, "\n") > 1 || !p.cleanedUp() {
			t.Errorf("%s: exit code %d, stdout %q, stderr %q", test.args, code, &p.stdout, stderr)
		}
	}
}

const (
	stdioLine = `^fixture 1\.2\.3 serves 3 tools, 1 resource over standard input and output\n$`
	meta      = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
)

func callLine(tool string) string {
	return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + tool + `","arguments":{},` + meta + "}}\n"
}

// validate validates the message that a program read, and the messages that it wrote.
func validate(t *testing.T, read string, written *strings.Builder) {
	t.Helper()
	tap := spec.NewTap(t).Conversation()
	tap.Client(read)
	for line := range strings.Lines(written.String()) {
		tap.Server(line)
	}
}

func TestStdio(t *testing.T) {
	spec.Holds(t, "S088")
	p := start(t, nil)
	p.line(stdioLine)
	if _, err := io.WriteString(p.stdin, callLine("greet")); err != nil {
		t.Fatal(err)
	}
	p.stdin.Close()
	code, stderr := p.end()
	validate(t, callLine("greet"), &p.stdout)
	if code != 0 || stderr != "" || !strings.Contains(p.stdout.String(), `"text":"hello "`) || strings.Count(p.stdout.String(), "\n") != 1 || !p.cleanedUp() {
		t.Errorf("exit code %d, stderr %q, stdout %s", code, stderr, &p.stdout)
	}
}

// A signal cancels the contexts of calls, and the program exits with 0.
func TestSignalStdio(t *testing.T) {
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		p := start(t, []string{"MCPCMD_TEST_PROGRAM=stdio"})
		if _, err := io.WriteString(p.stdin, callLine("wait")); err != nil {
			t.Fatal(err)
		}
		p.line("^waiting\n$")
		p.signal(s)
		if code, stderr := p.end(); code != 0 || !strings.HasPrefix(stderr, "ended: ") || strings.Count(stderr, "\n") != 1 || !p.cleanedUp() {
			t.Errorf("%v: exit code %d, %q", s, code, stderr)
		}
		validate(t, callLine("wait"), &p.stdout)
	}
}

// A person who starts the program in a terminal sees a notice of the input that it waits for.
func TestTerminal(t *testing.T) {
	terminal, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skipf("no terminal: %v", err)
	}
	defer terminal.Close()
	p := prepare(t, nil)
	p.cmd.Stdin = terminal // its master side is a terminal, too
	p.start()
	p.line(stdioLine)
	p.line(`^\thint: a client is expected there, .* -http 8080 serves over HTTP`)
	p.signal(os.Interrupt)
	if code, stderr := p.end(); code != 0 || stderr != "" {
		t.Errorf("exit code %d, %q", code, stderr)
	}
}

// The program shuts down gracefully even if the reader of standard error is gone.
func TestStandardErrorGone(t *testing.T) {
	p := prepare(t, nil)
	in, err := p.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	p.cmd.Stderr = w
	r.Close()
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	w.Close()
	if _, err := io.WriteString(in, callLine("log")); err != nil {
		t.Fatal(err)
	}
	in.Close()
	if err := p.cmd.Wait(); err != nil || !p.cleanedUp() || !strings.Contains(p.stdout.String(), `"text":"logged"`) {
		t.Errorf("%v, cleaned up: %v, stdout %s", err, p.cleanedUp(), &p.stdout)
	}
	validate(t, callLine("log"), &p.stdout)
}
