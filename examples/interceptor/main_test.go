package main

import (
	"log/slog"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcptest"
)

func TestInterceptors(t *testing.T) {
	var log strings.Builder
	page := &Page{}
	page.SetTitle("Home")
	server := NewMCPServer(page, mcp.WithInterceptors(timed(slog.New(slog.NewTextHandler(&log, nil))), guarded(true)))
	c := mcptest.New(t, server, mcptest.Options{})
	if title := mcptest.Call[string](c, "get_title", nil); title != "Home" {
		t.Errorf("title %q", title)
	}
	if text := c.CallError("set_title", map[string]any{"title": "Away"}); text != "the server is read-only: set_title cannot be called" {
		t.Errorf("refused with %q", text)
	}
	if page.Title() != "Home" {
		t.Errorf("the title is %q", page.Title())
	}
	c.Close() // the log is complete now
	for _, want := range []string{"method=tools/call name=get_title", "method=tools/call name=set_title", `error="the server is read-only`} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("no %s in the log\n%s", want, log.String())
		}
	}

	writable := mcptest.New(t, NewMCPServer(page, mcp.WithInterceptors(guarded(false))), mcptest.Options{})
	writable.Call("set_title", map[string]any{"title": "Away"})
	if page.Title() != "Away" {
		t.Errorf("the title is %q", page.Title())
	}
}
