package mcp

import (
	"context"
	"log/slog"
	"runtime/debug"

	"github.com/mcpgen/mcpgen/runtime/internal/logs"
	"github.com/mcpgen/mcpgen/runtime/internal/show"
)

// panicError is a panic of a handler. Clients get a reference only, under which the log contains
// the value and the stack.
type panicError struct {
	reference string
}

func (e *panicError) Error() string { return e.text() }

func (e *panicError) text() string { return "internal error, reference " + e.reference }

// newPanicError logs a recovered panic. The deferred function that recovers must call it, because
// only there the stack shows the place of the panic.
func newPanicError(ctx context.Context, req *Request, value any) *panicError {
	e := &panicError{reference: newReference()}
	e.log(ctx, req, value)
	return e
}

func (e *panicError) log(ctx context.Context, req *Request, value any) {
	req.log().Program(ctx, slog.LevelError, "handler panicked",
		slog.String("reference", e.reference),
		logs.Text("method", req.Method),
		logs.Text("name", req.Name),
		slog.String("panic", show.Panic(value)),
		slog.String("stack", string(debug.Stack())))
}

// recovered returns a handler that turns panics of h into errors, so that interceptors see an
// error. The exchange catches a panic of an interceptor itself.
func recovered(h Handler) Handler {
	return func(ctx context.Context, req *Request) (reply Reply, err error) {
		defer func() {
			if p := recover(); p != nil {
				reply, err = nil, newPanicError(ctx, req, p)
			}
		}()
		return h(ctx, req)
	}
}
