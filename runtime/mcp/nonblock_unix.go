//go:build unix

package mcp

import "syscall"

const flagNonblock = syscall.O_NONBLOCK
