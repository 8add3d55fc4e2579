package mcp

import (
	"context"
	"log/slog"

	"github.com/mcpgen/mcpgen/runtime/internal/transport"
)

// respond writes the reply, waiting for room where the client reads slowly.
func (x *exchange) respond(ctx context.Context, reply Reply, err error) {
	if x.isAnswered() {
		return
	}
	if asked, failure := x.endRound(); asked != nil || failure != nil {
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
	if large && !x.reserveReply(size) {
		reply, e, size, large = nil, errOverloaded, 0, false
	}
	var code int
	b.preallocate(size)
	b.out, code = x.render(ctx, &x.rendering, b.out[:0], reply, e)
	if b.releaseMessage(); len(b.out) > smallReply || b.account.Held() > 0 {
		if x.hasPlace {
			b.account.Set(b.size())
		} else if !b.account.Take(b.size()) { // it is longer than it seemed
			b.releaseReply()
			b.out, code = x.render(ctx, &x.rendering, b.out, nil, errOverloaded)
		}
	}
	if !large {
		x.dropEncoded()
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
	x.sendCancelled = true
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
	if x.sendCancelled && c.shared {
		x.sink.Notify(cancelledByServer(x.call.id))
	}
	if returned { // after what it has queued: who waits for handlers looks at that next
		x.released = true
		x.counter().Give(x.from.share())
		c.releaseLocked()
	}
}
