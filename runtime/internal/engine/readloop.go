package engine

import (
	"errors"
	"io"

	"github.com/mcpgen/mcpgen/runtime/internal/outbox"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// readLoop reads the messages of a stream until its end or an error, and returns the error.
// [Conn.Serve] runs it in its own goroutine, the only one that reads from the connection.
//
// It calls no function of users and never waits for a writer, so a ping or a cancellation is
// handled at once, whatever handlers do and however slowly the client reads: each handler runs in
// its own goroutine ([Exchange.run]), and the replies that need no handler are queued for
// [outbox.Outbox.Serve].
func (c *Conn) readLoop(jc jsonrpc.Conn, out *outbox.Outbox) error {
	defer out.FlushAsync()
	if m, ok := jc.(charged); ok {
		m.Charge(c.Settings.Memory)
		defer m.Charge(nil)
	}
	buffered := func() bool { return false } // reports whether the next Read does not wait
	if b, ok := jc.(interface{ Buffered() bool }); ok {
		buffered = b.Buffered
	}
	for {
		data, err := jc.Read()
		switch undelivered, ok := errors.AsType[*jsonrpc.FrameError](err); {
		case ok && undelivered.Overloaded:
			c.overloaded(undelivered, out)
		case ok:
			c.refuse(&jsonrpc.Message{}, invalidRequest(err.Error()), out)
		case err != nil:
			return err
		case !c.Receive(data, out):
			return io.EOF
		}
		if !buffered() {
			// Replies to messages that arrive together are written together.
			out.FlushAsync()
		}
		if out.Overloaded() {
			out.Fail(outbox.ErrStalled)
		}
	}
}
