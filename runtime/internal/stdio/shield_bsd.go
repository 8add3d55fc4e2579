//go:build darwin || freebsd || netbsd || openbsd || dragonfly

package stdio

import "syscall"

// redirect makes the file descriptor to a duplicate of from.
func redirect(from, to int) error { return syscall.Dup2(from, to) }
