package mcppool

import (
	"container/list"
	"context"
	"errors"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/runtime/mcpclient"
)

// pooled is the part of a client that a pool uses.
type pooled interface {
	comparable
	Done() <-chan struct{}
	Close() error
}

// pool is a Pool of clients of any type. Clients are opened and closed without its lock.
type pool[C pooled] struct {
	options Options

	mu       sync.Mutex
	closed   bool
	keys     map[string]*keyState[C]
	came     int            // callers so far
	total    int            // clients that are open or being opened
	idle     list.List      // members without leases, the longest idle first
	starved  []*keyState[C] // whose first waiter needs Total to allow one client more, in order
	openings map[*opener]struct{}
}

// opener is a caller that opens a client.
type opener struct{ cancel context.CancelCauseFunc }

// keyState has the clients of a key. It exists as long as there is one, or one waits for it.
type keyState[C pooled] struct {
	name    string
	members []*member[C] // in the order of opening
	opening bool
	waiters list.List // of *waiter, the first to be served first
	starved bool      // is in pool.starved
}

// member is a client.
type member[C pooled] struct {
	client C
	key    *keyState[C]
	leases int
	idle   *list.Element // in pool.idle
	timer  *time.Timer   // closes it when it has been idle for IdleTime
	gone   bool          // not in the pool any more
}

// waiter is a caller of acquire.
type waiter[C pooled] struct {
	number  int           // in the order of coming
	granted chan grant[C] // has room for one
}

// grant ends the waiting: with a member, with the right to open one, or with an error.
type grant[C pooled] struct {
	member  *member[C]
	err     error
	evicted []C // to be closed before the new one is opened
}

func newPool[C pooled](o Options) *pool[C] {
	return &pool[C]{options: o.withDefaults(), keys: map[string]*keyState[C]{}, openings: map[*opener]struct{}{}}
}

func (p *pool[C]) acquire(ctx context.Context, key string, open func(context.Context) (C, error)) (*lease[C], error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return nil, mcpclient.ErrClosed
	}
	k := p.keys[key]
	if k == nil {
		k = &keyState[C]{name: key}
		p.keys[key] = k
	}
	p.came++
	w := &waiter[C]{number: p.came, granted: make(chan grant[C], 1)}
	place := k.waiters.PushBack(w)
	p.serve(k)
	p.mu.Unlock()

	var g grant[C]
	select {
	case g = <-w.granted:
	case <-ctx.Done():
		p.leave(k, w, place)
		return nil, context.Cause(ctx)
	}
	switch {
	case g.err != nil:
		return nil, g.err
	case g.member != nil:
		return &lease[C]{pool: p, member: g.member}, nil
	}
	return p.open(ctx, k, g.evicted, open)
}

// leave ends the waiting of a caller whose context has ended. What it has just been granted
// goes to the next one.
func (p *pool[C]) leave(k *keyState[C], w *waiter[C], place *list.Element) {
	p.mu.Lock()
	var g grant[C]
	select {
	case g = <-w.granted:
	default:
		k.waiters.Remove(place)
		p.forget(k)
		p.mu.Unlock()
		return
	}
	switch {
	case g.err != nil:
	case g.member != nil:
		p.back(g.member)
	default:
		p.abandon(k)
	}
	p.mu.Unlock()
	closeClients(g.evicted)
}

// open opens a client for its caller.
func (p *pool[C]) open(ctx context.Context, k *keyState[C], evicted []C, open func(context.Context) (C, error)) (*lease[C], error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	o := &opener{cancel}
	p.mu.Lock()
	p.openings[o] = struct{}{}
	if p.closed {
		cancel(mcpclient.ErrClosed)
	}
	p.mu.Unlock()
	returned := false
	defer func() {
		if !returned { // it has panicked, which is its caller's to recover
			_ = p.refused(ctx, k, o, errOpenPanic)
		}
	}()
	closeClients(evicted)
	var none C
	client, err := open(ctx)
	returned = true
	if err == nil && client == none {
		err = errOpenNothing
	}
	if err == nil {
		if l := p.enter(k, o, client); l != nil {
			return l, nil
		}
		_ = client.Close()
		err = mcpclient.ErrClosed
	}
	return nil, p.refused(ctx, k, o, err)
}

var (
	errOpenPanic   = errors.New("mcppool: the function that opens a client of the pool has panicked")
	errOpenNothing = errors.New("mcppool: the function that opens a client of the pool has returned neither a client nor an error")
)

// enter adds a client that was opened; nil after the end of the pool.
func (p *pool[C]) enter(k *keyState[C], o *opener, client C) *lease[C] {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil
	}
	delete(p.openings, o)
	k.opening = false
	m := &member[C]{client: client, key: k, leases: 1}
	k.members = append(k.members, m)
	go p.watch(m)
	p.serveAll(k)
	return &lease[C]{pool: p, member: m}
}

// refused ends an opening that has failed, and returns the error of its caller.
func (p *pool[C]) refused(ctx context.Context, k *keyState[C], o *opener, err error) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.openings, o)
	if p.closed {
		p.total--
		return mcpclient.ErrClosed
	}
	if ctx.Err() == nil && len(k.members) == 0 {
		p.failWaiters(k, err)
	}
	p.abandon(k)
	return err
}

// abandon ends an opening without a client.
func (p *pool[C]) abandon(k *keyState[C]) {
	k.opening = false
	p.total--
	p.serveAll(k)
}

