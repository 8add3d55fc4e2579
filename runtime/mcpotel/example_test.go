package mcpotel_test

import (
	"context"
	"encoding/json"
	"fmt"

	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpclient"
	"github.com/mcpgen/mcpgen/runtime/mcpotel"
	"github.com/mcpgen/mcpgen/runtime/mcptask"
)

func greet(context.Context, json.RawMessage) (*mcp.ToolResult, error) {
	return mcp.TextResult("hello"), nil
}

func ExampleInstrument() {
	spans := tracetest.NewSpanRecorder()
	server := mcp.NewServer(mcp.ServerInfo{Name: "greeter"}, mcpotel.Instrument(
		mcpotel.WithTracerProvider(trace.NewTracerProvider(trace.WithSpanProcessor(spans))),
		mcpotel.WithPropagator(propagation.TraceContext{}),
	))
	server.Register(mcp.NewTool(mcp.ToolInfo{Name: "greet"}, greet))
	ctx := context.Background()
	client, err := mcpclient.Connect(ctx, mcpclient.InMemory(server), mcpclient.Options{})
	if err != nil {
		panic(err)
	}
	defer client.Close()
	if _, err := client.Call(ctx, "greet", nil); err != nil {
		panic(err)
	}
	for _, span := range spans.Ended() {
		fmt.Println(span.Name())
	}
	// Output:
	// server/discover
	// tools/call greet
}

// The interceptor alone, without sessions and questions.
func ExampleNew() {
	server := mcp.NewServer(mcp.ServerInfo{Name: "greeter"}, mcp.WithInterceptors(mcpotel.New(), mcp.LogCalls(nil)))
	server.Register(mcp.NewTool(mcp.ToolInfo{Name: "greet"}, greet))
}

func ExampleTaskOptions() {
	server := mcp.NewServer(mcp.ServerInfo{Name: "greeter"},
		mcpotel.Instrument(),
		mcptask.WithStore(mcptask.NewMemory(), mcpotel.TaskOptions()...),
	)
	server.Register(mcptask.Tool(mcp.NewTool(mcp.ToolInfo{Name: "greet"}, greet), mcptask.Support{}))
}
