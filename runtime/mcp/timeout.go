package mcp

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// timeoutError is the cause with which the context of a handler ends that takes too long. Its
// text is sent to the client.
type timeoutError struct {
	after time.Duration
}

func (e *timeoutError) Error() string        { return "timed out after " + e.after.String() }
func (e *timeoutError) Is(target error) bool { return target == ErrTimeout }
func (e *timeoutError) Timeout() bool        { return true }

// reply is the JSON-RPC error for all methods but tools/call, which has a failed result.
func (e *timeoutError) reply() *jsonrpc.Error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInternal, Message: e.Error(), Data: []byte(`{"reason":"timeout"}`)}
}

// timedOut returns the timeout with which a context has ended, nil if it has another cause.
func timedOut(ctx context.Context) error {
	if e, ok := errors.AsType[*timeoutError](context.Cause(ctx)); ok {
		return e
	}
	return nil
}

// timed ends requests that take longer than [Limits.CallTime], interceptors included.
func (s *Server) timed(next Handler) Handler {
	overdue := &timeoutError{after: s.limits.CallTime}
	return func(ctx context.Context, req *Request) (Reply, error) {
		x := req.x
		c := &x.callClock
		c.x, c.overdue = x, overdue
		c.start()
		defer c.stop()
		reply, err := next(ctx, req)
		if err != nil {
			if late := timedOut(&x.ctx); late != nil {
				return nil, late
			}
		}
		return reply, err
	}
}

// within calls a function of the user with a context that ends after the time of its own
// directive or, if that is 0, of [WithTimeout].
func within[R any](ctx context.Context, req *Request, own time.Duration, f func(context.Context, *Request) (R, error)) (R, error) {
	x := req.x
	after := either(own, x.conn.server.timeout)
	if after <= 0 {
		return f(ctx, req)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	c := &clock{x: x, outer: x.partClock.Load(), overdue: &timeoutError{after: after}, cancel: cancel}
	c.start()
	defer c.stop()
	result, err := f(&clockContext{Context: ctx, clock: c}, req)
	if err != nil {
		if late := timedOut(ctx); late != nil {
			var none R
			return none, late
		}
	}
	return result, err
}

// checkTimeout logs a warning for a feature with a timeout above [Limits.CallTime].
func (s *Server) checkTimeout(f Feature) {
	var own time.Duration
	switch f := f.(type) {
	case *tool:
		own = f.info.Timeout
	case *resource:
		own = f.info.Timeout
	case *template:
		own = f.info.Timeout
	case *prompt:
		own = f.info.Timeout
	}
	if own > s.limits.CallTime {
		info := f.Info()
		s.log.Program(context.Background(), slog.LevelWarn, "timeout is cut to Limits.CallTime",
			slog.String("feature", info.Name), slog.Duration("timeout", own), slog.Duration("limit", s.limits.CallTime))
	}
}

// timeLimited returns a context for functions that handle notifications, which cannot ask the
// client and need no clock that pauses.
func (s *Server) timeLimited(ctx context.Context) (context.Context, context.CancelFunc) {
	after := s.limits.CallTime
	if s.timeout > 0 {
		after = min(after, s.timeout)
	}
	return context.WithTimeoutCause(ctx, after, &timeoutError{after: after})
}

// lateReply is the reply for handlers that have not returned. It does not read what they may
// still write.
func (x *exchange) lateReply(late *timeoutError) (message []byte, code int) {
	if x.opening != nil {
		x.conn.reject(x.opening)
	}
	if x.method == protocol.ToolsCall {
		r := rendering{server: x.conn.server, revision: x.revision, id: x.call.id, unlimited: true}
		b := jsonrpc.AppendResultPrefix(nil, x.call.id)
		return append(failedResult(late.Error()).appendTo(b, &r), '}'), 0
	}
	e := late.reply()
	return jsonrpc.AppendError(nil, x.call.id, e), e.Code
}
