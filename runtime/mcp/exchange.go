package mcp

import (
	"encoding/json"
	"sync/atomic"

	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// engineExchange is one request of a connection, from its arrival until its handler has returned.
// [engineConn.answerOrStart] makes it, on the goroutine that reads, and starts a goroutine for it
// ([engineExchange.start]): that runs interceptors and the handler, and writes the reply. If a
// handler does not return in time, the goroutine of a timer replies ([engineCall].Abandon). An
// exchange is not reused, since handlers may keep its context.
//
// There are three parts: the request, its reply, and its storage. The lock of the connection
// (conn.mu) guards some fields of the reply. Each other field does not change, has a lock of its
// own, or belongs to the goroutine of the request; the comments say which.
type engineExchange struct {
	// The request. The fields are set before the goroutine starts, and do not change.
	conn      *engineConn
	call      engineCall
	sink      sink
	revision  *protocol.Revision
	method    protocol.Method
	key       jsonrpc.IDKey
	from      caller
	inSession *engineSession // nil for a request without one
	opening   *engineSession // that this request opens, of initialize; otherwise nil

	methodName string // also of a method that the protocol does not have
	feature    string // what is called, as the client spells it
	id         jsonrpc.ID
	idText     [24]byte
	client     *client
	meta       json.RawMessage // a copy; nil if it has nothing of interest
	level      int8            // of log messages, for requests without a session

	// What handlers use, from any goroutine. It has a lock.
	ctx exchangeContext

	// The clocks that limit the time of the handlers. The lock of conn.clocks guards them.
	partClock atomic.Pointer[clock] // of the innermost part that runs; callClock if there is none
	callClock clock                 // of the whole request

	exchangeReply
	exchangeStorage
}

// incoming is a request that needs an exchange.
type incoming struct {
	plan    plan
	buffers *buffers
	from    caller
	sink    sink
	key     jsonrpc.IDKey
	origin  origin
}

// begin sets what a request has.
func (x *engineExchange) begin(c *engineConn, call engineCall, in incoming) {
	m := &in.buffers.msg
	from := &in.origin
	x.conn, x.call, x.sink, x.revision, x.method, x.key = c, call, in.sink, from.revision, in.plan.method, in.key
	x.inSession, x.opening, x.from, x.buffers = from.session, from.opening, in.from, in.buffers
	x.ctx.x = x
	x.methodName = x.method.String()
	if x.method == protocol.Unknown {
		x.methodName = string(m.Method)
	}
	x.id = m.ID.CopyTo(x.idText[:])
	x.client, x.level = from.client, from.level
	if from.meta != nil {
		x.meta = append([]byte(nil), from.meta...)
	}
}

// copyWithoutMessage sets what a request has of x, of which no message comes: what says where it has come
// from remains, and what belongs to its message and its reply does not.
func (x *engineExchange) copyWithoutMessage(y *engineExchange, call engineCall) {
	y.conn, y.call, y.sink, y.revision, y.method, y.key = x.conn, call, x.sink, x.revision, x.method, x.key
	y.inSession, y.from, y.answered = x.inSession, x.from, true
	y.methodName, y.feature, y.client, y.meta, y.level = x.methodName, x.feature, x.client, x.meta, x.level
	y.ctx.x = y
	y.id = x.id.CopyTo(y.idText[:])
}

// start runs in the new goroutine of a request.
func (x *engineExchange) start() {
	growStack(0)
	x.run()
}

// run has the handlers called and the reply written. All handlers of requests run here.
func (x *engineExchange) run() {
	defer x.end()
	defer x.recoverPanic()
	x.call.Serve()
	x.returned = true
}

// recoverPanic replies if the handlers panicked or ended their goroutine.
func (x *engineExchange) recoverPanic() {
	if x.returned {
		return
	}
	p := recover()
	if p == nil {
		p = "runtime.Goexit called"
	}
	x.call.Panicked(p)
}

// end releases what the exchange holds, and writes what it has queued. A parked request is kept
// instead.
func (x *engineExchange) end() {
	if x.parked {
		x.call.Park()
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
func (x *engineExchange) release() {
	x.released = true
	x.counter().Give(x.from.countedAs())
	x.conn.release()
}

// park prepares the exchange for a time without a goroutine, in which it is charged for kept bytes.
func (x *engineExchange) park(kept int) {
	x.releaseBuffers()
	x.reduceCharge(listenCost + x.kept() + kept)
	x.conn.active.Add(-1)
}

// unpark replies to a parked request by calling respond, on the goroutine of what has ended.
func (x *engineExchange) unpark(respond func()) {
	x.conn.active.Add(1)
	x.acquireBuffers()
	x.parked, x.returned = false, false
	x.endByServer()
	defer x.end()
	defer x.recoverPanic()
	respond()
	x.returned = true
}

// beginMute sets what a request has of which no message comes.
func (x *engineExchange) beginMute(c *engineConn, call engineCall) {
	x.conn, x.call, x.answered = c, call, true
	x.ctx.x = x
}
