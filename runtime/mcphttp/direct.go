package mcphttp

import (
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/link"
)

// direct is a call that is answered by the goroutine of its HTTP request: to have
// another one run the handler, and to wait for it, costs more than a short call. That
// goroutine then cannot look after the client. So if the call takes longer than
// [briefTime], has something to say before its reply, or waits for the client, another
// one writes the response from then on, as it does for calls that have goroutines of
// their own.
type direct struct {
	p      *response
	job    link.Job // nil where the call has a goroutine of its own
	reader *reader
	conn   link.Conn // of this request alone, which ends with its client; nil in sessions

	// Guarded by directs.
	running    bool
	seen       bool // when the timer came
	prev, next *direct
	written    chan bool // gets what write has returned; nil until another goroutine writes
}

// briefTime is how long nobody looks after the client, or up to twice as long: the
// timer looks for what it has seen before.
const briefTime = 10 * time.Millisecond

// directs are those that run. They share a timer, which is not set for each, but once
// for all within its time: to set one may wake a thread.
type directs struct {
	mu    sync.Mutex
	first *direct
	timer *time.Timer
	armed bool
}

// Keep keeps a call for the goroutine of the HTTP request.
func (s *stream) Keep(job link.Job) bool {
	if s.response == nil {
		return false
	}
	s.response.direct.job = job
	return true
}

// handOver has another goroutine write the response of a direct call from now on. The
// caller holds the guard.
func (s *stream) handOver() {
	if p := s.response; p != nil {
		p.h.directs.handOver(p)
	}
}

// answer runs the call, if it is a direct one, and writes what there is to be written.
// It reports false if the client is gone before the end.
func (p *response) answer(reader *reader) (ok bool) {
	d, all := &p.direct, &p.h.directs
	if d.job == nil {
		return p.write(reader)
	}
	d.reader = reader
	all.enter(p)
	returned := false
	defer func() {
		if returned {
			return
		}
		// The handler has ended the goroutine, and with it goes the connection.
		p.settle(reader, true)
	}()
	d.job.Run()
	returned = true
	return p.settle(reader, false)
}

// settle writes what a direct call has left to be written. It is told whether the
// goroutine is ending.
func (p *response) settle(reader *reader, exits bool) (ok bool) {
	if written := p.h.directs.leave(&p.direct); written != nil {
		return <-written
	}
	p.exits = exits
	if p.events || !p.s.alone(reader) {
		return p.write(reader)
	}
	// What follows goes deep into net/http. To be here, and not in write, leaves it
	// so much of the stack that it need not grow.
	t := p.s.take(reader, false, false)
	ok = p.writePlain(&t)
	p.s.detach(reader)
	return ok
}

func (a *directs) enter(p *response) {
	d := &p.direct
	a.mu.Lock()
	defer a.mu.Unlock()
	d.running, d.p = true, p
	if d.next = a.first; d.next != nil {
		d.next.prev = d
	}
	a.first = d
	if !a.armed {
		a.arm(briefTime)
	}
}

// leave ends what enter has begun. It returns what to wait for, if another goroutine
// writes.
func (a *directs) leave(d *direct) (written <-chan bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	d.running = false
	a.remove(d)
	return d.written
}

// remove takes out a call, if it is there. The caller holds the lock.
func (a *directs) remove(d *direct) {
	switch {
	case d.prev != nil:
		d.prev.next = d.next
	case a.first == d:
		a.first = d.next
	default:
		return
	}
	if d.next != nil {
		d.next.prev = d.prev
	}
	d.prev, d.next = nil, nil
}

func (a *directs) arm(after time.Duration) {
	a.armed = true
	if a.timer == nil {
		a.timer = time.AfterFunc(after, a.look)
		return
	}
	a.timer.Reset(after)
}

// look finds the calls that take long.
func (a *directs) look() {
	var late []*response
	a.mu.Lock()
	a.armed = false
	for d := a.first; d != nil; d = d.next {
		if d.seen {
			late = append(late, d.p)
		}
		d.seen = true
	}
	if a.first != nil {
		a.arm(briefTime)
	}
	a.mu.Unlock()
	for _, p := range late {
		a.handOver(p)
	}
}

func (a *directs) handOver(p *response) {
	d := &p.direct
	a.mu.Lock()
	first := d.running && d.written == nil
	if first {
		d.written = make(chan bool, 1)
		a.remove(d)
	}
	a.mu.Unlock()
	if !first {
		return
	}
	d.job.Slow()
	go func() {
		ok := p.write(d.reader)
		if !ok && d.conn != nil {
			p.h.abandon(d.conn)
		}
		d.written <- ok
	}()
}
