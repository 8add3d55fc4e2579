package mcp

import (
	"context"
	"log/slog"
	"sync"

	"github.com/mcpgen/mcpgen/runtime/internal/engine"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// This file is a request with what handlers and features need. The engine starts it, and calls
// [exchange.Serve] on its goroutine.

// exchange is a request that handlers serve.
type exchange struct {
	engine.Exchange
	conn    *conn
	through string // the tool by which the client calls that of the request; "" if it calls that itself

	refusal *AccessError // the caller may not use a feature; used by the goroutine of the request

	// What handlers use, from any goroutine. call does not change, and questions has a lock. One handler
	// at a time uses req.
	req       Request
	call      Call
	questions questions

	// part is set in the exchange of a handler whose call may become a task, and does not change.
	part handlerPart

	listen *parkedListen // of a parked request; nil otherwise
}

type exchangeKey struct{}

// exchangeFrom returns the request that ctx belongs to, nil where there is none.
func exchangeFrom(ctx context.Context) *exchange {
	x, _ := ctx.Value(exchangeKey{}).(*exchange)
	return x
}

// Value implements [engine.Call].
func (x *exchange) Value(key any) any {
	switch key.(type) {
	case callKey:
		return &x.call
	case exchangeKey:
		return x
	}
	return nil
}

// Serve implements [engine.Call].
func (x *exchange) Serve() {
	ctx := &x.Ctx
	x.openRound()
	reply, err := x.conn.server.handler(ctx, &x.req)
	if x.listen, _ = reply.(*parkedListen); x.listen != nil {
		x.Parked = true
		return
	}
	x.respond(ctx, reply, err)
}

// Panicked implements [engine.Call].
func (x *exchange) Panicked(value any) {
	ctx := &x.Ctx
	e := &panicError{reference: newReference()}
	defer x.respond(ctx, nil, e) // also if the log handler of the user ends the goroutine
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

// respond writes the reply. It waits for room if the client reads slowly.
func (x *exchange) respond(ctx context.Context, reply Reply, err error) {
	if x.IsAnswered() {
		return
	}
	if x.questions.asked() {
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

// Append implements [engine.Reply].
func (w *replyWriter) Append(b []byte) ([]byte, int) {
	return w.x.render(w.ctx, &w.rendering, b, w.reply, w.err)
}

// Replace implements [engine.Reply].
func (w *replyWriter) Replace(e *jsonrpc.Error) { w.reply, w.err = nil, e }
