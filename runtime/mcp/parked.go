package mcp

import (
	"context"
	"sync"
	"time"
)

// This file parks listens: a subscriptions/listen has its reply when it ends, maybe after days,
// and needs no goroutine until then. A server can have thousands: over HTTP a parked one takes
// 32.9 KB, one with a goroutine 38.7 KB, and an idle stream without MCP 24.8 KB.

// watchCost is charged for a task that a listen watches, in bytes.
const watchCost = 8 << 10

// parkedListen is the reply of a listen that has begun. It is written when the listen ends. Its
// lock guards what is below it.
type parkedListen struct {
	listenClosed
	sub *subscriber

	mu      sync.Mutex
	watcher *closeWatcher
	unwatch func() bool // stops waiting for the end of the context
	expiry  *time.Timer // of the principal; nil without one
	ended   bool
}

// Park implements [engine.Call]: it keeps the request until its context ends, or its client can send nothing more. The
// goroutine of the request ends after it.
func (x *exchange) Park() {
	p := x.listen
	x.req.Params, x.req.Arguments = nil, nil // which belong to the buffers
	x.Exchange.Suspend(p.sub.size() + p.sub.tasks*watchCost)
	p.mu.Lock()
	defer p.mu.Unlock()
	end := func() { x.endListening(p) }
	p.watcher = x.conn.server.closeWatchers.add(x.conn.Ended, p, end)
	p.unwatch = context.AfterFunc(x.Ctx.Made(), end)
	if at := x.From.Expires(); !at.IsZero() {
		p.expiry = time.AfterFunc(time.Until(at), end)
	}
}

// endListening replies to a parked request, on the goroutine of what has ended.
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
	s.closeWatchers.remove(p.watcher, p)
	s.endListen(x, p.sub)
	x.Resume(func() { x.respond(&x.Ctx, p.listenClosed, nil) })
}

// closeWatchers wait for channels that are closed when a connection ends, or all connections of
// a transport. There is one goroutine for each channel, as long as a listen is parked there.
type closeWatchers struct {
	mu    sync.Mutex
	byEnd map[<-chan struct{}]*closeWatcher
}

type closeWatcher struct {
	ended <-chan struct{}
	idle  chan struct{} // closed when no listen is parked any more
	ends  map[*parkedListen]func()
}

// add makes end run, in a goroutine of its own, when the channel is closed. It returns nil for
// a nil channel.
func (w *closeWatchers) add(ended <-chan struct{}, p *parkedListen, end func()) *closeWatcher {
	if ended == nil {
		return nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	one := w.byEnd[ended]
	if one == nil {
		one = &closeWatcher{ended: ended, idle: make(chan struct{}), ends: map[*parkedListen]func(){}}
		if w.byEnd == nil {
			w.byEnd = map[<-chan struct{}]*closeWatcher{}
		}
		w.byEnd[ended] = one
		go w.run(one)
	}
	one.ends[p] = end
	return one
}

// remove undoes add.
func (w *closeWatchers) remove(one *closeWatcher, p *parkedListen) {
	if one == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(one.ends, p)
	if len(one.ends) == 0 && w.byEnd[one.ended] == one {
		delete(w.byEnd, one.ended)
		close(one.idle)
	}
}

func (w *closeWatchers) run(one *closeWatcher) {
	select {
	case <-one.idle:
		return
	case <-one.ended:
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.byEnd[one.ended] == one {
		delete(w.byEnd, one.ended)
	}
	for _, end := range one.ends {
		go end()
	}
}
