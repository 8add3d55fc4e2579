package mcpotel_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/baggage"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/metric"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpclient"
	"github.com/mcpgen/mcpgen/runtime/mcpfind"
	"github.com/mcpgen/mcpgen/runtime/mcphttp"
	"github.com/mcpgen/mcpgen/runtime/mcphttpclient"
	"github.com/mcpgen/mcpgen/runtime/mcpotel"
)

const (
	traceID     = "4bf92f3577b34da6a3ce929d0e0e4736"
	parentID    = "00f067aa0ba902b7"
	traceparent = "00-" + traceID + "-" + parentID + "-01"
)

// A call through use_tool of mcpfind has the span and the data point of the called tool, even if
// the tool fails. Names of unknown tools occur in no span and no metric.
func TestFoundTools(t *testing.T) {
	for _, revision := range []string{withSessions, withoutSessions} {
		t.Run(revision, func(t *testing.T) {
			r := newTelemetry(t)
			c, end := connect(t, mcpclient.InMemory(r.server(mcpfind.New(mcpfind.WithThreshold(0)))), revision)
			for _, tool := range []string{"add", "fail", "secret"} {
				_, _ = c.Request(t.Context(), "tools/call", json.RawMessage(`{"name":"use_tool","arguments":{"name":"`+tool+`","arguments":{}}}`))
			}
			end()
			r.await(3)
			for span, failure := range map[string]string{"tools/call add": "", "tools/call fail": "tool_error", "tools/call": "tool_error"} {
				s := r.named(span)
				if tool, failed := valueOf(s, "gen_ai.tool.name"), valueOf(s, "error.type"); tool != strings.TrimPrefix(span[len("tools/call"):], " ") || failed != failure {
					t.Errorf("%s has the tool %q and the error %q", s.Name(), tool, failed)
				}
			}
			points := strings.Join(r.histogram("mcp.server.operation.duration"), "\n")
			for _, tool := range []string{"add", "fail"} {
				if strings.Count(points, "gen_ai.tool.name="+tool+" ") != 1 {
					t.Errorf("%s is not in one data point of\n%s", tool, points)
				}
			}
			if strings.Contains(points, "secret") {
				t.Errorf("an unknown name is in\n%s", points)
			}
		})
	}
}

// call calls a tool, with additional params.
func call(t testing.TB, c *mcpclient.Client, tool, more string) (json.RawMessage, error) {
	t.Helper()
	return c.Request(t.Context(), "tools/call", json.RawMessage(`{"name":"`+tool+`","arguments":{"token":"secret"}`+more+`}`))
}

// The trace context in a request's _meta is the parent of its span. Handlers get it in their
// context together with the baggage, and the HTTP span is linked. Without trace context in _meta,
// the HTTP span is the parent.
func TestParents(t *testing.T) {
	for _, revision := range []string{withSessions, withoutSessions} {
		t.Run(revision, func(t *testing.T) {
			r := newTelemetry(t)
			var seen trace.SpanContext
			var member string
			server := r.server(mcp.WithInterceptors(func(next mcp.Handler) mcp.Handler {
				return func(ctx context.Context, req *mcp.Request) (mcp.Reply, error) {
					seen, member = trace.SpanContextFromContext(ctx), baggage.FromContext(ctx).Member("user").Value()
					return next(ctx, req)
				}
			}))
			outer := r.tracers.Tracer("http")
			var ambient trace.SpanContext
			handler := mcphttp.NewHandler(server)
			h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
				ctx, span := outer.Start(req.Context(), "POST")
				defer span.End()
				ambient = span.SpanContext()
				handler.ServeHTTP(w, req.WithContext(ctx))
			}))
			defer h.Close()
			c, end := connect(t, mcphttpclient.Endpoint{URL: h.URL}, revision)
			defer end()
			if _, err := call(t, c, "add", `,"_meta":{"traceparent":"`+traceparent+`","tracestate":"x=1","baggage":"user=ada"}`); err != nil {
				t.Fatal(err)
			}
			s := r.named("tools/call add")
			if p := s.Parent(); p.TraceID().String() != traceID || p.SpanID().String() != parentID || !p.IsRemote() || p.TraceState().String() != "x=1" {
				t.Errorf("the parent is %v", p)
			}
			if l := s.Links(); len(l) != 1 || !l[0].SpanContext.Equal(ambient) {
				t.Errorf("the links are %v, the span of HTTP is %v", l, ambient)
			}
			if !seen.Equal(s.SpanContext()) || member != "ada" {
				t.Errorf("handlers have the span %v and the member %q", seen, member)
			}
			for _, more := range []string{"", `,"_meta":{"traceparent":7}`, `,"_meta":{"traceparent":"00-x"}`, `,"_meta":{"baggage":"` + strings.Repeat("k=v,", 3000) + `"}`} {
				r.spans.Reset()
				if _, err := call(t, c, "add", more); err != nil {
					t.Fatal(err)
				}
				if s := r.named("tools/call add"); !s.Parent().Equal(ambient) || len(s.Links()) != 0 || member != "" {
					t.Errorf("%.60s: parent %v, %d links, the member %q", more, s.Parent(), len(s.Links()), member)
				}
			}
		})
	}
}

