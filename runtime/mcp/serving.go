package mcp

import (
	"context"
	"log/slog"
	"sync"

	"github.com/mcpgen/mcpgen/runtime/internal/engine"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// This file serves requests. The engine starts a request, and calls [exchange.Serve] on its
// goroutine; the methods of a [replyWriter] write its reply there.

// Serve implements [engine.Call].
func (x *exchange) Serve() {
	ctx := &x.Ctx
	if x.Revision.ServerRequests.Rounds {
		x.openRound()
	}
	reply, err := x.conn.server.handler(ctx, &x.req)
	if parked, ok := reply.(*parkedListen); ok {
		x.parking, x.Parked = parked, true
		return
	}
	x.respond(ctx, reply, err)
}

// Panicked implements [engine.Call].
func (x *exchange) Panicked(value any) {
	ctx := &x.Ctx
	e := &panicError{reference: newReference()}
	defer x.respond(ctx, nil, e) // deferred, since the log handler of the user may end the goroutine
	e.log(ctx, &x.req, value)
}

// Abandon implements [engine.Call].
func (x *exchange) Abandon(late *engine.TimeoutError) {
	if x.part != nil && x.part.abandon(x, late) {
		return
	}
	if x.IsAnswered() {
		return
	}
	x.conn.server.log.Client(&x.Ctx, slog.LevelWarn, "handler does not return",
		slog.String("method", x.MethodName), slog.String("name", x.Feature), slog.Any("error", late))
	x.WriteLate(x.lateReply(late))
}

// respond writes the reply. If the client reads slowly, it waits for room in the queue.
func (x *exchange) respond(ctx context.Context, reply Reply, err error) {
	if x.IsAnswered() {
		return
	}
	if x.questions.used.Load() && x.questions.asked() {
		reply, err = x.endRound()
	}
	x.Unavailable = err != nil && isUnavailable(err)
	reply, e := x.req.outcome(ctx, reply, err)
	if e != nil {
		x.RejectSession()
	}
	if e == nil {
		if large := x.req.oversize(reply); large != nil {
			reply, e = x.unwritable(ctx, large)
		}
	}
	if e != nil && len(e.Message)+len(e.Data) > x.conn.server.limits.ResultBytes {
		reply, e = x.unwritable(ctx, &tooLarge{limit: x.conn.server.limits.ResultBytes})
	}
	if x.refusal != nil {
		x.Denied = x.refusal
	}
	w := replyWriters.Get().(*replyWriter)
	w.x, w.ctx, w.reply, w.err = x, ctx, reply, e
	x.Write(w)
	*w = replyWriter{}
	replyWriters.Put(w)
}

// replyWriter implements [engine.Reply].
type replyWriter struct {
	x         *exchange
	ctx       context.Context
	reply     Reply
	err       *jsonrpc.Error
	rendering rendering
}

var replyWriters = sync.Pool{New: func() any { return new(replyWriter) }}

// Size implements [engine.Reply].
func (w *replyWriter) Size() int {
	if w.err != nil {
		return textWeight(len(w.err.Message)) + len(w.err.Data)
	}
	return w.reply.weight()
}

// Append implements [engine.Reply]. If the reply cannot be written, it writes an error or a failed
// result instead.
func (w *replyWriter) Append(b []byte) ([]byte, int) {
	start, r, reply, e := len(b), &w.rendering, w.reply, w.err
	*r = w.x.rendering()
	for e == nil {
		b = jsonrpc.AppendResultPrefix(b, w.x.ID)
		b = append(reply.appendTo(b, r), '}')
		if r.err == nil {
			return b, 0
		}
		b = b[:start]
		reply, e = w.x.unwritable(w.ctx, r.err)
		*r = rendering{by: r.by, revision: r.revision, unlimited: true}
	}
	return jsonrpc.AppendError(b, w.x.ID, e), e.Code
}

// Replace implements [engine.Reply].
func (w *replyWriter) Replace(e *jsonrpc.Error) { w.reply, w.err = nil, e }

// Park implements [engine.Call].
func (x *exchange) Park() { x.parking.keep(x) }
