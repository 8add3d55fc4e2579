package engine

import (
	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/internal/transport"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// This file replies to an exchange. Each request gets at most one reply, the first that is queued:
// [Exchange.Write] writes it on the request goroutine, [Exchange.WriteLate] on a timer goroutine if
// the handler does not return. A cancelled request gets none ([Conn.cancel]). The reply is queued
// under Conn.mu, so that no notification of the request follows it.

// exchangeReply is the state of the reply to a request.
type exchangeReply struct {
	// Guarded by Conn.mu.
	answered      bool     // a reply is queued, or the request gets none
	sendCancelled bool     // notifications/cancelled follows the reply: the server ends the request
	notices       *notices // progress and log messages; nil before the first

	// Used only by the request goroutine: [Exchange.run], or [Exchange.Resume].
	returned bool // the handlers have returned, and have not panicked
	released bool // the request no longer counts as running
	Parked   bool // the request goes on without a goroutine
	// Unavailable is set if the request has not run because a service is unavailable at the moment,
	// and Denied if its caller may not use a feature.
	Unavailable bool
	Denied      error
}

// Write writes and queues the reply. If the client reads slowly, it waits for room in the queue.
func (x *Exchange) Write(reply Reply) {
	b := x.Buffers
	size := reply.Size()
	large := size > smallReply
	if large && !x.reserveReply(size) {
		reply.Replace(ErrOverloaded)
		large = false
	}
	var code int
	if large {
		b.preallocate(size)
	}
	b.out, code = reply.Append(b.out[:0])
	if len(b.out) > smallReply || b.account.Held() > 0 {
		b.releaseMessage()
		if x.placeOf != nil {
			b.account.Set(b.size())
		} else if !b.account.Take(b.size()) { // the reply is longer than estimated
			b.releaseReply()
			reply.Replace(ErrOverloaded)
			b.out, code = reply.Append(nil)
		}
	}
	if !large {
		if x.placeOf != nil {
			x.dropEncoded()
		}
		x.Sink.Wait()
	}
	x.send(b.out, code, true)
}

// WriteLate queues the reply for handlers that have not returned.
func (x *Exchange) WriteLate(message []byte, code int) {
	x.Sink.Wait()
	x.send(message, code, false)
	x.Sink.Flush()
}

// RejectSession removes the session that the request was to open, if any.
func (x *Exchange) RejectSession() {
	if x.Opening != nil {
		x.conn.reject(x.Opening)
	}
}

// IsAnswered reports whether a reply is queued, or the request gets none.
func (x *Exchange) IsAnswered() bool {
	x.conn.mu.Lock()
	defer x.conn.mu.Unlock()
	return x.answered
}

// EndByServer makes notifications/cancelled follow the reply, on a channel that all requests share.
func (x *Exchange) EndByServer() {
	x.conn.mu.Lock()
	defer x.conn.mu.Unlock()
	x.sendCancelled = true
}

// send queues the reply, unless the request already has one or must not get one. If the handlers
// have returned, the request stops counting as running in the same critical section: a client that
// has the reply can send another request within its limits.
func (x *Exchange) send(message []byte, code int, returned bool) {
	c := x.conn
	c.mu.Lock()
	defer c.mu.Unlock()
	if x.answered {
		return
	}
	if x.notices != nil {
		x.closeNoticesLocked()
	}
	x.answered = true
	if r := x.Ctx.inner.Load(); r != nil {
		r.endRunLocked(true)
	}
	if d, ok := x.Sink.(transport.Denier); ok && returned && x.Denied != nil && code == jsonrpc.CodeInternal {
		d.Deny(x.Denied)
	}
	c.inflight.remove(x)
	if returned { // before the reply is queued, since other connections of the client do not wait for c.mu
		x.counter.Give(x.counted)
	}
	if o, ok := x.Sink.(transport.Overloader); ok && returned && x.Unavailable && code == jsonrpc.CodeInternal {
		o.Overload(message, code)
	} else if o, ok := x.Sink.(transport.Owner); ok && returned && cap(message) > keptBuffer && o.Own(message, code) {
		x.Buffers.out = nil
	} else {
		x.Sink.Reply(message, code)
	}
	if x.sendCancelled && c.shared {
		x.Sink.Notify(cancelledByServer(x.ID))
	}
	if returned { // after the reply is queued, since drain looks for queued messages once no handler runs
		x.released = true
		c.releaseLocked()
	}
}

// cancelledByServer returns the notification that follows the result, on channels that all requests
// share (basic/patterns/cancellation).
func cancelledByServer(id jsonrpc.ID) []byte {
	b := append([]byte(nil), `{"requestId":`...)
	b = append(b, id.Raw()...)
	return jsonrpc.AppendNotification(nil, protocol.Cancelled, append(b, '}'))
}

// Notify queues a message of the request, unless the request has its reply or gets none. It does
// not wait.
func (x *Exchange) Notify(message []byte) {
	x.conn.mu.Lock()
	defer x.conn.mu.Unlock()
	if !x.answered {
		x.Sink.Notify(message)
	}
}

// EndNotices queues the remaining notifications of the request, which sends nothing more.
func (x *Exchange) EndNotices() {
	x.conn.mu.Lock()
	defer x.conn.mu.Unlock()
	x.closeNoticesLocked()
	x.answered = true
}
