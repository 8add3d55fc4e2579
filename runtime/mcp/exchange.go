package mcp

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"

	"github.com/mcpgen/mcpgen/runtime/internal/bufpool"
	"github.com/mcpgen/mcpgen/runtime/internal/membudget"
	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/internal/transport"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// buffers are the storage of one message and of its reply, from a pool. They have one owner:
// the goroutine that reads the message, until the exchange of a request takes them over
// ([conn.take]).
type buffers struct {
	data    []byte
	msg     jsonrpc.Message
	decoder wire.Decoder
	encoder wire.Encoder
	out     []byte
	account membudget.Account // for all of it
}

// keptBuffer is the size up to which a buffer is used again.
const keptBuffer = 64 << 10

var bufferPool = sync.Pool{New: func() any { return new(buffers) }}

// newBuffers returns empty buffers, which are charged to the server.
func (s *Server) newBuffers() *buffers {
	b := bufferPool.Get().(*buffers)
	b.account.Of(s.memory)
	return b
}

// hold fills the buffers with a message. It reports false, and leaves them empty, if
// there is no room for it.
func (b *buffers) hold(message []byte) bool {
	b.data = b.data[:0]
	if !b.account.Take(b.sizeWith(message)) {
		// Buffers from the pool may have storage of larger messages. A short message
		// needs none of it, and a ping is answered also if there is no room at all.
		*b = buffers{account: b.account}
		if !b.account.Take(b.sizeWith(message)) {
			return false
		}
	}
	if len(message) > keptBuffer {
		b.data = bufpool.Grow(b.data, len(message))
	}
	b.data = append(b.data, message...)
	return true
}

// sizeWith is the size of the buffers once they hold a message.
func (b *buffers) sizeWith(message []byte) int {
	size := b.size()
	if len(message) > max(cap(b.data), membudget.Free) {
		size += bufpool.Size(len(message))
	}
	return size
}

// drop makes the buffers available to others.
func (b *buffers) drop() {
	b.clean()
	bufferPool.Put(b)
}

// clean makes the buffers ready for another message.
func (b *buffers) clean() {
	b.msg.Reset()
	b.decoder.Reset(nil, wire.Options{})
	b.encoder.Reset()
	if cap(b.data) > keptBuffer {
		bufpool.Put(b.data)
		b.data = nil
	}
	if cap(b.out) > keptBuffer {
		b.dropOut()
	}
	b.account.Set(0)
}

// dropOut gives back the storage of the reply.
func (b *buffers) dropOut() {
	bufpool.Put(b.out)
	b.out = nil
}

// done gives back the storage of the message and of the encoded result, at which nobody
// looks any more once the reply is written, where it is large.
func (b *buffers) done() {
	if cap(b.data) > keptBuffer {
		b.msg.Reset()
		bufpool.Put(b.data)
		b.data = nil
	}
	b.encoder.Reset()
}

// room makes room for a reply of that size at once, where it is a large one.
func (b *buffers) room(size int) {
	if size > keptBuffer {
		b.out = bufpool.Grow(b.out[:0], size)
	}
}

// unload gives back the storage of a request at which nobody looks any more.
func (x *exchange) unload() {
	b := x.buffers
	x.buffers, x.req.Params, x.req.Arguments = nil, nil, nil
	b.drop()
}

// reload gets storage for the reply.
func (x *exchange) reload() { x.buffers = x.conn.server.newBuffers() }

