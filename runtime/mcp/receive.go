package mcp

import (
	"fmt"
	"log/slog"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// This file handles messages of any kind, on the goroutine that reads: [engineConn.readLoop], the
// goroutine of a batch's connection, or that of an HTTP request ([engineConn.take]). It does
// not wait. A message has buffers, which [engineConn.handle] owns: it releases them, or passes them to
// [engineConn.request].

// receive handles one message of a stream. The data may be reused when it returns. It reports
// false if the connection is closing, and handles nothing then.
func (c *engineConn) receive(data []byte, out sink) bool {
	if c.isClosing() {
		return false
	}
	c.received.Store(true)
	c.handleText(data, c.caller, out, false)
	return true
}

// handleText parses and handles the text of a message, which it copies.
func (c *engineConn) handleText(data []byte, from *caller, out sink, inBatch bool) {
	b := c.settings.newBuffers()
	if !b.load(data) {
		c.noRoom(b, data, from, out, inBatch)
		return
	}
	c.handle(b, c.settings.parser.Parse(b.data, &b.msg), from, out, inBatch)
}

// handle handles a message that has been parsed, and owns its buffers. It reports whether the
// sink can expect a reply, which may be empty.
func (c *engineConn) handle(b *buffers, err *jsonrpc.Error, from *caller, out sink, inBatch bool) (expect bool) {
	m := &b.msg
	switch {
	case err != nil:
		expect = c.malformed(m, err, out)
	case m.Kind == jsonrpc.Request:
		c.request(b, from, out, inBatch) // which owns the buffers now
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

// noRoom handles a message for which there is no room, without a copy: a request is refused,
// and any other message needs none. It owns the buffers, which are empty.
func (c *engineConn) noRoom(b *buffers, data []byte, from *caller, out sink, inBatch bool) {
	err := c.settings.parser.Parse(data, &b.msg)
	if err == nil && (b.msg.Kind == jsonrpc.Request || b.msg.Kind == jsonrpc.Batch) {
		err = errOverloaded
	}
	c.handle(b, err, from, out, inBatch)
}

// malformed handles a text that is not a valid message. A malformed response gets no reply,
// since that would be a response to a response. It reports whether there is a reply.
func (c *engineConn) malformed(m *jsonrpc.Message, err *jsonrpc.Error, out sink) bool {
	if m.Kind == jsonrpc.Response {
		if c.deliver(m.ID, clientAnswer{err: fmt.Errorf("malformed answer of the client: %w", err)}) {
			return false
		}
		c.settings.log.Client(c.ctx, slog.LevelWarn, "malformed response dropped", slog.Any("error", err))
		return false
	}
	c.refuse(m, err, out)
	return true
}

// refuse replies with an error to a request, or to a message without a readable id.
func (c *engineConn) refuse(m *jsonrpc.Message, err *jsonrpc.Error, out sink) {
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
// session decides, or that of the latest request; before both it is null, as in JSON-RPC.
func (c *engineConn) nullID() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.session != nil:
		return c.session.revision.Errors.NullID
	case c.latest != nil:
		return c.latest.Errors.NullID
	}
	return true
}

// overloaded handles a message that a connection has skipped, since there was no room for it.
func (c *engineConn) overloaded(e *jsonrpc.FrameError, out sink) {
	switch e.Kind {
	case jsonrpc.Notification:
	case jsonrpc.Response:
		c.deliver(e.ID, clientAnswer{err: e})
	default:
		c.refuse(&jsonrpc.Message{ID: e.ID}, errOverloaded, out)
	}
}

// isClosing reports whether messages are not handled any more.
func (c *engineConn) isClosing() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.closing
}
