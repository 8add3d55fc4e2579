package mcp

import (
	"context"
	"math"

	"github.com/mcpgen/mcpgen/runtime/internal/bufpool"
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
	if c.once {
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
	if more := int(x.cost.Load()) - to; more > 0 {
		x.cost.Add(int64(-more))
		x.conn.server.memory.Release(more)
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

// claim waits until there is room for so many bytes more than the buffers have, of a
// reply: in the budget or, where that has none or a place is wanted, in one of the places
// for replies that go beyond it. It does not have a place while it waits for the client.
// Without a place to be had it fails: after [Limits.WriteTime] or, where the place is
// wanted, when the request ends.
func (x *exchange) claim(size int, place bool) error {
	s, account, held := x.conn.server, &x.buffers.account, x.buffers.size()
	if x.beyond { // who has a place must not wait for a turn
		account.Set(held + size)
		return nil
	}
	if err := x.waitTurn(size); err != nil {
		return err
	}
	within := s.limits.WriteTime
	if place {
		within = s.limits.CallTime + s.limits.GraceTime // the request ends first
	}
	for {
		x.sink.Wait()
		if place || !account.Take(held+size) {
			x.sink.Flush() // lets the next one pass that waits for the client
			if !s.memory.Enter(x.ctx.Done(), within) {
				return x.noPlace()
			}
			x.beyond = true
			account.Set(held + size)
		}
		if !x.sink.Full() {
			return nil
		}
		account.Set(held)
		x.settle()
	}
}

// noPlace is why a reply has found no place.
func (x *exchange) noPlace() error {
	if x.ctx.Err() != nil {
		return context.Cause(&x.ctx)
	}
	return protocolError(errOverloaded)
}

// afford is claim for a reply of about that size.
func (x *exchange) afford(size int) bool {
	if size > keptBuffer {
		size = bufpool.Size(size)
	}
	return x.claim(size, false) == nil
}

// turns bound how many replies are made at the same time for one channel. If all handlers
// went at once that have seen that there is room, they would fill the budget for a client
// that does not read.
type turns struct {
	medium chan struct{} // for replies of more than smallReply
	large  chan struct{} // for those of more than keptBuffer, besides
}

// mediumReplies is how many replies larger than smallReply are made at the same time for
// one channel.
const mediumReplies = 16

func newTurns() *turns {
	return &turns{medium: make(chan struct{}, mediumReplies), large: make(chan struct{}, 1)}
}

// waitTurn waits for the turn of a reply of that size. What waits for the turn of a large
// one has that of a medium one already, and nobody waits the other way round. It fails
// when the request has ended.
func (x *exchange) waitTurn(size int) error {
	t := x.conn.turns
	if t == nil {
		return nil
	}
	if err := x.take(t.medium, size > smallReply, &x.medium); err != nil {
		return err
	}
	return x.take(t.large, size > keptBuffer, &x.large)
}

func (x *exchange) take(turn chan struct{}, needed bool, has *bool) error {
	if !needed || *has {
		return nil
	}
	select {
	case turn <- struct{}{}:
	default:
		select {
		case turn <- struct{}{}:
		case <-x.ctx.Done():
			return context.Cause(&x.ctx)
		}
	}
	*has = true
	return nil
}

// endTurn lets the next replies be made.
func (x *exchange) endTurn() {
	if x.large {
		x.large = false
		<-x.conn.turns.large
	}
	if x.medium {
		x.medium = false
		<-x.conn.turns.medium
	}
}

// hold charges what the exchange has besides its buffers, until it ends. It reports false
// if there is no room.
func (x *exchange) hold(size int) bool {
	if size <= membudget.Free {
		return true
	}
	if !x.conn.server.memory.Take(size) {
		return false
	}
	x.adopt(size)
	return true
}

// adopt is hold for what is charged already.
func (x *exchange) adopt(size int) {
	if size > 0 && x.cost.Add(int64(size)) < 0 {
		x.conn.server.memory.Release(size) // the exchange has ended
	}
}

// uncharge gives back what is charged for the exchange, which has ended.
func (x *exchange) uncharge() {
	x.conn.server.memory.Release(int(x.cost.Swap(math.MinInt64 / 2)))
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
	size := 0
	switch reply := reply.(type) {
	case *ToolResult:
		size = len(reply.Structured) + metaWeight(reply.Meta)
		if len(reply.Content) == 0 {
			size += 3 * len(reply.Structured) / 2 // once more, as a text with its quotes escaped
		}
		for _, c := range reply.Content {
			size += contentWeight(c)
		}
	case *ResourceResult:
		size = metaWeight(reply.Meta)
		for i := range reply.Contents {
			size += textWeight(len(reply.Contents[i].Text)) + blobWeight(len(reply.Contents[i].Blob)) + metaWeight(reply.Contents[i].Meta)
		}
	case *PromptResult:
		size = metaWeight(reply.Meta)
		for i := range reply.Messages {
			size += contentWeight(reply.Messages[i].Content)
		}
	case *RawReply:
		size = len(reply.JSON)
	case *extensionResult:
		size = len(reply.object)
	case *InputRequired:
		size = len(reply.sealed)
		for i := range reply.open {
			size += len(reply.open[i].params)
		}
	case *Completion:
		for _, value := range reply.Values[:min(len(reply.Values), maxCompletions)] {
			size += textWeight(len(value))
		}
	}
	return size
}

func metaWeight(m Meta) int {
	size := 0
	for name, value := range m {
		size += len(name) + len(value)
	}
	return size
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
