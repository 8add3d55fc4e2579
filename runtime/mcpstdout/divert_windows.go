package mcpstdout

import (
	"syscall"

	"github.com/mcpgen/mcpgen/runtime/internal/early"
)

// Package os creates its file from this handle.
func init() {
	if device(syscall.Stdin) || device(syscall.Stdout) || syscall.Stdout == syscall.Stderr {
		return
	}
	early.Stdout, early.Kept = uintptr(syscall.Stdout), true
	syscall.Stdout = syscall.Stderr
}

// device reports whether a standard stream is a console, NUL or closed. Clients pass pipes.
func device(handle syscall.Handle) bool {
	kind, err := syscall.GetFileType(handle)
	return err != nil || kind != syscall.FILE_TYPE_PIPE && kind != syscall.FILE_TYPE_DISK
}
