package mcpstdout

import "syscall"

// Dup3 is there on every architecture.
func redirect(from, to int) error { return syscall.Dup3(from, to, 0) }
