package mcp

import (
	"context"
	"math"

	"github.com/mcpgen/mcpgen/runtime/internal/bufpool"
	"github.com/mcpgen/mcpgen/runtime/internal/membudget"
)

// unload gives back the storage of a request at which nobody looks any more.
func (x *exchange) releaseBuffers() {
	b := x.buffers
	x.buffers, x.req.Params, x.req.Arguments = nil, nil, nil
	b.release()
}

// reload gets storage for the reply.
func (x *exchange) acquireBuffers() { x.buffers = x.conn.server.newBuffers() }

// hold charges what the exchange has besides its buffers, until it ends. It reports false
// if there is no room.
func (x *exchange) charge(size int) bool {
	if size <= membudget.Free {
		return true
	}
	if !x.conn.server.memory.Take(size) {
		return false
	}
	x.addCharge(size)
	return true
}

// adopt is hold for what is charged already.
func (x *exchange) addCharge(size int) {
	if size > 0 && x.cost.Add(int64(size)) < 0 {
		x.conn.server.memory.Release(size) // the exchange has ended
	}
}

// reduce gives back what is charged for the call beyond that.
func (x *exchange) reduceCharge(to int) {
	if more := int(x.cost.Load()) - to; more > 0 {
		x.cost.Add(int64(-more))
		x.conn.server.memory.Release(more)
	}
}

// uncharge gives back what is charged for the exchange, which has ended.
func (x *exchange) releaseCharge() {
	x.conn.server.memory.Release(int(x.cost.Swap(math.MinInt64 / 2)))
}

// claim waits until there is room for so many bytes more than the buffers have, of a
// reply: in the budget or, where that has none or a place is wanted, in one of the places
// for replies that go beyond it. It does not have a place while it waits for the client.
// Without a place to be had it fails: after [Limits.WriteTime] or, where the place is
// wanted, when the request ends.
func (x *exchange) reserve(size int, place bool) error {
	s, account, held := x.conn.server, &x.buffers.account, x.buffers.size()
	if x.hasPlace { // who has a place must not wait for a turn
		account.Set(held + size)
		return nil
	}
	if err := x.waitTurn(size); err != nil {
		return err
	}
	within := s.limits.WriteTime
	if place {
		within = s.limits.CallTime + s.limits.GraceTime // the request ends first
	}
	for {
		x.sink.Wait()
		if place || !account.Take(held+size) {
			x.sink.Flush() // lets the next one pass that waits for the client
			if !s.memory.Enter(x.ctx.Done(), within) {
				return x.noPlaceError()
			}
			x.hasPlace = true
			account.Set(held + size)
		}
		if !x.sink.Full() {
			return nil
		}
		account.Set(held)
		x.leavePlace()
	}
}

// noPlace is why a reply has found no place.
func (x *exchange) noPlaceError() error {
	if x.ctx.Err() != nil {
		return context.Cause(&x.ctx)
	}
	return protocolError(errOverloaded)
}

// afford is claim for a reply of about that size.
func (x *exchange) reserveReply(size int) bool {
	if size > keptBuffer {
		size = bufpool.Size(size)
	}
	return x.reserve(size, false) == nil
}

// drop lets go what was encoded for a reply that is a small one after all.
func (x *exchange) dropEncoded() {
	if x.hasPlace {
		x.buffers.encoder.Reset()
		x.leavePlace()
	}
}

// settle gives back the place of a reply that has gone beyond the budget.
func (x *exchange) leavePlace() {
	if x.hasPlace {
		x.hasPlace = false
		x.conn.server.memory.Leave()
	}
}
