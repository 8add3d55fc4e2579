package mcp

import (
	"context"
	"math"
	"sync/atomic"

	"github.com/mcpgen/mcpgen/runtime/internal/bufpool"
	"github.com/mcpgen/mcpgen/runtime/internal/membudget"
)

// This file is what a request holds of the memory of the server: its buffers, what it is charged
// for besides, and the room for its reply. A reply that fits into the budget is charged to it;
// one that does not gets one of a few places for replies beyond the budget ([Server.memory]).

// exchangeStorage is what a request holds. Only the goroutine of the request uses it, except for
// cost.
type exchangeStorage struct {
	buffers    *buffers     // nil while the request is parked, and after its end
	cost       atomic.Int64 // what is charged besides the buffers; negative after the end
	placeOf    any          // the client that has a place beyond the budget for the reply; nil without one
	mediumTurn bool         // the request has one of its channel's turns for medium replies
	largeTurn  bool         // it has its channel's turn for a large reply
}

// releaseBuffers releases the buffers of a request that is not read any more.
func (x *exchange) releaseBuffers() {
	b := x.buffers
	x.buffers, x.req.Params, x.req.Arguments = nil, nil, nil
	b.release()
}

// acquireBuffers gets buffers for the reply of a parked request.
func (x *exchange) acquireBuffers() { x.buffers = x.conn.server.newBuffers() }

// charge charges the request for something that it holds besides its buffers, until it ends.
// It reports false if there is no room.
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

// addCharge is charge for something that is charged to the budget already.
func (x *exchange) addCharge(size int) {
	if size > 0 && x.cost.Add(int64(size)) < 0 {
		x.conn.server.memory.Release(size) // the exchange has ended
	}
}

// reduceCharge releases what the request is charged for beyond that.
func (x *exchange) reduceCharge(to int) {
	if more := int(x.cost.Load()) - to; more > 0 {
		x.cost.Add(int64(-more))
		x.conn.server.memory.Release(more)
	}
}

// releaseCharge releases what the request is charged for. The request has ended.
func (x *exchange) releaseCharge() {
	x.conn.server.memory.Release(int(x.cost.Swap(math.MinInt64 / 2)))
}

// reserve waits until there is room for size bytes of a reply besides the buffers: in the
// budget or, if that has not enough or place is set, by a place beyond the budget. It does not
// hold a place while it waits for the client. Without a free place it returns an error after
// [Limits.WriteTime] or, if place is set, when the request ends.
func (x *exchange) reserve(size int, place bool) error {
	s, account, held := x.conn.server, &x.buffers.account, x.buffers.size()
	if x.placeOf != nil { // a request with a place must not wait for a turn
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
			x.sink.Flush() // Wait let one handler pass; wake the next
			client := x.placesOf()
			if !s.memory.Enter(x.ctx.make(), client, within) {
				return x.noPlaceError()
			}
			x.placeOf = client
			account.Set(held + size)
		}
		if !x.sink.Full() {
			return nil
		}
		account.Set(held)
		x.leavePlace()
	}
}

// noPlaceError returns the error for a reply that got no place.
func (x *exchange) noPlaceError() error {
	if x.ctx.Err() != nil {
		return context.Cause(&x.ctx)
	}
	return protocolError(errOverloaded)
}

// reserveReply waits until there is room for a reply of about that size, and reports whether
// there is.
func (x *exchange) reserveReply(size int) bool {
	if size > keptBuffer {
		size = bufpool.Size(size)
	}
	return x.reserve(size, false) == nil
}

// dropEncoded drops the encoded result if the reply does not contain it.
func (x *exchange) dropEncoded() {
	if x.placeOf != nil {
		x.buffers.encoder.Reset()
		x.leavePlace()
	}
}

// leavePlace returns the place beyond the budget.
func (x *exchange) leavePlace() {
	if x.placeOf != nil {
		x.conn.server.memory.Leave(x.placeOf)
		x.placeOf = nil
	}
}

// placesOf returns for whom places count: the client or, where it is not known, the connection.
func (x *exchange) placesOf() any {
	if client := x.from.countedAs(); client != nil {
		return *client
	}
	return x.conn
}
