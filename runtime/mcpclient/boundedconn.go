package mcpclient

import (
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/dial"
	"github.com/mcpgen/mcpgen/runtime/internal/discarded"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// boundedConn limits the size of messages and the time of Close, even if the connection inside does
// not. [outgoing] limits the time of writes.
type boundedConn struct {
	jsonrpc.Conn
	limits dial.Limits
	end    func() error // closes the connection

	closing sync.Once
	closed  chan struct{} // closed when end has returned
	err     error         // returned by end
}

func newBoundedConn(c jsonrpc.Conn, l dial.Limits, end func() error) *boundedConn {
	if identifies, ok := c.(interface{ Identify() }); ok {
		identifies.Identify()
	}
	return &boundedConn{Conn: c, limits: l, end: end, closed: make(chan struct{})}
}

// Read returns the next message, or a *jsonrpc.FrameError for a message that is too long.
func (b *boundedConn) Read() ([]byte, error) {
	message, err := b.Conn.Read()
	if err == nil && len(message) > b.limits.MessageBytes {
		var m discarded.Message
		m.Write(message)
		long := &jsonrpc.FrameError{Limit: b.limits.MessageBytes, Kind: jsonrpc.MessageKind(m.Kind())}
		long.ID, _ = jsonrpc.RawID(m.ID())
		return nil, long
	}
	return message, err
}

// Close closes the connection. It returns after CloseTime at the latest.
func (b *boundedConn) Close() error {
	b.closing.Do(func() {
		go func() {
			defer close(b.closed)
			b.err = b.end()
		}()
	})
	timer := time.NewTimer(b.limits.CloseTime)
	defer timer.Stop()
	select {
	case <-b.closed:
		return b.err
	case <-timer.C:
		return nil
	}
}
