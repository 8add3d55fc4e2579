// Package mcpstdout keeps what a program prints before it serves out of the protocol. Package mcpcmd imports it; a program
// that calls [mcp.Server.ServeStdio] itself imports it for that effect:
//
//	import _ "github.com/mcpgen/mcpgen/runtime/mcpstdout"
//
// [mcp.Server.ServeStdio] reserves standard output for the protocol when it is called. What is printed before that, by the
// initialization of some package or by main, would reach the client, which takes it for a broken message. With this package standard
// output is standard error from the beginning, for children too, until ServeStdio takes it, or mcpcmd prints what its flags and
// commands ask for, or serves over HTTP.
//
// The package does so if standard input and standard output are both pipes, sockets or files, as a client gives them. A program
// that is started in a terminal, or without input (the null device), prints as without the package, so that its own commands
// may be used in pipelines. A command that reads one pipe and writes another calls [Restore] before it prints.
//
// The runtime of Go initializes packages in the order of their paths as soon as what they import is. This package imports
// package syscall alone, and so comes before package os and all that print by it. It does not come before C code, and
// before Go code that writes by system calls of its own. On systems other than Linux, macOS, the BSDs and Windows
// it has no effect.
//
// [mcp.Server.ServeStdio]: https://pkg.go.dev/github.com/mcpgen/mcpgen/runtime/mcp#Server.ServeStdio
package mcpstdout

import "github.com/mcpgen/mcpgen/runtime/internal/early"

// Restore makes standard output what it was when the program started. It may be called more than once, and must not be called
// while another goroutine serves or prints.
func Restore() { early.Restore() }
