// Package stdio frames standard input and output for the protocol, and keeps the output of the
// program and its children out of it.
package stdio

import (
	"io"
	"os"
	"sync"

	"github.com/mcpgen/mcpgen/runtime/internal/early"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

func init() { early.Restore = Restore }

// Restore restores standard output if package mcpstdout has kept it.
func Restore() {
	if early.Kept {
		early.Kept = false
		restoreEarly()
	}
}

// Open returns standard input and output as a connection with messages of up to limit bytes. With a
// shield, the standard streams of the process are redirected until restore is called: output goes
// to standard error, input is empty. Closing the connection closes the duplicates of a shield, and
// leaves the streams of the process open without one.
func Open(limit int, shielded bool) (conn jsonrpc.Conn, restore func(), err error) {
	if !shielded {
		Restore()
		files := &sharedFiles{in: os.Stdin, out: os.Stdout, closed: make(chan struct{})}
		return jsonrpc.NewLineConn(files, files, limit), func() {}, nil
	}
	in, out, restore, err := shield()
	if err != nil {
		return nil, nil, err
	}
	return jsonrpc.NewLineConn(in, out, limit), restore, nil
}

// sharedFiles are files that other code uses too, so Close leaves them open. A Read that is waiting
// continues to wait after Close.
type sharedFiles struct {
	in, out *os.File
	once    sync.Once
	closed  chan struct{}
}

func (f *sharedFiles) Read(p []byte) (int, error) {
	select {
	case <-f.closed:
		return 0, io.EOF
	default:
		return f.in.Read(p)
	}
}

func (f *sharedFiles) Write(p []byte) (int, error) {
	select {
	case <-f.closed:
		return 0, os.ErrClosed
	default:
		return f.out.Write(p)
	}
}

func (f *sharedFiles) Close() error {
	f.once.Do(func() { close(f.closed) })
	return nil
}
