package mcpotel

import (
	"context"
	"errors"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// beginQuestion starts the client span of a question, and adds its trace context to the question.
func (r *recorder) beginQuestion(ctx context.Context, q *mcp.SentQuestion) (end func(error)) {
	if !r.traces() {
		return nil
	}
	call := mcp.CallFrom(ctx)
	attrs := networkOf([]attribute.KeyValue{methodName.String(q.Method), protocolVersion.String(call.Revision())}, call.Transport())
	if id := session(call); id != "" {
		attrs = append(attrs, sessionID.String(id))
	}
	ctx, span := r.tracer.Start(ctx, q.Method, trace.WithSpanKind(trace.SpanKindClient), trace.WithAttributes(attrs...))
	r.textMap().Inject(ctx, injected{&q.Trace})
	return func(err error) {
		defer span.End()
		if q.ID != "" {
			span.SetAttributes(requestID.String(text(q.ID)))
		}
		if err != nil {
			span.SetAttributes(questionFailure(err).append(nil)...)
			span.SetStatus(codes.Error, "")
		}
	}
}

// questionFailure returns why a question got no answer.
func questionFailure(err error) failure {
	if e, ok := errors.AsType[*mcp.ClientError](err); ok {
		return failedWith(e.Code)
	}
	switch {
	case errors.Is(err, mcp.ErrNoAnswer):
		return failure{kind: timedOut}
	case errors.Is(err, mcp.ErrConnectionClosed):
		return failure{kind: disconnected}
	case errors.Is(err, mcp.ErrCancelled), errors.Is(err, context.Canceled):
		return failure{kind: cancelled}
	case errors.Is(err, mcp.ErrTimeout), errors.Is(err, context.DeadlineExceeded):
		return failure{kind: timedOut}
	}
	return failure{kind: other}
}
