// Package early has the standard output that package mcpstdout keeps. It imports nothing, so that mcpstdout is initialized before
// package os.
package early

// Stdout is the file descriptor, or the handle, of standard output if Kept is set. Standard output of the process is standard
// error then.
var (
	Stdout uintptr
	Kept   bool
)

// Restore makes standard output what it was. Package stdio sets it.
var Restore = func() {}
