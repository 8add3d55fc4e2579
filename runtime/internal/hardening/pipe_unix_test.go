//go:build unix

package hardening_test

import "syscall"

// makePipe makes a file that blocks whoever opens it.
func makePipe(name string) error { return syscall.Mkfifo(name, 0o600) }
