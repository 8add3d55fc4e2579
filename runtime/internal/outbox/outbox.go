// Package outbox implements the outgoing queue of a connection: a [transport.Sink] for one stream
// of messages.
package outbox

import (
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/bufpool"
	"github.com/mcpgen/mcpgen/runtime/internal/membudget"
	"github.com/mcpgen/mcpgen/runtime/internal/transport"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// ErrStalled is the error of a connection whose client does not read.
var ErrStalled = errors.New("client does not read")

var _ interface {
	transport.Sink
	transport.Owner
} = (*Outbox)(nil)

// Outbox queues messages for a connection, and writes several queued messages in one call. Handlers
// write themselves ([Outbox.Flush]), so that no other goroutine is woken. The goroutine that reads
// never writes: it wakes the goroutine that runs [Outbox.Serve]. One goroutine writes at a time.
// The methods may be called by many.
type Outbox struct {
	conn      jsonrpc.Conn
	limit     int
	writeTime time.Duration
	memory    *membudget.Budget

	wake   chan struct{} // wakes Serve
	broken chan struct{} // closed at the first error
	failed func()        // called at the first error; must not wait
	active *atomic.Int32 // running handlers

	mu               sync.Mutex // guards the following fields
	room             sync.Cond  // signals handlers that wait for room
	written          sync.Cond  // signals Drain
	pending          []byte     // whole messages, each ended by a newline; from the pool
	unthrottledBytes int        // of pending: replies that did not wait for room, except the newest
	newest           int        // bytes of the newest one
	spare            []byte     // storage of the last batch; from the pool
	writing          bool
	began            time.Time         // begin of the current write; zero if none is running
	account          membudget.Account // for pending, spare and the batch that is written
	busy             int               // capacity of the batch that is written
	stall            *time.Timer
	watched          bool // the timer that checks the duration of a write is set
	err              error
}

// Options are the properties of an outbox.
type Options struct {
	// QueueBytes is the number of queued bytes above which Wait waits.
	QueueBytes int
	// WriteTime limits the time of one write.
	WriteTime time.Duration
	// Memory is charged for the queue.
	Memory *membudget.Budget
	// Failed is called once, when the connection has failed or Fail is called. It must not wait.
	Failed func()
	// Active is the number of running handlers.
	Active *atomic.Int32
}

// New returns an empty outbox.
func New(conn jsonrpc.Conn, opts Options) *Outbox {
	o := &Outbox{
		conn: conn, limit: opts.QueueBytes, writeTime: opts.WriteTime, memory: opts.Memory, failed: opts.Failed, active: opts.Active,
		wake: make(chan struct{}, 1), broken: make(chan struct{}),
	}
	o.account.Of(opts.Memory)
	o.room.L, o.written.L = &o.mu, &o.mu
	return o
}

// Reply queues a reply.
func (o *Outbox) Reply(message []byte, _ int) { o.Notify(message) }

// Own queues a reply without copying it, if nothing else is queued.
func (o *Outbox) Own(message []byte, _ int) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err != nil || len(o.pending) > 0 {
		return false
	}
	bufpool.Put(o.pending)
	o.pending = append(bufpool.Grow(message, 1), '\n')
	o.charge()
	return true
}

// Refuse is like Answer.
func (o *Outbox) Refuse(message []byte, code int) { o.Answer(message, code) }

// Answer queues a reply of the goroutine that reads, which has not waited for room. The connection
// fails if the client cannot be reading, because too many of these replies are queued. The newest
// reply does not count: it alone may exceed the limit, such as a list of large schemas.
func (o *Outbox) Answer(message []byte, _ int) {
	o.Notify(message)
	o.mu.Lock()
	defer o.mu.Unlock()
	o.unthrottledBytes += o.newest
	o.newest = len(message)
	if (o.unthrottledBytes+3)/4 > o.limit || o.unthrottledBytes > leastUnthrottled && o.memory.Short() {
		o.failLocked(ErrStalled)
	}
}

// Notify queues a message. It never waits, and drops the message once the connection has failed.
func (o *Outbox) Notify(message []byte) {
	if len(message) == 0 {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err != nil {
		return
	}
	o.pending = append(bufpool.Grow(o.pending, len(message)+1), message...)
	o.pending = append(o.pending, '\n')
	o.charge()
}

// charge charges the storage that is in use. A handler that queues a message was charged for a copy
// of its own, and releases that charge. The caller holds the lock.
func (o *Outbox) charge() {
	size := 0
	for _, capacity := range [...]int{cap(o.pending), cap(o.spare), o.busy} {
		if capacity > membudget.Free {
			size += capacity
		}
	}
	o.account.Set(size)
}

// leastUnthrottled is the limit of such replies in bytes while memory is short.
const leastUnthrottled = 16 << 10

// Full reports whether Wait would wait.
func (o *Outbox) Full() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.pending) > o.limit
}

