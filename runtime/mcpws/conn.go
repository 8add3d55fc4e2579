package mcpws

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"time"

	"github.com/coder/websocket"

	"github.com/mcpgen/mcpgen/runtime/internal/lend"
	"github.com/mcpgen/mcpgen/runtime/internal/membudget"
	"github.com/mcpgen/mcpgen/runtime/internal/skim"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/mcp"
)

const (
	// farewellTime is how long the client may take to answer that the connection
	// is closed.
	farewellTime = time.Second
	// patience is how long closing waits for a write that is probably short.
	patience = 100 * time.Millisecond
	// mostIgnored is how many messages the client may send before it answers that.
	mostIgnored = 1000
)

var (
	errLost   = errors.New("connection ended without a close frame")
	errBinary = errors.New("client sent a binary frame")
	errSilent = errors.New("client does not answer pings")
	errWriter = errors.New("client does not read pings")
)

// conn is a WebSocket as a jsonrpc.Conn.
//
// The frames are read by a goroutine of its own, the pump, and not by Read: pings
// and the end of the connection are noticed even while nobody wants messages, and
// Read can end while the connection goes on.
type conn struct {
	limit  int // bytes of a message
	cancel context.CancelCauseFunc
	ws     *websocket.Conn
	socket *socket

	messages chan frame
	held     frame // what Read has returned; all messages are in borrowed buffers
	memory   *membudget.Budget
	pumped   chan struct{}
	ignored  int // messages, by the pump, since nobody wants them any more

	mute    *time.Timer   // ends the connection, unless there is a message
	writing chan struct{} // whoever writes holds its one place
	keeper  keeper

	draining chan struct{} // closed when Read is to end
	closed   chan struct{} // closed when Close begins
	leaving  chan struct{} // closed when what arrives is of no interest any more

	drainOnce, endOnce sync.Once

	mu     sync.Mutex
	err    error // why the connection has ended, the first reason
	status websocket.StatusCode
	reason string
}

// frame is a message, or what is wrong with it.
type frame struct {
	text []byte
	err  error

	account membudget.Account // for the storage of the text
}

// drop gives back the storage.
func (f *frame) drop() {
	if f.text != nil {
		lend.Put(f.text)
		f.text = nil
	}
	f.account.Set(0)
}

func newConn(limit int, memory *membudget.Budget, cancel context.CancelCauseFunc) *conn {
	c := &conn{
		limit: limit, memory: memory, cancel: cancel,
		messages: make(chan frame, 1), pumped: make(chan struct{}),
		writing: make(chan struct{}, 1), draining: make(chan struct{}), closed: make(chan struct{}), leaving: make(chan struct{}),
		status: websocket.StatusGoingAway, reason: "the server ends the connection",
	}
	c.keeper.conn = c
	return c
}

// open begins with the connection.
func (c *conn) open(ws *websocket.Conn, s *socket, ping, first time.Duration) {
	ws.SetReadLimit(-1) // the pump has its own
	c.ws, c.socket = ws, s
	c.mute = time.AfterFunc(first, func() {
		c.fail(fmt.Errorf("no message has come within %v", first), websocket.StatusPolicyViolation, "")
		c.cut()
	})
	go c.pump()
	c.keeper.start(ping)
}

func (c *conn) Read() ([]byte, error) {
	c.held.drop()
	select {
	case <-c.draining:
		return nil, io.EOF
	default:
	}
	select {
	case f, ok := <-c.messages:
		if !ok {
			return nil, cmp.Or(c.failure(), net.ErrClosed)
		}
		c.held = f
		return f.text, f.err
	case <-c.draining:
		return nil, io.EOF
	}
}

// Buffered reports whether the next Read does not wait.
func (c *conn) Buffered() bool { return len(c.messages) > 0 }

// pump reads messages until the connection ends.
func (c *conn) pump() {
	defer close(c.pumped)
	defer close(c.messages)
	defer c.mute.Stop()
	for {
		kind, r, err := c.ws.Reader(context.Background())
		if err == nil {
			if kind != websocket.MessageText {
				c.fail(errBinary, websocket.StatusUnsupportedData, "messages are text frames")
				return
			}
			err = c.receive(r)
		}
		if err != nil {
			c.lost(err)
			return
		}
	}
}

// lost notes why there is nothing more to read.
func (c *conn) lost(err error) {
	select {
	case <-c.closed:
		return // that is why
	default:
	}
	switch {
	case websocket.CloseStatus(err) != -1:
		err = fmt.Errorf("client closed the connection: %w", err)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		// To a server io.EOF is an end after which the client still reads.
		err = errLost
	}
	c.fail(err, websocket.StatusProtocolError, "")
	if c.isDraining() {
		// Nobody reads, so that nobody sees this; and nobody is left to answer.
		c.cancel(mcp.ErrConnectionClosed)
	}
}

