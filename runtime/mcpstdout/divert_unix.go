//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package mcpstdout

import (
	"syscall"

	"github.com/mcpgen/mcpgen/runtime/internal/early"
)

func init() {
	if device(0) || device(1) || diverted() {
		return
	}
	fd, err := syscall.Dup(1)
	if err != nil {
		return
	}
	syscall.CloseOnExec(fd)
	if redirect(2, 1) != nil {
		syscall.Close(fd)
		return
	}
	early.Stdout, early.Kept = uintptr(fd), true
}

// device reports whether a standard stream is a terminal, the null device or closed. Clients pass
// pipes or sockets.
func device(fd int) bool {
	var st syscall.Stat_t
	return syscall.Fstat(fd, &st) != nil || st.Mode&syscall.S_IFMT == syscall.S_IFCHR
}

// diverted reports whether standard output is standard error already, as in the programs of mcpgen
// call: who has done that restores it.
func diverted() bool {
	var out, other syscall.Stat_t
	return syscall.Fstat(1, &out) == nil && syscall.Fstat(2, &other) == nil && out.Dev == other.Dev && out.Ino == other.Ino
}
