package mcp

import (
	"context"
	"io"
	"os"
	"sync"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// ServeStdio answers the client at standard input and output, as a program does
// that a client has started. It returns as [Server.Serve] does, after restoring
// the standard streams.
//
// While it runs, file descriptor 1 points to standard error, or to nowhere where
// both are the same file, and file descriptor 0 to nowhere: what the program or
// its children print cannot get between the messages, and they cannot take
// messages away. [WithoutStdoutShield] leaves them alone. On Windows it is
// [os.Stdout], [os.Stdin] and the standard handles that are exchanged, which
// what has kept a handle from before does not notice.
//
// Only one ServeStdio can run in a process at a time.
func (s *Server) ServeStdio(ctx context.Context) error {
	var in, out *os.File
	restore := func() {}
	if s.unshielded {
		in, out = os.Stdin, os.Stdout
	} else {
		var err error
		if in, out, restore, err = shieldStdio(); err != nil {
			return err
		}
	}
	defer restore()
	return s.Serve(ctx, newStdioConn(in, out, s.limits.MessageBytes, !s.unshielded))
}

// newStdioConn frames two files. Closing it closes them only where they are our
// own duplicates.
func newStdioConn(in, out *os.File, limit int, own bool) jsonrpc.Conn {
	if own {
		return jsonrpc.NewLineConn(in, out, limit)
	}
	f := &foreignFiles{in: in, out: out, closed: make(chan struct{})}
	return jsonrpc.NewLineConn(f, f, limit)
}

// foreignFiles keeps files open that others use too. A read that waits when it
// is closed goes on waiting.
type foreignFiles struct {
	in, out *os.File
	once    sync.Once
	closed  chan struct{}
}

func (f *foreignFiles) Read(p []byte) (int, error) {
	select {
	case <-f.closed:
		return 0, io.EOF
	default:
		return f.in.Read(p)
	}
}

func (f *foreignFiles) Write(p []byte) (int, error) {
	select {
	case <-f.closed:
		return 0, os.ErrClosed
	default:
		return f.out.Write(p)
	}
}

func (f *foreignFiles) Close() error {
	f.once.Do(func() { close(f.closed) })
	return nil
}
