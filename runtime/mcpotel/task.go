package mcpotel

import (
	"context"
	"strings"

	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"github.com/mcpgen/mcpgen/runtime/mcptask"
)

// A run that begins while the request waits is a child of the request's span. It is linked when the
// call has become a task. All other runs begin later, often in another process: there the context
// of the task contains the span of the request.

// acceptedKey is the context key for the request's span in the context of a run.
type acceptedKey struct{}

// acceptedBy returns the span of the request that created the task of ctx, and whether it is known.
func acceptedBy(ctx context.Context) (trace.SpanContext, bool) {
	sc, ok := ctx.Value(acceptedKey{}).(trace.SpanContext)
	return sc, ok
}

// linkRequest links the span of a run to the request's span, if the call has become a task in the
// meantime.
func linkRequest(o *operation) {
	if _, linked := acceptedBy(o.ctx); linked || mcptask.FromContext(o.ctx) == nil {
		return
	}
	if request, ok := spanOf(o.ctx); ok {
		o.span.AddLink(trace.Link{SpanContext: request})
	}
}

// saveSpan returns the span of ctx as W3C Trace Context: parent and state on two lines, or nil
// without a span.
func saveSpan(ctx context.Context) ([]byte, error) {
	if _, ok := spanOf(ctx); !ok {
		return nil, nil
	}
	c := propagation.MapCarrier{}
	propagation.TraceContext{}.Inject(ctx, c)
	return []byte(c["traceparent"] + "\n" + c["tracestate"]), nil
}

// restoreSpan returns a context with the span that saveSpan has saved. An invalid text is not an
// error, since a task must not fail because of a missing link.
func restoreSpan(ctx context.Context, saved []byte) (context.Context, error) {
	parent, state, _ := strings.Cut(string(saved), "\n")
	extracted := propagation.TraceContext{}.Extract(context.Background(), propagation.MapCarrier{"traceparent": parent, "tracestate": state})
	if sc, ok := spanOf(extracted); ok {
		ctx = context.WithValue(ctx, acceptedKey{}, sc)
	}
	return ctx, nil
}
