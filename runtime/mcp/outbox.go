package mcp

import (
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/lend"
	"github.com/mcpgen/mcpgen/runtime/internal/membudget"
	"github.com/mcpgen/mcpgen/runtime/internal/transport"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// sink is where the replies to requests go: the client's connection, a batch, or
// what another transport has.
type sink = transport.Sink

var errStalled = errors.New("client does not read")

// outbox collects messages for a connection and writes those that have come
// together in one call. Handlers write themselves, since then nobody has to be
// woken; the reader of the connection never does, but lets a goroutine do it.
type outbox struct {
	conn      jsonrpc.Conn
	limit     int
	writeTime time.Duration
	memory    *membudget.Budget

	wake   chan struct{} // to the goroutine that writes for the reader
	broken chan struct{} // closed at the first error
	failed func()        // called then; must not wait
	active *atomic.Int32 // handlers

	mu      sync.Mutex
	room    sync.Cond // for the handlers that wait
	written sync.Cond // for drain
	pending []byte    // whole messages, each ended by a newline; borrowed
	unasked int       // bytes of them for which nobody has waited, but for the last such message
	newest  int       // bytes of that one
	spare   []byte    // of the last batch; borrowed
	writing bool
	began   time.Time         // of the write that goes on; zero while none does
	account membudget.Account // for pending, spare and what is being written
	busy    int               // bytes of what is being written
	stall   *time.Timer
	watched bool // stall is going to come, to look at how long a write takes
	err     error
}

func newOutbox(conn jsonrpc.Conn, l *Limits, memory *membudget.Budget, failed func(), active *atomic.Int32) *outbox {
	o := &outbox{
		conn: conn, limit: l.QueueBytes, writeTime: l.WriteTime,
		wake: make(chan struct{}, 1), broken: make(chan struct{}), failed: failed, active: active,
	}
	o.memory = memory
	o.account.Of(memory)
	o.room.L, o.written.L = &o.mu, &o.mu
	return o
}

func (o *outbox) Reply(message []byte, _ int) { o.Notify(message) }

func (o *outbox) Own(message []byte, _ int) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err != nil || len(o.pending) > 0 {
		return false
	}
	lend.Put(o.pending)
	o.pending = append(lend.Grow(message, 1), '\n')
	o.charge()
	return true
}

func (o *outbox) Refuse(message []byte, code int) { o.Answer(message, code) }

func (o *outbox) Answer(message []byte, _ int) {
	o.Notify(message)
	o.mu.Lock()
	defer o.mu.Unlock()
	o.unasked += o.newest
	o.newest = len(message)
}

func (o *outbox) Notify(message []byte) {
	if len(message) == 0 {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err != nil {
		return
	}
	o.pending = append(lend.Grow(o.pending, len(message)+1), message...)
	o.pending = append(o.pending, '\n')
	o.charge()
}

// charge charges the storage that is held at the moment: whoever queues a message has
// paid for one copy of it, and gives that back. The caller holds the lock.
func (o *outbox) charge() {
	size := 0
	for _, capacity := range [...]int{cap(o.pending), cap(o.spare), o.busy} {
		if capacity > membudget.Free {
			size += capacity
		}
	}
	o.account.Set(size)
}

// overfull reports whether so much is waiting that there is no hope: what the
// reader itself answers with does not wait for room. The newest answer does not
// count, for one alone may be longer, a list of large schemas for instance, and a
// client that reads takes it.
func (o *outbox) overfull() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.unasked > 4*o.limit || o.unasked > leastUnasked && o.memory.Short()
}

// leastUnasked is how many bytes of answers may wait in any case for a client that does
// not read.
const leastUnasked = 16 << 10

func (o *outbox) Full() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.pending) > o.limit
}

func (o *outbox) Wait() {
	o.mu.Lock()
	defer o.mu.Unlock()
	for len(o.pending) > o.limit && o.err == nil {
		o.room.Wait()
	}
}

