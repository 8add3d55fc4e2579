package engine

import (
	"errors"
	"fmt"
	"io"
	"log/slog"

	"github.com/mcpgen/mcpgen/runtime/internal/outbox"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// This file handles messages of any kind, on the goroutine that reads: [Conn.readLoop], the
// goroutine that reads a batch, or the goroutine that serves an HTTP request ([Conn.Take]). It does
// not wait. A message has buffers, which [Conn.handle] owns: it releases them, or passes them to
// [Conn.request].

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
	}
}

// Receive handles one message of a stream. The data may be reused when it returns. It returns
// false, and handles nothing, if the connection is closing.
func (c *Conn) Receive(data []byte, out Sink) bool {
	if c.closing.Load() {
		return false
	}
	c.received.Store(true)
	c.handleText(data, c.Caller, out, false)
	return true
}

// handleText parses and handles a message, whose text it copies.
func (c *Conn) handleText(data []byte, from *Caller, out Sink, inBatch bool) {
	b := c.Settings.newBuffers()
	if !b.load(data) {
		c.noRoom(b, data, from, out, inBatch)
		return
	}
	c.handle(b, c.Settings.Parser.Parse(b.data, &b.Msg), from, out, inBatch)
}

// handle handles a parsed message, and owns its buffers. It reports whether the sink can expect a
// reply, which may be empty.
func (c *Conn) handle(b *Buffers, err *jsonrpc.Error, from *Caller, out Sink, inBatch bool) (expect bool) {
	m := &b.Msg
	switch {
	case err != nil:
		expect = c.malformed(m, err, out)
	case m.Kind == jsonrpc.Request:
		c.request(b, from, out, inBatch) // request owns the buffers now
		return true
	case m.Kind == jsonrpc.Notification:
		c.notification(m, from)
	case m.Kind == jsonrpc.Response:
		c.response(m)
	case inBatch:
		c.refuse(m, invalidRequest("a batch inside a batch"), out)
		expect = true
	default:
		expect = c.batch(m, from, out)
	}
	b.release()
	return expect
}

// noRoom handles a message for which memory is lacking, without a copy: it refuses a request, and
// any other message needs no copy. It owns the buffers, which are empty.
func (c *Conn) noRoom(b *Buffers, data []byte, from *Caller, out Sink, inBatch bool) {
	err := c.Settings.Parser.Parse(data, &b.Msg)
	if err == nil && (b.Msg.Kind == jsonrpc.Request || b.Msg.Kind == jsonrpc.Batch) {
		err = ErrOverloaded
	}
	c.handle(b, err, from, out, inBatch)
}

// malformed handles a text that is not a valid message. A malformed response gets no reply, since
// that would be a response to a response. It reports whether it has replied.
func (c *Conn) malformed(m *jsonrpc.Message, err *jsonrpc.Error, out Sink) bool {
	if m.Kind == jsonrpc.Response {
		if c.deliver(m.ID, clientAnswer{err: fmt.Errorf("malformed answer of the client: %w", err)}) {
			return false
		}
		c.Settings.Log.Client(c.Ctx, slog.LevelWarn, "malformed response dropped", slog.Any("error", err))
		return false
	}
	c.refuse(m, err, out)
	return true
}

// refuse replies with an error to a request, or to a message without a readable id.
func (c *Conn) refuse(m *jsonrpc.Message, err *jsonrpc.Error, out Sink) {
	id := m.ID
	b, inBatch := out.(*batch)
	if inBatch {
		b.expect()
	}
	// A channel with a single reply needs no id.
	if id.IsZero() && (c.shared || inBatch) && c.nullID() {
		id = jsonrpc.Null
	}
	out.Refuse(jsonrpc.AppendError(nil, id, err), err.Code)
}

// nullID reports whether an unknown id is written as null, and not omitted. The revision of the
// session decides, or the revision of the latest request; before both it is null, as in JSON-RPC.
func (c *Conn) nullID() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.Session != nil:
		return c.Session.Revision.Errors.NullID
	case c.latest != nil:
		return c.latest.Errors.NullID
	}
	return true
}

// overloaded handles a message that a connection has skipped for lack of memory.
func (c *Conn) overloaded(e *jsonrpc.FrameError, out Sink) {
	switch e.Kind {
	case jsonrpc.Notification:
	case jsonrpc.Response:
		c.deliver(e.ID, clientAnswer{err: e})
	default:
		c.refuse(&jsonrpc.Message{ID: e.ID}, ErrOverloaded, out)
	}
}
