package mcp

import (
	"context"

	"github.com/mcpgen/mcpgen/runtime/internal/engine"
)

// This file defines the exchange: a request with the data that handlers and features store for it,
// beside the data of [engine.Exchange].

// exchange is a request that handlers serve.
type exchange struct {
	engine.Exchange
	conn    *conn
	through string // name of the tool by which the client calls this one (use_tool); "" for a direct call

	refusal *AccessError // the caller may not use a feature; used by the request goroutine only

	// Handlers use the following fields, from any goroutine: call does not change, and questions
	// has a lock. Only one handler at a time uses req.
	req       Request
	call      Call
	questions questions

	// part is set in the exchange of a handler whose call may become a task. It does not change.
	part handlerPart

	parking interface{ keep(x *exchange) } // set in a parked request, which it keeps
}

type exchangeKey struct{}

// exchangeFrom returns the request that ctx belongs to, or nil if ctx does not belong to a request.
func exchangeFrom(ctx context.Context) *exchange {
	x, _ := ctx.Value(exchangeKey{}).(*exchange)
	return x
}

// Value implements [engine.Call].
func (x *exchange) Value(key any) any {
	switch key.(type) {
	case callKey:
		return &x.call
	case exchangeKey:
		return x
	}
	return nil
}
