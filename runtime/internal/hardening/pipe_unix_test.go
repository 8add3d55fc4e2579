//go:build unix && !solaris

package hardening_test

import "syscall"

// makePipe makes a file whose opening blocks.
func makePipe(name string) error { return syscall.Mkfifo(name, 0o600) }
