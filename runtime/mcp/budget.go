package mcp

import (
	"github.com/mcpgen/mcpgen/runtime/internal/membudget"
	"github.com/mcpgen/mcpgen/runtime/internal/transport"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// What is charged to the budget of a server ([Limits.Memory]) besides buffers, in
// bytes: about what each of these takes with everything that belongs to it and is not
// counted by itself, such as goroutines, tables, and buffers of up to
// [membudget.Free] bytes.
const (
	connectionCost = 32 << 10 // with what is known of the client
	callCost       = 16 << 10
	listenCost     = 4 << 10 // where no goroutine waits for its end
)

const (
	// smallReply is the size up to which the charge for a call is also one for its
	// reply.
	smallReply = 8 << 10
	// largeReplies is how many replies may be larger than what is left of the budget
	// at the same time.
	largeReplies = 4
)

var errOverloaded = &jsonrpc.Error{
	Code: jsonrpc.CodeInternal, Message: "overloaded: the server holds as much for its clients as it may; try again later",
	Data: []byte(`{"reason":"overloaded"}`),
}

var errTooManyCalls = &jsonrpc.Error{
	Code: jsonrpc.CodeInternal, Message: "overloaded: as many calls are running as may; try again later",
	Data: []byte(`{"reason":"overloaded"}`),
}

// isOverload reports whether an error says that the server has no room for a request.
func isOverload(err *jsonrpc.Error) bool { return err == errOverloaded || err == errTooManyCalls }

// overload answers a request for which there is no room, where the transport has a way
// of its own to say so. It reports false where it has not, or the error is another one.
func overload(out sink, id jsonrpc.ID, err *jsonrpc.Error) bool {
	o, ok := out.(transport.Overloader)
	if !ok || !isOverload(err) {
		return false
	}
	o.Overload(jsonrpc.AppendError(nil, id, err), err.Code)
	return true
}

// charged is a connection that has what it reads charged to a budget. Nil ends that.
type charged interface {
	Charge(b *membudget.Budget)
}

// keep charges what a session keeps until it ends. It reports false if there is no room,
// or the session has ended.
func (c *conn) charge(size int) bool {
	if c.oneMessage {
		return true
	}
	if !c.server.memory.Take(size) {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closing {
		c.server.memory.Release(size)
		return false
	}
	c.charged += size
	return true
}

// letGo undoes keep, unless the end of the session has.
func (c *conn) uncharge(size int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.charged >= size {
		c.charged -= size
		c.server.memory.Release(size)
	}
}
