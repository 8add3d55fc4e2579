package mcpclient

import (
	"context"
	"encoding/json"
	"sync"
)

// pending is a request in flight. The lock of its connection guards the fields below it.
type pending struct {
	id       int64
	method   string
	clock    clock
	received int64 // number of messages received over the stream before the request
	// progress is the caller's function. The request goroutine calls it, and over HTTP the event
	// goroutine too.
	progress func(Progress)
	// delivering is held while progress is called over HTTP. It guards returned.
	delivering sync.Mutex
	returned   bool
	// arrived has an element when a field below has changed.
	arrived chan struct{}

	written bool // its message has been written or is being written; guarded by the lock of outgoing

	newest *Progress // not yet passed to progress; a newer one replaces it
	step   *float64  // the last value of progress: it must increase
	done   bool
	abort  context.CancelCauseFunc // aborts its HTTP request; nil otherwise
	result json.RawMessage
	err    error
}

// wake makes the request goroutine check again.
func (p *pending) wake() {
	select {
	case p.arrived <- struct{}{}:
	default:
	}
}

// finish completes the request. The caller holds the lock of the connection, and has removed the
// request from the waiting ones.
func (p *pending) finish(result json.RawMessage, err error) {
	p.result, p.err, p.done = result, err, true
	p.wake()
}
