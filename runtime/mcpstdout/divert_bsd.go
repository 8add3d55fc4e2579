//go:build darwin || freebsd || netbsd || openbsd || dragonfly

package mcpstdout

import "syscall"

func redirect(from, to int) error { return syscall.Dup2(from, to) }
