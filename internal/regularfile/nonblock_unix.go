//go:build unix

package regularfile

import "syscall"

// FlagNonblock makes opening a pipe not wait for its writer, where the system has such a
// flag.
const FlagNonblock = syscall.O_NONBLOCK