// Names that only clients choose create no attributes, spans or labels, however many they are.
func TestUnknownNames(t *testing.T) {
	for _, revision := range []string{withSessions, withoutSessions} {
		r := newTelemetry(t)
		c, end := connect(t, mcpclient.InMemory(r.server()), revision)
		for i := range 200 {
			name := fmt.Sprintf("secret%d", i)
			_, _ = call(t, c, name, "") // all of these are refused
			_, _ = c.Request(t.Context(), "prompts/get", map[string]any{"name": name})
			_, _ = c.Request(t.Context(), "completion/complete", map[string]any{
				"ref": map[string]string{"type": "ref/prompt", "name": name}, "argument": map[string]string{"name": name, "value": name},
			})
			_, _ = c.Request(t.Context(), name+"/method", nil)
			_, _ = c.Request(t.Context(), "resources/read", map[string]string{"uri": "x://" + name})
		}
		end()
		if points := r.histogram("mcp.server.operation.duration"); len(points) != 6 { // and the handshake
			t.Errorf("%s: %d points\n%s", revision, len(points), strings.Join(points, "\n"))
		}
		names := map[string]int{}
		for _, s := range r.spans.Ended() {
			names[s.Name()]++
			for _, a := range attributesOf(s.Attributes()) {
				if strings.Contains(a, "secret") && !strings.HasPrefix(a, "mcp.resource.uri=") {
					t.Fatalf("%s has %s", s.Name(), a)
				}
			}
			if strings.Contains(s.Status().Description, "secret") {
				t.Fatalf("%s has %s", s.Name(), s.Status().Description)
			}
		}
		if len(names) != 6 {
			t.Errorf("%s: %v", revision, names)
		}
	}
}

// Panics and Goexit of inner interceptors propagate, and the span ends.
func TestPanics(t *testing.T) {
	for name, fail := range map[string]func(){"panic": func() { panic("a secret") }, "Goexit": runtime.Goexit} {
		t.Run(name, func(t *testing.T) {
			r := newTelemetry(t)
			c, end := connect(t, mcpclient.InMemory(r.server(mcp.WithInterceptors(func(next mcp.Handler) mcp.Handler {
				return func(ctx context.Context, req *mcp.Request) (mcp.Reply, error) {
					if req.Method == "tools/call" || req.Method == "prompts/list" {
						fail()
					}
					return next(ctx, req)
				}
			}))), withSessions)
			defer end()
			result, err := call(t, c, "add", "")
			if err != nil || !strings.Contains(string(result), "internal error") {
				t.Errorf("%s, %v", result, err)
			}
			if _, err := c.Request(t.Context(), "prompts/list", nil); err == nil {
				t.Error("no error")
			}
			for name, want := range map[string]string{"tools/call add": "tool_error", "prompts/list": "-32603"} {
				s := r.named(name)
				if got := valueOf(s, "error.type"); got != want || s.Status().Code != codes.Error || s.EndTime().IsZero() {
					t.Errorf("%s: %s, %v", name, got, s.Status())
				}
			}
			if got := strings.Join(r.histogram("mcp.server.operation.duration"), "\n"); strings.Count(got, "error.type") != 2 {
				t.Error(got)
			}
		})
	}
}

