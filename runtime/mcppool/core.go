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

// pooled contains the methods of a client that a pool uses.
type pooled interface {
	comparable
	Done() <-chan struct{}
	Close() error
}

// pool is a Pool of clients of any type. It opens and closes clients without holding its lock.
type pool[C pooled] struct {
	options Options

	mu       sync.Mutex
	closed   bool
	keys     map[string]*keyState[C]
	came     int            // number of callers so far
	total    int            // number of clients that are open or being opened
	idle     list.List      // members without leases, longest idle first
	starved  []*keyState[C] // keys whose first waiter waits for Total to allow another client, in order
	openings map[*opener]struct{}
}

// opener is a caller that opens a client.
type opener struct{ cancel context.CancelCauseFunc }

// keyState contains the clients of a key. It exists as long as the key has a client or a waiter.
type keyState[C pooled] struct {
	name    string
	members []*member[C] // in the order in which they were opened
	opening bool
	waiters list.List // of *waiter, in the order in which they are served
	starved bool      // is in pool.starved
}

// member is a client.
type member[C pooled] struct {
	client C
	key    *keyState[C]
	leases int
	idle   *list.Element // in pool.idle
	timer  *time.Timer   // closes it when it has been idle for IdleTime
	gone   bool          // removed from the pool
}

// waiter is a caller of acquire.
type waiter[C pooled] struct {
	number  int           // in the order of the calls
	granted chan grant[C] // has room for one element
}

// grant ends the wait of a caller: with a member, with the right to open one, or with an error.
type grant[C pooled] struct {
	member  *member[C]
	err     error
	evicted []C // clients to close before the new one is opened
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

// leave ends the wait of a caller whose context is done. A grant that it has just received passes
// to the next waiter.
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
		if !returned { // it panicked, which is left to its caller
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

// enter adds an opened client. It returns nil after Close.
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

// refused handles a failed opening, and returns the error for its caller.
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

// abandon handles an opening that produced no client.
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

// watch removes a member when its client is closed.
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

// back takes back a member after its use.
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

// expire closes a member that has been idle since it got its place in the idle list.
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

// remove removes a member from the pool. Its current users keep it.
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

// use removes a member from the idle list.
func (p *pool[C]) use(m *member[C]) {
	if m.idle != nil {
		p.idle.Remove(m.idle)
		m.timer.Stop()
		m.idle, m.timer = nil, nil
	}
}

// serveAll serves a key and the keys that wait because of Total, in the order of their first
// waiters: a key that is always in use does not starve the others.
func (p *pool[C]) serveAll(k *keyState[C]) {
	p.serveStarved(k.first())
	p.serve(k)
	p.serveStarved(math.MaxInt)
}

// serveStarved serves the keys that wait because of Total, if their first waiters have a number
// below before.
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

// serve grants available clients to the waiters of a key, in order.
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

// free returns the first member that can take another lease, or nil.
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

// makeRoom makes room for another client, if Total allows it.
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

// forget drops a key without clients and waiters.
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

// closeClients closes clients concurrently, since each may take several times
// mcpclient.Limits.CloseTime.
func closeClients[C pooled](clients []C) {
	var group sync.WaitGroup
	for _, client := range clients {
		group.Go(func() { _ = client.Close() })
	}
	group.Wait()
}
