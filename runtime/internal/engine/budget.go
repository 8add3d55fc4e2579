package engine

import (
	"github.com/mcpgen/mcpgen/runtime/internal/membudget"
	"github.com/mcpgen/mcpgen/runtime/internal/transport"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// This file has what is charged to the budget of a server (mcp.Limits.Memory) besides buffers,
// and the errors if there is no room. The budget has a lock of its own.

// Costs in bytes, of each of these with everything that belongs to it and is not counted by
// itself, such as goroutines, tables, and buffers of up to [membudget.Free] bytes.
const (
	connectionCost = 32 << 10 // with client info and capabilities
	CallCost       = 16 << 10
	listenCost     = 4 << 10 // parked, without a goroutine
)

const (
	// smallReply is the size up to which the charge for a call includes its reply.
	smallReply = 8 << 10
	// LargeReplies is how many replies may exceed the budget at the same time.
	LargeReplies = 4
)

// ErrOverloaded is the error for what has no room in the memory of the server.
var ErrOverloaded = &jsonrpc.Error{
	Code: jsonrpc.CodeInternal, Message: "overloaded: the memory limit of the server is reached; try again later",
	Data: []byte(`{"reason":"overloaded"}`),
}

var errTooManyCalls = &jsonrpc.Error{
	Code: jsonrpc.CodeInternal, Message: "overloaded: the limit of running calls is reached; try again later",
	Data: []byte(`{"reason":"overloaded"}`),
}

// isOverload reports whether an error means that there is no room for a request.
func isOverload(err *jsonrpc.Error) bool { return err == ErrOverloaded || err == errTooManyCalls }

// overload replies to a request for which there is no room, if the transport has a reply of its
// own for that, such as a status code. It reports false if not, or if the error is another one.
func overload(out Sink, id jsonrpc.ID, err *jsonrpc.Error) bool {
	o, ok := out.(transport.Overloader)
	if !ok || !isOverload(err) {
		return false
	}
	o.Overload(jsonrpc.AppendError(nil, id, err), err.Code)
	return true
}

// charged is a connection that charges what it reads to a budget. Nil ends that.
type charged interface {
	Charge(b *membudget.Budget)
}

// Charge charges the connection for something that its session keeps. It reports false if
// there is no room, or the connection is closing.
func (c *Conn) Charge(size int) bool {
	if c.OneMessage {
		return true
	}
	if !c.Settings.Memory.Take(size) {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closing {
		c.Settings.Memory.Release(size)
		return false
	}
	c.charged += size
	return true
}

// Uncharge undoes charge, unless the end of the connection has.
func (c *Conn) Uncharge(size int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.charged >= size {
		c.charged -= size
		c.Settings.Memory.Release(size)
	}
}
