package mcp

import (
	"fmt"
	"log/slog"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// receive handles one message of a stream. The data may be used again when it returns. It
// never waits. It reports false when the connection is closing and handles nothing more.
func (c *conn) receive(data []byte, out sink) bool {
	if c.isClosing() {
		return false
	}
	c.received.Store(true)
	c.handleText(data, c.caller, out, false)
	return true
}

// takeText handles the text of a message, which it copies.
func (c *conn) handleText(data []byte, from *caller, out sink, inBatch bool) {
	b := c.server.newBuffers()
	if !b.load(data) {
		c.noRoom(b, data, from, out, inBatch)
		return
	}
	c.handle(b, c.server.parser.Parse(b.data, &b.msg), from, out, inBatch)
}

// take handles a message that has been parsed. It owns the buffers. It never waits. It
// reports whether the sink can expect a reply, if only an empty one.
func (c *conn) handle(b *buffers, err *jsonrpc.Error, from *caller, out sink, inBatch bool) (expect bool) {
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
func (c *conn) noRoom(b *buffers, data []byte, from *caller, out sink, inBatch bool) {
	err := c.server.parser.Parse(data, &b.msg)
	if err == nil && (b.msg.Kind == jsonrpc.Request || b.msg.Kind == jsonrpc.Batch) {
		err = errOverloaded
	}
	c.handle(b, err, from, out, inBatch)
}

// malformed answers what is not a message. A broken response gets no reply,
// since a reply would be a response to it. It reports whether there is one.
func (c *conn) malformed(m *jsonrpc.Message, err *jsonrpc.Error, out sink) bool {
	if m.Kind == jsonrpc.Response {
		if c.deliver(m.ID, clientAnswer{err: fmt.Errorf("malformed answer of the client: %w", err)}) {
			return false
		}
		c.server.log.Client(c.ctx, slog.LevelWarn, "malformed response dropped", slog.Any("error", err))
		return false
	}
	c.refuse(m, err, out)
	return true
}

// refuse replies an error to a request, or to something that has no id that
// could be read.
func (c *conn) refuse(m *jsonrpc.Message, err *jsonrpc.Error, out sink) {
	id := m.ID
	b, inBatch := out.(*batch)
	if inBatch {
		b.expect()
	}
	// A channel that carries one reply alone says by itself what is answered.
	if id.IsZero() && (c.shared || inBatch) && c.nullID() {
		id = jsonrpc.Null
	}
	out.Refuse(jsonrpc.AppendError(nil, id, err), err.Code)
}

// nullID reports whether an id that is not known is written as null: by the
// revision of the session, or that of the latest request, and as JSON-RPC has it
// while neither is known.
func (c *conn) nullID() bool {
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

// overloaded answers a message for which a connection had no room.
func (c *conn) overloaded(e *jsonrpc.FrameError, out sink) {
	switch e.Kind {
	case jsonrpc.Notification:
	case jsonrpc.Response:
		c.deliver(e.ID, clientAnswer{err: e})
	default:
		c.refuse(&jsonrpc.Message{ID: e.ID}, errOverloaded, out)
	}
}
