package mcp

import (
	"context"
	"math"
	"sync"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// Progress tells the client how far the call has come, where it has asked for it
// with a progress token (basic/utilities/progress); otherwise it does nothing. A
// total of 0 means that nobody knows. The message is for people and may be "";
// clients of revision 2024-11-05 do not get it.
//
// A value that is not greater than the one before is not sent, nor is one after
// the answer. The first reports are sent at once, those that follow faster than
// [Limits.ProgressRate] allows in their turn: only the newest one then waits, and the
// last one is sent before the answer in any case. Progress waits while the client
// reads slowly. Several goroutines may call it at once.
func Progress(ctx context.Context, done, total float64, message string) {
	x := exchangeFrom(ctx)
	if x == nil {
		return
	}
	if token, ok := x.progressToken(); ok {
		x.reportProgress(token, done, total, message)
	}
}

// progressToken returns the token of the client as it came.
func (x *exchange) progressToken() (jsonrpc.ID, bool) {
	if x.call.meta == nil {
		return jsonrpc.ID{}, false
	}
	return jsonrpc.RawID(member(x.call.meta, progressTokenKey))
}

// notePool has the storage of notifications, which are copied when they are queued.
var notePool = sync.Pool{New: func() any { return new([]byte) }}

func (x *exchange) reportProgress(token jsonrpc.ID, done, total float64, message string) {
	if math.IsNaN(done) || math.IsInf(done, 0) || x.questions.suppressesOutput() {
		return
	}
	if math.IsInf(total, 0) {
		total = 0
	}
	x.queueProgress(report{token, done, total, message})
}
