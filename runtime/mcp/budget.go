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

// overloaded answers a message for which a connection had no room.
func (c *conn) overloaded(e *jsonrpc.FrameError, out sink) {
	switch e.Kind {
	case jsonrpc.Notification:
	case jsonrpc.Response:
		c.answered(e.ID, clientAnswer{err: e})
	default:
		c.refuse(&jsonrpc.Message{ID: e.ID}, errOverloaded, out)
	}
}

// noRoom handles a message for which there is no room, without a copy: a request is refused,
// and any other message needs none. It owns the buffers, which are empty.
func (c *conn) noRoom(b *buffers, data []byte, from *caller, out sink, inBatch bool) {
	err := c.server.parser.Parse(data, &b.msg)
	if err == nil && (b.msg.Kind == jsonrpc.Request || b.msg.Kind == jsonrpc.Batch) {
		err = errOverloaded
	}
	c.take(b, err, from, out, inBatch)
}

// keep charges what a session keeps until it ends. It reports false if there is no room,
// or the session has ended.
func (c *conn) keep(size int) bool {
	if c.number == 0 {
		return true // of a single request, whose charge is enough
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
	c.kept += size
	return true
}

// letGo undoes keep, unless the end of the session has.
func (c *conn) letGo(size int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.kept >= size {
		c.kept -= size
		c.server.memory.Release(size)
	}
}

// kept is what an exchange keeps besides its buffers, and is not of a fixed size.
func (x *exchange) kept() int {
	size := len(x.call.meta)
	if x.revision.PerRequest {
		size += x.call.client.size()
	}
	return size
}

// reduce gives back what is charged for the call beyond that.
func (x *exchange) reduce(to int) {
	if x.cost > to {
		x.conn.server.memory.Release(x.cost - to)
		x.cost = to
	}
}

// size is what is counted of the buffers, by their capacities.
func (b *buffers) size() int {
	size := 0
	for _, capacity := range [...]int{cap(b.data), cap(b.out), cap(b.encoder.Bytes())} {
		if capacity > membudget.Free {
			size += capacity
		}
	}
	return size
}

// afford waits until there is room for a reply of about that size: in the budget or,
// where that has none, in one of the places for replies that go beyond it. It holds
// nothing while it waits for the client. It reports false if there is no room within
// [Limits.WriteTime], or the request has ended.
func (x *exchange) afford(size int) bool {
	s := x.conn.server
	account := &x.buffers.account
	held := x.buffers.size()
	if x.beyond { // since it was encoded; who has a place must not wait for a turn
		account.Set(held + size)
		return true
	}
	if !x.waitTurn(size) {
		return false
	}
	for {
		x.sink.Wait()
		if !account.Take(held + size) {
			if !s.memory.Enter(x.ctx.Done(), s.limits.WriteTime) {
				return false
			}
			x.beyond = true
			account.Set(held + size)
		}
		if !x.sink.Full() {
			return true
		}
		account.Set(held)
		x.settle()
	}
}

// waitTurn has large replies for one channel made one after the other. If all handlers
// went at once that have seen that there is room, they would fill the budget for a
// client that does not read. It reports false if the request has ended.
func (x *exchange) waitTurn(size int) bool {
	if x.conn.large == nil || size <= keptBuffer || x.turn {
		return true
	}
	select {
	case x.conn.large <- struct{}{}:
		x.turn = true
		return true
	default:
	}
	select {
	case x.conn.large <- struct{}{}:
		x.turn = true
		return true
	case <-x.ctx.Done():
		return false
	}
}

// endTurn lets the next large reply be made.
func (x *exchange) endTurn() {
	if x.turn {
		x.turn = false
		<-x.conn.large
	}
}

// drop lets go what was encoded for a reply that is a small one after all.
func (x *exchange) drop() {
	if x.beyond {
		x.buffers.encoder.Reset()
		x.settle()
	}
}

// settle gives back the place of a reply that has gone beyond the budget.
func (x *exchange) settle() {
	if x.beyond {
		x.beyond = false
		x.conn.server.memory.Leave()
	}
}

// weight is about how long a reply is as it is sent.
func weight(reply Reply) int {
	switch reply := reply.(type) {
	case *ToolResult:
		size := len(reply.Structured)
		if len(reply.Content) == 0 {
			size += 3 * len(reply.Structured) / 2 // once more, as a text with its quotes escaped
		}
		for _, c := range reply.Content {
			size += contentWeight(c)
		}
		return size
	case *ResourceResult:
		size := 0
		for i := range reply.Contents {
			size += textWeight(len(reply.Contents[i].Text)) + blobWeight(len(reply.Contents[i].Blob))
		}
		return size
	case *PromptResult:
		size := 0
		for i := range reply.Messages {
			size += contentWeight(reply.Messages[i].Content)
		}
		return size
	case *RawReply:
		return len(reply.JSON)
	}
	return 0
}

func contentWeight(c Content) int {
	switch c := c.(type) {
	case Text:
		return textWeight(len(c.Text))
	case jsonText:
		return 3 * len(c.value) / 2
	case Image:
		return blobWeight(len(c.Data))
	case Audio:
		return blobWeight(len(c.Data))
	case EmbeddedResource:
		return textWeight(len(c.Text)) + blobWeight(len(c.Blob))
	}
	return 0
}

func textWeight(n int) int { return 9 * n / 8 }
func blobWeight(n int) int { return 4 * n / 3 }
