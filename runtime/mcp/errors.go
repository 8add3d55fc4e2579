package mcp

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/mcpgen/mcpgen/runtime/internal/engine"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// Causes with which the context of a handler is cancelled; see [context.Cause].
var (
	// ErrCancelled means that the client has cancelled the request, which gets no reply.
	ErrCancelled error = &engine.Cancelled
	// ErrConnectionClosed means that the connection has ended, or that the server ends.
	ErrConnectionClosed error = &engine.ConnectionClosed
	// ErrTimeout means that the handler has taken longer than its timeout, that of
	// [WithTimeout], or [Limits.CallTime].
	ErrTimeout error = &engine.Timeout
)

// ToolError is an error whose text is sent to the model, also if other errors are hidden.
type ToolError struct {
	text string
	err  error
}

// Errorf returns a *[ToolError]. The format is that of [fmt.Errorf], %w included.
func Errorf(format string, args ...any) *ToolError {
	err := fmt.Errorf(format, args...)
	return &ToolError{text: err.Error(), err: err}
}

// Error returns the text.
func (e *ToolError) Error() string { return e.text }

// Unwrap returns the error that was formatted with %w.
func (e *ToolError) Unwrap() error { return errors.Unwrap(e.err) }

// ProtocolError becomes a JSON-RPC error reply. The client program reads that; in most clients
// the model does not. For failures of a tool return any other error. Your own codes are outside
// of -32768 to -32000. Within that range, -32600 to -32603 are sent as they are, -32002 becomes
// the code of the revision for a resource that is not found, and others become -32603.
type ProtocolError struct {
	Code    int
	Message string
	Data    json.RawMessage // JSON, or nil
}

// Error returns the message.
func (e *ProtocolError) Error() string { return e.Message }

// newReference returns a reference for a hidden error, which the client gets instead of its text.
func newReference() string {
	const digits = "0123456789abcdef"
	var b [6]byte
	n := rand.Uint32()
	for i := range b {
		b[i] = digits[n&15]
		n >>= 4
	}
	return string(b[:])
}

func protocolError(e *jsonrpc.Error) *ProtocolError {
	return &ProtocolError{Code: e.Code, Message: e.Message, Data: e.Data}
}

func wrongParams(message string) *ProtocolError {
	return protocolError(engine.InvalidParams(message))
}
