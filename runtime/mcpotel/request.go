package mcpotel

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"

	"github.com/mcpgen/mcpgen/runtime/internal/logs"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// intercept is the interceptor.
func (r *recorder) intercept(next mcp.Handler) mcp.Handler {
	return func(ctx context.Context, req *mcp.Request) (mcp.Reply, error) {
		o := operation{tracing: r.traces(), measuring: r.operations.Enabled(ctx) && !req.IsRun()}
		if !o.tracing && !o.measuring {
			return next(ctx, req)
		}
		return r.record(ctx, req, next, o)
	}
}

// operation is a request, or a run of a task, in progress.
type operation struct {
	tracing, measuring bool
	shown              bool // content is recorded

	label *label
	began time.Time
	ctx   context.Context // before the span
	span  trace.Span      // nil without tracing
}

// record calls next, and records the outcome, even if next panics or ends the goroutine.
func (r *recorder) record(ctx context.Context, req *mcp.Request, next mcp.Handler, o operation) (reply mcp.Reply, err error) {
	o.label, o.ctx, o.began = r.labels.of(req), ctx, time.Now()
	if o.tracing {
		ctx, o.span = r.start(ctx, req, o.label)
	}
	returned := false
	defer func() {
		if !returned {
			reply, err = nil, errNotReturned
		}
		r.end(&o, req, reply, err)
	}()
	if o.tracing && o.span.IsRecording() {
		o.shown = r.shows(o.label.tool()) // may panic: the span must end then, too
		o.span.SetAttributes(r.details(req, &o)...)
	}
	reply, err = next(ctx, req)
	returned = true
	return reply, err
}

// errNotReturned replaces the error of a handler that panicked or ended its goroutine.
var errNotReturned = errors.New("the handler has not returned")

// start starts the span of a request, or of a run.
func (r *recorder) start(ctx context.Context, req *mcp.Request, l *label) (context.Context, trace.Span) {
	options := l.start
	if l.run {
		if accepted, ok := acceptedBy(ctx); ok {
			options = append(options[:len(options):len(options)], trace.WithLinks(trace.Link{SpanContext: accepted}))
		}
	} else {
		ambient, within := spanOf(ctx)
		ctx = r.textMap().Extract(ctx, &carrier{call: req.Call()})
		if parent, _ := spanOf(ctx); within && !parent.Equal(ambient) {
			options = append(options[:len(options):len(options)], trace.WithLinks(trace.Link{SpanContext: ambient}))
		}
	}
	return r.tracer.Start(ctx, l.name, options...)
}

// details returns the attributes of one request.
func (r *recorder) details(req *mcp.Request, o *operation) []attribute.KeyValue {
	attrs := make([]attribute.KeyValue, 0, 5)
	if o.shown && req.Arguments != nil {
		attrs = append(attrs, toolCallArguments.String(cut(string(req.Arguments))))
	}
	if o.label.run {
		return attrs
	}
	call := req.Call()
	attrs = append(attrs, requestID.String(text(call.ID())))
	if id := session(call); id != "" {
		attrs = append(attrs, sessionID.String(id))
	}
	if address := call.RemoteAddr(); address.IsValid() {
		attrs = append(attrs, clientAddress.String(address.String()))
	}
	switch req.Method {
	case "resources/read", "resources/subscribe", "resources/unsubscribe":
		if req.Name != "" {
			attrs = append(attrs, resourceURI.String(logs.URI(req.Name)))
		}
	}
	return attrs
}

// session returns the recorded id of a call's session. Over HTTP the id gives access to the
// session, so its digest is recorded.
func session(call *mcp.Call) string {
	id := call.Session()
	if id == "" || networks[call.Transport()].protocol != "http" {
		return id
	}
	digest := sha256.Sum256([]byte(id))
	return hex.EncodeToString(digest[:16])
}

// text returns an id without the quotes of a string.
func text(id string) string {
	if s, ok := jsonrpc.String([]byte(id)); ok {
		return s
	}
	return id
}

// end records the end of an operation.
func (r *recorder) end(o *operation, req *mcp.Request, reply mcp.Reply, err error) {
	failed := failureOf(o.ctx, req, reply, err)
	if o.measuring {
		r.measure(o, failed)
	}
	if o.tracing {
		r.endSpan(o, failed, reply, err)
	}
}

// measure records the duration of a request.
func (r *recorder) measure(o *operation, failed failure) {
	ctx, seconds := o.ctx, time.Since(o.began).Seconds()
	if o.span != nil { // for exemplars
		ctx = trace.ContextWithSpan(ctx, o.span)
	}
	if failed == (failure{}) {
		r.operations.Record(ctx, seconds, o.label.measured...)
		return
	}
	attrs := o.label.attrs
	set := attribute.NewSet(failed.append(attrs[:len(attrs):len(attrs)])...)
	r.operations.Record(ctx, seconds, metric.WithAttributeSet(set))
}

func (r *recorder) endSpan(o *operation, failed failure, reply mcp.Reply, err error) {
	defer o.span.End()
	if !o.span.IsRecording() {
		return
	}
	if o.label.run {
		linkRequest(o)
	}
	if o.shown && err == nil {
		if result, ok := resultText(reply); ok {
			o.span.SetAttributes(toolCallResult.String(cut(result)))
		}
	}
	if failed == (failure{}) {
		return
	}
	o.span.SetAttributes(failed.append(nil)...)
	description := ""
	if e, ok := errors.AsType[*mcp.ProtocolError](err); ok && o.shown {
		description = cut(e.Message)
	}
	o.span.SetStatus(codes.Error, description)
}

// failureOf returns how a request has failed, as the client sees it.
func failureOf(ctx context.Context, req *mcp.Request, reply mcp.Reply, err error) failure {
	if ctx.Err() != nil {
		switch cause := context.Cause(ctx); {
		case req.Method == "subscriptions/listen": // it usually ends in this way
			return failure{}
		case errors.Is(cause, mcp.ErrCancelled):
			return failure{kind: cancelled}
		case errors.Is(cause, mcp.ErrConnectionClosed):
			return failure{kind: disconnected}
		case errors.Is(cause, mcp.ErrPending): // the client calls again, or the task waits
			return failure{}
		}
	}
	result, isResult := reply.(*mcp.ToolResult)
	switch {
	case err == nil && reply == nil, err == nil && isResult && result == nil:
		err = errNotReturned
	case err == nil && isResult && result.IsError:
		return failure{kind: toolError}
	case err == nil:
		return failure{}
	}
	if _, asks := errors.AsType[*mcp.InputRequired](err); asks && req.IsRun() {
		return failure{}
	}
	if code := req.ErrorCode(err); code != 0 {
		return failedWith(code)
	}
	return failure{kind: toolError}
}
