package mcp

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/engine"
	"github.com/mcpgen/mcpgen/runtime/internal/logs"
	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// LogCalls returns an interceptor that logs one line for each request, after its handler returns:
//
//	msg=request method=tools/call feature=search principal=ada duration=3ms outcome=ok
//
// The outcome is ok, tool error (a failed result, which the model reads), error (of the protocol,
// with its code), timeout, panic, cancelled, disconnected or input required (the client is to call
// again with an answer). The line is a warning for a tool error, error, timeout or panic. It
// contains the client's reason for a cancellation if there is one.
//
// Neither arguments nor results nor error messages are logged, and of a URI neither the query, nor
// the fragment, nor a user's name. Client texts are cut to 256 bytes. Make it the first
// interceptor, so that its line covers the others. A nil logger is [slog.Default].
func LogCalls(l *slog.Logger) Interceptor {
	return func(next Handler) Handler {
		return func(ctx context.Context, req *Request) (reply Reply, err error) {
			began, returned := time.Now(), false
			defer func() {
				o := outcome{name: "panic", level: slog.LevelWarn}
				if returned {
					o = req.outcomeOf(reply, err)
				}
				logger := l
				if logger == nil {
					logger = slog.Default()
				}
				if logger.Enabled(ctx, o.level) {
					logger.LogAttrs(ctx, o.level, "request", o.attributes(req, time.Since(began))...)
				}
			}()
			reply, err = next(ctx, req)
			returned = true
			return reply, err
		}
	}
}

// outcome is the way in which a request was completed.
type outcome struct {
	name   string
	code   int // of an error of the protocol
	level  slog.Level
	reason string // the client's reason for a cancellation
}

func (o outcome) attributes(req *Request, took time.Duration) []slog.Attr {
	attrs := make([]slog.Attr, 0, 6)
	attrs = append(attrs, logs.Text("method", req.Method))
	if feature := req.loggedFeature(); feature != "" {
		attrs = append(attrs, slog.String("feature", feature))
	}
	if id := req.Call().Principal().ID; id != "" {
		attrs = append(attrs, logs.Text("principal", id))
	}
	attrs = append(attrs, slog.Duration("duration", took), slog.String("outcome", o.name))
	if o.code != 0 {
		attrs = append(attrs, slog.Int("code", o.code))
	}
	if o.reason != "" {
		attrs = append(attrs, slog.String("reason", o.reason))
	}
	return attrs
}

// outcomeOf returns the outcome of a request, from the values that its handlers have returned.
func (r *Request) outcomeOf(reply Reply, err error) outcome {
	switch cause := context.Cause(&r.x.Ctx); {
	case errors.Is(cause, ErrCancelled):
		return outcome{name: "cancelled", reason: engine.ReasonOf(cause)}
	case errors.Is(cause, ErrConnectionClosed):
		return outcome{name: "disconnected"}
	}
	if _, ok := reply.(*InputRequired); ok && err == nil {
		return outcome{name: "input required"}
	}
	failed := func(name string, code int) outcome { return outcome{name: name, code: code, level: slog.LevelWarn} }
	if err == nil {
		if result, ok := reply.(*ToolResult); ok && (result == nil || result.IsError) {
			return failed("tool error", 0)
		}
		return outcome{name: "ok"}
	}
	if engine.TimedOut(&r.x.Ctx) != nil || errors.Is(err, ErrTimeout) {
		return failed("timeout", 0)
	}
	if _, ok := errors.AsType[*panicError](err); ok {
		return failed("panic", 0)
	}
	if code := r.codeOf(err); code != 0 {
		return failed("error", code)
	}
	return failed("tool error", 0)
}

// codeOf returns the JSON-RPC code of an error, or 0 for an error that becomes a failed result of a
// tool.
func (r *Request) codeOf(err error) int {
	rev := r.x.Revision
	if e, ok := errors.AsType[*ProtocolError](err); ok {
		return rev.AuthorCode(e.Code)
	}
	if _, ok := errors.AsType[*CapabilityError](err); ok && rev.Errors.MissingCapability != 0 {
		return rev.Errors.MissingCapability
	}
	if e, ok := err.(*wire.SyntaxError); ok {
		return jsonrpc.DeferredError(e).Code
	}
	_, wrong := err.(*wire.ArgumentsError)
	switch {
	case r.isCall():
		return 0
	case r.x.Method == protocol.ResourcesRead && (wrong || errors.Is(err, ErrNotFound)):
		return rev.Errors.ResourceNotFound
	case wrong:
		return jsonrpc.CodeInvalidParams
	}
	return jsonrpc.CodeInternal
}

// loggedFeature returns the feature of a request for the log: a URI without query, fragment and
// user.
func (r *Request) loggedFeature() string { return engine.LoggedFeature(r.x.Method, r.Name) }
