// Package turns shares a number of places among clients, so that none keeps the others from theirs.
package turns

import (
	"context"
	"errors"
	"sync"
)

// ErrFull is the error of Enter for a client of whom too many wait already.
var ErrFull = errors.New("too many of the client wait")

// Places are places of which each is taken by one caller at a time. All methods may be called by several goroutines.
type Places[Client comparable] struct {
	mu      sync.Mutex
	free    int
	each    int         // places of one client
	most    int         // that wait, of one client
	open    func() bool // nil for always
	clients map[Client]*client
	entered uint64 // how often a place was taken
	arrived uint64 // how often a client without places has come
}

// client is a client with places, or with callers that wait for one.
type client struct {
	taken   int
	waiting []chan struct{} // closed when the caller has a place
	last    uint64          // Places.entered when it last took a place; 0 if it has had none since it came
	arrival uint64
}

// New returns places. Of one client, as many callers have a place and wait as each and waiting say.
func New[Client comparable](places, each, waiting int) *Places[Client] {
	return &Places[Client]{free: places, each: each, most: waiting, clients: map[Client]*client{}}
}

// While has no place be taken while open reports false. Open is called with a lock held; when it may report true again, Admit is
// to be called. It must be called before Enter.
func (p *Places[Client]) While(open func() bool) { p.open = open }

// Enter takes a place, and waits for one until ctx ends. A place that becomes free goes to the client with the fewest places;
// of these, to the one that has taken none for the longest time. The error is ErrFull or the cause of ctx. Leave returns the place.
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

// Leave returns a place of a client.
func (p *Places[Client]) Leave(id Client) {
	p.mu.Lock()
	defer p.mu.Unlock()
	c := p.clients[id]
	c.taken--
	p.free++
	p.admit()
	p.forget(id, c)
}

// Admit gives places to callers that wait, if there are any and While allows it.
func (p *Places[Client]) Admit() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.admit()
}

// admit is Admit for a caller that holds the lock.
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

// next returns the client whose turn it is; nil if no one waits. The caller holds the lock.
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

// forget removes a client that has no place and waits for none. The caller holds the lock.
func (p *Places[Client]) forget(id Client, c *client) {
	if c.taken == 0 && len(c.waiting) == 0 {
		delete(p.clients, id)
	}
}
