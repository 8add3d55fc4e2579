//go:build unix

package subprocess_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/dial"
	"github.com/mcpgen/mcpgen/runtime/internal/subprocess"
	"github.com/mcpgen/mcpgen/runtime/internal/testbed"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// fixture is one program and its connection.
type fixture struct {
	*subprocess.Conn
	t       *testing.T
	cmd     *exec.Cmd
	options dial.Options

	mu       sync.Mutex
	reported []string
}

// limits returns the limits of the tests: steps of Close are short, writes and messages small.
func limits() dial.Limits {
	return dial.Limits{
		MessageBytes: 1 << 20, StderrBytes: 64 << 10,
		WriteTime: 150 * time.Millisecond, CloseTime: 150 * time.Millisecond,
	}
}

// start starts a program of this test binary. At the end of the test, all of its resources must be
// released.
func start(t *testing.T, program string, stderr io.Writer, change ...func(*fixture)) *fixture {
	t.Helper()
	f := &fixture{t: t}
	f.options = dial.Options{Limits: limits(), Logger: slog.New(slog.DiscardHandler), Report: func(err error) {
		f.mu.Lock()
		defer f.mu.Unlock()
		v, ok := errors.AsType[*dial.Violation](err)
		if !ok {
			t.Errorf("reported %v", err)
			return
		}
		f.reported = append(f.reported, v.Text+": "+string(v.Bytes))
	}}
	f.cmd = exec.Command(os.Args[0])
	f.cmd.Env = append(os.Environ(), programEnv+"="+program, "GORACE=atexit_sleep_ms=0")
	for _, change := range change {
		change(f)
	}
	files, goroutines := testbed.OpenFiles(), testbed.Goroutines()
	var err error
	if f.Conn, err = subprocess.Start(f.cmd, stderr, f.options); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		f.Close()
		eventually(func() bool { return testbed.Goroutines() <= goroutines })
		eventually(func() bool { return testbed.OpenFiles() <= files })
		eventually(func() bool { return syscall.Kill(f.cmd.Process.Pid, 0) == syscall.ESRCH })
	})
	return f
}

// patient gives the program time to exit by itself.
func patient(f *fixture) { f.options.Limits.CloseTime = time.Minute }

// eventually waits for a condition. The timeout of go test ends it, with the stacks of all
// goroutines.
func eventually(is func() bool) {
	for !is() {
		time.Sleep(time.Millisecond)
	}
}

func (f *fixture) send(text string) {
	f.t.Helper()
	if err := f.Write([]byte(text + "\n")); err != nil {
		f.t.Fatalf("write: %v", err)
	}
}

func (f *fixture) want(text string) {
	f.t.Helper()
	if m, err := f.Read(); string(m) != text || err != nil {
		f.t.Fatalf("read %.200q, %v; want %q", m, err, text)
	}
}

// wantReady reads the first message of a program, and returns its process.
func (f *fixture) wantReady() int {
	f.t.Helper()
	m, err := f.Read()
	pid, ok := strings.CutPrefix(strings.TrimSuffix(string(m), "}"), `{"ready":`)
	n, _ := strconv.Atoi(pid)
	if !ok || err != nil {
		f.t.Fatalf("read %.200q, %v", m, err)
	}
	return n
}

// wantExit reads until the end, and returns the exit.
func (f *fixture) wantExit(status string, code int) *dial.Exit {
	f.t.Helper()
	for {
		m, err := f.Read()
		if err == nil {
			f.t.Errorf("read %.200q", m)
			continue
		}
		exit, ok := errors.AsType[*dial.Exit](err)
		if !ok {
			f.t.Fatalf("the end is %v", err)
		}
		if exit.Status != status || exit.Code != code {
			f.t.Errorf("the end is %q with code %d, want %q with %d", exit.Status, exit.Code, status, code)
		}
		if _, again := f.Read(); again != err {
			f.t.Errorf("the next Read returns %v", again)
		}
		return exit
	}
}

