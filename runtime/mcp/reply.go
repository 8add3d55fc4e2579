package mcp

import (
	"context"
	"log/slog"

	"github.com/mcpgen/mcpgen/runtime/internal/transport"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// This file is the reply of an exchange. Each request gets one reply at most, the first that is
// queued: [exchange.respond] writes it on the goroutine of the request, [exchange.abandon] on
// that of a timer if the handler does not return. A cancelled request gets none
// ([conn.cancel]). The reply is queued under conn.mu, so that no notification of the request
// follows it.

// exchangeReply is the state of the reply to a request.
type exchangeReply struct {
	// Guarded by conn.mu.
	answered      bool     // a reply is queued, or there will be none
	sendCancelled bool     // notifications/cancelled follows the reply: the server ends the request
	notices       *notices // progress and log messages; nil before the first

	// Used only by the goroutine of the request: [exchange.run], or [exchange.unpark].
	returned bool          // the handlers have returned, and have not panicked
	released bool          // the request does not count as running any more
	parked   *parkedListen // the request goes on without a goroutine; nil otherwise
}

// respond writes the reply. It waits for room if the client reads slowly.
func (x *exchange) respond(ctx context.Context, reply Reply, err error) {
	if x.isAnswered() {
		return
	}
	if x.questions.asked() {
		reply, err = x.endRound()
	}
	x.unavailable = err != nil && isUnavailable(err)
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
	if large && !x.reserveReply(size) {
		reply, e, size, large = nil, errOverloaded, 0, false
	}
	var code int
	if large {
		b.preallocate(size)
	}
	b.out, code = x.render(ctx, &b.rendering, b.out[:0], reply, e)
	if len(b.out) > smallReply || b.account.Held() > 0 {
		b.releaseMessage()
		if x.placeOf != nil {
			b.account.Set(b.size())
		} else if !b.account.Take(b.size()) { // it is longer than estimated
			b.releaseReply()
			b.out, code = x.render(ctx, &b.rendering, b.out, nil, errOverloaded)
		}
	}
	if !large {
		x.dropEncoded()
		x.sink.Wait()
	}
	x.send(b.out, code, true)
}

// abandon replies for handlers that do not return in time.
func (x *exchange) abandon(err *timeoutError) {
	if x.part != nil && x.part.abandon(x, err) {
		return
	}
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

// isAnswered reports whether a reply is queued, or there will be none.
func (x *exchange) isAnswered() bool {
	x.conn.mu.Lock()
	defer x.conn.mu.Unlock()
	return x.answered
}

// endByServer makes notifications/cancelled follow the reply, on a channel that all requests
// share.
func (x *exchange) endByServer() {
	x.conn.mu.Lock()
	defer x.conn.mu.Unlock()
	x.sendCancelled = true
}

// send queues the reply, unless the request has one or must not get one. If the handlers have
// returned, the request ceases to count as running in the same critical section: a client that
// has the reply can send another request within its limits.
func (x *exchange) send(message []byte, code int, returned bool) {
	c := x.conn
	c.mu.Lock()
	defer c.mu.Unlock()
	if x.answered {
		return
	}
	x.closeNoticesLocked()
	x.answered = true
	x.endHandlerLocked(true)
	if d, ok := x.sink.(transport.Denier); ok && returned && x.refusal != nil && code == jsonrpc.CodeInternal {
		d.Deny(x.refusal)
	}
	c.inflight.remove(x)
	if returned { // before the reply is queued: other connections of the client do not wait for c.mu
		x.counter().Give(x.from.countedAs())
	}
	if o, ok := x.sink.(transport.Overloader); ok && returned && x.unavailable && code == jsonrpc.CodeInternal {
		o.Overload(message, code)
	} else if o, ok := x.sink.(transport.Owner); ok && returned && cap(message) > keptBuffer && o.Own(message, code) {
		x.buffers.out = nil
	} else {
		x.sink.Reply(message, code)
	}
	if x.sendCancelled && c.shared {
		x.sink.Notify(cancelledByServer(x.call.id))
	}
	if returned { // after the reply is queued: drain looks for queued messages once no handler runs
		x.released = true
		c.releaseLocked()
	}
}
