//go:build unix

package regularfile

import "syscall"

const flagNonblock = syscall.O_NONBLOCK
