package mcpstdout

import "syscall"

// Dup3 exists on every architecture.
func redirect(from, to int) error { return syscall.Dup3(from, to, 0) }