// wantReported checks the reports so far.
func (f *fixture) wantReported(want ...string) {
	f.t.Helper()
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.reported) != len(want) {
		f.t.Errorf("reported %q, want %q", f.reported, want)
		return
	}
	for i, w := range want {
		if !strings.Contains(f.reported[i], w) {
			f.t.Errorf("reported %q, want %q", f.reported[i], w)
		}
	}
}

// closeAfter closes, which must take at least the time least.
func (f *fixture) closeAfter(least time.Duration) {
	f.t.Helper()
	begin := time.Now()
	if err := f.Close(); err != nil {
		f.t.Errorf("close: %v", err)
	}
	if d := time.Since(begin); d < least {
		f.t.Errorf("Close has taken %v, want %v at least", d, least)
	}
}

func TestEcho(t *testing.T) {
	f := start(t, "echo", nil)
	for i := range 100 {
		text := fmt.Sprintf(`{"n":%d,"x":"%s"}`, i, strings.Repeat("y", i*i))
		f.send(text)
		f.want(text)
	}
	f.wantReported()
	f.closeAfter(0)
	if _, err := f.Read(); err != os.ErrClosed {
		t.Errorf("Read after Close: %v", err)
	}
	if err := f.Write([]byte("{}\n")); !errors.Is(err, os.ErrClosed) {
		t.Errorf("Write after Close: %v", err)
	}
	if state := exec.Command("true"); state.Run() != nil {
		t.Error("another process cannot be started")
	}
}

// TestIdle: an open connection has one goroutine, beside the one that reads.
func TestIdle(t *testing.T) {
	// Goroutines from earlier tests may still be exiting: only connection goroutines count.
	eventually(func() bool { return ownGoroutines() == 0 })
	f := start(t, "print={}|", nil)
	f.want("{}")
	eventually(func() bool { return ownGoroutines() == 1 })
}

// ownGoroutines counts the goroutines that the package started.
func ownGoroutines() int {
	stacks := make([]byte, 1<<20)
	stacks = stacks[:runtime.Stack(stacks, true)]
	return bytes.Count(stacks, []byte("created by github.com/mcpgen/mcpgen/runtime/internal/subprocess."))
}

// TestBanners: lines that cannot be messages are skipped before and between messages.
func TestBanners(t *testing.T) {
	f := start(t, "print=Welcome!|  v1 {beta}||[info] starting|[|[]|[1,2]|\xef\xbb\xbf{\"a\":1}|", nil)
	f.want(`{"a":1}`)
	f.wantReported(": Welcome!", "5 further lines")
	f.send(`[ {"b":2} ]`)
	f.want(`[{"b":2} ]`)
	f.send("done in 3 ms\r\n\r\n\t{\"c\":3}")
	f.want(`{"c":3}`)
	f.wantReported(": Welcome!", "5 further lines", ": done in 3 ms")
	f.closeAfter(0)
}

// TestTooManyBanners: 64 KiB between two messages are too much, with and without lines.
func TestTooManyBanners(t *testing.T) {
	for _, text := range []string{"x", "spam|", "|", " ", "[", "[ ", "[|"} {
		t.Run(text, func(t *testing.T) {
			f := start(t, "repeat="+text, nil)
			_, err := f.Read()
			if _, ok := errors.AsType[*dial.Violation](err); !ok {
				t.Fatalf("read: %v", err)
			}
			if _, again := f.Read(); again != err {
				t.Errorf("the next Read returns %v", again)
			}
			f.closeAfter(0)
			if n := len(f.reported); n > 2 {
				t.Errorf("%d reports", n)
			}
		})
	}
}

// TestManyBanners: the limit between two messages starts anew after each.
func TestManyBanners(t *testing.T) {
	f := start(t, "echo="+strings.Repeat("twelve bytes|", 4000), nil)
	for range 5 {
		f.send("{}")
		f.want("{}")
	}
	f.wantReported(": twelve bytes", "3999 further lines", ": twelve bytes", "3999 further lines", ": twelve bytes", "3999 further lines",
		": twelve bytes", "3999 further lines", ": twelve bytes", "3999 further lines")
}

