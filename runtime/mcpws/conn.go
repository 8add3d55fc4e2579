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

	"github.com/mcpgen/mcpgen/runtime/internal/membudget"
	"github.com/mcpgen/mcpgen/runtime/mcp"
)

const (
	// closeTime limits the wait for the answer to a close frame.
	closeTime = time.Second
	// writeGrace is the time for which Close waits for a write in progress, which is usually short.
	writeGrace = 100 * time.Millisecond
	// maxIgnored limits the messages that the other side may send before it answers a close frame.
	maxIgnored = 1000
	// searchedLimits is the length, in multiples of the limit, up to which a client searches a
	// message that is too long for its id.
	searchedLimits = 8
)

var errLost = errors.New("connection ended without a close frame")

// conn is a WebSocket as a jsonrpc.Conn.
//
// A separate goroutine, the pump, reads the frames instead of Read. So pings and the end of the
// connection are noticed at any time, and Read can return while the connection stays open.
type conn struct {
	side
	limit  int // maximum bytes of a message
	cancel context.CancelCauseFunc
	ws     *websocket.Conn
	socket *socket

	messages chan frame
	current  frame // returned by Read; the text in each frame is from the buffer pool
	memory   *membudget.Budget
	pumped   chan struct{}
	ignored  int // messages that the pump has discarded

	firstMessage *time.Timer   // closes the connection if no message arrives
	writeLock    chan struct{} // has room for one writer
	pinger       pinger

	draining   chan struct{} // closed when Read must return io.EOF
	closed     chan struct{} // closed when Close begins
	discarding chan struct{} // closed when further messages are discarded

	drainOnce, endOnce sync.Once

	mu  sync.Mutex
	err error // the first reason for the end of the connection; also guards status and reason of side
}

// side contains the differences between the two ends of a connection.
type side struct {
	other     string // the name of the other side in errors: "client", "server"
	masks     bool   // frames are masked (RFC 6455, section 5.3), and messages that are too long are identified
	closeTime time.Duration
	status    websocket.StatusCode // of the close frame, unless there is another reason
	reason    string
}

// serverSide is the side of a server.
var serverSide = side{
	other: "client", closeTime: closeTime, status: websocket.StatusGoingAway, reason: "the server ends the connection",
}

// clientSide is the side of a client.
func clientSide(within time.Duration) side {
	return side{other: "server", masks: true, closeTime: min(closeTime, within), status: websocket.StatusNormalClosure}
}

func newConn(s side, limit int, memory *membudget.Budget, cancel context.CancelCauseFunc) *conn {
	c := &conn{
		side: s, limit: limit, memory: memory, cancel: cancel,
		messages: make(chan frame, 1), pumped: make(chan struct{}),
		writeLock: make(chan struct{}, 1), draining: make(chan struct{}), closed: make(chan struct{}), discarding: make(chan struct{}),
	}
	c.pinger.conn = c
	return c
}

// open starts the pump and the pings. If first is not 0, it is the time for the first message.
func (c *conn) open(ws *websocket.Conn, s *socket, ping, first time.Duration) {
	ws.SetReadLimit(-1) // receive applies the limit
	c.ws, c.socket = ws, s
	if first > 0 {
		c.firstMessage = time.AfterFunc(first, func() {
			c.setCause(fmt.Errorf("no message has come within %v", first), websocket.StatusPolicyViolation, "")
			c.closeNow()
		})
	}
	go c.pump()
	c.pinger.start(ping)
}

func (c *conn) Read() ([]byte, error) {
	c.current.release()
	select {
	case <-c.draining:
		return nil, io.EOF
	default:
	}
	select {
	case f, ok := <-c.messages:
		if !ok {
			return nil, cmp.Or(c.cause(), net.ErrClosed)
		}
		c.current = f
		return f.text, f.err
	case <-c.draining:
		return nil, io.EOF
	}
}

// Transport is the name of the transport.
func (c *conn) Transport() string { return "websocket" }

// Buffered reports whether the next Read returns without waiting.
func (c *conn) Buffered() bool { return len(c.messages) > 0 }

// Charge returns the storage of the last message when b is nil: the reader of the connection calls
// it at its end. Messages charge the server's budget from the start.
func (c *conn) Charge(b *membudget.Budget) {
	if b == nil {
		c.current.release()
	}
}

// release returns the storage of messages that will not be read. The pump has returned. The last
// message that was read belongs to the reader, which may still handle it: mcp.Server.Serve does not
// wait long for it.
func (c *conn) release() {
	for f := range c.messages {
		f.release()
	}
}

func (c *conn) Write(batch []byte) error {
	select {
	case c.writeLock <- struct{}{}:
	case <-c.closed:
		return net.ErrClosed
	}
	defer func() { <-c.writeLock }()
	c.socket.cork()
	var err error
	for len(batch) > 0 && err == nil {
		var text []byte
		text, batch, _ = bytes.Cut(batch, []byte{'\n'})
		err = c.ws.Write(context.Background(), websocket.MessageText, text)
	}
	if failed := c.socket.uncork(); err == nil {
		err = failed
	}
	return err
}

// Close sends a close frame, if the other side reads, and closes the connection.
func (c *conn) Close() error {
	c.endOnce.Do(func() {
		close(c.closed)
		c.pinger.stop()
		waiting := time.NewTimer(writeGrace)
		defer waiting.Stop()
		select {
		case c.writeLock <- struct{}{}:
			close(c.discarding)
			cut := time.AfterFunc(c.closeTime, c.cut)
			defer cut.Stop()
			c.mu.Lock()
			status, reason := c.status, c.reason
			c.mu.Unlock()
			_ = c.ws.Close(status, reason)
		case <-waiting.C:
			c.discard()
		}
	})
	return nil
}

// closeNow closes the connection without a close frame.
func (c *conn) closeNow() {
	c.endOnce.Do(func() {
		close(c.closed)
		c.pinger.stop()
		c.discard()
	})
}

func (c *conn) discard() {
	c.cut()
	close(c.discarding)
	_ = c.ws.CloseNow()
}

// cut closes the connection without a close frame and without waiting.
func (c *conn) cut() {
	_ = c.socket.SetDeadline(time.Unix(1, 0)) // TLS would send an alert on Close
	_ = c.socket.Conn.Close()
}

// drain makes Read return io.EOF, now and later. Writing remains possible.
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

// abort cancels running calls and ends the connection.
func (c *conn) abort() { c.cancel(mcp.ErrConnectionClosed) }

// setCause records the reason for the end of the connection, and the close status for the other
// side. Only the first call counts.
func (c *conn) setCause(err error, status websocket.StatusCode, reason string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err == nil {
		c.err, c.status, c.reason = err, status, reason
	}
}

// cause returns why the connection was closed, or nil if it is open.
func (c *conn) cause() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// wasClosedByClient reports whether the client has closed the connection with a close frame.
func (c *conn) wasClosedByClient() bool {
	switch websocket.CloseStatus(c.cause()) {
	case websocket.StatusNormalClosure, websocket.StatusGoingAway, websocket.StatusNoStatusRcvd:
		return true
	}
	return false
}
