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
	// ErrCancelled means that the client cancelled the request, which gets no reply.
	ErrCancelled error = &engine.Cancelled
	// ErrConnectionClosed means that the connection has closed, or that the server shuts down.
	ErrConnectionClosed error = &engine.ConnectionClosed
	// ErrTimeout means that the handler took longer than [WithTimeout], the timeout of its
	// directive, or [Limits.CallTime] allows.
	ErrTimeout error = &engine.Timeout
)

// ToolError is an error whose message is sent to the model even if the server hides other errors.
type ToolError struct {
	text string
	err  error
}

// Errorf returns a *[ToolError] with a text formatted as by [fmt.Errorf], including %w.
func Errorf(format string, args ...any) *ToolError {
	err := fmt.Errorf(format, args...)
	return &ToolError{text: err.Error(), err: err}
}

// Error returns the text.
func (e *ToolError) Error() string { return e.text }

// Unwrap returns the error that was formatted with %w.
func (e *ToolError) Unwrap() error { return errors.Unwrap(e.err) }

// ProtocolError becomes a JSON-RPC error reply. The client program reads it; in most clients the
// model does not. For failures of a tool return any other error. Applications choose codes outside
// of -32768 to -32000. Within that range, -32600 to -32603 are sent as they are, -32002 becomes the
// code that the revision defines for a resource that is not found, and others become -32603.
type ProtocolError struct {
	Code    int
	Message string
	Data    json.RawMessage // JSON, or nil
}

// Error returns the message.
func (e *ProtocolError) Error() string { return e.Message }

// newReference returns a reference for an error whose text is hidden. The client gets the
// reference, and the log contains both.
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
