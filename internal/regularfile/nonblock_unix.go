//go:build unix

package regularfile

import "syscall"

// FlagNonblock makes opening a pipe not wait for its writer, if the system supports that.
const FlagNonblock = syscall.O_NONBLOCK
