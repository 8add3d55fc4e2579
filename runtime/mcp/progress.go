package mcp

import (
	"context"
	"math"

	"github.com/mcpgen/mcpgen/runtime/internal/engine"
	"github.com/mcpgen/mcpgen/runtime/internal/jsonobject"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// Progress reports the progress of a call to the client, if the request has a progress token
// (basic/utilities/progress); otherwise it does nothing. A total of 0 means that the total is
// unknown. The message is for people and may be ""; clients of revision 2024-11-05 do not get it.
//
// Values that are not greater than the value before are not sent, nor are values after the reply.
// Reports that follow faster than [Limits.ProgressRate] allows wait: only the newest of them is
// sent, once the rate allows, and in any case before the reply. Progress waits while the client
// reads slowly. Several goroutines may call it at once.
func Progress(ctx context.Context, done, total float64, message string) {
	x := exchangeFrom(ctx)
	if x == nil {
		return
	}
	if r := x.record(); r != nil {
		r.Progress(done, total, message)
		return
	}
	if token, ok := x.progressToken(); ok {
		x.reportProgress(token, done, total, message)
	}
}

// progressToken returns the token of the request, as the client wrote it.
func (x *exchange) progressToken() (jsonrpc.ID, bool) {
	if x.Meta == nil {
		return jsonrpc.ID{}, false
	}
	return jsonrpc.RawID(jsonobject.Member(x.Meta, engine.ProgressTokenKey))
}

func (x *exchange) reportProgress(token jsonrpc.ID, done, total float64, message string) {
	if math.IsNaN(done) || math.IsInf(done, 0) || x.questions.suppressesOutput() || x.record() != nil {
		return
	}
	if math.IsInf(total, 0) {
		total = 0
	}
	x.QueueProgress(token, done, total, message)
}
