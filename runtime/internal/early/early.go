// Package early stores the standard output that package mcpstdout keeps. It imports nothing, so
// that mcpstdout is initialized before package os.
package early

// Stdout is the file descriptor, or the handle, of standard output if Kept is set. The standard
// output of the process is then redirected to standard error.
var (
	Stdout uintptr
	Kept   bool
)

// Restore restores standard output. Package stdio sets it.
var Restore = func() {}
