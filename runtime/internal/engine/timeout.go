package engine

import (
	"context"
	"errors"
	"time"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// TimeoutError is the cause with which the context of a handler that takes too long is cancelled.
// Its message is sent to the client.
type TimeoutError struct {
	After time.Duration
}

// Error returns the message for the client.
func (e *TimeoutError) Error() string { return "timed out after " + e.After.String() }

// Is reports whether the target is [ErrTimeout].
func (e *TimeoutError) Is(target error) bool { return target == ErrTimeout }

// Timeout returns true, as errors of package net do for a timeout.
func (e *TimeoutError) Timeout() bool { return true }

// Response returns the JSON-RPC error for all methods but tools/call, which returns a failed
// result.
func (e *TimeoutError) Response() *jsonrpc.Error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInternal, Message: e.Error(), Data: []byte(`{"reason":"timeout"}`)}
}

// TimedOut returns the timeout with which a context was cancelled, or nil if it has another cause.
func TimedOut(ctx context.Context) error {
	if e, ok := errors.AsType[*TimeoutError](context.Cause(ctx)); ok {
		return e
	}
	return nil
}
