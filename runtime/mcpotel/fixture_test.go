package mcpotel_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpclient"
	"github.com/mcpgen/mcpgen/runtime/mcphttp"
	"github.com/mcpgen/mcpgen/runtime/mcphttpclient"
	"github.com/mcpgen/mcpgen/runtime/mcpotel"
	"github.com/mcpgen/mcpgen/runtime/mcptask"
	"github.com/mcpgen/mcpgen/runtime/mcpws"
)

// telemetry collects the records of a server.
type telemetry struct {
	t       testing.TB
	spans   *recorder
	reader  *metric.ManualReader
	tracers *trace.TracerProvider
	options []mcpotel.Option
}

func newTelemetry(t testing.TB, options ...mcpotel.Option) *telemetry {
	r := &telemetry{t: t, spans: newRecorder(), reader: metric.NewManualReader()}
	r.tracers = trace.NewTracerProvider(trace.WithSpanProcessor(r.spans))
	r.options = append([]mcpotel.Option{
		mcpotel.WithTracerProvider(r.tracers), mcpotel.WithMeterProvider(metric.NewMeterProvider(metric.WithReader(r.reader))),
		mcpotel.WithPropagator(propagation.NewCompositeTextMapPropagator(propagation.TraceContext{}, propagation.Baggage{})),
	}, options...)
	return r
}

// server returns an instrumented server with features of each kind.
func (r *telemetry) server(options ...mcp.Option) *mcp.Server {
	return newServer(append([]mcp.Option{
		mcpotel.Instrument(r.options...), mcptask.WithStore(mcptask.NewMemory(), mcpotel.TaskOptions(r.options...)...),
	}, options...)...)
}

// await waits for n ended spans, and returns all ended spans without removing them.
func (r *telemetry) await(n int) []trace.ReadOnlySpan {
	r.t.Helper()
	for {
		if ended := r.spans.Ended(); len(ended) >= n {
			return ended
		}
		<-r.spans.one
	}
}

// recorder sends to one when a span ends, unless an element is already there.
type recorder struct {
	*tracetest.SpanRecorder
	one chan struct{}
}

func newRecorder() *recorder { return &recorder{tracetest.NewSpanRecorder(), make(chan struct{}, 1)} }

func (r *recorder) OnEnd(s trace.ReadOnlySpan) {
	r.SpanRecorder.OnEnd(s)
	select {
	case r.one <- struct{}{}:
	default:
	}
}

// named returns the only ended span with that name and kind.
func (r *telemetry) named(name string) trace.ReadOnlySpan {
	r.t.Helper()
	var found []trace.ReadOnlySpan
	for _, s := range r.spans.Ended() {
		if s.Name() == name {
			found = append(found, s)
		}
	}
	if len(found) != 1 {
		r.t.Fatalf("%d spans have the name %q", len(found), name)
	}
	return found[0]
}

// histogram returns the data points of a histogram, as attributes and count, sorted.
func (r *telemetry) histogram(name string) []string {
	r.t.Helper()
	var all metricdata.ResourceMetrics
	if err := r.reader.Collect(context.Background(), &all); err != nil {
		r.t.Fatal(err)
	}
	var lines []string
	for _, scope := range all.ScopeMetrics {
		for _, m := range scope.Metrics {
			h, ok := m.Data.(metricdata.Histogram[float64])
			if m.Name != name || !ok {
				continue
			}
			if m.Unit != "s" || m.Description == "" {
				r.t.Errorf("%s has the unit %q and the description %q", name, m.Unit, m.Description)
			}
			for _, p := range h.DataPoints {
				if fmt.Sprint(p.Bounds) != "[0.01 0.02 0.05 0.1 0.2 0.5 1 2 5 10 30 60 120 300]" {
					r.t.Errorf("%s has the boundaries %v", name, p.Bounds)
				}
				lines = append(lines, fmt.Sprintf("%d of %s", p.Count, strings.Join(attributesOf(p.Attributes.ToSlice()), " ")))
			}
		}
	}
	slices.Sort(lines)
	return lines
}

// attributesOf returns attributes as key=value, sorted.
func attributesOf(attrs []attribute.KeyValue) []string {
	var lines []string
	for _, a := range attrs {
		lines = append(lines, string(a.Key)+"="+a.Value.String())
	}
	slices.Sort(lines)
	return lines
}

// valueOf returns an attribute of a span, or "".
func valueOf(s trace.ReadOnlySpan, key string) string {
	for _, a := range s.Attributes() {
		if string(a.Key) == key {
			return a.Value.String()
		}
	}
	return ""
}

var quiet = mcp.WithLogger(slog.New(slog.DiscardHandler))

// waiting gets an element when a run of the tool wait begins.
var waiting = make(chan struct{}, 100)

