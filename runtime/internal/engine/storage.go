package engine

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
// one that does not gets one of a few places for replies beyond the budget ([Settings].Memory).

// exchangeStorage is what a request holds. Only the goroutine of the request uses it, except for
// cost.
type exchangeStorage struct {
	buffers    *Buffers     // nil while the request is parked, and after its end
	cost       atomic.Int64 // what is charged besides the buffers; negative after the end
	placeOf    any          // the client that has a place beyond the budget for the reply; nil without one
	mediumTurn bool         // the request has one of its channel's turns for medium replies
	largeTurn  bool         // it has its channel's turn for a large reply
}

// releaseBuffers releases the buffers of a request that is not read any more.
func (x *Exchange) releaseBuffers() {
	b := x.buffers
	x.buffers = nil
	b.release()
}

// acquireBuffers gets buffers for the reply of a parked request.
func (x *Exchange) acquireBuffers() { x.buffers = x.conn.Settings.newBuffers() }

// Charge charges the request for something that it holds besides its buffers, until it ends.
// It reports false if there is no room.
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

// AddCharge is charge for something that is charged to the budget already.
func (x *Exchange) AddCharge(size int) {
	if size > 0 && x.cost.Add(int64(size)) < 0 {
		x.conn.Settings.Memory.Release(size) // the exchange has ended
	}
}

// reduceCharge releases what the request is charged for beyond that.
func (x *Exchange) reduceCharge(to int) {
	if more := int(x.cost.Load()) - to; more > 0 {
		x.cost.Add(int64(-more))
		x.conn.Settings.Memory.Release(more)
	}
}

// releaseCharge releases what the request is charged for. The request has ended.
func (x *Exchange) releaseCharge() {
	x.conn.Settings.Memory.Release(int(x.cost.Swap(math.MinInt64 / 2)))
}

// reserve waits until there is room for size bytes of a reply besides the buffers: in the
// budget or, if that has not enough or place is set, by a place beyond the budget. It does not
// hold a place while it waits for the client. Without a free place it returns an error after
// [Limits].WriteTime or, if place is set, when the request ends.
func (x *Exchange) reserve(size int, place bool) error {
	s, account, held := x.conn.Settings, &x.buffers.account, x.buffers.size()
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
			x.Sink.Flush() // Wait let one handler pass; wake the next
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

// noPlaceError returns the error for a reply that got no place.
func (x *Exchange) noPlaceError() error {
	if x.Ctx.Err() != nil {
		return context.Cause(&x.Ctx)
	}
	return ErrOverloaded
}

// reserveReply waits until there is room for a reply of about that size, and reports whether
// there is.
func (x *Exchange) reserveReply(size int) bool {
	if size > keptBuffer {
		size = bufpool.Size(size)
	}
	return x.reserve(size, false) == nil
}

// dropEncoded drops the encoded result if the reply does not contain it.
func (x *Exchange) dropEncoded() {
	if x.placeOf != nil {
		x.buffers.encoder.Reset()
		x.leavePlace()
	}
}

// leavePlace returns the place beyond the budget.
func (x *Exchange) leavePlace() {
	if x.placeOf != nil {
		x.conn.Settings.Memory.Leave(x.placeOf)
		x.placeOf = nil
	}
}

// placesOf returns for whom places count: the client or, where it is not known, the connection.
func (x *Exchange) placesOf() any {
	if client := x.From.CountedAs(); client != nil {
		return *client
	}
	return x.conn
}

// Params returns the parameters of the request.
func (x *Exchange) Params() *jsonrpc.Params { return &x.buffers.msg.Params }

// ArgumentDecoder returns the decoder for arguments of the request.
func (x *Exchange) ArgumentDecoder() *wire.Decoder { return &x.buffers.decoder }

// ResultEncoder returns the encoder for the result of the request.
func (x *Exchange) ResultEncoder() *wire.Encoder { return &x.buffers.encoder }

// KeepText charges the request for a text that has become its own: that of its encoder before.
func (x *Exchange) KeepText(size int) {
	if size > membudget.Free {
		x.buffers.account.Set(x.buffers.size())
		x.conn.Settings.Memory.Force(size)
		x.AddCharge(size)
	}
}

// MessageText returns the text of the request.
func (x *Exchange) MessageText() []byte { return x.buffers.data }
