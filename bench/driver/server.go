package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"
)

// process is a running server.
type process struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    io.ReadCloser
	stderr tail
	url    string // of an HTTP server

	profiled bool // writes profiles after SIGUSR1
}

// start starts the program of a server.
func start(bin string, args ...string) (*process, error) {
	p := &process{cmd: exec.Command(bin, args...)}
	p.cmd.Stderr = &p.stderr
	p.profiled = os.Getenv("BENCH_PROFILE") != ""
	var err error
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	if p.out, err = p.cmd.StdoutPipe(); err != nil {
		return nil, err
	}
	if err := p.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", filepath.Base(bin), err)
	}
	return p, nil
}

// startSite starts an HTTP server and waits until it listens.
func startSite(bin string, args ...string) (*process, error) {
	p, err := start(bin, args...)
	if err != nil {
		return nil, err
	}
	line, err := bufio.NewReader(p.out).ReadString('\n')
	if err != nil {
		p.stop()
		return nil, fmt.Errorf("start %s: %w: %s", filepath.Base(bin), err, p.stderr.String())
	}
	p.url = strings.TrimSpace(line)
	return p, nil
}

// address returns the address of an HTTP server.
func (p *process) address() string {
	return strings.TrimSuffix(strings.TrimPrefix(p.url, "http://"), "/mcp")
}

// stop ends the process and returns its CPU time.
func (p *process) stop() (cpu time.Duration) {
	if p.profiled {
		// See package profile.
		_ = p.cmd.Process.Signal(syscall.SIGUSR1)
		time.AfterFunc(30*time.Second, func() { _ = p.cmd.Process.Kill() })
	} else {
		_ = p.in.Close()
		_ = p.cmd.Process.Kill()
	}
	_ = p.cmd.Wait() // it was killed
	return p.cmd.ProcessState.UserTime() + p.cmd.ProcessState.SystemTime()
}

// peak returns the peak memory of the process in bytes, or 0 if the system does not report it.
func (p *process) peak() int64 { return statusField(p.cmd.Process.Pid, "VmHWM:") }

// resident returns its current memory in bytes.
func (p *process) resident() int64 { return statusField(p.cmd.Process.Pid, "VmRSS:") }

func statusField(pid int, name string) int64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	_, rest, _ := bytes.Cut(text, []byte(name))
	var kilobytes int64
	if _, err := fmt.Sscan(string(rest), &kilobytes); err != nil {
		return 0
	}
	return kilobytes << 10
}

// tail stores the beginning of a server's output.
type tail struct {
	mu   sync.Mutex
	text []byte
}

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if room := 2000 - len(t.text); room > 0 {
		t.text = append(t.text, b[:min(room, len(b))]...)
	}
	return len(b), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.text)
}
