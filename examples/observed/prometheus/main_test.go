package main

import (
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/mcptest"
)

func TestMetrics(t *testing.T) {
	server, metrics, err := newServer()
	if err != nil {
		t.Fatal(err)
	}
	client := mcptest.New(t, server, mcptest.Options{Revision: "2025-11-25"})
	client.Call("get_price", map[string]any{"title": "Emma"})
	if result, err := client.Start("get_price", map[string]any{"title": "Ulysses"}).Result(); err != nil || !result.IsError {
		t.Errorf("%v, %v", result, err)
	}
	client.Close()
	w := httptest.NewRecorder()
	metrics.ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	for _, want := range []string{
		`mcp_server_operation_duration_seconds_count{gen_ai_operation_name="execute_tool",gen_ai_tool_name="get_price",mcp_method_name="tools/call",mcp_protocol_version="2025-11-25",`,
		`mcp_server_operation_duration_seconds_count{error_type="tool_error",gen_ai_operation_name="execute_tool",gen_ai_tool_name="get_price",`,
		`mcp_server_session_duration_seconds_count{mcp_protocol_version="2025-11-25",`,
	} {
		if got := w.Body.String(); strings.Count(got, want) != 1 {
			t.Errorf("%s is not once in\n%s", want, got)
		}
	}
}