// pass lets one handler pass that waits, if there is room: it passes on the word by
// Flush. If all went at once, each with a message, there would be no limit.
func (o *outbox) pass() {
	if len(o.pending) <= o.limit {
		o.room.Signal()
	}
}

func (o *outbox) Flush() {
	if o.active.Load() > 1 {
		// Let others who are ready add theirs before the one system call. Where
		// nobody is, that would only wake a thread that looks for them.
		runtime.Gosched()
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.pass(); o.writing {
		return
	}
	o.writing = true
	for len(o.pending) > 0 && o.err == nil {
		batch := o.pending
		o.pending, o.spare, o.unasked, o.newest = o.spare[:0], nil, 0, 0
		o.busy = cap(batch)
		o.pass()
		o.watch()
		o.mu.Unlock()
		err := o.conn.Write(batch)
		o.mu.Lock()
		o.began = time.Time{}
		o.busy = 0
		if o.spare = batch; o.err != nil || cap(batch) > keptBuffer && len(o.pending) == 0 {
			lend.Put(batch)
			o.spare = nil
		}
		if err != nil {
			o.failLocked(err)
		}
		o.charge()
	}
	o.writing = false
	if o.active.Load() == 0 {
		o.rest()
	}
	o.written.Broadcast()
}

// watch notes that a write begins. The timer that looks after it is set once for
// all that begin until it comes: to set one wakes a thread, and would cost more than
// the write. The caller holds the lock.
func (o *outbox) watch() {
	o.began = time.Now()
	switch {
	case o.watched:
		return
	case o.stall == nil:
		o.stall = time.AfterFunc(o.writeTime, o.look)
	default:
		o.stall.Reset(o.writeTime)
	}
	o.watched = true
}

// look ends the connection if a write has taken too long.
func (o *outbox) look() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.watched = false
	if o.began.IsZero() || o.err != nil {
		return
	}
	if left := o.writeTime - time.Since(o.began); left > 0 {
		o.watched = true
		o.stall.Reset(left)
		return
	}
	o.failLocked(errStalled)
}

// rest gives back what messages have taken, now that there is nothing to write: the
// connection may be quiet for as long as it lives.
func (o *outbox) rest() {
	if len(o.pending) == 0 {
		lend.Put(o.pending)
		lend.Put(o.spare)
		o.pending, o.spare = nil, nil
		o.charge()
	}
}

// waiting reports whether something is queued.
func (o *outbox) waiting() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.pending) > 0
}

// kick has what is queued written without waiting for it.
func (o *outbox) Kick() {
	if !o.waiting() {
		return
	}
	select {
	case o.wake <- struct{}{}:
	default:
	}
}

// serve writes for the reader until the connection has ended.
func (o *outbox) serve() {
	for {
		select {
		case <-o.wake:
			o.Flush()
		case <-o.broken:
			return
		}
	}
}

// drain waits until everything is written, or the time is over.
func (o *outbox) drain(within time.Duration) {
	expired := false
	timer := time.AfterFunc(within, func() {
		o.mu.Lock()
		defer o.mu.Unlock()
		expired = true
		o.written.Broadcast()
	})
	defer timer.Stop()
	o.mu.Lock()
	defer o.mu.Unlock()
	for (o.writing || len(o.pending) > 0) && o.err == nil && !expired {
		o.written.Wait()
	}
}

// fail ends the connection. It waits for nobody.
func (o *outbox) fail(err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.failLocked(err)
}

func (o *outbox) failLocked(err error) {
	if o.err != nil {
		return
	}
	o.err = err
	if o.stall != nil {
		o.stall.Stop()
	}
	o.pending, o.spare = nil, nil
	o.charge()
	close(o.broken)
	o.failed()
	o.room.Broadcast()
	o.written.Broadcast()
}

// failure is the error that ended the connection, nil if none did.
func (o *outbox) failure() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.err
}
