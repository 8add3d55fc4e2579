package mcpotel

import (
	"strconv"
	"sync"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"

	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// labels are what requests of one kind have in common. They are made once for each kind: attribute sets
// are sorted and hashed, which costs more than the rest of a request.
type labels struct {
	mu    sync.RWMutex
	kinds map[kind]*label
}

// maxKinds bounds the kinds that are kept, for programs that register ever new names.
const maxKinds = 10_000

// kind is a kind of requests. The server has all of its values, not the client.
type kind struct {
	method, feature, version, transport string
	run                                 bool // of a task, and not a request
}

// label is what is recorded of each request of a kind.
type label struct {
	kind
	name     string // of the span
	attrs    []attribute.KeyValue
	start    []trace.SpanStartOption
	measured []metric.RecordOption // of a request that succeeds
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

// tool returns the tool of a call, "" for other requests and unknown tools.
func (l *label) tool() string {
	if l.method != "tools/call" {
		return ""
	}
	return l.feature
}

// failure is how an operation has failed. The zero value is success.
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

// failedWith is the failure of a JSON-RPC error.
func failedWith(code int) failure { return failure{strconv.Itoa(code), code} }
