package mcpclient

import (
	"context"
	"encoding/json"
	"sync"
)

// pending is a request that has been sent and has no reply yet. The lock of its connection
// guards the fields below it.
type pending struct {
	id       int64
	method   string
	clock    clock
	received int64 // messages that had come over the stream before
	// progress is the function of the caller, called by the goroutine of the request, and over
	// HTTP also by that of events.
	progress func(Progress)
	// delivering is held while progress is called over HTTP. It guards returned.
	delivering sync.Mutex
	returned   bool
	// arrived has an element when there is something new below.
	arrived chan struct{}

	written bool // its message has been written, or is being written; the lock of outgoing guards it

	newest *Progress // that progress has not got yet; a newer one replaces it
	step   *float64  // the last value of progress: it must increase
	done   bool
	abort  context.CancelCauseFunc // ends its exchange over HTTP; nil otherwise
	result json.RawMessage
	err    error
}

// wake has the goroutine of the request look again.
func (p *pending) wake() {
	select {
	case p.arrived <- struct{}{}:
	default:
	}
}

// finish ends the request. The caller holds the lock of the connection, and has removed the request from
// those that wait.
func (p *pending) finish(result json.RawMessage, err error) {
	p.result, p.err, p.done = result, err, true
	p.wake()
}
