package mcp

import (
	"fmt"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/clientlimit"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// This file counts requests: those in flight, which have no reply yet and can be cancelled by
// their ids, and those whose handlers run, which the drain at the end waits for. conn.mu guards
// both.

// flight are the requests of a connection that have no reply yet. Most connections have one at a
// time, and need no table.
type flight struct {
	one  *engineExchange
	more map[jsonrpc.IDKey]*engineExchange // by their ids
}

// find returns the request with that id, nil if there is none.
func (f *flight) find(key jsonrpc.IDKey) *engineExchange {
	if f.one != nil && f.one.key == key {
		return f.one
	}
	return f.more[key]
}

// add adds a request whose id is not there yet.
func (f *flight) add(x *engineExchange) {
	if f.one == nil {
		f.one = x
		return
	}
	if f.more == nil {
		f.more = map[jsonrpc.IDKey]*engineExchange{}
	}
	f.more[x.key] = x
}

// remove removes a request, which must be there.
func (f *flight) remove(x *engineExchange) {
	if f.one == x {
		f.one = nil
		return
	}
	delete(f.more, x.key)
}

// all returns the requests in no order.
func (f *flight) all() []*engineExchange {
	all := make([]*engineExchange, 0, len(f.more)+1)
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
func (c *engineConn) enter(x *engineExchange) *jsonrpc.Error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.inflight.find(x.key) != nil {
		return duplicateID(x.id)
	}
	if c.closing {
		return &jsonrpc.Error{Code: jsonrpc.CodeInternal, Message: errConnectionClosed.Error(), Data: []byte(`{"reason":"closed"}`)}
	}
	if c.running >= c.settings.limits.InFlight {
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
func (c *engineConn) busy(key jsonrpc.IDKey) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.inflight.find(key) != nil
}

// release ends the count of a handler as running.
func (c *engineConn) release() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.releaseLocked()
}

func (c *engineConn) releaseLocked() {
	c.active.Add(-1)
	if c.running--; c.running == 0 && c.idle != nil {
		close(c.idle)
		c.idle = nil
	}
}

// drain waits until no handler runs, the connection ends, or the time is over.
func (c *engineConn) drain(within time.Duration) {
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

// admit counts a notification that a handler runs for as a running request, until [engineConn.dismiss]. It
// reports false if there is no room for one more.
func (c *engineConn) admit(who *clientlimit.Client, cost int) bool {
	s := c.settings
	if !s.memory.Take(cost) {
		return false
	}
	if !s.calls.Take(who) {
		s.memory.Release(cost)
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closing || c.running >= s.limits.InFlight {
		s.memory.Release(cost)
		s.calls.Give(who)
		return false
	}
	c.running++
	c.active.Add(1)
	return true
}

// dismiss undoes admit.
func (c *engineConn) dismiss(who *clientlimit.Client, cost int) {
	c.settings.calls.Give(who)
	c.settings.memory.Release(cost)
	c.release()
}

// runs returns how many handlers run.
func (c *engineConn) runs() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.running
}
