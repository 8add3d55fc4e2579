package engine

import (
	"context"

	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
)

// This file defines runs: exchanges that run the handler of another exchange, or a handler that no
// request waits for. Each has its own goroutine, and a copy of the message.

// BeginRun sets the fields of an exchange that runs a handler beside its request. Its context has
// the values of parent, but is not cancelled with it.
func (x *Exchange) BeginRun(parent context.Context, c *Conn, call Call, b *Buffers, rev *protocol.Revision) {
	x.Begin(c, call, Incoming{Plan: Plan{Method: protocol.ToolsCall}, buffers: b, origin: Origin{Revision: rev}})
	x.Ctx.parentOfRun = parent
}

// RunFor sets the request whose handler the exchange runs.
func (x *Exchange) RunFor(request *Exchange) {
	x.Sink, x.key, x.InSession, x.From = request.Sink, request.key, request.InSession, request.From
	x.Client, x.Level, x.Meta = request.Client, request.Level, request.Meta
}

// RunAlone makes the exchange a run that no request waits for: its messages are discarded.
func (x *Exchange) RunAlone(from *Client) {
	x.Sink, x.answered = discard{}, true
	x.Client, x.Level = from, noLevel
	if meta := x.Params().Get("_meta"); meta != nil {
		x.Meta = append([]byte(nil), meta...)
	}
}

// Adopt takes over the storage of a run that was done before its request: the request goes on as if
// it had run the handler itself.
func (x *Exchange) Adopt(run *Exchange) {
	x.Buffers, run.Buffers = run.Buffers, x.Buffers
	x.placeOf, run.placeOf = run.placeOf, nil
	x.mediumTurn, run.mediumTurn = run.mediumTurn, false
	x.largeTurn, run.largeTurn = run.largeTurn, false
	x.AddCharge(int(run.cost.Swap(0)))
	run.Buffers.release()
	run.Buffers = nil
}

// EndRun releases the storage of a run that goes on after its request.
func (x *Exchange) EndRun() {
	x.Buffers.release()
	x.leaveRoom()
	x.releaseCharge()
	x.Stop(nil)
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
