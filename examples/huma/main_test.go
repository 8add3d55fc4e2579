package main

import (
	"net/http"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2/humatest"

	"github.com/mcpgen/mcpgen/runtime/mcptest"
)

// TestTags sends the same requests by REST and by the tools.
func TestTags(t *testing.T) {
	api := NewAPI()
	_, rest := humatest.New(t)
	api.register(rest)
	c := mcptest.New(t, NewMCPServer(api), mcptest.Options{})
	if got := c.Call("add_task", map[string]any{"title": "Buy a whale"}).Text(); got != `{"id":2,"title":"Buy a whale","priority":"low"}` {
		t.Errorf("add_task: %s", got)
	}
	if text := c.CallError("list_tasks", map[string]any{"limit": 1000}); !strings.Contains(text, "limit: must be at most 100, got 1000") {
		t.Errorf("list_tasks: %s", text)
	}
	if code := rest.Get("/tasks?limit=1000").Code; code != http.StatusUnprocessableEntity {
		t.Errorf("GET: %d", code)
	}
	if text := c.CallError("add_task", map[string]any{"title": "", "id": 7}); !strings.Contains(text, "id: read-only") || !strings.Contains(text, "title: must have") {
		t.Errorf("add_task: %s", text)
	}
}
