package engine

import (
	"github.com/mcpgen/mcpgen/runtime/internal/membudget"
	"github.com/mcpgen/mcpgen/runtime/internal/transport"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// This file charges the budget of a server (mcp.Limits.Memory) for everything except buffers, and
// defines the errors for an exhausted budget. The budget has a lock of its own.

// Costs in bytes. Each includes everything that belongs to the item and is not counted by itself,
// such as goroutines, tables, and buffers of up to [membudget.Free] bytes.
const (
	connectionCost = 32 << 10 // with client info and capabilities
	CallCost       = 16 << 10
	listenCost     = 4 << 10 // parked, without a goroutine
)

const (
	// smallReply is the size up to which the charge for a call includes its reply.
	smallReply = 8 << 10
	// LargeReplies limits the replies that exceed the budget at the same time.
	LargeReplies = 4
)

// ErrOverloaded is the error for a request that the memory budget of the server does not allow.
var ErrOverloaded = &jsonrpc.Error{
	Code: jsonrpc.CodeInternal, Message: "overloaded: the memory limit of the server is reached; try again later",
	Data: []byte(`{"reason":"overloaded"}`),
}

var errTooManyCalls = &jsonrpc.Error{
	Code: jsonrpc.CodeInternal, Message: "overloaded: the limit of running calls is reached; try again later",
	Data: []byte(`{"reason":"overloaded"}`),
}

// isOverload reports whether an error means that the server has no capacity for a request.
func isOverload(err *jsonrpc.Error) bool { return err == ErrOverloaded || err == errTooManyCalls }

// overload replies to a request that the server has no capacity for, if the transport has a special
// reply for that case, such as a status code. It returns false if the transport does not, or if err
// is another error.
func overload(out Sink, id jsonrpc.ID, err *jsonrpc.Error) bool {
	o, ok := out.(transport.Overloader)
	if !ok || !isOverload(err) {
		return false
	}
	o.Overload(jsonrpc.AppendError(nil, id, err), err.Code)
	return true
}

// charged is a connection that charges its incoming messages to a budget. Charge(nil) releases the
// charge.
type charged interface {
	Charge(b *membudget.Budget)
}

// Charge charges the connection for data that its session keeps. It returns false if the budget is
// exhausted, or the connection is closing.
func (c *Conn) Charge(size int) bool {
	if c.OneMessage {
		return true
	}
	if !c.Settings.Memory.Take(size) {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closing.Load() {
		c.Settings.Memory.Release(size)
		return false
	}
	c.charged += size
	return true
}

// Uncharge releases a charge of Charge, unless closing the connection has released it.
func (c *Conn) Uncharge(size int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.charged >= size {
		c.charged -= size
		c.Settings.Memory.Release(size)
	}
}
