package mcpclient

import (
	"errors"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/bufpool"
	"github.com/mcpgen/mcpgen/runtime/internal/dial"
)

// settleTime limits how long a write may continue after the reader has reached the end of a
// connection.
const settleTime = 100 * time.Millisecond

// outgoing writes messages to a stream, and combines queued messages into one write. No caller
// waits for a write, so that the end of a request's context ends the request even while the server
// does not read; a goroutine writes, and ends when the queue is empty.
type outgoing struct {
	conn   dial.Stream
	limit  time.Duration // for one write
	failed func(error)   // called once, when a write has failed or taken too long

	mu       sync.Mutex
	queue    []byte     // whole messages, each with its newline
	asked    []*pending // the requests whose messages are in queue
	spare    []byte
	begun    []*pending // the requests whose messages are in the current or last write
	writing  bool
	closed   bool
	finished chan struct{} // closed when writing ends; nil if no goroutine waits for it
}

// add queues a message, and returns the number of queued bytes. p may be nil.
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

// write writes until the queue is empty.
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

// notWritten records messages that a connection has not sent, and returns the cause.
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

// settle waits for the write in progress on a closed connection, so that wasWritten is correct. It
// waits for a short time only; after that, nothing depends on it.
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

// wasWritten reports whether the connection got the message of a request, and may have sent it.
func (o *outgoing) wasWritten(p *pending) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return p.written
}

// close drops the queued messages.
func (o *outgoing) close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closed = true
}
