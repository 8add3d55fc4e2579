package interop

import (
	"bytes"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// The transports, as in the names of tests.
const (
	stdio = "stdio"
	http  = "http" // streamable HTTP
	sse   = "sse"  // HTTP+SSE, of revision 2024-11-05
)

// way is a transport with a revision.
type way struct{ transport, revision string }

func (w way) String() string { return w.transport + "/" + w.revision }

// ways returns all combinations. Over HTTP+SSE, revisions without sessions are not supported.
func ways() (all []way) {
	for _, transport := range []string{stdio, http, sse} {
		for _, revision := range revisions {
			if transport != sse || revision != modern {
				all = append(all, way{transport, revision})
			}
		}
	}
	return all
}

// everyWay runs a test once for each way.
func everyWay(t *testing.T, test func(*testing.T, way)) {
	t.Helper()
	for _, w := range ways() {
		t.Run(w.String(), func(t *testing.T) {
			t.Parallel()
			test(t, w)
		})
	}
}

// name is the server name of a program.
func name(program string) string {
	return strings.TrimSuffix(filepath.Base(program), ".exe")
}

// checkStderr checks the standard error of a program: a line about its features, a line about
// authentication if it is configured, and no warnings.
func checkStderr(t *testing.T, program, stderr string) {
	t.Helper()
	first, rest, _ := strings.Cut(stderr, "\n")
	if !regexp.MustCompile(`^` + name(program) + ` \S+ serves \d+ tools(, .+)? (over standard input and output|at http://127\.0\.0\.1:\d+/mcp)$`).MatchString(first) {
		t.Errorf("%s began with %q", name(program), first)
	}
	for line := range strings.Lines(rest) {
		if !strings.Contains(line, " INFO ") && !strings.HasPrefix(line, "\tcallers need: ") {
			t.Errorf("%s wrote to its standard error: %s", name(program), line)
		}
	}
}

// serving is a program that serves over HTTP until the test is over.
type serving struct {
	url string // of the endpoint of a transport
	pid int
}

// serve starts a program that serves over HTTP. At the end of the test, or after an earlier signal,
// it must stop without an error.
func serve(t *testing.T, program, transport string, flags ...string) serving {
	t.Helper()
	stderr := &announced{url: make(chan string, 1)}
	command := exec.Command(program, append([]string{"-http", "127.0.0.1:0"}, flags...)...)
	command.Stderr = stderr
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if runtime.GOOS == "windows" { // it has no signals
			_ = command.Process.Kill()
			_ = command.Wait()
			return
		}
		_ = command.Process.Signal(syscall.SIGTERM)
		late := time.AfterFunc(deadline, func() { _ = command.Process.Kill() })
		defer late.Stop()
		if err := command.Wait(); err != nil {
			t.Errorf("%s ended: %v", name(program), err)
		}
		checkStderr(t, program, stderr.String())
	})
	select {
	case url := <-stderr.url:
		if transport == sse {
			url = strings.TrimSuffix(url, "/mcp") + "/sse"
		}
		return serving{url: url, pid: command.Process.Pid}
	case <-time.After(deadline):
		t.Fatalf("%s does not say where it serves: %q", name(program), stderr)
		panic("unreachable")
	}
}

// announced stores the standard error of a program, and sends the URL at the end of its first line.
type announced struct {
	mu   sync.Mutex
	text bytes.Buffer
	told bool
	url  chan string
}

func (a *announced) Write(b []byte) (int, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.text.Write(b)
	if line, _, whole := strings.Cut(a.text.String(), "\n"); whole && !a.told {
		a.told = true
		a.url <- line[strings.LastIndexByte(line, ' ')+1:]
	}
	return len(b), nil
}

func (a *announced) String() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.text.String()
}
