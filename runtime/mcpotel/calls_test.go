package mcpotel_test

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	noopmetric "go.opentelemetry.io/otel/metric/noop"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/metric"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	nooptrace "go.opentelemetry.io/otel/trace/noop"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpotel"
)

// discard is an exporter that drops all spans.
type discard struct{}

func (discard) ExportSpans(context.Context, []sdktrace.ReadOnlySpan) error { return nil }
func (discard) Shutdown(context.Context) error                             { return nil }

// costs are the configurations in which the cost of a call is measured.
var costs = []struct {
	name    string
	options func() []mcpotel.Option // nil = without the interceptor
}{
	{"without", nil},
	{"no providers", func() []mcpotel.Option { return nil }},
	{"providers of package noop", func() []mcpotel.Option {
		return []mcpotel.Option{mcpotel.WithTracerProvider(nooptrace.NewTracerProvider()), mcpotel.WithMeterProvider(noopmetric.NewMeterProvider())}
	}},
	{"metrics", func() []mcpotel.Option {
		return []mcpotel.Option{mcpotel.WithMeterProvider(metric.NewMeterProvider(metric.WithReader(metric.NewManualReader())))}
	}},
	{"traces, none sampled", func() []mcpotel.Option {
		return []mcpotel.Option{mcpotel.WithTracerProvider(sdktrace.NewTracerProvider(sdktrace.WithSampler(sdktrace.NeverSample()), sdktrace.WithBatcher(discard{})))}
	}},
	{"traces", func() []mcpotel.Option {
		return []mcpotel.Option{mcpotel.WithTracerProvider(sdktrace.NewTracerProvider(sdktrace.WithBatcher(discard{}))), mcpotel.WithPropagator(propagation.TraceContext{})}
	}},
	{"traces and metrics", func() []mcpotel.Option {
		return []mcpotel.Option{
			mcpotel.WithTracerProvider(sdktrace.NewTracerProvider(sdktrace.WithBatcher(discard{}))), mcpotel.WithPropagator(propagation.TraceContext{}),
			mcpotel.WithMeterProvider(metric.NewMeterProvider(metric.WithReader(metric.NewManualReader()))),
		}
	}},
}

// callMessage is a call with a client's trace context.
const callMessage = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add","arguments":{},"_meta":{"traceparent":"` +
	traceparent + `","io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`

// calling returns a function that makes n calls through the interceptor within one request, so that
// the other costs of a request do not count.
func calling(t testing.TB, options func() []mcpotel.Option) func(n int) (time.Duration, error) {
	intercept := func(next mcp.Handler) mcp.Handler { return next }
	if options != nil {
		intercept = mcpotel.New(options()...)
	}
	type result struct {
		took time.Duration
		err  error
	}
	var times int
	results := make(chan result, 1)
	s := mcp.NewServer(mcp.ServerInfo{Name: "x", Version: "1"}, quiet, mcp.WithInterceptors(func(mcp.Handler) mcp.Handler {
		reply := mcp.TextResult("done")
		call := intercept(func(context.Context, *mcp.Request) (mcp.Reply, error) { return reply, nil })
		return func(ctx context.Context, req *mcp.Request) (mcp.Reply, error) {
			if req.Method != "tools/call" {
				return &mcp.RawReply{JSON: json.RawMessage(`{}`)}, nil
			}
			var r result
			began := time.Now()
			for range times {
				if _, err := call(ctx, req); err != nil {
					r.err = err
				}
			}
			r.took = time.Since(began)
			results <- r
			return reply, nil
		}
	}))
	s.Register(mcp.NewTool(mcp.ToolInfo{Name: "add"}, nil))
	conn, wait := s.Connect(context.Background())
	t.Cleanup(func() { conn.Close(); _ = wait() })
	send := func(text string) {
		if err := conn.Write([]byte(text + "\n")); err != nil {
			t.Fatal(err)
		}
	}
	return func(n int) (time.Duration, error) {
		times = n
		send(callMessage)
		r := <-results
		if _, err := conn.Read(); err != nil {
			t.Fatal(err)
		}
		return r.took, r.err
	}
}

// BenchmarkCall measures the cost that the interceptor adds to a call with a client's trace context
// in _meta.
func BenchmarkCall(b *testing.B) {
	for _, cost := range costs {
		b.Run(cost.name, func(b *testing.B) {
			call := calling(b, cost.options)
			b.ReportAllocs()
			b.ResetTimer()
			if _, err := call(b.N); err != nil {
				b.Fatal(err)
			}
		})
	}
}

// BenchmarkServer measures a whole call in memory, from the client's message to the reply.
func BenchmarkServer(b *testing.B) {
	for _, cost := range costs {
		b.Run(cost.name, func(b *testing.B) {
			options := []mcp.Option{quiet}
			if cost.options != nil {
				options = append(options, mcpotel.Instrument(cost.options()...))
			}
			s := mcp.NewServer(mcp.ServerInfo{Name: "x", Version: "1"}, options...)
			s.Register(mcp.NewTool(mcp.ToolInfo{Name: "add"}, func(context.Context, json.RawMessage) (*mcp.ToolResult, error) {
				return mcp.TextResult("3"), nil
			}))
			conn, wait := s.Connect(context.Background())
			message := []byte(callMessage + "\n")
			b.ReportAllocs()
			b.ResetTimer()
			for range b.N {
				if err := conn.Write(message); err != nil {
					b.Fatal(err)
				}
				if _, err := conn.Read(); err != nil {
					b.Fatal(err)
				}
			}
			b.StopTimer()
			conn.Close()
			_ = wait()
		})
	}
}
