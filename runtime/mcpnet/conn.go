package mcpnet

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/membudget"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// lingerTime is the time for which a connection that the server closes stays open, so that the
// client can read the last replies.
const lingerTime = 500 * time.Millisecond

// expired is a deadline in the past.
var expired = time.Unix(1, 0)

// NewConn frames a connection as lines, like jsonrpc.NewLineConn. A message has at most limit bytes
// (0: jsonrpc.DefaultLimit). For a longer one Read returns a *jsonrpc.FrameError, and the next Read
// returns the next message. If the input begins like an HTTP request or like TLS, Read returns an
// error before any message.
//
// Close interrupts reads and writes. The connection also has a method CloseWrite() error, which
// closes the write side if c supports that; a method Transport() string, which returns the network
// of its address, for mcp.Call; and a method Identify() for clients, which makes errors about
// messages that are too long, or cut by the end of the connection, contain the id.
func NewConn(c net.Conn, limit int) jsonrpc.Conn {
	return newConn(c, limit)
}

// conn is one connection.
type conn struct {
	jsonrpc.Conn // the framing
	net          net.Conn

	writing atomic.Bool
	started bool // a message has been read; used by Read alone

	mu               sync.Mutex
	draining         bool          // reading is over
	firstMessageTime time.Duration // 0 if the first message has arrived, or there is no deadline
	closing          sync.Once
	closeErr         error
}

// Identify is called for connections of clients.
func (c *conn) Identify() { c.Conn.(lineConn).Identify() }

func newConn(c net.Conn, limit int) *conn {
	conn := &conn{net: c}
	// The framing gets neither side as an io.Closer: Close closes the connection once.
	conn.Conn = jsonrpc.NewLineConn(&input{conn: conn}, struct{ io.Writer }{c}, limit)
	return conn
}

var errDrained = errors.New("connection is drained")

func (c *conn) Read() ([]byte, error) {
	message, err := c.Conn.Read()
	switch {
	case err == nil && !c.started:
		c.started = true
		c.stopFirstMessageTime()
	case err == errDrained:
		return nil, io.EOF
	}
	return message, err
}

// startFirstMessageTime replaces the deadline of the handshake by the deadline of the first
// message.
func (c *conn) startFirstMessageTime(first time.Duration) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.draining {
		return errDrained
	}
	c.firstMessageTime = first
	if err := c.net.SetDeadline(time.Time{}); err != nil {
		return err
	}
	return c.net.SetReadDeadline(time.Now().Add(first))
}

// stopFirstMessageTime clears the deadline of the first message.
func (c *conn) stopFirstMessageTime() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.firstMessageTime > 0 && !c.draining {
		c.firstMessageTime = 0
		_ = c.net.SetReadDeadline(time.Time{})
	}
}

// timeoutError returns the error for an expired deadline.
func (c *conn) timeoutError() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.draining:
		return errDrained
	case c.firstMessageTime > 0:
		return fmt.Errorf("no message has come within %v", c.firstMessageTime)
	}
	return os.ErrDeadlineExceeded
}

func (c *conn) Write(batch []byte) error {
	c.writing.Store(true)
	defer c.writing.Store(false)
	return c.Conn.Write(batch)
}

// Transport is the name of the transport: the network of the socket.
func (c *conn) Transport() string { return networkOf(c.net.LocalAddr()) }

// Buffered reports whether the next Read returns without waiting.
func (c *conn) Buffered() bool {
	return c.Conn.(interface{ Buffered() bool }).Buffered()
}

// Charge charges input to a budget.
func (c *conn) Charge(b *membudget.Budget) {
	c.Conn.(interface{ Charge(*membudget.Budget) }).Charge(b)
}

// CloseWrite closes the write side, so that the other side reads io.EOF.
func (c *conn) CloseWrite() error {
	half, ok := c.net.(interface{ CloseWrite() error })
	if !ok {
		return errors.ErrUnsupported
	}
	return half.CloseWrite()
}

func (c *conn) Close() error {
	c.closing.Do(func() {
		switch {
		case c.writing.Load():
			// Some connections, such as TLS, write when they are closed, and would wait for the
			// write in progress.
			_ = c.net.SetDeadline(expired)
		case c.isDraining():
			c.linger()
		}
		c.closeErr = c.net.Close()
	})
	return c.closeErr
}

// linger waits until the client has read the output: closing a TCP connection with unread input
// discards data in transit.
func (c *conn) linger() {
	if c.CloseWrite() != nil {
		return
	}
	if c.net.SetDeadline(time.Now().Add(lingerTime)) == nil {
		_, _ = io.Copy(io.Discard, c.net)
	}
}

// drain makes Read return io.EOF, now and later. Writing remains possible.
func (c *conn) drain() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.draining = true
	_ = c.net.SetReadDeadline(expired)
}

func (c *conn) isDraining() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.draining
}

// setDeadline sets the deadline of reads and writes, unless reading is over. The zero time means no
// deadline.
func (c *conn) setDeadline(until time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.draining {
		return errDrained
	}
	return c.net.SetDeadline(until)
}

// input is the read side of a connection.
type input struct {
	conn *conn
	sniffer
}

func (in *input) Read(p []byte) (int, error) {
	n, err := in.conn.net.Read(p)
	if err != nil && errors.Is(err, os.ErrDeadlineExceeded) {
		err = in.conn.timeoutError()
	}
	if !in.ruledOut {
		if wrong := in.check(p[:n]); wrong != nil {
			return 0, wrong
		}
	}
	return n, err
}
