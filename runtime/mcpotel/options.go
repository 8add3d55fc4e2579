package mcpotel

import (
	"context"
	"reflect"
	"strings"
	"sync/atomic"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcptask"
)

// Option configures the records and their destination.
type Option func(*options)

type options struct {
	tracers    trace.TracerProvider
	meters     metric.MeterProvider
	propagator propagation.TextMapPropagator
	content    func(tool string) bool
}

// WithTracerProvider sets the provider for spans. The default is the provider of
// otel.SetTracerProvider.
func WithTracerProvider(p trace.TracerProvider) Option { return func(o *options) { o.tracers = p } }

// WithMeterProvider sets the provider for metrics. The default is the provider of
// otel.SetMeterProvider.
func WithMeterProvider(p metric.MeterProvider) Option { return func(o *options) { o.meters = p } }

// WithPropagator sets the propagator that reads the trace context of requests from params._meta,
// and writes the trace context of questions. The default is the propagator of
// otel.SetTextMapPropagator. MCP defines the keys of propagation.TraceContext and
// propagation.Baggage.
func WithPropagator(p propagation.TextMapPropagator) Option {
	return func(o *options) { o.propagator = p }
}

// WithContent records the arguments and results of the tools for which filter returns true, on
// spans, as JSON text of at most 32 KiB each, and their error texts. The default is to record no
// content, which may contain anything that clients send and tools return. filter gets the published
// name of a tool, and must be safe for concurrent use.
func WithContent(filter func(tool string) bool) Option {
	return func(o *options) { o.content = filter }
}

// New returns an interceptor that records a span and the duration of each request. Make it the
// first one of [mcp.WithInterceptors], so that it covers the others. With
// [mcptask.WithInterceptors], it records a span for each run of a task.
//
// It does not change how a request is refused, answered or cancelled; panics propagate. Without a
// provider it costs nearly nothing.
func New(options ...Option) mcp.Interceptor { return newRecorder(options).intercept }

// Instrument returns a server option that contains the interceptor of [New], and records the
// duration of each session and a client span for each question that is sent to the client as a
// request. Make it the first option with interceptors.
func Instrument(options ...Option) mcp.Option {
	r := newRecorder(options)
	return func(s *mcp.Server) {
		mcp.WithInterceptors(r.intercept)(s)
		mcp.WithSessionHook(r.beginSession)(s)
		mcp.WithQuestionHook(r.beginQuestion)(s)
	}
}

// TaskOptions returns options for a store of tasks: the interceptor of [New], for runs, and a
// context propagator that stores the span of the request that created the task, so that the spans
// of its runs are linked to it, even in other processes. Pass them after other context propagators:
//
//	mcptask.WithStore(store, mcpotel.TaskOptions()...)
func TaskOptions(options ...Option) []mcptask.Option {
	r := newRecorder(options)
	return []mcptask.Option{mcptask.WithInterceptors(r.intercept), mcptask.WithContextPropagator(saveSpan, restoreSpan)}
}

// recorder implements the functions above. Its methods are safe for concurrent use.
type recorder struct {
	options
	tracer     trace.Tracer
	operations metric.Float64Histogram
	sessions   metric.Float64Histogram
	tracing    atomic.Bool // a provider records spans
	labels     labels
}

func newRecorder(options []Option) *recorder {
	r := &recorder{}
	for _, option := range options {
		option(&r.options)
	}
	r.tracing.Store(r.tracers != nil && !isNoop(r.tracers))
	tracers, meters := r.tracers, r.meters
	if tracers == nil {
		tracers = otel.GetTracerProvider()
	}
	if meters == nil {
		meters = otel.GetMeterProvider()
	}
	r.tracer = tracers.Tracer(scope)
	meter := meters.Meter(scope)
	r.operations = histogram(meter, operationDuration, operationDescription)
	r.sessions = histogram(meter, sessionDuration, sessionDescription)
	return r
}

// histogram returns a histogram that works even if the provider refuses it; the provider reports
// the error itself.
func histogram(meter metric.Meter, name, description string) metric.Float64Histogram {
	h, err := meter.Float64Histogram(name, metric.WithUnit("s"), metric.WithDescription(description), boundaries)
	if err != nil {
		otel.Handle(err)
	}
	return h
}

// traces reports whether spans are recorded. The global provider may be set at any time, once.
func (r *recorder) traces() bool {
	if r.tracing.Load() {
		return true
	}
	if r.tracers != nil || isNoop(otel.GetTracerProvider()) {
		return false
	}
	r.tracing.Store(true)
	return true
}

// isNoop reports whether a provider records nothing: the provider of package noop, and the global
// one before otel.SetTracerProvider, which is recognizable only by its type.
func isNoop(p trace.TracerProvider) bool {
	t := reflect.TypeOf(p)
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	path, ok := strings.CutPrefix(t.PkgPath(), "go.opentelemetry.io/otel/")
	return ok && (path == "internal/global" || path == "trace/noop")
}

// textMap returns the propagator.
func (r *recorder) textMap() propagation.TextMapPropagator {
	if r.propagator != nil {
		return r.propagator
	}
	return otel.GetTextMapPropagator()
}

// shows reports whether the content of a tool is recorded.
func (r *recorder) shows(tool string) bool {
	return tool != "" && r.content != nil && r.content(tool)
}

// spanOf returns the span context of a context, and whether it is valid.
func spanOf(ctx context.Context) (trace.SpanContext, bool) {
	sc := trace.SpanContextFromContext(ctx)
	return sc, sc.IsValid()
}