// exchange is one request of a connection, from its arrival until its handler has returned.
// [conn.answerOrStart] makes it on the goroutine that reads, and starts a goroutine for it
// ([exchange.start]), which runs interceptors and the handler and writes the reply. The
// goroutine of a clock may reply before, where the time is over ([exchange.abandon]). It is
// not used again, since handlers may keep its context.
type exchange struct {
	// The request. It is set before the goroutine starts, and does not change.
	conn     *conn
	sink     sink
	revision *protocol.Revision
	method   protocol.Method
	key      jsonrpc.Key
	opening  *session // set by initialize
	from     *caller

	// What handlers see of it, from any goroutine. call does not change; ctx and talk have
	// locks of their own; req is passed to one handler after the other.
	req  Request
	call Call
	ctx  exchangeContext
	talk conversation

	// Clocks, which conn.clocks guards.
	clock  atomic.Pointer[clock] // of the part that runs, or else timing
	timing clock                 // of the whole request

	// The reply. answered, notices and farewell are guarded by conn.mu; the rest belongs to
	// the goroutine that runs the request.
	writing  rendering
	returned bool      // the handlers have returned in an orderly way
	standing *standing // the request goes on without a goroutine
	notices  *notices  // nil until there are some

	// The storage, and what is charged for it, which belong to the same goroutine.
	buffers *buffers

	cost     atomic.Int64 // what is charged for the call itself, and what it holds; negative after its end
	beyond   bool         // the reply has a place beyond the budget
	medium   bool         // it has a turn of its channel for a reply that is not small
	large    bool         // it has the turn for the one large reply
	farewell bool         // the client is told that the server has ended the request
	answered bool         // a reply is queued, or there will be none; guarded by conn.mu
	released bool         // the handlers have returned; only the goroutine that has run them uses it
}

// start is what the new goroutine of a request runs.
func (x *exchange) start() {
	growStack(0)
	x.run()
}

// run answers the request. It has a goroutine of its own, and is the only place
// where handlers run.
func (x *exchange) run() {
	ctx := &x.ctx
	defer x.end()
	defer x.recoverPanic(ctx)
	x.openRound()
	reply, err := x.conn.server.handler(ctx, &x.req)
	if x.standing, _ = reply.(*standing); x.standing == nil {
		x.respond(ctx, reply, err)
	}
	x.returned = true
}

// recoverPanic replies for handlers that panicked or ended their goroutine.
func (x *exchange) recoverPanic(ctx context.Context) {
	if x.returned {
		return
	}
	p := recover()
	if p == nil {
		p = "runtime.Goexit called"
	}
	e := &panicError{reference: newReference()}
	defer x.respond(ctx, nil, e) // even if the handler of the log ends the goroutine
	e.log(ctx, &x.req, p)
}

// end gives back what the exchange holds, and writes what it has queued.
func (x *exchange) end() {
	if x.standing != nil {
		x.stand(x.standing)
		return
	}
	b := x.buffers
	x.buffers = nil
	b.drop()
	x.settle()
	x.endTurn()
	x.uncharge()
	x.stop(nil)
	if !x.released {
		x.release()
	}
	x.sink.Flush()
}

// release notes that the handlers have returned.
func (x *exchange) release() {
	x.released = true
	x.counter().Give(x.from.share())
	x.conn.release()
}

// respond writes the reply, waiting for room where the client reads slowly.
func (x *exchange) respond(ctx context.Context, reply Reply, err error) {
	if x.isAnswered() {
		return
	}
	if asked, failure := x.conclude(); asked != nil || failure != nil {
		reply, err = asked.reply(), failure
	}
	reply, e := x.req.outcome(ctx, reply, err)
	if x.opening != nil && e != nil {
		x.conn.reject(x.opening)
	}
	if e == nil {
		if large := x.req.oversize(reply); large != nil {
			reply, e = x.unwritable(ctx, large)
		}
	}
	if e != nil && len(e.Message)+len(e.Data) > x.conn.server.limits.ResultBytes {
		reply, e = x.unwritable(ctx, &tooLarge{limit: x.conn.server.limits.ResultBytes})
	}
	b := x.buffers
	size := weight(reply)
	if e != nil {
		size = textWeight(len(e.Message)) + len(e.Data)
	}
	large := size > smallReply
	if large && !x.afford(size) {
		reply, e, size, large = nil, errOverloaded, 0, false
	}
	var code int
	b.room(size)
	b.out, code = x.render(ctx, &x.writing, b.out[:0], reply, e)
	if b.done(); len(b.out) > smallReply || b.account.Held() > 0 {
		if x.beyond {
			b.account.Set(b.size())
		} else if !b.account.Take(b.size()) { // it is longer than it seemed
			b.dropOut()
			b.out, code = x.render(ctx, &x.writing, b.out, nil, errOverloaded)
		}
	}
	if !large {
		x.drop()
		x.sink.Wait()
	}
	x.send(b.out, code, true)
}

