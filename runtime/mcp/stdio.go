package mcp

import (
	"context"

	"github.com/mcpgen/mcpgen/runtime/internal/stdio"
)

// ServeStdio serves the client at standard input and output, for a program that the client started.
// It restores the standard streams and returns like [Server.Serve].
//
// While it runs, file descriptor 1 is redirected to standard error, or to the null device if both
// are the same file, and file descriptor 0 to the null device: so the program and its children
// cannot write between the messages, and cannot read them. [WithoutStdoutShield] disables this. On
// Windows, [os.Stdin], [os.Stdout] and the standard handles are exchanged instead; handles opened
// before the call are not redirected.
//
// Only one ServeStdio can run in a process at a time.
func (s *Server) ServeStdio(ctx context.Context) error {
	conn, restore, err := stdio.Open(s.limits.MessageBytes, !s.unshielded)
	if err != nil {
		return err
	}
	defer restore()
	defer s.endTasks()
	return s.serve(ctx, conn, "stdio")
}