func newServer(options ...mcp.Option) *mcp.Server {
	s := mcp.NewServer(mcp.ServerInfo{Name: "test", Version: "1"}, append([]mcp.Option{quiet, mcp.WithExtension(mcp.Extension{
		Name: "com.example/echo", Methods: map[string]mcp.ExtensionFunc{
			"example/echo": func(context.Context, *mcp.Request) (json.RawMessage, error) { return nil, nil },
		},
	})}, options...)...)
	tool := func(name string, f func(ctx context.Context) (string, error)) mcp.Feature {
		return mcp.NewTool(mcp.ToolInfo{Name: name}, func(ctx context.Context, _ json.RawMessage) (*mcp.ToolResult, error) {
			text, err := f(ctx)
			if err != nil {
				return nil, err
			}
			return mcp.TextResult(text), nil
		})
	}
	s.Register(tool("add", func(context.Context) (string, error) { return "3", nil }))
	s.Register(tool("fail", func(context.Context) (string, error) { return "", mcp.Errorf("no") }))
	s.Register(tool("refuse", func(context.Context) (string, error) {
		return "", &mcp.ProtocolError{Code: 1234, Message: "the text of the error"}
	}))
	s.Register(tool("panic", func(context.Context) (string, error) { panic("a secret") }))
	s.Register(tool("ask", func(ctx context.Context) (string, error) {
		answer, err := mcp.ElicitFields(ctx, "Sure?", &mcp.FormInfo{Fields: []mcp.FormField{{Name: "yes", Kind: mcp.BooleanField}}})
		return string(answer.Action), err
	}))
	s.Register(mcptask.Tool(tool("count", func(context.Context) (string, error) { return "done", nil }), mcptask.Support{}))
	s.Register(mcptask.Tool(tool("wait", func(ctx context.Context) (string, error) {
		waiting <- struct{}{}
		<-ctx.Done()
		return "", ctx.Err()
	}), mcptask.Support{}))
	s.Register(mcp.NewPrompt(mcp.PromptInfo{Name: "plan", Arguments: []mcp.PromptArgument{{Name: "what", Required: true, Values: []string{"a", "b"}}}},
		func(context.Context, map[string]string) (*mcp.PromptResult, error) {
			return mcp.PromptText("text"), nil
		}))
	s.Register(mcp.NewResource(mcp.ResourceInfo{URI: "test://motto", Name: "motto"}, func(context.Context, string) (*mcp.ResourceResult, error) {
		return mcp.TextContents("text"), nil
	}))
	s.Register(mcp.NewResource(mcp.ResourceInfo{URI: "test://broken", Name: "broken"}, func(context.Context, string) (*mcp.ResourceResult, error) {
		return nil, errors.New("broken")
	}))
	return s
}

// transports connect clients to a server.
var transports = map[string]func(t testing.TB, s *mcp.Server) mcpclient.Target{
	"memory": func(_ testing.TB, s *mcp.Server) mcpclient.Target { return mcpclient.InMemory(s) },
	"stdio": func(t testing.TB, s *mcp.Server) mcpclient.Target {
		return mcpclient.Dialer("stdio", func(context.Context) (jsonrpc.Conn, error) {
			client, server := jsonrpc.Pipe()
			served := make(chan struct{})
			go func() {
				defer close(served)
				_ = s.Serve(context.Background(), named{server, "stdio"})
			}()
			t.Cleanup(func() { <-served })
			return client, nil
		})
	},
	"http": func(t testing.TB, s *mcp.Server) mcpclient.Target {
		server := httptest.NewServer(mcphttp.NewHandler(s))
		t.Cleanup(server.Close)
		return mcphttpclient.Endpoint{URL: server.URL}
	},
	"websocket": func(t testing.TB, s *mcp.Server) mcpclient.Target {
		server := httptest.NewServer(mcpws.NewHandler(s))
		t.Cleanup(server.Close)
		return mcpws.Endpoint{URL: "ws" + strings.TrimPrefix(server.URL, "http")}
	},
}

// named is a connection with the name of a transport.
type named struct {
	jsonrpc.Conn
	name string
}

func (n named) Transport() string { return n.name }

// connect returns a client of a server, and a function that closes it before the server ends.
func connect(t testing.TB, to mcpclient.Target, revision string) (c *mcpclient.Client, end func()) {
	c, err := mcpclient.Connect(t.Context(), to, mcpclient.Options{
		Info: mcp.ClientInfo{Name: "client", Version: "1"}, Revision: revision, Logger: slog.New(slog.DiscardHandler),
		Extensions: map[string]json.RawMessage{"io.modelcontextprotocol/tasks": json.RawMessage(`{}`)},
		Elicit: func(context.Context, *mcpclient.Elicitation) (mcpclient.ElicitAnswer, error) {
			return mcpclient.Accept(map[string]any{"yes": true}), nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c, func() { _ = c.Close() }
}
