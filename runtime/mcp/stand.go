package mcp

import (
	"context"
	"sync"
)

// standing is the reply of a listen that has begun: it will come once the listen has
// ended. Until then the request needs no goroutine. There can be thousands of them: one
// over HTTP takes 32.9 KB, and 38.7 KB with a goroutine, where a bare stream takes 24.8.
type standing struct {
	listenEnd
	sub *subscriber

	mu      sync.Mutex
	vigil   *vigil
	unwatch func() bool // the end of the context
	over    bool
}

// stand lets the request stand until its context ends, or its client can ask for
// nothing more. It is the last thing that the goroutine of the request does.
func (x *exchange) stand(st *standing) {
	x.unload()
	x.reduce(listenCost + x.kept() + st.sub.size())
	x.conn.active.Add(-1)
	st.mu.Lock()
	defer st.mu.Unlock()
	end := func() { x.leaveOff(st) }
	st.vigil = x.conn.server.vigils.enter(x.conn.ended, st, end)
	st.unwatch = context.AfterFunc(x.ctx.make(), end)
}

// leaveOff answers a request that has stood.
func (x *exchange) leaveOff(st *standing) {
	st.mu.Lock()
	first := !st.over
	st.over = true
	st.mu.Unlock()
	if !first {
		return
	}
	st.unwatch()
	s := x.conn.server
	s.vigils.leave(st.vigil, st)
	s.endListen(x, st.sub)
	x.conn.active.Add(1)
	x.reload()
	x.standing, x.returned = nil, false
	x.endByServer()
	defer x.end()
	defer x.recoverPanic(&x.ctx)
	x.respond(&x.ctx, st.listenEnd, nil)
	x.returned = true
}

// vigils wait for the ends of connections, or of what all connections of a transport
// have in common. There is one goroutine for each, as long as something stands.
type vigils struct {
	mu    sync.Mutex
	byEnd map[<-chan struct{}]*vigil
}

type vigil struct {
	ended <-chan struct{}
	idle  chan struct{} // closed when nothing stands any more
	ends  map[*standing]func()
}

// enter has end called, by a goroutine of its own, when the channel is closed.
func (v *vigils) enter(ended <-chan struct{}, st *standing, end func()) *vigil {
	if ended == nil {
		return nil
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	one := v.byEnd[ended]
	if one == nil {
		one = &vigil{ended: ended, idle: make(chan struct{}), ends: map[*standing]func(){}}
		if v.byEnd == nil {
			v.byEnd = map[<-chan struct{}]*vigil{}
		}
		v.byEnd[ended] = one
		go v.keep(one)
	}
	one.ends[st] = end
	return one
}

// leave undoes enter.
func (v *vigils) leave(one *vigil, st *standing) {
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

func (v *vigils) keep(one *vigil) {
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