// TestLongMessage: a message over the limit is skipped, and the next one is read. readLong reads
// the errors of a message that is too long: one at the limit, if its id is not known then, and one
// when the id is known, or the search is given up.
func (f *fixture) readLong() (early, known *jsonrpc.FrameError) {
	f.t.Helper()
	for {
		_, err := f.Read()
		long, ok := errors.AsType[*jsonrpc.FrameError](err)
		if !ok {
			f.t.Fatalf("read: %v", err)
		}
		if !long.Early {
			return early, long
		}
		early = long
	}
}

func TestLongMessage(t *testing.T) {
	f := start(t, "huge=5000000", nil)
	early, known := f.readLong()
	if early == nil || !early.ID.IsZero() || early.Limit != 1<<20 {
		t.Fatalf("at the limit: %+v", early)
	}
	if long := known; long == nil || long.Limit != 1<<20 || long.ID.String() != "7" || long.Kind != jsonrpc.Response {
		t.Fatalf("read: %+v", long)
	}
	f.send(`{"next":1}`)
	f.want(`{"next":1}`)
}

// TestEndlessMessage: an endless message is skipped too, in bounded memory.
func TestEndlessMessage(t *testing.T) {
	for text, id := range map[string]string{`{"id":7,"result":"`: "7", `{"x":`: ""} {
		t.Run(text, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			f := start(t, "repeat="+text, nil)
			if _, long := f.readLong(); long == nil || long.ID.String() != id {
				t.Fatalf("read: %+v", long)
			}
			read := make(chan error, 1)
			go func() {
				_, err := f.Read()
				read <- err
			}()
			f.closeAfter(0)
			if err := <-read; err != os.ErrClosed {
				t.Errorf("read: %v", err)
			}
			runtime.ReadMemStats(&after)
			if n := after.TotalAlloc - before.TotalAlloc; n > 8<<20 {
				t.Errorf("%d bytes were allocated for a limit of 1 MiB", n)
			}
		})
	}
}

// TestStderr: a flood is drained, and its last part is kept.
func TestStderr(t *testing.T) {
	f := start(t, "stderr=100", nil)
	f.send("{}")
	f.want("{}")
	f.closeAfter(0)

	f = start(t, "exit=7", nil)
	if exit := f.wantExit("exit status 7", 7); string(exit.Stderr) != "cannot start: 7\n" {
		t.Errorf("standard error is %q", exit.Stderr)
	}
}

func TestStderrTail(t *testing.T) {
	f := start(t, "stderr=3", nil, func(f *fixture) { f.options.Limits.StderrBytes = 1000 })
	f.send("{}")
	f.want("{}")
	syscall.Kill(f.cmd.Process.Pid, syscall.SIGKILL)
	exit := f.wantExit("signal: killed", -1)
	if text := string(exit.Stderr); len(text) != 1000 || !strings.HasSuffix(text, " noise \nthe last words\n") {
		t.Errorf("%d bytes of standard error are kept: %q", len(text), text)
	}
}

// TestStderrWriter: a writer gets everything; a file is the program's standard error itself.
func TestStderrWriter(t *testing.T) {
	var b bytes.Buffer
	f := start(t, "exit=1", &b)
	if exit := f.wantExit("exit status 1", 1); b.String() != "cannot start: 1\n" || b.String() != string(exit.Stderr) {
		t.Errorf("written %q, kept %q", b.String(), exit.Stderr)
	}
	file, err := os.Create(t.TempDir() + "/stderr")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	f = start(t, "exit=2", file)
	if exit := f.wantExit("exit status 2", 2); exit.Stderr != nil {
		t.Errorf("kept %q", exit.Stderr)
	}
	if text, err := os.ReadFile(file.Name()); string(text) != "cannot start: 2\n" {
		t.Errorf("the file has %q, %v", text, err)
	}
	for name, w := range map[string]io.Writer{"fails": failing{}, "panics": panicking{}} {
		t.Run(name, func(t *testing.T) {
			f := start(t, "stderr=1", w)
			f.send("{}")
			f.want("{}")
		})
	}
}

