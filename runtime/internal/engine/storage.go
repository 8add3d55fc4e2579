package engine

import (
	"context"
	"math"
	"sync/atomic"

	"github.com/mcpgen/mcpgen/runtime/internal/bufpool"
	"github.com/mcpgen/mcpgen/runtime/internal/membudget"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// This file manages the part of the server's memory that a request uses: its buffers, further
// charges, and the room for its reply. A reply that fits into the budget is charged to it; any
// other reply needs one of a few places for replies beyond the budget ([Settings].Memory).

// exchangeStorage is the storage of a request. Only the request goroutine uses it, except for cost.
type exchangeStorage struct {
	Buffers    *Buffers     // nil while the request is parked, and after its end
	cost       atomic.Int64 // charges in addition to the buffers; negative after the end
	kept       int          // bytes outside of the buffers, as far as they vary between requests
	placeOf    any          // the client that has a place beyond the budget for the reply; nil without one
	mediumTurn bool         // the request holds one of its channel's turns for medium replies
	largeTurn  bool         // it holds its channel's turn for a large reply
}

// releaseBuffers releases the buffers of a request that is no longer read.
func (x *Exchange) releaseBuffers() {
	b := x.Buffers
	x.Buffers = nil
	b.release()
}

// acquireBuffers gets buffers for the reply of a parked request.
func (x *Exchange) acquireBuffers() { x.Buffers = x.conn.Settings.newBuffers() }

// Charge charges the request for data outside of its buffers, until it ends. It returns false if
// the budget is exhausted.
func (x *Exchange) Charge(size int) bool {
	if size <= membudget.Free {
		return true
	}
	if !x.conn.Settings.Memory.Take(size) {
		return false
	}
	x.AddCharge(size)
	return true
}

// AddCharge is like Charge for data that the budget is charged for already.
func (x *Exchange) AddCharge(size int) {
	if size > 0 && x.cost.Add(int64(size)) < 0 {
		x.conn.Settings.Memory.Release(size) // the exchange is done
	}
}

// reduceCharge reduces the charge of the request to the given size.
func (x *Exchange) reduceCharge(to int) {
	if more := int(x.cost.Load()) - to; more > 0 {
		x.cost.Add(int64(-more))
		x.conn.Settings.Memory.Release(more)
	}
}

// releaseCharge releases the charge of a request that is done.
func (x *Exchange) releaseCharge() {
	x.conn.Settings.Memory.Release(int(x.cost.Swap(math.MinInt64 / 2)))
}

// reserve waits for room for size bytes of a reply, in addition to the buffers: in the budget or,
// if the budget does not have enough or place is set, by a place beyond the budget. It does not
// hold a place while it waits for the client. If no place gets free, it returns an error after
// [Limits].WriteTime or, if place is set, when the request ends.
func (x *Exchange) reserve(size int, place bool) error {
	s, account, held := x.conn.Settings, &x.Buffers.account, x.Buffers.size()
	if x.placeOf != nil { // a request with a place must not wait for a turn
		account.Set(held + size)
		return nil
	}
	if err := x.WaitTurn(size); err != nil {
		return err
	}
	within := s.Limits.WriteTime
	if place {
		within = s.Limits.CallTime + s.Limits.GraceTime // the request ends first
	}
	for {
		x.Sink.Wait()
		if place || !account.Take(held+size) {
			x.Sink.Flush() // wakes the next goroutine, since Wait has let this one pass
			client := x.placesOf()
			if !s.Memory.Enter(x.Ctx.Made(), client, within) {
				return x.noPlaceError()
			}
			x.placeOf = client
			account.Set(held + size)
		}
		if !x.Sink.Full() {
			return nil
		}
		account.Set(held)
		x.leavePlace()
	}
}

// noPlaceError returns the error for a reply that has not got a place.
func (x *Exchange) noPlaceError() error {
	if x.Ctx.Err() != nil {
		return context.Cause(&x.Ctx)
	}
	return ErrOverloaded
}

// reserveReply waits for room for a reply of approximately that size, and reports whether it got
// it.
func (x *Exchange) reserveReply(size int) bool {
	if size > keptBuffer {
		size = bufpool.Size(size)
	}
	return x.reserve(size, false) == nil
}

// dropEncoded drops the encoded result of a request with a place, whose reply does not contain it.
func (x *Exchange) dropEncoded() {
	x.Buffers.Encoder.Reset()
	x.leavePlace()
}

// leaveRoom gives the turns and the place of a large reply back.
func (x *Exchange) leaveRoom() {
	x.endTurn()
	x.leavePlace()
}

// leavePlace gives the place beyond the budget back.
func (x *Exchange) leavePlace() {
	if x.placeOf != nil {
		x.conn.Settings.Memory.Leave(x.placeOf)
		x.placeOf = nil
	}
}

// placesOf returns the unit by which places are counted: the client or, if it is not known, the
// connection.
func (x *Exchange) placesOf() any {
	if client := x.From.CountedAs(); client != nil {
		return *client
	}
	return x.conn
}

// Params returns the parameters of the request.
func (x *Exchange) Params() *jsonrpc.Params { return &x.Buffers.Msg.Params }

// KeepText charges the request for a text that it has taken over from its encoder.
func (x *Exchange) KeepText(size int) {
	if size > membudget.Free {
		x.Buffers.account.Set(x.Buffers.size())
		x.conn.Settings.Memory.Force(size)
		x.AddCharge(size)
	}
}

// MessageText returns the request's message as text.
func (x *Exchange) MessageText() []byte { return x.Buffers.data }
