package mcp

import (
	"context"

	"github.com/mcpgen/mcpgen/runtime/internal/engine"
)

// This file is a request with what handlers and features keep for it. The engine has the rest.

// exchange is a request that handlers serve.
type exchange struct {
	engine.Exchange
	conn    *conn
	through string // the tool by which the client calls that of the request; "" if it calls that itself

	refusal *AccessError // the caller may not use a feature; used by the goroutine of the request

	// What handlers use, from any goroutine. call does not change, and questions has a lock. One handler
	// at a time uses req.
	req       Request
	call      Call
	questions questions

	// part is set in the exchange of a handler whose call may become a task, and does not change.
	part handlerPart

	parking interface{ keep(x *exchange) } // what keeps a parked request; nil otherwise
}

type exchangeKey struct{}

// exchangeFrom returns the request that ctx belongs to, nil where there is none.
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