// A request without a reply counts as failed.
func TestCancelled(t *testing.T) {
	r := newTelemetry(t)
	limits := mcp.WithLimits(mcp.Limits{DrainTime: 10 * time.Millisecond})
	c, end := connect(t, transports["stdio"](t, r.server(limits, mcp.WithInterceptors(func(next mcp.Handler) mcp.Handler {
		return func(ctx context.Context, req *mcp.Request) (mcp.Reply, error) {
			if req.Name == "add" || req.Name == "fail" {
				waiting <- struct{}{}
				<-ctx.Done()
			}
			return next(ctx, req)
		}
	}))), withSessions)
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-waiting; cancel() }()
	if _, err := c.Request(ctx, "tools/call", json.RawMessage(`{"name":"add"}`)); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	go func() { <-waiting; end() }()
	if _, err := c.Request(t.Context(), "tools/call", json.RawMessage(`{"name":"fail"}`)); err == nil {
		t.Error("no error")
	}
	r.await(3)
	if got := valueOf(r.named("tools/call add"), "error.type"); got != "cancelled" {
		t.Errorf("cancelled: %s", got)
	}
	if got := valueOf(r.named("tools/call fail"), "error.type"); got != "disconnected" {
		t.Errorf("disconnected: %s", got)
	}
}

// Arguments, results and error texts are recorded only for the tools that the filter allows.
func TestContent(t *testing.T) {
	content := mcpotel.WithContent(func(tool string) bool { return tool != "ask" })
	for _, test := range []struct {
		tool, arguments, result, description string
		options                              []mcpotel.Option
	}{
		{tool: "add"},
		{tool: "refuse"},
		{tool: "ask", options: []mcpotel.Option{content}},
		{tool: "none", options: []mcpotel.Option{content}},
		{tool: "add", options: []mcpotel.Option{content}, arguments: `{"token":"secret"}`, result: `{"content":[{"type":"text","text":"3"}]}`},
		{tool: "fail", options: []mcpotel.Option{content}, arguments: `{"token":"secret"}`},
		{tool: "refuse", options: []mcpotel.Option{content}, arguments: `{"token":"secret"}`, description: "the text of the error"},
		{tool: "structured", options: []mcpotel.Option{content}, arguments: `{"token":"secret"}`, result: `{"a":1}`},
		{tool: "image", options: []mcpotel.Option{content}, arguments: `{"token":"secret"}`, result: `{"content":[{"type":"image"},{"type":"text","text":"x"}]}`},
	} {
		r := newTelemetry(t, test.options...)
		s := r.server()
		s.Register(mcp.NewTool(mcp.ToolInfo{Name: "structured"}, func(context.Context, json.RawMessage) (*mcp.ToolResult, error) {
			return &mcp.ToolResult{Structured: json.RawMessage(`{"a":1}`)}, nil
		}))
		s.Register(mcp.NewTool(mcp.ToolInfo{Name: "image"}, func(context.Context, json.RawMessage) (*mcp.ToolResult, error) {
			return mcp.ContentResult(mcp.Image{Data: []byte("secret"), MIMEType: "image/png"}, mcp.Text{Text: "x"}), nil
		}))
		c, end := connect(t, mcpclient.InMemory(s), withSessions)
		_, _ = call(t, c, test.tool, "") // some fail
		end()
		name := "tools/call " + test.tool
		if test.tool == "none" {
			name = "tools/call"
		}
		span := r.named(name)
		if a, b, d := valueOf(span, "gen_ai.tool.call.arguments"), valueOf(span, "gen_ai.tool.call.result"), span.Status().Description; a != test.arguments || b != test.result || d != test.description {
			t.Errorf("%s with %d options: arguments %s, result %s, description %q", test.tool, len(test.options), a, b, d)
		}
		if got := strings.Join(r.histogram("mcp.server.operation.duration"), "\n"); strings.Contains(got, "secret") {
			t.Error(got)
		}
	}
}

