package stdio

import "syscall"

// redirect makes the file descriptor to a duplicate of from. Dup3 is there on
// every architecture.
func redirect(from, to int) error { return syscall.Dup3(from, to, 0) }
