package mcpotel

import (
	"context"
	"strings"

	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"github.com/mcpgen/mcpgen/runtime/mcptask"
)

// A run that begins while the request waits is a child of the span of the request. Its link is added
// when it has become a task. All other runs begin later, and often in another process: there the
// context of the task has the span of the request.

// acceptedKey is the key of the span of the request in the context of a run.
type acceptedKey struct{}

// acceptedBy returns the span of the request whose task ctx is of, and whether it is known.
func acceptedBy(ctx context.Context) (trace.SpanContext, bool) {
	sc, ok := ctx.Value(acceptedKey{}).(trace.SpanContext)
	return sc, ok
}

// linkRequest links the span of a run to that of its request, if the call has become a task meanwhile.
func linkRequest(o *operation) {
	if _, linked := acceptedBy(o.ctx); linked || mcptask.FromContext(o.ctx) == nil {
		return
	}
	if request, ok := spanOf(o.ctx); ok {
		o.span.AddLink(trace.Link{SpanContext: request})
	}
}

// saveSpan returns the span of ctx as text of W3C Trace Context: parent and state in two lines, nil if
// there is none.
func saveSpan(ctx context.Context) ([]byte, error) {
	if _, ok := spanOf(ctx); !ok {
		return nil, nil
	}
	c := propagation.MapCarrier{}
	propagation.TraceContext{}.Inject(ctx, c)
	return []byte(c["traceparent"] + "\n" + c["tracestate"]), nil
}

// restoreSpan returns a context with the span that saveSpan has saved. A text that it has not written
// is not an error, since a task must not fail for want of a link.
func restoreSpan(ctx context.Context, saved []byte) (context.Context, error) {
	parent, state, _ := strings.Cut(string(saved), "\n")
	extracted := propagation.TraceContext{}.Extract(context.Background(), propagation.MapCarrier{"traceparent": parent, "tracestate": state})
	if sc, ok := spanOf(extracted); ok {
		ctx = context.WithValue(ctx, acceptedKey{}, sc)
	}
	return ctx, nil
}