// Wait waits until there is room, or the connection has failed. A handler that has called Wait must
// call Flush, which wakes the next one.
func (o *Outbox) Wait() {
	o.mu.Lock()
	defer o.mu.Unlock()
	for len(o.pending) > o.limit && o.err == nil {
		o.room.Wait()
	}
}

// wakeOne wakes one waiting handler, if there is room. That handler wakes the next by Flush. If all
// went on at once, each with a message, the queue would have no limit. The caller holds the lock.
func (o *Outbox) wakeOne() {
	if len(o.pending) <= o.limit {
		o.room.Signal()
	}
}

// Flush writes the queue, unless another goroutine is writing. If the client does not read, it may
// take up to the limit of a write.
func (o *Outbox) Flush() {
	if o.active.Load() > 1 {
		// Let other handlers that are ready add their messages before the one system call. Without
		// such handlers, Gosched would only wake a thread that looks for them.
		runtime.Gosched()
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.wakeOne(); o.writing {
		return
	}
	o.writing = true
	for len(o.pending) > 0 && o.err == nil {
		batch := o.pending
		o.pending, o.spare, o.unthrottledBytes, o.newest = o.spare[:0], nil, 0, 0
		o.busy = cap(batch)
		o.wakeOne()
		o.watch()
		o.mu.Unlock()
		err := o.conn.Write(batch)
		o.mu.Lock()
		o.began = time.Time{}
		o.busy = 0
		// Large storage is not kept: it would stay charged as long as a handler is active, which
		// may wait for just this memory.
		if o.spare = batch; o.err != nil || cap(batch) > keptBuffer {
			bufpool.Put(batch)
			o.spare = nil
		}
		if err != nil {
			o.failLocked(err)
		}
		o.charge()
	}
	o.writing = false
	if o.active.Load() == 0 {
		o.releaseBuffers()
	}
	o.written.Broadcast()
}

// watch records that a write begins. The timer that fails the connection if a write takes too long
// is set once for all writes that begin until it fires: setting it wakes a thread, and would cost
// more than the write. The caller holds the lock.
func (o *Outbox) watch() {
	o.began = time.Now()
	switch {
	case o.watched:
		return
	case o.stall == nil:
		o.stall = time.AfterFunc(o.writeTime, o.checkWrite)
	default:
		o.stall.Reset(o.writeTime)
	}
	o.watched = true
}

// checkWrite fails the connection if a write has taken too long.
func (o *Outbox) checkWrite() {
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
	o.failLocked(ErrStalled)
}

// releaseBuffers gives the storage of messages back when the queue is empty, since no other message
// may come for a long time. The caller holds the lock.
func (o *Outbox) releaseBuffers() {
	if len(o.pending) == 0 {
		bufpool.Put(o.pending)
		bufpool.Put(o.spare)
		o.pending, o.spare = nil, nil
		o.charge()
	}
}

// FlushAsync makes Serve write the queue, and does not wait.
func (o *Outbox) FlushAsync() {
	o.mu.Lock()
	empty := len(o.pending) == 0
	o.mu.Unlock()
	if empty {
		return
	}
	select {
	case o.wake <- struct{}{}:
	default:
	}
}

// Serve writes for goroutines that must not wait, until the connection has failed.
func (o *Outbox) Serve() {
	for {
		select {
		case <-o.wake:
			o.Flush()
		case <-o.broken:
			return
		}
	}
}

// Drain waits until everything is written, the connection has failed, or the time is up.
func (o *Outbox) Drain(within time.Duration) {
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

// Broken is closed when the connection has failed.
func (o *Outbox) Broken() <-chan struct{} { return o.broken }

// Fail closes the connection. It does not wait.
func (o *Outbox) Fail(err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.failLocked(err)
}

func (o *Outbox) failLocked(err error) {
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

// Err returns the error with which the connection has failed, or nil.
func (o *Outbox) Err() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.err
}

// keptBuffer is the size up to which the storage of a batch is used for the next one.
const keptBuffer = 64 << 10
