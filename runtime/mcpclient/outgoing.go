package mcpclient

import (
	"errors"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/bufpool"
	"github.com/mcpgen/mcpgen/runtime/internal/dial"
)

// settleTime is how long a write may go on after the end of a connection has been read.
const settleTime = 100 * time.Millisecond

// outgoing writes messages to a stream. Those that come together are written together. No
// caller waits for a write, so that the end of its context ends its request even while the
// server does not read; a goroutine writes, and ends when nothing is left.
type outgoing struct {
	conn   dial.Stream
	limit  time.Duration // of one write
	failed func(error)   // called once, when a write has failed or taken too long

	mu       sync.Mutex
	queue    []byte     // whole messages, each with its newline
	asked    []*pending // whose messages are in queue
	spare    []byte
	begun    []*pending // whose messages are being written, or were last
	writing  bool
	closed   bool
	finished chan struct{} // closed when writing ends; nil if nothing waits for that
}

// add queues a message. It reports how many bytes wait. p may be nil.
func (o *outgoing) add(message []byte, p *pending) int {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed {
		return 0
	}
	o.queue = append(bufpool.Grow(o.queue, len(message)+1), message...)
	o.queue = append(o.queue, '\n')
	if p != nil {
		o.asked = append(o.asked, p)
	}
	if !o.writing {
		o.writing = true
		go o.write()
	}
	return len(o.queue)
}

// write writes until nothing is queued.
func (o *outgoing) write() {
	for {
		o.mu.Lock()
		batch := o.queue
		if len(batch) == 0 || o.closed {
			o.writing = false
			if o.finished != nil {
				close(o.finished)
				o.finished = nil
			}
			bufpool.Put(o.queue)
			bufpool.Put(o.spare)
			o.queue, o.spare = nil, nil
			o.mu.Unlock()
			return
		}
		for _, p := range o.asked {
			p.written = true
		}
		clear(o.begun)
		o.asked, o.begun = o.begun[:0], o.asked
		o.queue, o.spare = o.spare[:0], nil
		o.mu.Unlock()
		stuck := time.AfterFunc(o.limit, func() { o.failed(errWriteTime) })
		err := o.conn.Write(batch)
		stuck.Stop()
		if err != nil {
			o.failed(o.notWritten(err))
		}
		o.mu.Lock()
		o.spare = batch
		clear(o.begun)
		o.mu.Unlock()
	}
}

// notWritten takes note of messages that a connection has not sent, and returns why.
func (o *outgoing) notWritten(err error) error {
	e, ok := errors.AsType[*dial.Error](err)
	if !ok {
		return err
	}
	if !e.Sent {
		o.mu.Lock()
		defer o.mu.Unlock()
		for _, p := range o.begun {
			p.written = false
		}
	}
	return e.Err
}

// settle waits for the write in progress on a connection that has ended, so that
// wasWritten is right. That is short, or else nothing depends on it any more.
func (o *outgoing) settle() {
	o.mu.Lock()
	if !o.writing {
		o.mu.Unlock()
		return
	}
	if o.finished == nil {
		o.finished = make(chan struct{})
	}
	finished := o.finished
	o.mu.Unlock()
	timer := time.NewTimer(settleTime)
	defer timer.Stop()
	select {
	case <-finished:
	case <-timer.C:
	}
}

// wasWritten reports whether the message of a request has been given to the connection, and
// may have been sent.
func (o *outgoing) wasWritten(p *pending) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return p.written
}

// close drops what is queued.
func (o *outgoing) close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closed = true
}
