//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package mcpstdout

import (
	"syscall"

	"github.com/mcpgen/mcpgen/runtime/internal/early"
)

func init() {
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
