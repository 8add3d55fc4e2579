package mcp

import (
	"context"
	"errors"
	"time"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// timeoutError is the cause with which the context of a handler ends that takes too long. Its
// text is sent to the client.
type timeoutError struct {
	after time.Duration
}

func (e *timeoutError) Error() string        { return "timed out after " + e.after.String() }
func (e *timeoutError) Is(target error) bool { return target == errTimeout }
func (e *timeoutError) Timeout() bool        { return true }

// response is the JSON-RPC error for all methods but tools/call, which has a failed result.
func (e *timeoutError) response() *jsonrpc.Error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInternal, Message: e.Error(), Data: []byte(`{"reason":"timeout"}`)}
}

// timedOut returns the timeout with which a context has ended, nil if it has another cause.
func timedOut(ctx context.Context) error {
	if e, ok := errors.AsType[*timeoutError](context.Cause(ctx)); ok {
		return e
	}
	return nil
}
