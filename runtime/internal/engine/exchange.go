package engine

import (
	"encoding/json"
	"sync/atomic"

	"github.com/mcpgen/mcpgen/runtime/internal/clientlimit"
	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// Exchange is one request of a connection, from its arrival until its handler returns.
// [Conn.answerOrStart] creates it, on the goroutine that reads, and starts a goroutine for it
// ([Exchange.run]), the request goroutine, which runs interceptors and the handler, and writes
// the reply. If a handler does not return in time, a timer goroutine replies ([Call].Abandon). An
// exchange is not reused, since handlers may keep its context.
//
// It consists of three parts: the request, its reply, and its storage. The lock of the connection
// (Conn.mu) guards some fields of the reply. Each other field does not change, has a lock of its
// own, or is used by the request goroutine only; the comments tell which.
type Exchange struct {
	// The request. The following fields are set before the goroutine starts, and do not change.
	conn      *Conn
	call      Call
	Sink      Sink
	Revision  *protocol.Revision
	Method    protocol.Method
	key       jsonrpc.IDKey
	From      Caller
	counter   *clientlimit.Counter // counts the request among the requests of all connections
	counted   *clientlimit.Client  // for limits per client; nil if the connection itself is the unit
	InSession *Session             // session of the request; nil without one
	Opening   *Session             // session that this request opens (initialize); otherwise nil

	MethodName string // set also for an unknown method
	Feature    string // name of the called feature, as the client spells it
	ID         jsonrpc.ID
	idText     [24]byte
	Client     *Client
	Meta       json.RawMessage // a copy; nil if it contains nothing that handlers need
	Level      int8            // level of log messages, for requests without a session

	// The context of the handlers, which may use it from any goroutine. It has a lock.
	Ctx exchangeContext

	// The clocks that limit the time of the handlers. The lock of Conn.clocks guards them.
	partClock atomic.Pointer[Clock] // clock of the innermost running part, or CallClock
	CallClock Clock                 // clock of the whole request

	exchangeReply
	exchangeStorage
}

// Incoming is a request that needs an exchange.
type Incoming struct {
	Plan    Plan
	buffers *Buffers
	from    Caller
	sink    Sink
	key     jsonrpc.IDKey
	origin  Origin
}

// Begin sets the fields of a request.
func (x *Exchange) Begin(c *Conn, call Call, in Incoming) {
	m := &in.buffers.Msg
	from := &in.origin
	x.conn, x.call, x.Sink, x.Revision, x.Method, x.key = c, call, in.sink, from.Revision, in.Plan.Method, in.key
	x.InSession, x.Opening, x.From, x.Buffers = from.session, from.opening, in.from, in.buffers
	x.Ctx.x = x
	x.MethodName = x.Method.String()
	if x.Method == protocol.Unknown {
		x.MethodName = string(m.Method)
	}
	x.ID = m.ID.CopyTo(x.idText[:])
	x.Client, x.Level = from.client, from.level
	if from.meta != nil {
		x.Meta = append([]byte(nil), from.meta...)
		x.kept = len(x.Meta)
	}
	if x.Revision.PerRequest && x.Client != nil {
		x.kept += x.Client.size()
	}
}

// CopyWithoutMessage makes y a copy of x without its message and its reply: y keeps the properties
// of the call, for decisions after the request.
func (x *Exchange) CopyWithoutMessage(y *Exchange, call Call) {
	y.conn, y.call, y.Sink, y.Revision, y.Method, y.key = x.conn, call, x.Sink, x.Revision, x.Method, x.key
	y.InSession, y.From, y.answered = x.InSession, x.From, true
	y.MethodName, y.Feature, y.Client, y.Meta, y.Level = x.MethodName, x.Feature, x.Client, x.Meta, x.Level
	y.Ctx.x = y
	y.ID = x.ID.CopyTo(y.idText[:])
}

// run is the function of a request goroutine: it calls the handlers and writes the reply.
func (x *Exchange) run() {
	GrowStack(0)
	defer x.end()
	defer x.recoverPanic()
	x.call.Serve()
	x.returned = true
}

// recoverPanic replies if the handlers panicked or ended their goroutine.
func (x *Exchange) recoverPanic() {
	if x.returned {
		return
	}
	p := recover()
	if p == nil {
		p = "runtime.Goexit called"
	}
	x.call.Panicked(p)
}

// end releases the storage of the exchange, and flushes its queued messages. A parked request is
// kept instead.
func (x *Exchange) end() {
	if x.Parked {
		x.call.Park()
		return
	}
	b := x.Buffers
	x.Buffers = nil
	b.release()
	if x.mediumTurn || x.placeOf != nil {
		x.leaveRoom()
	}
	x.releaseCharge()
	x.Stop(nil)
	if !x.released {
		x.release()
	}
	x.Sink.Flush()
}

// release stops counting the request as a running one.
func (x *Exchange) release() {
	x.released = true
	x.counter.Give(x.counted)
	x.conn.release()
}

// Suspend prepares the exchange for a time without a goroutine, and charges it for kept bytes.
func (x *Exchange) Suspend(kept int) {
	x.releaseBuffers()
	x.reduceCharge(listenCost + x.kept + kept)
	x.conn.active.Add(-1)
}

// Resume replies to a parked request by calling respond. It runs on the goroutine that ends the
// wait.
func (x *Exchange) Resume(respond func()) {
	x.conn.active.Add(1)
	x.acquireBuffers()
	x.Parked, x.returned = false, false
	x.EndByServer()
	defer x.end()
	defer x.recoverPanic()
	respond()
	x.returned = true
}

// BeginMute sets the fields of a request without a message.
func (x *Exchange) BeginMute(c *Conn, call Call) {
	x.conn, x.call, x.answered = c, call, true
	x.Ctx.x = x
}

// GrowStack grows the stack of a new goroutine while it is nearly empty. Most handlers need more
// than the 2 KB that goroutines begin with, and moving the stack later, perhaps twice and with
// twenty frames, costs CPU time: without growStack, 100,000 small calls at 64 at a time need 0.54 s
// instead of 0.44 s. The array only enlarges the frame: with 0, nothing clears or reads it.
//
//go:noinline
func GrowStack(i uint8) byte {
	if i == 0 {
		return 0
	}
	var room [6 << 10]byte
	return room[i]
}
