package stdio

import "syscall"

// redirect makes the file descriptor to a duplicate of from. Dup3 exists on every architecture.
func redirect(from, to int) error { return syscall.Dup3(from, to, 0) }
