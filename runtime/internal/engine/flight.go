package engine

import (
	"fmt"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/clientlimit"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// This file counts requests in flight, which have no reply yet and can be cancelled by their ids,
// and running requests, whose handlers the drain at the end waits for. Conn.mu guards both.

// flight are the requests of a connection that have no reply yet. Most connections have one at a
// time, and need no table.
type flight struct {
	one  *Exchange
	more map[jsonrpc.IDKey]*Exchange // by their ids
}

// find returns the request with that id, or nil.
func (f *flight) find(key jsonrpc.IDKey) *Exchange {
	if f.one != nil && f.one.key == key {
		return f.one
	}
	return f.more[key]
}

// add adds a request whose id is not in flight.
func (f *flight) add(x *Exchange) {
	if f.one == nil {
		f.one = x
		return
	}
	if f.more == nil {
		f.more = map[jsonrpc.IDKey]*Exchange{}
	}
	f.more[x.key] = x
}

// remove removes a request, which must be in flight.
func (f *flight) remove(x *Exchange) {
	if f.one == x {
		f.one = nil
		return
	}
	delete(f.more, x.key)
}

// all returns the requests in no order.
func (f *flight) all() []*Exchange {
	all := make([]*Exchange, 0, len(f.more)+1)
	if f.one != nil {
		all = append(all, f.one)
	}
	for _, x := range f.more {
		all = append(all, x)
	}
	return all
}

// enter adds a request to those in flight, unless the connection is closing, has too many, or has
// one with the same id.
func (c *Conn) enter(x *Exchange) *jsonrpc.Error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.inflight.find(x.key) != nil {
		return duplicateID(x.ID)
	}
	if c.closing.Load() {
		return &jsonrpc.Error{Code: jsonrpc.CodeInternal, Message: ErrConnectionClosed.Error(), Data: []byte(`{"reason":"closed"}`)}
	}
	if c.running >= c.Settings.Limits.InFlight {
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
func (c *Conn) busy(key jsonrpc.IDKey) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.inflight.find(key) != nil
}

// release stops counting a handler as running.
func (c *Conn) release() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.releaseLocked()
}

func (c *Conn) releaseLocked() {
	c.active.Add(-1)
	if c.running--; c.running == 0 && c.idle != nil {
		close(c.idle)
		c.idle = nil
	}
}

// Drain waits until no handler runs, the connection closes, or the time is up.
func (c *Conn) Drain(within time.Duration) {
	c.mu.Lock()
	if c.running == 0 {
		c.mu.Unlock()
		return
	}
	if c.idle == nil {
		c.idle = make(chan struct{})
	}
	idle := c.idle
	ended := c.Ctx.Done()
	if c.closing.Load() {
		ended = nil // the connection is closed: handlers have this time to return
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

// Admit counts a notification with a handler as a running request, until [Conn.Dismiss]. It returns
// false if a limit does not allow one more.
func (c *Conn) Admit(who *clientlimit.Client, cost int) bool {
	s := c.Settings
	if !s.Memory.Take(cost) {
		return false
	}
	if !s.Calls.Take(who) {
		s.Memory.Release(cost)
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closing.Load() || c.running >= s.Limits.InFlight {
		s.Memory.Release(cost)
		s.Calls.Give(who)
		return false
	}
	c.running++
	c.active.Add(1)
	return true
}

// Dismiss releases the count and the cost of Admit.
func (c *Conn) Dismiss(who *clientlimit.Client, cost int) {
	c.Settings.Calls.Give(who)
	c.Settings.Memory.Release(cost)
	c.release()
}

// Runs returns the number of running handlers.
func (c *Conn) Runs() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.running
}
