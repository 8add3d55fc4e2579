package mcpstdout

import (
	"syscall"

	"github.com/mcpgen/mcpgen/runtime/internal/early"
)

// Package os makes its file of this handle.
func init() {
	early.Stdout, early.Kept = uintptr(syscall.Stdout), true
	syscall.Stdout = syscall.Stderr
}
