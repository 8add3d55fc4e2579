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

// lingerTime is how long a connection that the server ends is kept for the client
// to read the last replies.
const lingerTime = 500 * time.Millisecond

// past is a deadline that is over.
var past = time.Unix(1, 0)

// NewConn frames a connection as lines, as jsonrpc.NewLineConn does. A message has
// at most limit bytes (0: jsonrpc.DefaultLimit); a longer one is a
// *jsonrpc.FrameError, and reading goes on behind it. If what the other side sends
// begins like an HTTP request or like TLS, Read returns an error before it returns
// any message.
//
// Closing interrupts reads and writes. The connection also has a method
// CloseWrite() error, which ends the direction in which this side writes, where c
// can do that.
func NewConn(c net.Conn, limit int) jsonrpc.Conn {
	return newConn(c, limit)
}

// conn is one connection.
type conn struct {
	jsonrpc.Conn // the framing
	net          net.Conn

	writing atomic.Bool
	spoken  bool // a message has come; for whoever reads

	mu       sync.Mutex
	draining bool          // nothing is read any more
	first    time.Duration // until the first message; 0 where that has come, or may take for ever
	closing  sync.Once
	closed   error
}

func newConn(c net.Conn, limit int) *conn {
	conn := &conn{net: c}
	// Neither side of the framing can close: that is done here, once.
	conn.Conn = jsonrpc.NewLineConn(&input{conn: conn}, struct{ io.Writer }{c}, limit)
	return conn
}

var errDrained = errors.New("connection is drained")

func (c *conn) Read() ([]byte, error) {
	message, err := c.Conn.Read()
	switch {
	case err == nil && !c.spoken:
		c.spoken = true
		c.awaited()
	case err == errDrained:
		return nil, io.EOF
	}
	return message, err
}

// await ends the time for what comes before the first message, and begins that of the
// message itself.
func (c *conn) await(first time.Duration) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.draining {
		return errDrained
	}
	c.first = first
	if err := c.net.SetDeadline(time.Time{}); err != nil {
		return err
	}
	return c.net.SetReadDeadline(time.Now().Add(first))
}

// awaited ends the time for the first message.
func (c *conn) awaited() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.first > 0 && !c.draining {
		c.first = 0
		_ = c.net.SetReadDeadline(time.Time{})
	}
}

// late returns the error in the place of that of a deadline.
func (c *conn) late() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.draining:
		return errDrained
	case c.first > 0:
		return fmt.Errorf("no message has come within %v", c.first)
	}
	return os.ErrDeadlineExceeded
}

func (c *conn) Write(batch []byte) error {
	c.writing.Store(true)
	defer c.writing.Store(false)
	return c.Conn.Write(batch)
}

// Buffered reports whether the next Read does not wait.
func (c *conn) Buffered() bool {
	return c.Conn.(interface{ Buffered() bool }).Buffered()
}

// Charge has what is read charged to a budget.
func (c *conn) Charge(b *membudget.Budget) {
	c.Conn.(interface{ Charge(*membudget.Budget) }).Charge(b)
}

// CloseWrite tells the other side that nothing more will come.
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
			// Some connections want to say goodbye when they are closed, behind
			// what is stuck.
			_ = c.net.SetDeadline(past)
		case c.isDraining():
			c.linger()
		}
		c.closed = c.net.Close()
	})
	return c.closed
}

// linger lets the client read what has been written: closing a TCP connection
// with unread input throws away what is still on its way.
func (c *conn) linger() {
	if c.CloseWrite() != nil {
		return
	}
	if c.net.SetDeadline(time.Now().Add(lingerTime)) == nil {
		_, _ = io.Copy(io.Discard, c.net)
	}
}

// drain makes Read return io.EOF, now and from now on. Writing is not touched.
func (c *conn) drain() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.draining = true
	_ = c.net.SetReadDeadline(past)
}

func (c *conn) isDraining() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.draining
}

// allow sets the time until which reading and writing may take, unless nothing is
// to be read any more. The zero time means for ever.
func (c *conn) allow(until time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.draining {
		return errDrained
	}
	return c.net.SetDeadline(until)
}

// input is what the other side sends.
type input struct {
	conn *conn
	opening
}

func (in *input) Read(p []byte) (int, error) {
	n, err := in.conn.net.Read(p)
	if err != nil && errors.Is(err, os.ErrDeadlineExceeded) {
		err = in.conn.late()
	}
	if !in.known {
		if wrong := in.look(p[:n]); wrong != nil {
			return 0, wrong
		}
	}
	return n, err
}
