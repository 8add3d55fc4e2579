//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package stdio

import (
	"fmt"
	"os"
	"syscall"

	"github.com/mcpgen/mcpgen/runtime/internal/early"
)

// shield duplicates the standard streams for the protocol and redirects the originals. restore puts
// them back.
func shield() (in, out *os.File, restore func(), err error) {
	stdin, err := duplicate(0, "protocol input")
	if err != nil {
		return nil, nil, nil, err
	}
	stdout, err := protocolOutput()
	if err != nil {
		syscall.Close(stdin.fd)
		return nil, nil, nil, err
	}
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		syscall.Close(stdin.fd)
		stdout.putBack()
		return nil, nil, nil, fmt.Errorf("open null device: %w", err)
	}
	defer null.Close()
	elsewhere := 2
	if sameFile(stdout.fd, 2) {
		elsewhere = int(null.Fd())
	}
	if err = redirect(elsewhere, 1); err == nil {
		err = redirect(int(null.Fd()), 0)
	}
	restore = func() {
		stdin.putBack()
		stdout.putBack()
	}
	if err != nil {
		restore()
		return nil, nil, nil, fmt.Errorf("redirect standard streams: %w", err)
	}
	return stdin.file(), stdout.file(), restore, nil
}

// protocolOutput returns standard output, or the duplicate that package mcpstdout has kept: so
// nothing is printed there in between.
func protocolOutput() (*stream, error) {
	if early.Kept {
		early.Kept = false
		return &stream{original: 1, fd: int(early.Stdout), name: "protocol output"}, nil
	}
	return duplicate(1, "protocol output")
}

func restoreEarly() {
	_ = redirect(int(early.Stdout), 1)
	syscall.Close(int(early.Stdout))
}

// stream is one of the standard streams while the protocol uses it.
type stream struct {
	original int // 0 or 1
	fd       int // a duplicate, which putBack restores the original from
	name     string
	blocking bool // the protocol has made it non-blocking
}

// duplicate keeps a standard stream under another number, which children do not inherit.
func duplicate(fd int, name string) (*stream, error) {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	dup, err := syscall.Dup(fd)
	if err != nil {
		return nil, fmt.Errorf("duplicate file descriptor %d: %w", fd, err)
	}
	syscall.CloseOnExec(dup)
	return &stream{original: fd, fd: dup, name: name}, nil
}

// file returns the stream for the protocol, as a file of its own. Pipes and sockets are made
// non-blocking, so that Close unblocks a Read or Write that waits. Files and terminals are not:
// they share that mode with other processes.
func (s *stream) file() *os.File {
	dup, err := duplicate(s.fd, s.name)
	if err != nil {
		return os.NewFile(uintptr(s.fd), s.name)
	}
	if isPipe(dup.fd) && syscall.SetNonblock(dup.fd, true) == nil {
		s.blocking = true
	}
	return os.NewFile(uintptr(dup.fd), s.name)
}

// putBack restores the standard stream.
func (s *stream) putBack() {
	if s.blocking {
		_ = syscall.SetNonblock(s.fd, false)
	}
	_ = redirect(s.fd, s.original)
	syscall.Close(s.fd)
}

func isPipe(fd int) bool {
	var st syscall.Stat_t
	if syscall.Fstat(fd, &st) != nil {
		return false
	}
	kind := st.Mode & syscall.S_IFMT
	return kind == syscall.S_IFIFO || kind == syscall.S_IFSOCK
}

func sameFile(a, b int) bool {
	var x, y syscall.Stat_t
	if syscall.Fstat(a, &x) != nil || syscall.Fstat(b, &y) != nil {
		return false
	}
	return x.Dev == y.Dev && x.Ino == y.Ino
}
