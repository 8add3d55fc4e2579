package mcp

import (
	"context"
	"sync/atomic"

	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// exchange is one request of a connection, from its arrival until its handler has returned.
// [conn.answerOrStart] makes it, on the goroutine that reads, and starts a goroutine for it
// ([exchange.start]): that runs interceptors and the handler, and writes the reply. If a
// handler does not return in time, the goroutine of a timer replies ([exchange.abandon]). An
// exchange is not reused, since handlers may keep its context.
//
// There are three parts: the request, its reply, and its storage. The lock of the connection
// (conn.mu) guards some fields of the reply. Each other field does not change, has a lock of its
// own, or belongs to the goroutine of the request; the comments say which.
type exchange struct {
	// The request. The fields are set before the goroutine starts, and do not change.
	conn      *conn
	sink      sink
	revision  *protocol.Revision
	method    protocol.Method
	key       jsonrpc.IDKey
	from      caller
	inSession *session // nil for a request without one
	opening   *session // that this request opens, of initialize; otherwise nil

	through string // the tool by which the client calls that of the request; "" if it calls that itself

	// Why the request fails; used by the goroutine of the request.
	refusal     *AccessError // the caller may not use a feature
	unavailable bool         // something is not available now, and the request has not run

	// What handlers use, from any goroutine. call does not change. ctx and questions have
	// locks. One handler at a time uses req.
	req       Request
	call      Call
	ctx       exchangeContext
	questions questions

	// The clocks that limit the time of the handlers. The lock of conn.clocks guards them.
	partClock atomic.Pointer[clock] // of the innermost part that runs; callClock if there is none
	callClock clock                 // of the whole request

	// part is set in the exchange of a handler whose call may become a task, and does not change.
	part handlerPart

	exchangeReply
	exchangeStorage
}

// start runs in the new goroutine of a request.
func (x *exchange) start() {
	growStack(0)
	x.run()
}

// run calls the handlers and writes the reply. All handlers of requests run here.
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

// recoverPanic replies if the handlers panicked or ended their goroutine.
func (x *exchange) recoverPanic(ctx context.Context) {
	if x.returned {
		return
	}
	p := recover()
	if p == nil {
		p = "runtime.Goexit called"
	}
	e := &panicError{reference: newReference()}
	defer x.respond(ctx, nil, e) // also if the log handler of the user ends the goroutine
	e.log(ctx, &x.req, p)
}

// end releases what the exchange holds, and writes what it has queued. A listen is parked
// instead.
func (x *exchange) end() {
	if x.parked != nil {
		x.park(x.parked)
		return
	}
	b := x.buffers
	x.buffers = nil
	b.release()
	x.endTurn()
	x.leavePlace()
	x.releaseCharge()
	x.stop(nil)
	if !x.released {
		x.release()
	}
	x.sink.Flush()
}

// release ends the count of the request as one that runs.
func (x *exchange) release() {
	x.released = true
	x.counter().Give(x.from.countedAs())
	x.conn.release()
}
