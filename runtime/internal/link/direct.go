package link

import (
	"github.com/mcpgen/mcpgen/runtime/internal/membudget"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// Direct is a connection on which a request that comes alone is answered by the
// goroutine that has read it, as long as that does not take long. It suits streams of
// real clients: where time is made up, as in tests, it would be seen to pass.
type Direct struct {
	jsonrpc.Conn
	// Buffered reports whether a whole message has been read already.
	Buffered func() bool
}

// Charge has what is read charged to a budget, where the connection below can.
func (d *Direct) Charge(b *membudget.Budget) {
	if c, ok := d.Conn.(interface{ Charge(*membudget.Budget) }); ok {
		c.Charge(b)
	}
}

// NewDirect returns such a connection, where it is known what has been read.
func NewDirect(conn jsonrpc.Conn) jsonrpc.Conn {
	if b, ok := conn.(interface{ Buffered() bool }); ok {
		return &Direct{Conn: conn, Buffered: b.Buffered}
	}
	return conn
}