// TestStderrWriterBlocks: the connection is closed even if the writer blocks, except for the
// goroutine that writes.
func TestStderrWriterBlocks(t *testing.T) {
	blocked := make(blocking)
	f := start(t, "exit=3", blocked)
	defer close(blocked)
	f.closeAfter(0)
}

// blocking is a writer that returns when the channel is closed.
type blocking chan struct{}

func (b blocking) Write(p []byte) (int, error) {
	<-b
	return len(p), nil
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errors.New("disk full") }

type panicking struct{}

func (panicking) Write([]byte) (int, error) { panic("no") }

// TestUnread: a write to a program that does not read fails after WriteTime.
func TestUnread(t *testing.T) {
	f := start(t, "unread", nil)
	f.wantReady()
	begin := time.Now()
	err := f.Write(append(bytes.Repeat([]byte("x"), 1<<20), '\n'))
	failed, ok := errors.AsType[*dial.Error](err)
	if d := time.Since(begin); !ok || !failed.Sent || !strings.Contains(err.Error(), "has not read its input for 150ms") || d < 150*time.Millisecond {
		t.Errorf("write: %v after %v", err, d)
	}
	err = f.Write([]byte("{}\n"))
	if failed, ok = errors.AsType[*dial.Error](err); !ok || failed.Sent {
		t.Errorf("the next write: %v", err)
	}
	f.closeAfter(150 * time.Millisecond)
}

// TestCloseDuringWriteAndRead: both return at once, or when the program has exited.
func TestCloseDuringWriteAndRead(t *testing.T) {
	f := start(t, "unread", nil, func(f *fixture) { f.options.Limits.WriteTime = time.Hour })
	f.wantReady()
	ends := make(chan error, 2)
	go func() { ends <- f.Write(bytes.Repeat([]byte("x"), 1<<20)) }()
	go func() {
		_, err := f.Read()
		ends <- err
	}()
	var closes sync.WaitGroup
	for range 4 {
		closes.Go(func() { f.closeAfter(0) })
	}
	for range cap(ends) {
		if err := <-ends; !errors.Is(err, os.ErrClosed) {
			t.Errorf("it ends with %v", err)
		}
	}
	closes.Wait()
}

// TestSteps: end of input, SIGTERM, SIGKILL.
func TestSteps(t *testing.T) {
	f := start(t, "drains", nil, func(f *fixture) { f.options.Limits.CloseTime = time.Second })
	f.wantReady()
	f.closeAfter(time.Second)
	if state := f.ProcessState(); state != "exit status 17" {
		t.Errorf("after SIGTERM: %s", state)
	}
	f = start(t, "stubborn", nil)
	f.wantReady()
	f.closeAfter(300 * time.Millisecond)
	if state := f.ProcessState(); state != "signal: killed" {
		t.Errorf("after SIGKILL: %s", state)
	}
	f = start(t, "echo", nil, patient)
	f.closeAfter(0)
	if state := f.ProcessState(); state != "exit status 0" {
		t.Errorf("after the end of input: %s", state)
	}
}

// TestFlood: a program that writes without end exits with its connection.
func TestFlood(t *testing.T) {
	f := start(t, `repeat={"x":1}|`, nil)
	f.want(`{"x":1}`)
	f.closeAfter(150 * time.Millisecond)
}

