package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/mcpgen/mcpgen/examples/observed"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpotel"
	"github.com/mcpgen/mcpgen/runtime/mcptest"
)

// A collector gets all recordings, at the latest when the program exits.
func TestExport(t *testing.T) {
	var mu sync.Mutex
	bodies := map[string]string{}
	collector := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, req *http.Request) {
		body, err := io.ReadAll(req.Body)
		if err != nil {
			t.Error(err)
		}
		mu.Lock()
		defer mu.Unlock()
		bodies[req.URL.Path] += string(body)
	}))
	defer collector.Close()
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.URL)
	telemetry, shutdown, err := newTelemetry(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	server := mcp.NewServer(mcp.ServerInfo{Name: "shop"}, mcpotel.Instrument(telemetry...))
	observed.RegisterMCP(server, observed.NewShop())
	client := mcptest.New(t, server, mcptest.Options{})
	client.Call("get_price", map[string]any{"title": "Emma"})
	client.Close()
	if err := shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{"/v1/traces": "tools/call get_price", "/v1/metrics": "mcp.server.operation.duration"} {
		if !strings.Contains(bodies[path], want) { // the encoding contains strings unchanged
			t.Errorf("%s has no %s", path, want)
		}
	}
}
