package mcp

import (
	"errors"
	"io"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/link"
	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// reading is the duty to take the messages of a stream. One goroutine has it at a
// time, and as long as it has, it writes nothing and runs no code of users.
//
// To have another goroutine run a handler costs two or three times as much as a short
// call, where calls come one at a time: a thread has to be woken. So over stdio
// ([link.Direct]) a request that comes alone is answered by the goroutine that has
// read it, which gives the duty away before. If it comes back soon, nobody has
// noticed. If it does not, another goroutine reads on after [patience], and this one
// ends with its handler. It is the same with what is to be written.
type reading struct {
	c     *conn
	conn  jsonrpc.Conn
	out   *outbox
	more  func() bool // a whole message is there already; nil where that is not known
	ended chan error  // gets why there is nothing more to read

	charged charged // the connection, if it can have what it reads charged to a budget

	direct bool // requests may be answered by whoever has read them

	// For whoever has the duty.
	kept *exchange // the request that is to be answered next
	slow int       // so many requests are not kept, after one that took long

	mu      sync.Mutex
	vacant  bool      // whoever has had the duty runs a handler, or writes
	since   time.Time // it is vacant
	turn    uint64    // counts how often it has become so
	timer   *time.Timer
	watched bool // the timer is going to come
}

const (
	// patience is how long nobody reads, at the most: what a cancellation or a ping
	// has to wait for at the worst. The timer that sees to it is not set for each
	// request, but once for all within that time.
	patience = time.Millisecond
	// slowRun is how many requests go to goroutines of their own after one that took
	// longer: others of its kind are likely to follow.
	slowRun = 32
)

func newReading(c *conn, jc jsonrpc.Conn, out *outbox) *reading {
	r := &reading{c: c, conn: jc, out: out, ended: make(chan error, 1)}
	if m, ok := jc.(charged); ok {
		r.charged = m
		m.Charge(c.server.memory)
	}
	switch jc := jc.(type) {
	case *link.Direct:
		r.more, r.direct = jc.Buffered, true
	case interface{ Buffered() bool }:
		r.more = jc.Buffered
	}
	return r
}

// run takes messages until there are no more, or another goroutine has the duty.
func (r *reading) run() {
	for {
		data, err := r.conn.Read()
		switch undelivered, ok := errors.AsType[*jsonrpc.FrameError](err); {
		case ok && undelivered.Overloaded:
			r.c.overloaded(undelivered, r.out)
		case ok:
			r.c.refuse(&jsonrpc.Message{}, invalidRequest(err.Error()), r.out)
		case err != nil:
			r.finish(err)
			return
		case !r.c.receive(data, r.out):
			r.finish(io.EOF)
			return
		}
		if x := r.kept; x != nil {
			r.kept = nil
			if !r.away(x) {
				return
			}
			r.c.rest()
			continue
		}
		if r.more == nil || !r.more() {
			switch {
			case !r.out.waiting():
			case !r.direct || r.slow > 0:
				r.out.Kick()
			case !r.away(nil):
				return
			}
			r.c.rest()
		}
		if r.out.overfull() {
			r.out.fail(errStalled)
		}
	}
}

func (r *reading) finish(err error) {
	if r.charged != nil {
		r.charged.Charge(nil)
	}
	r.out.Kick()
	r.ended <- err
}

// keeps reports whether a request is to be answered by the goroutine that has read
// it: one that nothing else waits beside or behind.
func (r *reading) keeps(x *exchange) bool {
	if r == nil || !r.direct || !x.alone || x.method == protocol.Listen || x.sink != sink(r.out) || r.more() {
		return false
	}
	if r.slow > 0 {
		r.slow--
		return false
	}
	r.kept = x
	return true
}

// away runs the handler of a request or, where that is nil, writes what is queued. It
// reports whether the goroutine has the duty to read again.
func (r *reading) away(x *exchange) (back bool) {
	turn := r.leave()
	returned := false
	defer func() {
		if !returned { // the handler has ended the goroutine
			r.handOver()
		}
	}()
	if x != nil {
		x.run() // which writes everything
	} else {
		r.out.Flush()
	}
	returned = true
	return r.comeBack(turn)
}

// leave gives the duty away.
func (r *reading) leave() (turn uint64) {
	now := time.Now()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.vacant, r.since = true, now
	r.turn++
	if !r.watched {
		r.watch(patience)
	}
	return r.turn
}

// comeBack takes the duty again, unless somebody else has it.
func (r *reading) comeBack(turn uint64) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.vacant || r.turn != turn {
		return false
	}
	r.vacant = false
	return true
}

// watch sets the timer. The caller holds the lock.
func (r *reading) watch(after time.Duration) {
	r.watched = true
	if r.timer == nil {
		r.timer = time.AfterFunc(after, r.look)
		return
	}
	r.timer.Reset(after)
}

// look reads on, if nobody has for too long.
func (r *reading) look() {
	r.mu.Lock()
	r.watched = false
	late := false
	if r.vacant {
		left := patience - time.Since(r.since)
		if late = left <= 0; late {
			r.vacant = false
		} else {
			r.watch(left)
		}
	}
	r.mu.Unlock()
	if late {
		r.slow = slowRun
		r.run()
	}
}

// handOver has another goroutine read on at once, if the duty is vacant.
func (r *reading) handOver() {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.vacant {
		r.vacant = false
		go r.run()
	}
}
