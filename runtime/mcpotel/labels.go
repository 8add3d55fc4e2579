package mcpotel

import (
	"strconv"
	"sync"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"

	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// labels caches the labels of kinds of requests. They are created once per kind, since sorting and
// hashing attribute sets costs more than the rest of a request.
type labels struct {
	mu    sync.RWMutex
	kinds map[kind]*label
}

// maxKinds limits the cached kinds, for programs that constantly register new names.
const maxKinds = 10_000

// kind is a kind of requests. All its values are chosen by the server, not by the client.
type kind struct {
	method, feature, version, transport string
	run                                 bool // a run of a task instead of a request
}

// label contains the attributes that are recorded for each request of a kind.
type label struct {
	kind
	name     string // of the span
	attrs    []attribute.KeyValue
	start    []trace.SpanStartOption
	measured []metric.RecordOption // for a successful request
}

// of returns the label of a request.
func (l *labels) of(req *mcp.Request) *label {
	call := req.Call()
	k := kind{version: call.Revision(), run: req.IsRun()}
	k.method, k.feature = req.Registered()
	if !k.run {
		k.transport = call.Transport()
	}
	l.mu.RLock()
	found := l.kinds[k]
	l.mu.RUnlock()
	if found == nil {
		found = newLabel(k)
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.kinds == nil || len(l.kinds) >= maxKinds {
			l.kinds = map[kind]*label{}
		}
		l.kinds[k] = found
	}
	return found
}

func newLabel(k kind) *label {
	l := &label{kind: k, name: k.method}
	if k.method == "" {
		l.name = other
	}
	l.attrs = append(l.attrs, methodName.String(l.name), protocolVersion.String(k.version))
	switch {
	case k.method == "tools/call":
		l.attrs = append(l.attrs, operationName.String(executeTool))
		if k.feature != "" {
			l.attrs = append(l.attrs, toolName.String(k.feature))
		}
	case k.feature != "":
		l.attrs = append(l.attrs, promptName.String(k.feature))
	}
	if k.feature != "" {
		l.name += " " + k.feature
	}
	l.attrs = networkOf(l.attrs, k.transport)
	spanKind := trace.SpanKindServer
	if k.run {
		spanKind = trace.SpanKindInternal
	}
	l.start = []trace.SpanStartOption{trace.WithSpanKind(spanKind), trace.WithAttributes(l.attrs...)}
	l.measured = []metric.RecordOption{metric.WithAttributeSet(attribute.NewSet(l.attrs...))}
	return l
}

// tool returns the tool of a call, or "" for other requests and unknown tools.
func (l *label) tool() string {
	if l.method != "tools/call" {
		return ""
	}
	return l.feature
}

// failure is the failure of an operation. The zero value means success.
type failure struct {
	kind string // error.type
	code int    // of a JSON-RPC error
}

// append appends the attributes of a failure.
func (f failure) append(attrs []attribute.KeyValue) []attribute.KeyValue {
	if f.kind != "" {
		attrs = append(attrs, errorType.String(f.kind))
	}
	if f.code != 0 {
		attrs = append(attrs, statusCode.String(strconv.Itoa(f.code)))
	}
	return attrs
}

// failedWith returns the failure for a JSON-RPC error.
func failedWith(code int) failure { return failure{strconv.Itoa(code), code} }
