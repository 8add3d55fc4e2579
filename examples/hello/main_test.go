package main

import (
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/mcptest"
)

func TestGreet(t *testing.T) {
	c := mcptest.New(t, NewMCPServer(), mcptest.Options{})
	if got := mcptest.Call[string](c, "greet", map[string]any{"name": "Ada"}); got != "Hello, Ada!" {
		t.Errorf("got %q", got)
	}
	text := c.CallError("greet", map[string]any{"name": "", "times": 11})
	for _, want := range []string{"name", "times: must be at most 10, got 11"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in: %s", want, text)
		}
	}
}