// abandon answers in the place of handlers that do not return.
func (x *exchange) abandon(err *timeoutError) {
	if x.isAnswered() {
		return
	}
	x.conn.server.log.Client(&x.ctx, slog.LevelWarn, "handler does not return",
		slog.String("method", x.call.method), slog.String("name", x.call.feature), slog.Any("error", err))
	b, code := x.lateReply(err)
	x.sink.Wait()
	x.send(b, code, false)
	x.sink.Flush()
}

func (x *exchange) isAnswered() bool {
	x.conn.mu.Lock()
	defer x.conn.mu.Unlock()
	return x.answered
}

// endByServer notes that the server ends the request, and tells the client so.
func (x *exchange) endByServer() {
	x.conn.mu.Lock()
	defer x.conn.mu.Unlock()
	x.farewell = true
}

// send queues the one reply, unless there has been one or must be none. Handlers that
// have returned make room for others at the same moment: a client that has the reply
// can ask for as much as before.
func (x *exchange) send(message []byte, code int, returned bool) {
	c := x.conn
	c.mu.Lock()
	defer c.mu.Unlock()
	if x.answered {
		return
	}
	x.closeNoticesLocked()
	x.answered = true
	c.inflight.remove(x)
	if o, ok := x.sink.(transport.Owner); ok && returned && cap(message) > keptBuffer && o.Own(message, code) {
		x.buffers.out = nil
	} else {
		x.sink.Reply(message, code)
	}
	if x.farewell && c.shared {
		x.sink.Notify(cancelledByServer(x.call.id))
	}
	if returned { // after what it has queued: who waits for handlers looks at that next
		x.released = true
		x.counter().Give(x.from.share())
		c.releaseLocked()
	}
}

// render writes a reply, and returns the code of its error, 0 for a result. In the
// place of a reply that cannot be written stands an error.
func (x *exchange) render(ctx context.Context, r *rendering, b []byte, reply Reply, e *jsonrpc.Error) ([]byte, int) {
	start := len(b)
	*r = rendering{
		server: x.conn.server, revision: x.revision, id: x.call.id,
		tool: x.req.tool, prompt: x.req.prompt, resource: x.req.resource, retried: x.retried(),
	}
	for e == nil {
		b = jsonrpc.AppendResultPrefix(b, x.call.id)
		b = append(reply.appendTo(b, r), '}')
		if r.err == nil {
			return b, 0
		}
		b = b[:start]
		reply, e = x.unwritable(ctx, r.err)
		*r = rendering{server: r.server, revision: r.revision, unlimited: true}
	}
	return jsonrpc.AppendError(b, x.call.id, e), e.Code
}

// unwritable is the reply in the place of one that cannot be written.
func (x *exchange) unwritable(ctx context.Context, err error) (Reply, *jsonrpc.Error) {
	var narrow []string
	if x.req.tool != nil {
		narrow = x.req.tool.info.Narrow
	}
	if large, ok := errors.AsType[*tooLarge](err); ok {
		if !x.req.isCall() {
			return nil, tooLargeError(large)
		}
		return failedResult(large.text(narrow)), nil
	}
	text := x.req.hide(ctx, "reply cannot be written", err)
	if x.req.isCall() {
		return failedResult(text), nil
	}
	return nil, &jsonrpc.Error{Code: jsonrpc.CodeInternal, Message: text}
}

// retried reports whether the client has come back with answers.
func (x *exchange) retried() bool {
	x.talk.mu.Lock()
	defer x.talk.mu.Unlock()
	return x.talk.round != nil || len(x.talk.answers) > 0
}

func tooLargeError(e *tooLarge) *jsonrpc.Error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInternal, Message: e.Error(), Data: []byte(`{"reason":"too large"}`)}
}