func (p *pool[C]) failWaiters(k *keyState[C], err error) {
	for e := k.waiters.Front(); e != nil; e = k.waiters.Front() {
		k.waiters.Remove(e).(*waiter[C]).granted <- grant[C]{err: err}
	}
}

// watch removes a member when its client has ended.
func (p *pool[C]) watch(m *member[C]) {
	<-m.client.Done()
	p.mu.Lock()
	p.remove(m)
	p.mu.Unlock()
}

// release ends a lease.
func (p *pool[C]) release(m *member[C]) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.back(m)
}

// back takes a member back from one who has used it.
func (p *pool[C]) back(m *member[C]) {
	m.leases--
	if m.gone {
		return
	}
	if m.leases == 0 {
		m.idle = p.idle.PushBack(m)
		place := m.idle
		m.timer = time.AfterFunc(p.options.IdleTime, func() { p.expire(m, place) })
	}
	p.serveAll(m.key)
}

// expire closes a member that has been idle since it got its place among the idle ones.
func (p *pool[C]) expire(m *member[C], place *list.Element) {
	p.mu.Lock()
	still := !m.gone && m.idle == place
	if still {
		p.remove(m)
	}
	p.mu.Unlock()
	if still {
		_ = m.client.Close()
	}
}

// remove takes a member out of the pool. Who has it keeps it.
func (p *pool[C]) remove(m *member[C]) {
	if m.gone {
		return
	}
	p.detach(m)
	if !p.closed {
		p.serveAll(m.key)
	}
}

func (p *pool[C]) detach(m *member[C]) {
	m.gone = true
	p.use(m)
	m.key.members = slices.DeleteFunc(m.key.members, func(other *member[C]) bool { return other == m })
	p.total--
}

// use takes a member out of the idle ones.
func (p *pool[C]) use(m *member[C]) {
	if m.idle != nil {
		p.idle.Remove(m.idle)
		m.timer.Stop()
		m.idle, m.timer = nil, nil
	}
}

// serveAll serves a key and the keys that Total has kept waiting, in the order of their first
// waiters: a key that is always in use does not keep the others out.
func (p *pool[C]) serveAll(k *keyState[C]) {
	p.serveStarved(k.first())
	p.serve(k)
	p.serveStarved(math.MaxInt)
}

// serveStarved serves the keys that Total has kept waiting whose first waiters came before one with that number.
func (p *pool[C]) serveStarved(before int) {
	for len(p.starved) > 0 && (p.total < p.options.Total || p.idle.Len() > 0) && p.starved[0].first() < before {
		next := p.starved[0]
		p.starved = p.starved[1:]
		next.starved = false
		p.serve(next)
	}
}

// first returns the number of the first waiter.
func (k *keyState[C]) first() int {
	if e := k.waiters.Front(); e != nil {
		return e.Value.(*waiter[C]).number
	}
	return math.MaxInt
}

// serve grants to the waiters of a key, in order, what there is.
func (p *pool[C]) serve(k *keyState[C]) {
	defer p.forget(k)
	for e := k.waiters.Front(); e != nil; e = k.waiters.Front() {
		var g grant[C]
		if g.member = p.free(k); g.member != nil {
			p.use(g.member)
			g.member.leases++
		} else {
			if k.opening || len(k.members) >= p.options.PerTarget {
				return
			}
			var room bool
			if g.evicted, room = p.makeRoom(); !room {
				if !k.starved {
					k.starved = true
					p.starved = append(p.starved, k)
				}
				return
			}
			k.opening = true
			p.total++
		}
		k.waiters.Remove(e).(*waiter[C]).granted <- g
	}
}

// free returns the first member that can be used once more, nil if there is none.
func (p *pool[C]) free(k *keyState[C]) *member[C] {
	for _, m := range k.members {
		if p.options.Parallel > 0 && m.leases >= p.options.Parallel {
			continue
		}
		select {
		case <-m.client.Done(): // watch is about to remove it
		default:
			return m
		}
	}
	return nil
}

// makeRoom makes room for one client more, if Total allows it.
func (p *pool[C]) makeRoom() (evicted []C, ok bool) {
	if p.total < p.options.Total {
		return nil, true
	}
	longest := p.idle.Front()
	if longest == nil {
		return nil, false
	}
	m := longest.Value.(*member[C])
	p.detach(m)
	p.forget(m.key)
	return []C{m.client}, true
}

// forget drops a key that has nothing.
func (p *pool[C]) forget(k *keyState[C]) {
	if k.starved && k.waiters.Len() == 0 {
		k.starved = false
		p.starved = slices.DeleteFunc(p.starved, func(other *keyState[C]) bool { return other == k })
	}
	if len(k.members) == 0 && !k.opening && k.waiters.Len() == 0 && p.keys[k.name] == k {
		delete(p.keys, k.name)
	}
}

func (p *pool[C]) close() {
	p.mu.Lock()
	p.closed = true
	var clients []C
	for _, k := range p.keys {
		p.failWaiters(k, mcpclient.ErrClosed)
		for _, m := range slices.Clone(k.members) {
			clients = append(clients, m.client)
			p.remove(m)
		}
	}
	clear(p.keys)
	p.starved = nil
	for o := range p.openings {
		o.cancel(mcpclient.ErrClosed)
	}
	p.mu.Unlock()
	closeClients(clients)
}

// closeClients closes clients side by side, since each may take the steps of mcpclient.Limits.CloseTime.
func closeClients[C pooled](clients []C) {
	var group sync.WaitGroup
	for _, client := range clients {
		group.Go(func() { _ = client.Close() })
	}
	group.Wait()
}
