package mcp

import (
	"context"
	"math"
	"sync/atomic"

	"github.com/mcpgen/mcpgen/runtime/internal/bufpool"
	"github.com/mcpgen/mcpgen/runtime/internal/membudget"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// This file is what a request holds of the memory of the server: its buffers, what it is charged
// for besides, and the room for its reply. A reply that fits into the budget is charged to it;
// one that does not gets one of a few places for replies beyond the budget ([engineSettings].memory).

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
func (x *engineExchange) releaseBuffers() {
	b := x.buffers
	x.buffers = nil
	b.release()
}

// acquireBuffers gets buffers for the reply of a parked request.
func (x *engineExchange) acquireBuffers() { x.buffers = x.conn.settings.newBuffers() }

// charge charges the request for something that it holds besides its buffers, until it ends.
// It reports false if there is no room.
func (x *engineExchange) charge(size int) bool {
	if size <= membudget.Free {
		return true
	}
	if !x.conn.settings.memory.Take(size) {
		return false
	}
	x.addCharge(size)
	return true
}

// addCharge is charge for something that is charged to the budget already.
func (x *engineExchange) addCharge(size int) {
	if size > 0 && x.cost.Add(int64(size)) < 0 {
		x.conn.settings.memory.Release(size) // the exchange has ended
	}
}

// reduceCharge releases what the request is charged for beyond that.
func (x *engineExchange) reduceCharge(to int) {
	if more := int(x.cost.Load()) - to; more > 0 {
		x.cost.Add(int64(-more))
		x.conn.settings.memory.Release(more)
	}
}

// releaseCharge releases what the request is charged for. The request has ended.
func (x *engineExchange) releaseCharge() {
	x.conn.settings.memory.Release(int(x.cost.Swap(math.MinInt64 / 2)))
}

// reserve waits until there is room for size bytes of a reply besides the buffers: in the
// budget or, if that has not enough or place is set, by a place beyond the budget. It does not
// hold a place while it waits for the client. Without a free place it returns an error after
// [engineLimits].WriteTime or, if place is set, when the request ends.
func (x *engineExchange) reserve(size int, place bool) error {
	s, account, held := x.conn.settings, &x.buffers.account, x.buffers.size()
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
func (x *engineExchange) noPlaceError() error {
	if x.ctx.Err() != nil {
		return context.Cause(&x.ctx)
	}
	return errOverloaded
}

// reserveReply waits until there is room for a reply of about that size, and reports whether
// there is.
func (x *engineExchange) reserveReply(size int) bool {
	if size > keptBuffer {
		size = bufpool.Size(size)
	}
	return x.reserve(size, false) == nil
}

// dropEncoded drops the encoded result if the reply does not contain it.
func (x *engineExchange) dropEncoded() {
	if x.placeOf != nil {
		x.buffers.encoder.Reset()
		x.leavePlace()
	}
}

// leavePlace returns the place beyond the budget.
func (x *engineExchange) leavePlace() {
	if x.placeOf != nil {
		x.conn.settings.memory.Leave(x.placeOf)
		x.placeOf = nil
	}
}

// placesOf returns for whom places count: the client or, where it is not known, the connection.
func (x *engineExchange) placesOf() any {
	if client := x.from.countedAs(); client != nil {
		return *client
	}
	return x.conn
}

// params returns the parameters of the request.
func (x *engineExchange) params() *jsonrpc.Params { return &x.buffers.msg.Params }

// argumentDecoder returns the decoder for arguments of the request.
func (x *engineExchange) argumentDecoder() *wire.Decoder { return &x.buffers.decoder }

// resultEncoder returns the encoder for the result of the request.
func (x *engineExchange) resultEncoder() *wire.Encoder { return &x.buffers.encoder }

// keepText charges the request for a text that has become its own: that of its encoder before.
func (x *engineExchange) keepText(size int) {
	if size > membudget.Free {
		x.buffers.account.Set(x.buffers.size())
		x.conn.settings.memory.Force(size)
		x.addCharge(size)
	}
}

// messageText returns the text of the request.
func (x *engineExchange) messageText() []byte { return x.buffers.data }
