package mcp

import (
	"context"
	"sync/atomic"

	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

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
	req       Request
	call      Call
	ctx       exchangeContext
	questions questions

	// Clocks, which conn.clocks guards.
	partClock atomic.Pointer[clock] // of the part that runs, or else timing
	callClock clock                 // of the whole request

	// The reply. answered, notices and farewell are guarded by conn.mu; the rest belongs to
	// the goroutine that runs the request.
	rendering rendering
	returned  bool          // the handlers have returned in an orderly way
	parked    *parkedListen // the request goes on without a goroutine
	notices   *notices      // nil until there are some

	// The storage, and what is charged for it, which belong to the same goroutine.
	buffers *buffers

	cost          atomic.Int64 // what is charged for the call itself, and what it holds; negative after its end
	hasPlace      bool         // the reply has a place beyond the budget
	mediumTurn    bool         // it has a turn of its channel for a reply that is not small
	largeTurn     bool         // it has the turn for the one large reply
	sendCancelled bool         // the client is told that the server has ended the request
	answered      bool         // a reply is queued, or there will be none; guarded by conn.mu
	released      bool         // the handlers have returned; only the goroutine that has run them uses it
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
	if x.parked, _ = reply.(*parkedListen); x.parked == nil {
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
	if x.parked != nil {
		x.park(x.parked)
		return
	}
	b := x.buffers
	x.buffers = nil
	b.release()
	x.leavePlace()
	x.endTurn()
	x.releaseCharge()
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
