package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// This file consumes the request state (roundstate.go) of a request, on the request goroutine,
// before its tool runs.

// errNoStateStore is the reply while the store fails. The log contains the cause.
var errNoStateStore = &ProtocolError{
	Code: jsonrpc.CodeInternal, Message: "the store of request states cannot be used now; try again later",
	Data: json.RawMessage(`{"reason":"state store"}`),
}

// consume marks the state of the round as used, before a tool runs that must not run twice with it.
// It does nothing without a state.
func (x *exchange) consume(ctx context.Context) error {
	r := x.questions.opened()
	if r == nil || r.consumed {
		return nil
	}
	first, err := x.conn.server.store.Consume(ctx, r.id, r.expires)
	if err != nil {
		x.conn.server.log.Program(ctx, slog.LevelError, "request states cannot be marked as used", slog.Any("error", err))
		return errNoStateStore
	}
	if !first {
		return x.refuseState("it has been used")
	}
	r.consumed = true
	return nil
}

// isUnavailable reports whether an error means that a request has not run, and may be sent again
// later.
func isUnavailable(err error) bool {
	return errors.Is(err, errNoTaskStore) || errors.Is(err, errNoStateStore)
}
