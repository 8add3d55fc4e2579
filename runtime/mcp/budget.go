package mcp

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
	callCost       = 16 << 10
	listenCost     = 4 << 10 // parked, without a goroutine
)

const (
	// smallReply is the size up to which the charge for a call includes its reply.
	smallReply = 8 << 10
	// largeReplies is how many replies may exceed the budget at the same time.
	largeReplies = 4
)

var errOverloaded = &jsonrpc.Error{
	Code: jsonrpc.CodeInternal, Message: "overloaded: the memory limit of the server is reached; try again later",
	Data: []byte(`{"reason":"overloaded"}`),
}

var errTooManyCalls = &jsonrpc.Error{
	Code: jsonrpc.CodeInternal, Message: "overloaded: the limit of running calls is reached; try again later",
	Data: []byte(`{"reason":"overloaded"}`),
}

// isOverload reports whether an error means that there is no room for a request.
func isOverload(err *jsonrpc.Error) bool { return err == errOverloaded || err == errTooManyCalls }

// overload replies to a request for which there is no room, if the transport has a reply of its
// own for that, such as a status code. It reports false if not, or if the error is another one.
func overload(out sink, id jsonrpc.ID, err *jsonrpc.Error) bool {
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

// charge charges the connection for something that its session keeps. It reports false if
// there is no room, or the connection is closing.
func (c *engineConn) charge(size int) bool {
	if c.oneMessage {
		return true
	}
	if !c.settings.memory.Take(size) {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closing {
		c.settings.memory.Release(size)
		return false
	}
	c.charged += size
	return true
}

// uncharge undoes charge, unless the end of the connection has.
func (c *engineConn) uncharge(size int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.charged >= size {
		c.charged -= size
		c.settings.memory.Release(size)
	}
}
