package mcp

import (
	"context"
	"sync"
)

// standing is the reply of a listen that has begun: it will come once the listen has
// ended. Until then the request needs no goroutine. There can be thousands of them: one
// over HTTP takes 32.9 KB, and 38.7 KB with a goroutine, where a bare stream takes 24.8.
type parkedListen struct {
	listenClosed
	sub *subscriber

	mu      sync.Mutex
	watcher *closeWatcher
	unwatch func() bool // the end of the context
	ended   bool
}

// stand lets the request stand until its context ends, or its client can ask for
// nothing more. It is the last thing that the goroutine of the request does.
func (x *exchange) park(st *parkedListen) {
	x.releaseBuffers()
	x.reduceCharge(listenCost + x.kept() + st.sub.size())
	x.conn.active.Add(-1)
	st.mu.Lock()
	defer st.mu.Unlock()
	end := func() { x.unpark(st) }
	st.watcher = x.conn.server.closeWatchers.add(x.conn.ended, st, end)
	st.unwatch = context.AfterFunc(x.ctx.make(), end)
}

// leaveOff answers a request that has stood.
func (x *exchange) unpark(st *parkedListen) {
	st.mu.Lock()
	first := !st.ended
	st.ended = true
	st.mu.Unlock()
	if !first {
		return
	}
	st.unwatch()
	s := x.conn.server
	s.closeWatchers.remove(st.watcher, st)
	s.endListen(x, st.sub)
	x.conn.active.Add(1)
	x.acquireBuffers()
	x.parked, x.returned = nil, false
	x.endByServer()
	defer x.end()
	defer x.recoverPanic(&x.ctx)
	x.respond(&x.ctx, st.listenClosed, nil)
	x.returned = true
}

// vigils wait for the ends of connections, or of what all connections of a transport
// have in common. There is one goroutine for each, as long as something stands.
type closeWatchers struct {
	mu    sync.Mutex
	byEnd map[<-chan struct{}]*closeWatcher
}

type closeWatcher struct {
	ended <-chan struct{}
	idle  chan struct{} // closed when nothing stands any more
	ends  map[*parkedListen]func()
}

// enter has end called, by a goroutine of its own, when the channel is closed.
func (v *closeWatchers) add(ended <-chan struct{}, st *parkedListen, end func()) *closeWatcher {
	if ended == nil {
		return nil
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	one := v.byEnd[ended]
	if one == nil {
		one = &closeWatcher{ended: ended, idle: make(chan struct{}), ends: map[*parkedListen]func(){}}
		if v.byEnd == nil {
			v.byEnd = map[<-chan struct{}]*closeWatcher{}
		}
		v.byEnd[ended] = one
		go v.run(one)
	}
	one.ends[st] = end
	return one
}

// leave undoes enter.
func (v *closeWatchers) remove(one *closeWatcher, st *parkedListen) {
	if one == nil {
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	delete(one.ends, st)
	if len(one.ends) == 0 && v.byEnd[one.ended] == one {
		delete(v.byEnd, one.ended)
		close(one.idle)
	}
}

func (v *closeWatchers) run(one *closeWatcher) {
	select {
	case <-one.idle:
		return
	case <-one.ended:
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.byEnd[one.ended] == one {
		delete(v.byEnd, one.ended)
	}
	for _, end := range one.ends {
		go end()
	}
}