// TestEnds: the exit of a program, and the end of its output, is an Exit.
func TestEnds(t *testing.T) {
	for program, want := range map[string]struct {
		status string
		code   int
	}{
		"die":                                   {"signal: killed", -1},
		"closes output":                         {"signal: terminated, after it had closed its input or output and gone on", -1},
		"closes output and ends with its input": {"exit status 4", 4},
	} {
		t.Run(program, func(t *testing.T) {
			change := func(f *fixture) {}
			if want.code >= 0 {
				change = patient
			}
			f := start(t, program, nil, change)
			f.wantReady()
			f.wantExit(want.status, want.code)
			err := f.Write([]byte("{}\n"))
			failed, _ := errors.AsType[*dial.Error](err)
			if exit, ok := errors.AsType[*dial.Exit](err); !ok || exit.Status != want.status || failed.Sent || !failed.Again {
				t.Errorf("write: %v", err)
			}
			f.closeAfter(0)
		})
	}
	f := start(t, "closes input", nil)
	f.wantReady()
	err := f.Write([]byte("{}\n"))
	if exit, ok := errors.AsType[*dial.Exit](err); !ok || exit.Status != "signal: terminated, after it had closed its input or output and gone on" {
		t.Errorf("write: %v", err)
	}
	// Until it exits, the pipe accepts some messages, and then blocks.
	f = start(t, "exit=7", nil, func(f *fixture) { f.options.Limits.WriteTime = time.Minute })
	for err = nil; err == nil; {
		err = f.Write([]byte("{}\n"))
	}
	if exit, ok := errors.AsType[*dial.Exit](err); !ok || exit.Code != 7 || string(exit.Stderr) != "cannot start: 7\n" {
		t.Errorf("write: %v", err)
	}
	f = start(t, "closes stderr", nil)
	f.wantReady()
	f.send("{}")
	f.want("{}")
}

// TestLastMessages: messages that a program wrote before its exit are read.
func TestLastMessages(t *testing.T) {
	f := start(t, "print="+strings.Repeat(`{"x":1}|`, 1000), nil)
	for range 1000 {
		f.want(`{"x":1}`)
	}
	f.send("{}")
	f.want("{}")
}

// TestChildren: processes that inherit the streams are stopped, or left behind if they have left
// the group; neither delays the end of the connection.
func TestChildren(t *testing.T) {
	gone := func(pid int) func() bool {
		return func() bool { return syscall.Kill(pid, 0) == syscall.ESRCH || isZombie(pid) }
	}
	for _, holder := range []string{"unread", "stubborn"} {
		t.Run("ends, leaves "+holder, func(t *testing.T) {
			f := start(t, "leaves a child="+holder, nil)
			pid := f.wantReady()
			f.wantExit("exit status 3", 3)
			f.closeAfter(0)
			eventually(gone(pid))
		})
		t.Run("closed with "+holder, func(t *testing.T) {
			f := start(t, "has a child="+holder, nil)
			pid := f.wantReady()
			f.closeAfter(150 * time.Millisecond)
			eventually(gone(pid))
		})
		t.Run("ends, leaves distant "+holder, func(t *testing.T) {
			f := start(t, "leaves a distant child="+holder, nil)
			pid := f.wantReady()
			defer syscall.Kill(pid, syscall.SIGKILL)
			f.wantExit("exit status 3", 3)
			f.closeAfter(0)
			if gone(pid)() {
				t.Error("a process in a session of its own was ended")
			}
		})
	}
	f := start(t, "leaves a distant child=unread", nil)
	pid := f.wantReady()
	defer syscall.Kill(pid, syscall.SIGKILL)
	f.closeAfter(0)
}

// isZombie reports whether a process has exited and its parent, init, has not reaped it yet.
func isZombie(pid int) bool {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err == nil && strings.Contains(string(text), ") Z ")
}

// TestMany: connections do not hold each other's pipes open.
func TestMany(t *testing.T) {
	var all []*fixture
	for range 10 {
		all = append(all, start(t, "echo", nil, patient))
	}
	for _, f := range all {
		f.send("{}")
		f.want("{}")
	}
	for _, f := range all {
		f.closeAfter(0)
		if state := f.ProcessState(); state != "exit status 0" {
			t.Errorf("%s", state)
		}
	}
}

func TestStartFails(t *testing.T) {
	files := testbed.OpenFiles()
	conn, err := subprocess.Start(exec.Command("/does/not/exist"), nil, dial.Options{Limits: limits()})
	if conn != nil || !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%v", err)
	}
	if n := testbed.OpenFiles(); n > files {
		t.Errorf("%d files are open, %d at the start", n, files)
	}
}
