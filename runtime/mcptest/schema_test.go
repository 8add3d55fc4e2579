package mcptest_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/mcpgen/mcpgen/internal/proof/spec"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpclient"
	"github.com/mcpgen/mcpgen/runtime/mcptest"
)

// All messages between client and server are valid by the official schemas.
func TestSchemas(t *testing.T) {
	for _, revision := range mcptest.Revisions() {
		t.Run(revision, func(t *testing.T) {
			spec.Dir(t)
			counted := 0
			o := mcptest.Options{
				Revision: revision, OnMessage: func(bool, json.RawMessage) { counted++ }, LogLevel: "debug",
				Client: mcp.ClientInfo{Name: "checker", Title: "Checker", Version: "1"},
				Sample: func(context.Context, *mcp.SampleRequest) (*mcp.SampleResult, error) {
					return mcpclient.TextAnswer("so be it"), nil
				},
				Roots: func() []mcp.Root { return []mcp.Root{{URI: "file:///a"}} },
			}
			if revision >= "2025-06-18" {
				o.Elicit = func(_ context.Context, e *mcpclient.Elicitation) mcpclient.ElicitAnswer {
					if e.Mode == "url" {
						return mcpclient.Accept(nil)
					}
					return mcpclient.Accept(map[string]any{"yes": true})
				}
			}
			blocked := make(chan string, 2)
			s := newLibrary(blocked)
			c := dial(t, s, o)
			c.Server()
			c.Tools()
			c.Resources()
			c.Templates()
			c.Prompts()
			c.Read("library://covers/Emma")
			c.Prompt("review", map[string]string{"title": "Emma"})
			c.CompletePrompt("review", "title", "E", map[string]string{"author": "Austen"})
			c.Call("import", nil, mcptest.WithProgress(func(mcpclient.Progress) {}), mcptest.WithMeta("com.example/k", 1))
			c.Call("titles", nil)
			c.Call("summarize", nil)
			c.Call("roots", nil)
			c.RootsChanged()
			if o.Elicit != nil {
				c.Call("burn", nil)
			}
			if revision >= "2025-11-25" {
				c.Call("pay", nil)
			}
			if _, err := c.Start("refuse", nil).Result(); err == nil {
				t.Error("not refused")
			}
			w := c.Watch(mcpclient.Filter{Tools: true, URIs: []string{"library://rules"}})
			s.ResourceUpdated("library://rules")
			s.Unregister(mcp.KindTool, "fail")
			w.Next()
			w.Next()
			w.Close()
			r := c.Start("block", nil)
			<-blocked
			r.Cancel("enough")
			c.Close()
			if counted < 40 {
				t.Errorf("only %d messages were validated", counted)
			}
		})
	}
}