// A filter that panics fails the call, and the span ends as failed.
func TestFilterPanics(t *testing.T) {
	r := newTelemetry(t, mcpotel.WithContent(func(string) bool { panic("a secret") }))
	c, end := connect(t, mcpclient.InMemory(r.server()), withSessions)
	defer end()
	if result, err := call(t, c, "add", ""); err != nil || !strings.Contains(string(result), "internal error") {
		t.Errorf("%s, %v", result, err)
	}
	if s := r.named("tools/call add"); valueOf(s, "error.type") != "tool_error" || s.Status().Code != codes.Error {
		t.Errorf("%v, %v", s.Attributes(), s.Status())
	}
}

// Content is cut: a client can send megabytes, and exporters hold thousands of spans.
func TestContentIsCut(t *testing.T) {
	r := newTelemetry(t, mcpotel.WithContent(func(string) bool { return true }))
	s := r.server()
	s.Register(mcp.NewTool(mcp.ToolInfo{Name: "large"}, func(context.Context, json.RawMessage) (*mcp.ToolResult, error) {
		return mcp.ContentResult(slices.Repeat([]mcp.Content{mcp.Text{Text: strings.Repeat("ä", 1<<20)}}, 5)...), nil
	}))
	c, _ := connect(t, mcpclient.InMemory(s), withSessions)
	_, err := c.Request(t.Context(), "tools/call", map[string]any{"name": "large", "arguments": map[string]string{"a": strings.Repeat("ä", 1<<20)}})
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"gen_ai.tool.call.arguments", "gen_ai.tool.call.result"} {
		if n := len(valueOf(r.named("tools/call large"), key)); n > 32<<10 || n < 32<<10-8 {
			t.Errorf("%s has %d bytes", key, n)
		}
	}
}

// The id of an HTTP session, which gives access to the session, is not recorded; its digest is the
// same for all requests of the session.
func TestSessionIDs(t *testing.T) {
	for transport, target := range transports {
		r := newTelemetry(t)
		var ids []string
		c, end := connect(t, target(t, r.server(mcp.WithInterceptors(func(next mcp.Handler) mcp.Handler {
			return func(ctx context.Context, req *mcp.Request) (mcp.Reply, error) {
				ids = append(ids, req.Call().Session())
				return next(ctx, req)
			}
		}))), withSessions)
		for range 2 {
			if _, err := call(t, c, "add", ""); err != nil {
				t.Fatal(err)
			}
		}
		end()
		recorded := map[string]bool{}
		for _, s := range r.spans.Ended() {
			id := valueOf(s, "mcp.session.id")
			recorded[id] = true
			for _, a := range s.Attributes() {
				if transport == "http" && strings.Contains(a.Value.String(), ids[0]) {
					t.Errorf("%s has the id of the session in %s", s.Name(), a.Key)
				}
			}
			if transport != "http" && id != ids[0] {
				t.Errorf("%s: the id is %s, not %s", transport, id, ids[0])
			}
		}
		if len(recorded) != 1 || recorded[""] {
			t.Errorf("%s: %v", transport, recorded)
		}
	}
}

