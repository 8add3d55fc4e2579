package mcp

import (
	"context"

	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
)

// This file is exchanges that run the handler of another one, or one that no request waits for. Each has
// a goroutine of its own, and a copy of the message.

// beginRun sets what the exchange has that runs a handler beside its request. Its context has the values
// of the parent, and does not end with it.
func (x *engineExchange) beginRun(c *engineConn, call engineCall, b *buffers, rev *protocol.Revision, parent context.Context) {
	x.begin(c, call, incoming{plan: plan{method: protocol.ToolsCall}, buffers: b, origin: origin{revision: rev}})
	x.ctx.parentOfRun = parent
}

// runFor makes the exchange the one that runs the handler of a request.
func (x *engineExchange) runFor(request *engineExchange) {
	x.sink, x.key, x.inSession, x.from = request.sink, request.key, request.inSession, request.from
	x.client, x.level, x.meta = request.client, request.level, request.meta
}

// runAlone makes the exchange one that no request waits for: nothing that it sends gets anywhere.
func (x *engineExchange) runAlone(from *client) {
	x.sink, x.answered = discard{}, true
	x.client, x.level = from, noLevel
	if meta := x.params().Get("_meta"); meta != nil {
		x.meta = append([]byte(nil), meta...)
	}
}

// adopt takes over the storage of a run that has ended before its request: the request goes on as
// if it had run the handler itself.
func (x *engineExchange) adopt(run *engineExchange) {
	x.buffers, run.buffers = run.buffers, x.buffers
	x.placeOf, run.placeOf = run.placeOf, nil
	x.mediumTurn, run.mediumTurn = run.mediumTurn, false
	x.largeTurn, run.largeTurn = run.largeTurn, false
	x.addCharge(int(run.cost.Swap(0)))
	run.buffers.release()
	run.buffers = nil
}

// endRun releases what a run holds that goes on after its request.
func (x *engineExchange) endRun() {
	x.buffers.release()
	x.endTurn()
	x.leavePlace()
	x.releaseCharge()
	x.stop(nil)
}

// discard is the sink of a run that has no client.
type discard struct{}

func (discard) Reply([]byte, int) {}

func (discard) Answer([]byte, int) {}

func (discard) Refuse([]byte, int) {}

func (discard) Notify([]byte) {}

func (discard) FlushAsync() {}

func (discard) Wait() {}

func (discard) Flush() {}

func (discard) Full() bool { return false }
