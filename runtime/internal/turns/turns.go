// Package turns shares a number of places among clients, so that one client cannot keep others from
// a place.
package turns

import (
	"context"
	"errors"
	"sync"
)

// ErrFull is the error of Enter for a client with too many waiting callers.
var ErrFull = errors.New("too many of the client wait")

// Places are places that one caller at a time can take. All methods may be called by several
// goroutines.
type Places[Client comparable] struct {
	mu      sync.Mutex
	free    int
	each    int         // limit of the places of one client
	most    int         // limit of the waiting callers of one client
	open    func() bool // nil means always
	clients map[Client]*client
	entered uint64 // number of places taken so far
	arrived uint64 // number of times that a client without places has come
}

// client is a client with places, or with callers that wait for one.
type client struct {
	taken   int
	waiting []chan struct{} // closed when the caller has a place
	last    uint64          // Places.entered when it last took a place; 0 if it has not taken one since it came
	arrival uint64
}

// New returns places. each limits the places of one client, and waiting its callers that wait.
func New[Client comparable](places, each, waiting int) *Places[Client] {
	return &Places[Client]{free: places, each: each, most: waiting, clients: map[Client]*client{}}
}

// While sets a condition: no place is taken while open returns false. open is called with a lock
// held. When open may return true again, Admit must be called. While must be called before Enter.
func (p *Places[Client]) While(open func() bool) { p.open = open }

// Enter takes a place, and waits for one until ctx is cancelled. A free place goes to the client
// with the fewest places; among these, to the one that has not taken a place for the longest time.
// The error is ErrFull or the cause of ctx. Leave gives the place back.
func (p *Places[Client]) Enter(ctx context.Context, id Client) error {
	p.mu.Lock()
	c := p.clients[id]
	if c == nil {
		p.arrived++
		c = &client{arrival: p.arrived}
		p.clients[id] = c
	}
	place := make(chan struct{})
	c.waiting = append(c.waiting, place)
	p.admit()
	select {
	case <-place:
		p.mu.Unlock()
		return nil
	default:
	}
	if len(c.waiting) > p.most {
		c.waiting = c.waiting[:len(c.waiting)-1]
		p.forget(id, c)
		p.mu.Unlock()
		return ErrFull
	}
	p.mu.Unlock()
	select {
	case <-place:
		return nil
	case <-ctx.Done():
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, waiting := range c.waiting {
		if waiting == place {
			c.waiting = append(c.waiting[:i], c.waiting[i+1:]...)
			p.forget(id, c)
			return context.Cause(ctx)
		}
	}
	return nil // it got the place at the same time
}

// Leave gives a place of a client back.
func (p *Places[Client]) Leave(id Client) {
	p.mu.Lock()
	defer p.mu.Unlock()
	c := p.clients[id]
	c.taken--
	p.free++
	p.admit()
	p.forget(id, c)
}

// Admit gives free places to waiting callers, if While allows it.
func (p *Places[Client]) Admit() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.admit()
}

// admit is like Admit. The caller holds the lock.
func (p *Places[Client]) admit() {
	for p.free > 0 && (p.open == nil || p.open()) {
		c := p.next()
		if c == nil {
			return
		}
		close(c.waiting[0])
		c.waiting = c.waiting[1:]
		p.free--
		p.entered++
		c.taken++
		c.last = p.entered
	}
}

// next returns the client whose turn it is, or nil if no caller waits. The caller holds the lock.
func (p *Places[Client]) next() (next *client) {
	for _, c := range p.clients {
		if len(c.waiting) > 0 && c.taken < p.each && (next == nil || c.before(next)) {
			next = c
		}
	}
	return next
}

func (c *client) before(other *client) bool {
	switch {
	case c.taken != other.taken:
		return c.taken < other.taken
	case c.last != other.last:
		return c.last < other.last
	}
	return c.arrival < other.arrival
}

// forget removes a client that has no place and does not wait for one. The caller holds the lock.
func (p *Places[Client]) forget(id Client, c *client) {
	if c.taken == 0 && len(c.waiting) == 0 {
		delete(p.clients, id)
	}
}
