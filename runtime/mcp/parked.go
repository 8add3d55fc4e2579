package mcp

import (
	"context"
	"sync"
	"time"
)

// This file parks listens: a subscriptions/listen gets its reply when the subscription ends, maybe
// after days, and needs no goroutine until then. A server can have thousands: over HTTP a parked
// listen takes 32.9 KB, a listen with a goroutine 38.7 KB, and an idle stream without MCP 24.8 KB.

// watchCost is charged for a task that a listen watches, in bytes.
const watchCost = 8 << 10

// parkedListen is the reply of a listen that has begun. It is written when the listen ends. Its
// lock guards the fields below it.
type parkedListen struct {
	listenClosed
	sub *subscriber

	mu      sync.Mutex
	watcher *closeEnd
	unwatch func() bool // stops waiting for the cancellation of the context
	expiry  *time.Timer // expiry of the principal; nil without one
	ended   bool
}

// keep keeps the request until its context is cancelled, or its client can send nothing more. The
// request goroutine exits after keep.
func (p *parkedListen) keep(x *exchange) {
	x.req.Params, x.req.Arguments = nil, nil // the buffers own them
	x.Exchange.Suspend(p.sub.size() + p.sub.tasks*watchCost)
	p.mu.Lock()
	defer p.mu.Unlock()
	end := func() { x.endListening(p) }
	p.watcher = x.conn.server.closeWatchers.add(x.conn.Ended, end)
	p.unwatch = context.AfterFunc(x.Ctx.Made(), end)
	if at := x.From.Expires(); !at.IsZero() {
		p.expiry = time.AfterFunc(time.Until(at), end)
	}
}

// endListening replies to a parked request. It runs on the goroutine that ends the listen.
func (x *exchange) endListening(p *parkedListen) {
	p.mu.Lock()
	first := !p.ended
	p.ended = true
	p.mu.Unlock()
	if !first {
		return
	}
	p.unwatch()
	if p.expiry != nil {
		p.expiry.Stop()
	}
	s := x.conn.server
	s.closeWatchers.remove(p.watcher)
	s.endListen(x, p.sub)
	x.Resume(func() { x.respond(&x.Ctx, p.listenClosed, nil) })
}
