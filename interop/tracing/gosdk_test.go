package tracing

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"go.opentelemetry.io/otel/propagation"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcphttp"
	"github.com/mcpgen/mcpgen/runtime/mcpotel"
)

// traced is middleware for the SDK's client that follows the conventions: a client span for each
// request, whose context is in params._meta.
func traced(tracer trace.Tracer) sdk.Middleware {
	return func(next sdk.MethodHandler) sdk.MethodHandler {
		return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
			ctx, span := tracer.Start(ctx, method, trace.WithSpanKind(trace.SpanKindClient))
			defer span.End()
			carrier := propagation.MapCarrier{}
			propagation.TraceContext{}.Inject(ctx, carrier)
			params := req.GetParams()
			meta := params.GetMeta()
			if meta == nil {
				meta = map[string]any{}
			}
			for key, value := range carrier {
				meta[key] = value
			}
			params.SetMeta(meta)
			return next(ctx, method, req)
		}
	}
}

// In a trace of the SDK's client, the span of mcpgen's server is a child of the client's span, in
// each era. The handler's spans are below it.
func TestGoSDK(t *testing.T) {
	for _, revision := range []string{"2025-11-25", "2026-07-28"} {
		t.Run(revision, func(t *testing.T) {
			client, server := tracetest.NewSpanRecorder(), tracetest.NewSpanRecorder()
			clients := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(client)).Tracer("client")
			servers := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(server))
			s := mcp.NewServer(mcp.ServerInfo{Name: "test"}, mcpotel.Instrument(
				mcpotel.WithTracerProvider(servers), mcpotel.WithPropagator(propagation.TraceContext{})))
			s.Register(mcp.NewTool(mcp.ToolInfo{Name: "add"}, func(ctx context.Context, _ json.RawMessage) (*mcp.ToolResult, error) {
				_, span := servers.Tracer("handler").Start(ctx, "query")
				span.End()
				return mcp.TextResult("3"), nil
			}))
			h := httptest.NewServer(mcphttp.NewHandler(s))
			defer h.Close()
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			defer cancel()
			c := sdk.NewClient(&sdk.Implementation{Name: "client", Version: "1"}, nil)
			c.AddSendingMiddleware(traced(clients))
			session, err := c.Connect(ctx, &sdk.StreamableClientTransport{Endpoint: h.URL, HTTPClient: &http.Client{}}, &sdk.ClientSessionOptions{ProtocolVersion: revision})
			if err != nil {
				t.Fatal(err)
			}
			if got := session.InitializeResult().ProtocolVersion; got != revision {
				t.Errorf("the revision is %s", got)
			}
			ctx, outer := clients.Start(ctx, "agent")
			if _, err := session.CallTool(ctx, &sdk.CallToolParams{Name: "add", Arguments: map[string]any{}}); err != nil {
				t.Fatal(err)
			}
			outer.End()
			if err := session.Close(); err != nil {
				t.Error(err)
			}
			sent, handled, query := find(t, client, "tools/call"), find(t, server, "tools/call add"), find(t, server, "query")
			if sent.Parent().SpanID() != outer.SpanContext().SpanID() {
				t.Errorf("the parent of the client's span is %v", sent.Parent())
			}
			if p := handled.Parent(); p.SpanID() != sent.SpanContext().SpanID() || p.TraceID() != outer.SpanContext().TraceID() || handled.SpanKind() != trace.SpanKindServer {
				t.Errorf("the parent of the server's span is %v, the client's span is %v", p, sent.SpanContext())
			}
			if !query.Parent().Equal(handled.SpanContext()) {
				t.Errorf("the parent of the handler's span is %v", query.Parent())
			}
		})
	}
}

// find returns the span with a name.
func find(t *testing.T, spans *tracetest.SpanRecorder, name string) sdktrace.ReadOnlySpan {
	t.Helper()
	for _, s := range spans.Ended() {
		if s.Name() == name {
			return s
		}
	}
	t.Fatalf("there is no span %s", name)
	return nil
}
