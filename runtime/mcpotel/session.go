package mcpotel

import (
	"context"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// beginSession measures the duration of a session. The reason for the end of a session is unknown,
// so error.type is not set.
func (r *recorder) beginSession(_ context.Context, info mcp.SessionInfo) (end func()) {
	began := time.Now()
	attrs := networkOf([]attribute.KeyValue{protocolVersion.String(info.Revision)}, info.Transport)
	return func() {
		r.sessions.Record(context.Background(), time.Since(began).Seconds(), metric.WithAttributes(attrs...))
	}
}