// Each session is measured when it ends, over each transport. From 2026-07-28 on, sessions do not
// exist.
func TestSessions(t *testing.T) {
	for transport, target := range transports {
		want := map[string]string{
			"memory": "1 of mcp.protocol.version=2025-11-25", "stdio": "1 of mcp.protocol.version=2025-11-25 network.transport=pipe",
			"http":      "1 of mcp.protocol.version=2025-11-25 network.protocol.name=http network.transport=tcp",
			"websocket": "1 of mcp.protocol.version=2025-11-25 network.protocol.name=websocket network.transport=tcp",
		}[transport]
		for _, revision := range []string{withSessions, withoutSessions} {
			r := newTelemetry(t)
			c, end := connect(t, target(t, r.server()), revision)
			if _, err := call(t, c, "add", ""); err != nil {
				t.Fatal(err)
			}
			if got := r.histogram("mcp.server.session.duration"); len(got) != 0 {
				t.Errorf("%s: before the end %s", transport, got)
			}
			end()
			got := r.histogram("mcp.server.session.duration")
			for revision == withSessions && len(got) == 0 { // a session ends slightly later than its client
				time.Sleep(time.Millisecond)
				got = r.histogram("mcp.server.session.duration")
			}
			if revision == withoutSessions {
				want = ""
			}
			if strings.Join(got, "\n") != want {
				t.Errorf("%s %s: %q, want %q", transport, revision, got, want)
			}
		}
	}
}

// Spans of questions are children of the handler's span, whatever the outcome, and their trace
// context reaches the client.
func TestQuestions(t *testing.T) {
	for name, test := range map[string]struct {
		answer func(context.Context) (mcpclient.ElicitAnswer, error)
		want   string
	}{
		"answered": {func(context.Context) (mcpclient.ElicitAnswer, error) {
			return mcpclient.Accept(map[string]any{"yes": true}), nil
		}, ""},
		"refused": {func(context.Context) (mcpclient.ElicitAnswer, error) {
			return mcpclient.ElicitAnswer{}, errors.New("no")
		}, "-32603"},
		"late": {func(ctx context.Context) (mcpclient.ElicitAnswer, error) {
			<-ctx.Done()
			return mcpclient.ElicitAnswer{}, ctx.Err()
		}, "timeout"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newTelemetry(t)
			var asked string
			limits := mcp.Limits{QuestionTime: time.Hour}
			if test.want == "timeout" {
				limits.QuestionTime = 50 * time.Millisecond
			}
			c, err := mcpclient.Connect(t.Context(), mcpclient.InMemory(r.server(mcp.WithLimits(limits))), mcpclient.Options{
				Revision: withSessions,
				Elicit: func(ctx context.Context, _ *mcpclient.Elicitation) (mcpclient.ElicitAnswer, error) {
					return test.answer(ctx)
				},
				OnMessage: func(sent bool, message []byte) {
					if !sent && strings.Contains(string(message), "elicitation/create") {
						asked = string(message)
					}
				},
			})
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			_, _ = call(t, c, "ask", "") // fails without an answer
			question, request := r.named("elicitation/create"), r.named("tools/call ask")
			sc := question.SpanContext()
			if !question.Parent().Equal(request.SpanContext()) || question.SpanKind() != trace.SpanKindClient {
				t.Errorf("the parent is %v, the kind %v", question.Parent(), question.SpanKind())
			}
			if !strings.Contains(asked, `"traceparent":"00-`+sc.TraceID().String()+"-"+sc.SpanID().String()+`-01"`) {
				t.Errorf("the client gets %s", asked)
			}
			if got := valueOf(question, "error.type"); got != test.want || valueOf(question, "jsonrpc.request.id") == "" {
				t.Errorf("error.type is %q", got)
			}
		})
	}
}

