package mcpclient

import (
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/bufpool"
	"github.com/mcpgen/mcpgen/runtime/internal/dial"
)

// outgoing writes messages to a stream. Those that come together are written together. No
// caller waits for a write, so that the end of its context ends its request even while the
// server does not read; a goroutine writes, and ends when nothing is left.
type outgoing struct {
	conn   dial.Stream
	limit  time.Duration // of one write
	failed func(error)   // called once, when a write has failed or taken too long

	mu      sync.Mutex
	queue   []byte     // whole messages, each with its newline
	asked   []*pending // whose messages are in queue
	spare   []byte
	writing bool
	closed  bool
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
			bufpool.Put(o.queue)
			bufpool.Put(o.spare)
			o.queue, o.spare = nil, nil
			o.mu.Unlock()
			return
		}
		for _, p := range o.asked {
			p.written = true
		}
		clear(o.asked)
		o.asked = o.asked[:0]
		o.queue, o.spare = o.spare[:0], nil
		o.mu.Unlock()
		stuck := time.AfterFunc(o.limit, func() { o.failed(errWriteTime) })
		err := o.conn.Write(batch)
		stuck.Stop()
		if err != nil {
			o.failed(err)
		}
		o.mu.Lock()
		o.spare = batch
		o.mu.Unlock()
	}
}

// wasWritten reports whether the message of a request has been given to the connection.
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
