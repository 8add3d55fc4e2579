package mcp

import (
	"context"

	"github.com/mcpgen/mcpgen/runtime/internal/stdio"
)

// ServeStdio answers the client at standard input and output, as a program does
// that a client has started. It returns as [Server.Serve] does, after restoring
// the standard streams.
//
// While it runs, file descriptor 1 points to standard error, or to nowhere where
// both are the same file, and file descriptor 0 to nowhere: what the program or
// its children print cannot get between the messages, and they cannot take
// messages away. [WithoutStdoutShield] leaves them alone. On Windows,
// [os.Stdin], [os.Stdout] and the standard handles are exchanged instead; handles
// opened before the call are not redirected.
//
// Only one ServeStdio can run in a process at a time.
func (s *Server) ServeStdio(ctx context.Context) error {
	conn, restore, err := stdio.Open(s.limits.MessageBytes, !s.unshielded)
	if err != nil {
		return err
	}
	defer restore()
	return s.Serve(ctx, conn)
}
