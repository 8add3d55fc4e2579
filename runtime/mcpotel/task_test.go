package mcpotel_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpclient"
	"github.com/mcpgen/mcpgen/runtime/mcpotel"
	"github.com/mcpgen/mcpgen/runtime/mcptask"
)

// spansOf returns the spans of the request and of the run of a tool.
func (r *telemetry) spansOf(tool string) (request, run sdktrace.ReadOnlySpan) {
	r.t.Helper()
	for _, s := range r.spans.Ended() {
		switch {
		case s.Name() != "tools/call "+tool:
		case s.SpanKind() == trace.SpanKindServer:
			request = s
		default:
			run = s
		}
	}
	if request == nil || run == nil {
		r.t.Fatalf("%s has the spans %v and %v", tool, request, run)
	}
	return request, run
}

// A run in another process is linked to the request that created its task, and is the root of its
// own trace, unless another context propagator restores a span.
func TestRunsElsewhere(t *testing.T) {
	t.Run("root", func(t *testing.T) { testRunElsewhere(t, trace.SpanContext{}) })
	t.Run("restored", func(t *testing.T) {
		testRunElsewhere(t, trace.NewSpanContext(trace.SpanContextConfig{TraceID: trace.TraceID{1}, SpanID: trace.SpanID{2}, TraceFlags: trace.FlagsSampled}))
	})
}

func testRunElsewhere(t *testing.T, restored trace.SpanContext) {
	type tenantKey struct{}
	tenant := mcptask.WithContextPropagator(func(context.Context) ([]byte, error) { return []byte("acme"), nil },
		func(ctx context.Context, saved []byte) (context.Context, error) {
			return context.WithValue(trace.ContextWithSpanContext(ctx, restored), tenantKey{}, string(saved)), nil
		})
	r := newTelemetry(t)
	store := mcptask.NewMemory()
	key := mcp.WithStateKeys([]byte(strings.Repeat("k", 32)))
	tool := func(s *mcp.Server, f func(context.Context)) *mcp.Server {
		s.Register(mcptask.Tool(mcp.NewTool(mcp.ToolInfo{Name: "work"}, func(ctx context.Context, _ json.RawMessage) (*mcp.ToolResult, error) {
			f(ctx)
			return nil, mcp.Errorf("no")
		}), mcptask.Support{}))
		return s
	}
	options := append([]mcptask.Option{tenant}, mcpotel.TaskOptions(r.options...)...)
	accepts := tool(mcp.NewServer(mcp.ServerInfo{Name: "x", Version: "1"}, quiet, key, mcpotel.Instrument(r.options...),
		mcptask.WithStore(store, append(options, mcptask.WithConcurrency(0))...)), nil)
	c, _ := connect(t, mcpclient.InMemory(accepts), withoutSessions)
	if _, err := call(t, c, "work", `,"_meta":{"traceparent":"`+traceparent+`"}`); err != nil {
		t.Fatal(err)
	}
	seen := make(chan string, 1)
	runs := tool(mcp.NewServer(mcp.ServerInfo{Name: "x", Version: "1"}, quiet, key, mcptask.WithStore(store, options...)), func(ctx context.Context) {
		seen <- fmt.Sprint(ctx.Value(tenantKey{}), trace.SpanContextFromContext(ctx).IsValid())
	})
	other, _ := connect(t, mcpclient.InMemory(runs), withoutSessions)
	if _, err := other.Server(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := <-seen; got != "acmetrue" {
		t.Errorf("the run has %s", got)
	}
	r.await(3)
	request, run := r.spansOf("work")
	if request.Parent().TraceID().String() != traceID {
		t.Errorf("the parent of the request is %v", request.Parent())
	}
	l := run.Links()
	if len(l) != 1 || l[0].SpanContext.SpanID() != request.SpanContext().SpanID() || run.Parent().SpanID() != restored.SpanID() || run.SpanContext().TraceID() == request.SpanContext().TraceID() {
		t.Errorf("the links are %v, the request is %v, the parent %v", l, request.SpanContext(), run.Parent())
	}
	if got := valueOf(run, "error.type"); got != "tool_error" {
		t.Errorf("error.type is %q", got)
	}
	if got := strings.Join(r.histogram("mcp.server.operation.duration"), "\n"); strings.Count(got, "gen_ai.tool.name=work") != 1 || strings.Contains(got, "error.type") {
		t.Errorf("runs are measured as requests: %s", got)
	}
	_ = mcptask.Shutdown(t.Context(), runs)
	_ = mcptask.Shutdown(t.Context(), accepts)
}

// A run that begins while the request waits is a child of its span, and is linked to it if the call
// becomes a task.
func TestRunsOfRequests(t *testing.T) {
	for _, becomes := range []bool{false, true} {
		r := newTelemetry(t)
		s := r.server()
		s.Register(mcptask.Tool(mcp.NewTool(mcp.ToolInfo{Name: "work"}, func(ctx context.Context, _ json.RawMessage) (*mcp.ToolResult, error) {
			for becomes && mcptask.FromContext(ctx) == nil {
				time.Sleep(time.Millisecond)
			}
			return mcp.TextResult("done"), nil
		}), mcptask.Support{Inline: map[bool]time.Duration{false: time.Minute, true: 10 * time.Millisecond}[becomes]}))
		c, end := connect(t, mcpclient.InMemory(s), withoutSessions)
		if _, err := call(t, c, "work", ""); err != nil {
			t.Fatal(err)
		}
		r.await(3)
		request, run := r.spansOf("work")
		if !run.Parent().Equal(request.SpanContext()) {
			t.Errorf("the parent is %v", run.Parent())
		}
		if l := run.Links(); becomes != (len(l) == 1 && l[0].SpanContext.Equal(request.SpanContext())) {
			t.Errorf("becomes a task: %v, the links are %v", becomes, l)
		}
		end()
		_ = mcptask.Shutdown(t.Context(), s)
	}
}

// A run that waits for an answer does not count as failed.
func TestParkedRuns(t *testing.T) {
	r := newTelemetry(t)
	s := r.server()
	s.Register(mcptask.Tool(mcp.NewTool(mcp.ToolInfo{Name: "work"}, func(context.Context, json.RawMessage) (*mcp.ToolResult, error) {
		return nil, &mcp.InputRequired{Questions: map[string]mcp.Question{
			"sure": mcp.FieldsQuestion("Sure?", &mcp.FormInfo{Fields: []mcp.FormField{{Name: "yes", Kind: mcp.BooleanField}}}),
		}}
	}), mcptask.Support{}))
	c, _ := connect(t, mcpclient.InMemory(s), withoutSessions)
	if _, err := call(t, c, "work", ""); err != nil {
		t.Fatal(err)
	}
	r.await(3)
	if _, run := r.spansOf("work"); valueOf(run, "error.type") != "" {
		t.Errorf("%s", describe(run))
	}
	_ = mcptask.Shutdown(t.Context(), s)
}