// receive reads one message and hands it on. What is over the limit is reported at
// once, and thrown away as it comes; what there is no room for is thrown away too, and
// reported with what it was.
func (c *conn) receive(r io.Reader) error {
	var f frame
	f.account.Of(c.memory)
	defer func() { f.drop() }()
	f.text = lend.Get(lend.Least)
	for {
		if len(f.text) == cap(f.text) && !f.grow() {
			refused, err := c.skim(r, f.text)
			if err == nil {
				c.deliver(frame{err: refused})
			}
			return err
		}
		n, err := r.Read(f.text[len(f.text):min(cap(f.text), c.limit+1)])
		f.text = f.text[:len(f.text)+n]
		switch {
		case err == io.EOF && c.socket.ended.Load():
			// The library takes the end of the stream for that of the message.
			return io.ErrUnexpectedEOF
		case err != nil && err != io.EOF:
			return err
		case len(f.text) > c.limit:
			c.deliver(frame{err: &jsonrpc.FrameError{Limit: c.limit}})
			f.drop()
			if err == nil {
				_, err = io.Copy(io.Discard, r)
				return err
			}
			return nil
		case err == io.EOF:
			whole := f
			f = frame{}
			c.mute.Stop()
			c.deliver(whole)
			return nil
		}
	}
}

// grow moves the text to larger storage. It reports false if there is no room.
func (f *frame) grow() bool {
	if !f.account.Take(lend.Size(cap(f.text) + 1)) {
		return false
	}
	f.text = lend.Grow(f.text, 1)
	return true
}

// skim throws a message away, and finds out what it was. It begins with what has been
// read already.
func (c *conn) skim(r io.Reader, read []byte) (*jsonrpc.FrameError, error) {
	var m skim.Message
	m.Write(read)
	size, part := len(read), read[:cap(read)]
	for {
		n, err := r.Read(part)
		m.Write(part[:n])
		size += n
		switch {
		case err == io.EOF && c.socket.ended.Load():
			return nil, io.ErrUnexpectedEOF
		case err == io.EOF && size > c.limit:
			return &jsonrpc.FrameError{Limit: c.limit}, nil
		case err == io.EOF:
			id, _ := jsonrpc.RawID(m.ID())
			return &jsonrpc.FrameError{Limit: c.limit, Overloaded: true, Kind: jsonrpc.Kind(m.Kind()), ID: id}, nil
		case err != nil:
			return nil, err
		}
	}
}

// deliver hands a message to Read, while there is somebody who reads.
func (c *conn) deliver(f frame) {
	select {
	case <-c.draining:
		f.drop()
		return
	case <-c.leaving:
		f.drop()
		if c.ignored++; c.ignored > mostIgnored {
			c.cut()
		}
		return
	default:
	}
	select {
	case c.messages <- f:
	case <-c.draining:
		f.drop()
	case <-c.leaving:
		f.drop()
	}
}

// forget gives back the storage of messages that nobody will read any more. The pump has
// ended.
func (c *conn) forget() {
	c.held.drop()
	for f := range c.messages {
		f.drop()
	}
}

func (c *conn) Write(batch []byte) error {
	select {
	case c.writing <- struct{}{}:
	case <-c.closed:
		return net.ErrClosed
	}
	defer func() { <-c.writing }()
	c.socket.hold()
	var err error
	for len(batch) > 0 && err == nil {
		var text []byte
		text, batch, _ = bytes.Cut(batch, []byte{'\n'})
		err = c.ws.Write(context.Background(), websocket.MessageText, text)
	}
	if failed := c.socket.release(); err == nil {
		err = failed
	}
	return err
}

// Close says goodbye to the client, if it reads, and ends the connection.
func (c *conn) Close() error {
	c.endOnce.Do(func() {
		close(c.closed)
		c.keeper.stop()
		waiting := time.NewTimer(patience)
		defer waiting.Stop()
		select {
		case c.writing <- struct{}{}:
			close(c.leaving)
			cut := time.AfterFunc(farewellTime, c.cut)
			defer cut.Stop()
			c.mu.Lock()
			status, reason := c.status, c.reason
			c.mu.Unlock()
			_ = c.ws.Close(status, reason)
		case <-waiting.C:
			c.cut()
			close(c.leaving)
			_ = c.ws.CloseNow()
		}
	})
	return nil
}

// cut ends the connection without a word, and waits for nobody.
func (c *conn) cut() {
	_ = c.socket.SetDeadline(time.Unix(1, 0)) // for what says goodbye on its own, as TLS does
	_ = c.socket.Conn.Close()
}

// drain makes Read return io.EOF, now and from now on.
func (c *conn) drain() {
	c.drainOnce.Do(func() { close(c.draining) })
}

func (c *conn) isDraining() bool {
	select {
	case <-c.draining:
		return true
	default:
		return false
	}
}

// abort cancels what is running, and ends the connection.
func (c *conn) abort() { c.cancel(mcp.ErrConnectionClosed) }

// fail notes why the connection ends, and what the client is told. The first
// reason counts.
func (c *conn) fail(err error, status websocket.StatusCode, reason string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err == nil {
		c.err, c.status, c.reason = err, status, reason
	}
}

// failure is why the connection has ended, nil while it has not.
func (c *conn) failure() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// wasClosedByClient reports whether the client has ended the connection in an
// orderly way.
func (c *conn) wasClosedByClient() bool {
	switch websocket.CloseStatus(c.failure()) {
	case websocket.StatusNormalClosure, websocket.StatusGoingAway, websocket.StatusNoStatusRcvd:
		return true
	}
	return false
}
