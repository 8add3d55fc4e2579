// Package mcpstdout keeps early output of a program out of the protocol. A program imports it for
// its side effect:
//
//	import _ "github.com/mcpgen/mcpgen/runtime/mcpstdout"
//
// [mcp.Server.ServeStdio] reserves standard output for the protocol when it is called. Output
// before that, from the initialization of a package or from main, would reach the client as a
// broken message. With this package standard output is redirected to standard error from the
// beginning, for children too, until ServeStdio takes it, or mcpcmd prints the output of its flags
// and commands, or serves over HTTP.
//
// The package redirects only if standard input and standard output are both pipes, sockets or
// files, as a client provides them. A program that is started in a terminal, or without input (the
// null device), prints normally, so that its own commands can be used in pipelines. A command that
// reads one pipe and writes another calls [Restore] before it prints.
//
// The Go runtime initializes packages in the order of their paths as soon as their imports are
// initialized. This package imports only package syscall, and so precedes package os and all
// packages that print with it. It does not precede C code, or Go code that writes with its own
// system calls. On systems other than Linux, macOS, the BSDs and Windows it has no effect.
//
// [mcp.Server.ServeStdio]: https://pkg.go.dev/github.com/mcpgen/mcpgen/runtime/mcp#Server.ServeStdio
package mcpstdout

import "github.com/mcpgen/mcpgen/runtime/internal/early"

// Restore restores the standard output with which the program started. It may be called more than
// once, and must not be called while another goroutine serves or prints.
func Restore() { early.Restore() }
