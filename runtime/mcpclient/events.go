package mcpclient

import (
	"encoding/json"
	"sync"
)

// events calls the functions of Options for events that no request waits for: one after the other,
// in order. A goroutine calls them, and ends when the queue is empty. The queue is limited: changes
// are merged, and beyond the limit log messages and other notifications are dropped and counted.
type events struct {
	client *Client
	limit  int // bytes of queued calls

	mu      sync.Mutex
	queue   []event
	bytes   int
	changes map[Change]bool // the changes in queue
	dropped int
	running bool
	closed  bool
}

// event is one call of a function.
type event struct {
	size   int
	change *Change
	call   func()
}

// eventSize is the memory of an event without its text.
const eventSize = 128

// add queues a call. It does not limit calls that must not be lost: the client itself makes few of
// them.
func (e *events) add(size int, bounded bool, change *Change, call func()) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return
	}
	if change != nil {
		if e.changes[*change] {
			return
		}
	}
	size += eventSize
	if bounded && e.bytes+size > e.limit {
		e.dropped++
		return
	}
	if change != nil {
		if e.changes == nil {
			e.changes = map[Change]bool{}
		}
		e.changes[*change] = true
	}
	e.bytes += size
	e.queue = append(e.queue, event{size, change, call})
	if !e.running {
		e.running = true
		go e.run()
	}
}

// run makes the calls that are queued.
func (e *events) run() {
	for {
		e.mu.Lock()
		if dropped := e.dropped; dropped > 0 && len(e.queue) == 0 {
			e.dropped = 0
			e.mu.Unlock()
			e.client.log.Warn("mcpclient: notifications of the server were dropped, since the functions of Options do not keep up",
				"server", e.client.target.Name(), "dropped", dropped)
			continue
		}
		if len(e.queue) == 0 {
			e.running = false
			e.queue = nil
			e.mu.Unlock()
			return
		}
		next := e.queue[0]
		e.queue = e.queue[1:]
		e.bytes -= next.size
		if next.change != nil {
			delete(e.changes, *next.change)
		}
		e.mu.Unlock()
		next.call()
	}
}

// finish lets the goroutine make the queued calls, and drops later ones.
func (e *events) finish() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.closed = true
}

func (e *events) log(m LogMessage) {
	f := e.client.options.OnLog
	if f == nil {
		return
	}
	e.add(len(m.Data)+len(m.Logger), true, nil, func() { f(m) })
}

func (e *events) notification(method string, params json.RawMessage) {
	f := e.client.options.OnNotification
	if f == nil {
		return
	}
	e.add(len(method)+len(params), true, nil, func() { f(method, params) })
}

func (e *events) changed(c Change) {
	f := e.client.options.OnChange
	if f == nil {
		return
	}
	e.add(len(c.URI), true, &c, func() { f(c) })
}

func (e *events) violation(err error) {
	f := e.client.options.OnProtocolError
	if f == nil {
		e.client.log.Warn("mcpclient: the server breaks the protocol", "server", e.client.target.Name(), "error", err)
		return
	}
	if e.client.testing != nil {
		f(err)
		return
	}
	e.add(maxClip, true, nil, func() { f(err) })
}

func (e *events) state(s State) {
	if f := e.client.options.OnState; f != nil {
		e.add(0, false, nil, func() { f(s) })
	}
}
