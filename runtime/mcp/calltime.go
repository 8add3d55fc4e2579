package mcp

import (
	"context"
	"log/slog"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/engine"
	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// This file limits the time of functions of users, with clocks of the engine that pause while the
// client is asked.

// timed limits the time of a request, including its interceptors, to [Limits.CallTime].
func (s *Server) timed(next Handler) Handler {
	overdue := &engine.TimeoutError{After: s.limits.CallTime}
	return func(ctx context.Context, req *Request) (Reply, error) {
		x := req.x
		x.CallClock.Start(&x.Exchange, overdue)
		defer x.CallClock.Stop()
		reply, err := next(ctx, req)
		if err != nil {
			if late := engine.TimedOut(&x.Ctx); late != nil {
				return nil, late
			}
		}
		return reply, err
	}
}

// within calls a function of the user with a context that expires after own, the timeout of the
// feature's directive, or after [WithTimeout] if own is 0.
func within[R any](ctx context.Context, req *Request, own time.Duration, f func(context.Context, *Request) (R, error)) (R, error) {
	x := req.x
	after := own
	if after <= 0 {
		after = x.conn.server.timeout
	}
	if after <= 0 {
		return f(ctx, req)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	limited := x.LimitTime(ctx, cancel, after)
	defer limited.Stop()
	result, err := f(limited, req)
	if err != nil {
		if late := engine.TimedOut(ctx); late != nil {
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
	return context.WithTimeoutCause(ctx, after, &engine.TimeoutError{After: after})
}

// lateReply returns the reply for a handler that has not returned in time. It does not read
// anything that the handler may still write.
func (x *exchange) lateReply(late *engine.TimeoutError) (message []byte, code int) {
	x.RejectSession()
	if x.Method == protocol.ToolsCall {
		r := rendering{by: &x.conn.server.published, revision: x.Revision, id: x.ID, unlimited: true}
		b := jsonrpc.AppendResultPrefix(nil, x.ID)
		return append(failedResult(late.Error()).appendTo(b, &r), '}'), 0
	}
	e := late.Response()
	return jsonrpc.AppendError(nil, x.ID, e), e.Code
}
