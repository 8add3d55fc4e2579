package mcp

import (
	"fmt"
	"time"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// This file counts requests: those in flight, which have no reply yet and can be cancelled by
// their ids, and those whose handlers run, which the drain at the end waits for. conn.mu guards
// both.

// flight are the requests of a connection that have no reply yet. Most connections have one at a
// time, and need no table.
type flight struct {
	one  *exchange
	more map[jsonrpc.IDKey]*exchange // by their ids
}

// find returns the request with that id, nil if there is none.
func (f *flight) find(key jsonrpc.IDKey) *exchange {
	if f.one != nil && f.one.key == key {
		return f.one
	}
	return f.more[key]
}

// add adds a request whose id is not there yet.
func (f *flight) add(x *exchange) {
	if f.one == nil {
		f.one = x
		return
	}
	if f.more == nil {
		f.more = map[jsonrpc.IDKey]*exchange{}
	}
	f.more[x.key] = x
}

// remove removes a request, which must be there.
func (f *flight) remove(x *exchange) {
	if f.one == x {
		f.one = nil
		return
	}
	delete(f.more, x.key)
}

// all returns the requests in no order.
func (f *flight) all() []*exchange {
	all := make([]*exchange, 0, len(f.more)+1)
	if f.one != nil {
		all = append(all, f.one)
	}
	for _, x := range f.more {
		all = append(all, x)
	}
	return all
}

// enter adds a request to those in flight, unless the connection is closing, has too many, or
// has one with the same id.
func (c *conn) enter(x *exchange) *jsonrpc.Error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.inflight.find(x.key) != nil {
		return duplicateID(x.call.id)
	}
	if c.closing {
		return &jsonrpc.Error{Code: jsonrpc.CodeInternal, Message: ErrConnectionClosed.Error(), Data: []byte(`{"reason":"closed"}`)}
	}
	if c.running >= c.server.limits.InFlight {
		return &jsonrpc.Error{
			Code:    jsonrpc.CodeInternal,
			Message: fmt.Sprintf("overloaded: %d requests of this connection are in flight", c.running),
			Data:    []byte(`{"reason":"overloaded"}`),
		}
	}
	c.inflight.add(x)
	c.running++
	c.active.Add(1)
	return nil
}

func duplicateID(id jsonrpc.ID) *jsonrpc.Error {
	return invalidRequest("duplicate request id " + id.String())
}

// busy reports whether a request with that id is in flight.
func (c *conn) busy(key jsonrpc.IDKey) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.inflight.find(key) != nil
}

// release ends the count of a handler as running.
func (c *conn) release() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.releaseLocked()
}

func (c *conn) releaseLocked() {
	c.active.Add(-1)
	if c.running--; c.running == 0 && c.idle != nil {
		close(c.idle)
		c.idle = nil
	}
}

// drain waits until no handler runs, the connection ends, or the time is over.
func (c *conn) drain(within time.Duration) {
	c.mu.Lock()
	if c.running == 0 {
		c.mu.Unlock()
		return
	}
	if c.idle == nil {
		c.idle = make(chan struct{})
	}
	idle := c.idle
	ended := c.ctx.Done()
	if c.closing {
		ended = nil // it has ended: handlers have this time to return
	}
	c.mu.Unlock()
	timer := time.NewTimer(within)
	defer timer.Stop()
	select {
	case <-idle:
	case <-ended:
	case <-timer.C:
	}
}
