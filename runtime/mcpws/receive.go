package mcpws

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/coder/websocket"

	"github.com/mcpgen/mcpgen/runtime/internal/bufpool"
	"github.com/mcpgen/mcpgen/runtime/internal/discarded"
	"github.com/mcpgen/mcpgen/runtime/internal/membudget"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// frame is a message, or an error.
type frame struct {
	text []byte
	err  error

	account membudget.Account // for the storage of text
}

// release returns the storage.
func (f *frame) release() {
	if f.text != nil {
		bufpool.Put(f.text)
		f.text = nil
	}
	f.account.Set(0)
}

// pump reads messages until the connection ends.
func (c *conn) pump() {
	defer close(c.pumped)
	defer close(c.messages)
	defer c.noteFirstMessage()
	for {
		kind, r, err := c.ws.Reader(context.Background())
		if err == nil {
			if kind != websocket.MessageText {
				c.setCause(errors.New(c.other+" sent a binary frame"), websocket.StatusUnsupportedData, "messages are text frames")
				return
			}
			err = c.receive(r)
		}
		if err != nil {
			c.noteReadError(err)
			return
		}
	}
}

// noteReadError records why reading ended.
func (c *conn) noteReadError(err error) {
	select {
	case <-c.closed:
		return // Close is the reason
	default:
	}
	switch {
	case websocket.CloseStatus(err) != -1:
		err = fmt.Errorf("%s closed the connection: %w", c.other, err)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		// For a server, io.EOF means that the client still reads.
		err = errLost
	}
	c.setCause(err, websocket.StatusProtocolError, "")
	if c.isDraining() {
		// Read has returned before, so the server does not notice the end. Replies are no longer
		// possible.
		c.cancel(mcp.ErrConnectionClosed)
	}
}

// noteFirstMessage stops the timer for the first message.
func (c *conn) noteFirstMessage() {
	if c.firstMessage != nil {
		c.firstMessage.Stop()
	}
}

// receive reads one message and delivers it. It reports a message over the limit immediately, and
// discards the rest. A message for which the server has no memory is discarded first, and reported
// with its kind and id.
func (c *conn) receive(r io.Reader) error {
	var f frame
	f.account.Of(c.memory)
	defer func() { f.release() }()
	f.text = bufpool.Get(bufpool.MinSize)
	for {
		if len(f.text) == cap(f.text) && !f.grow() {
			refused, err := c.identifyDiscarded(r, f.text)
			if err == nil {
				c.deliver(frame{err: refused})
			}
			return err
		}
		n, err := r.Read(f.text[len(f.text) : min(cap(f.text)-1, c.limit)+1])
		f.text = f.text[:len(f.text)+n]
		switch {
		case err == io.EOF && c.socket.ended.Load():
			// The library treats the end of the stream as the end of the message.
			return io.ErrUnexpectedEOF
		case err != nil && err != io.EOF:
			return err
		case len(f.text) > c.limit:
			return c.skip(r, &f, err == io.EOF)
		case err == io.EOF:
			whole := f
			f = frame{}
			c.noteFirstMessage()
			c.deliver(whole)
			return nil
		}
	}
}

// skip reports a message that is too long, and discards the rest. A client searches the rest for
// kind and id, since many servers write the id last, and reports the message again with them.
func (c *conn) skip(r io.Reader, f *frame, ended bool) error {
	long := &jsonrpc.FrameError{Limit: c.limit}
	if c.masks {
		var m discarded.Message
		m.Write(f.text)
		size, part := int64(len(f.text)), f.text[:cap(f.text)]
		if !ended && (m.Kind() == discarded.Invalid || m.ID() == nil) {
			c.deliver(frame{err: &jsonrpc.FrameError{Limit: c.limit, Kind: jsonrpc.MessageKind(m.Kind()), Early: true}})
		}
		for !ended && size/searchedLimits <= int64(c.limit) && (m.Kind() == discarded.Invalid || m.ID() == nil) {
			n, err := r.Read(part)
			m.Write(part[:n])
			size += int64(n)
			if ended = err == io.EOF; err != nil && !ended {
				return err
			}
		}
		long.Kind = jsonrpc.MessageKind(m.Kind())
		long.ID, _ = jsonrpc.RawID(m.ID())
	}
	f.release()
	c.deliver(frame{err: long})
	if ended {
		return nil
	}
	_, err := io.Copy(io.Discard, r)
	return err
}

// grow moves the text to larger storage. It reports whether the memory limit allows it.
func (f *frame) grow() bool {
	if !f.account.Take(bufpool.Size(cap(f.text) + 1)) {
		return false
	}
	f.text = bufpool.Grow(f.text, 1)
	return true
}

// identifyDiscarded discards the rest of a message and returns the error, with the kind and id of
// the message. read is the part that was read before.
func (c *conn) identifyDiscarded(r io.Reader, read []byte) (*jsonrpc.FrameError, error) {
	var m discarded.Message
	m.Write(read)
	size, part := int64(len(read)), read[:cap(read)]
	for {
		n, err := r.Read(part)
		m.Write(part[:n])
		size += int64(n)
		switch {
		case err == io.EOF && c.socket.ended.Load():
			return nil, io.ErrUnexpectedEOF
		case err == io.EOF && size > int64(c.limit):
			return &jsonrpc.FrameError{Limit: c.limit}, nil
		case err == io.EOF:
			id, _ := jsonrpc.RawID(m.ID())
			return &jsonrpc.FrameError{Limit: c.limit, Overloaded: true, Kind: jsonrpc.MessageKind(m.Kind()), ID: id}, nil
		case err != nil:
			return nil, err
		}
	}
}

// deliver passes a message to Read, unless reading is over.
func (c *conn) deliver(f frame) {
	select {
	case <-c.draining:
		f.release()
		return
	case <-c.discarding:
		f.release()
		if c.ignored++; c.ignored > maxIgnored {
			c.cut()
		}
		return
	default:
	}
	select {
	case c.messages <- f:
	case <-c.draining:
		f.release()
	case <-c.discarding:
		f.release()
	}
}