// The interceptor uses providers that are set after its creation.
func TestGlobalProviders(t *testing.T) {
	if os.Getenv("MCPOTEL_GLOBAL") == "" { // global providers affect all tests
		cmd := exec.Command(os.Args[0], "-test.run=^TestGlobalProviders$", "-test.v")
		cmd.Env = append(os.Environ(), "MCPOTEL_GLOBAL=1")
		if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "--- PASS") {
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	r := &telemetry{t: t, spans: newRecorder(), reader: metric.NewManualReader()}
	c, _ := connect(t, mcpclient.InMemory(newServer(mcpotel.Instrument())), withSessions)
	more := `,"_meta":{"traceparent":"` + traceparent + `"}`
	if _, err := call(t, c, "add", more); err != nil {
		t.Fatal(err)
	}
	otel.SetTracerProvider(sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(r.spans)))
	otel.SetMeterProvider(metric.NewMeterProvider(metric.WithReader(r.reader)))
	otel.SetTextMapPropagator(propagation.TraceContext{})
	if _, err := call(t, c, "add", more); err != nil {
		t.Fatal(err)
	}
	if s := r.named("tools/call add"); s.Parent().TraceID().String() != traceID {
		t.Errorf("the parent is %v", s.Parent())
	}
	if got := r.histogram("mcp.server.operation.duration"); len(got) != 1 {
		t.Errorf("%q", got)
	}
}

// Secrets of clients and programs occur in no attribute, name, status, event or label, over HTTP in
// both eras and over HTTP with SSE.
func TestSecrets(t *testing.T) {
	const secret = "s3cret"
	for _, revision := range []string{"2024-11-05", withSessions, withoutSessions} {
		r := newTelemetry(t)
		sessions := map[string]bool{}
		s := r.server(mcp.WithInterceptors(func(next mcp.Handler) mcp.Handler {
			return func(ctx context.Context, req *mcp.Request) (mcp.Reply, error) {
				sessions[req.Call().Session()] = true
				return next(ctx, req)
			}
		}))
		s.Register(mcp.NewTool(mcp.ToolInfo{Name: "leak"}, func(context.Context, json.RawMessage) (*mcp.ToolResult, error) {
			return mcp.TextResult(secret), errors.New(secret)
		}))
		principal := mcphttp.WithPrincipal(func(*http.Request) (mcp.Principal, error) {
			return mcp.Principal{ID: secret, Value: secret}, nil
		})
		var handler http.Handler = mcphttp.NewHandler(s, principal)
		to := mcphttpclient.Endpoint{Header: http.Header{"X-Api-Key": {secret}}}
		if revision == "2024-11-05" {
			handler, to.SSE = mcphttp.NewSSEHandler(s, principal), mcphttpclient.SSEOnly
		}
		h := httptest.NewServer(handler)
		defer h.Close()
		to.URL = h.URL
		c, err := mcpclient.Connect(t.Context(), to, mcpclient.Options{Info: mcp.ClientInfo{Name: secret, Version: secret}, Revision: revision})
		if err != nil {
			t.Fatal(err)
		}
		more := `,"_meta":{"baggage":"token=` + secret + `","com.example/token":"` + secret + `"}`
		for _, request := range [][2]string{
			{"tools/call", `{"name":"leak","arguments":{"a":"` + secret + `"}` + more + `}`},
			{"resources/read", `{"uri":"test://` + secret + `@motto?token=` + secret + `#` + secret + `"}`},
			{"prompts/get", `{"name":"plan","arguments":{"what":"` + secret + `"}}`},
			{"prompts/get", `{"name":"` + secret + `"}`},
			{secret, `{}`},
		} {
			_, _ = c.Request(t.Context(), request[0], json.RawMessage(request[1])) // most of these are refused
		}
		_ = c.Close()
		delete(sessions, "")
		if len(sessions) == 0 && revision != withoutSessions {
			t.Errorf("%s: no session", revision)
		}
		var all strings.Builder
		for _, span := range r.await(6) {
			fmt.Fprintln(&all, span.Name(), span.Status().Description, attributesOf(span.Attributes()), span.Events())
			if got := valueOf(span, "network.transport") + valueOf(span, "network.protocol.name"); got != "tcphttp" {
				t.Errorf("%s: the network is %s", revision, got)
			}
		}
		fmt.Fprintln(&all, r.histogram("mcp.server.operation.duration"), r.histogram("mcp.server.session.duration"))
		for _, hidden := range append(slices.Collect(maps.Keys(sessions)), secret) {
			if strings.Contains(all.String(), hidden) {
				t.Errorf("%s: %s is in\n%s", revision, hidden, &all)
			}
		}
	}
}
