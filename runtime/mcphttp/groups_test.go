package mcphttp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpclient"
	"github.com/mcpgen/mcpgen/runtime/mcpfind"
	"github.com/mcpgen/mcpgen/runtime/mcphttp"
	"github.com/mcpgen/mcpgen/runtime/mcphttpclient"
	"github.com/mcpgen/mcpgen/runtime/mcptest"
)

// newGrouped returns a server with tools, a resource and a prompt in groups.
func newGrouped(options ...mcp.Option) *mcp.Server {
	s := mcp.NewServer(mcp.ServerInfo{Name: "grouped", Version: "1"}, append([]mcp.Option{mcp.WithLogger(slog.New(slog.DiscardHandler))}, options...)...)
	for i := range 6 {
		group := []string{"orders", "billing", "admin"}[i%3]
		s.Register(mcp.NewTool(mcp.ToolInfo{Name: fmt.Sprintf("%s_%d", group, i), Groups: []string{group}},
			func(ctx context.Context, _ json.RawMessage) (*mcp.ToolResult, error) {
				return mcp.TextResult(mcp.CallFrom(ctx).Feature()), nil
			}))
	}
	s.Register(mcp.NewTool(mcp.ToolInfo{Name: "alone"}, nil))
	s.Register(mcp.NewTool(mcp.ToolInfo{Name: "scoped", Groups: []string{"orders"}, Scopes: []string{"write"}}, nil))
	bill := mcp.ResourceInfo{URI: "x://bill", Name: "bill", Groups: []string{"billing"}}
	s.Register(mcp.TextResource(&bill, "bill"))
	s.Register(mcp.NewPrompt(mcp.PromptInfo{Name: "pay", Groups: []string{"billing"}}, nil))
	return s
}

// openGrouped returns a client of the handler of a server, with a URL with that query.
func openGrouped(t *testing.T, s *mcp.Server, revision, query string, options ...mcphttp.Option) (*mcpclient.Client, error) {
	h := mcphttp.NewHandler(s, append([]mcphttp.Option{mcphttp.WithGroups()}, options...)...)
	server := httptest.NewServer(h)
	t.Cleanup(func() {
		if err := h.Close(); err != nil {
			t.Error(err)
		}
		server.Close()
	})
	c, err := mcpclient.Connect(t.Context(), mcphttpclient.Endpoint{URL: server.URL + "/mcp" + query}, mcpclient.Options{Revision: revision})
	if err == nil {
		t.Cleanup(func() { _ = c.Close() })
	}
	return c, err
}

func toolNames(t *testing.T, c *mcpclient.Client) (all []string) {
	tools, err := c.Tools(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range tools {
		all = append(all, tool.Name)
	}
	return all
}

// The URL narrows the features that are listed and answered.
func TestGroups(t *testing.T) {
	for _, revision := range mcptest.Revisions() {
		t.Run(revision, func(t *testing.T) {
			for query, want := range map[string]string{
				"":                                    "orders_0 billing_1 admin_2 orders_3 billing_4 admin_5 alone scoped",
				"?groups=orders":                      "orders_0 orders_3 scoped",
				"?groups=billing,%20orders":           "orders_0 billing_1 orders_3 billing_4 scoped",
				"?groups=billing&groups=orders":       "orders_0 billing_1 orders_3 billing_4 scoped",
				"?%67roups=orders":                    "orders_0 orders_3 scoped",
				"?grou%70s=billing&groups=orders&x=1": "orders_0 billing_1 orders_3 billing_4 scoped",
				"?group=orders":                       "orders_0 billing_1 admin_2 orders_3 billing_4 admin_5 alone scoped",
			} {
				c, err := openGrouped(t, newGrouped(), revision, query)
				if err != nil {
					t.Fatal(err)
				}
				if got := strings.Join(toolNames(t, c), " "); got != want {
					t.Errorf("%s: %s", query, got)
				}
				_, err = c.Call(t.Context(), "admin_2", nil)
				if narrow := query != "" && query != "?group=orders"; (err != nil) != narrow {
					t.Errorf("%s: a call outside: %v", query, err)
				}
				if _, err := c.Call(t.Context(), "orders_0", nil); err != nil {
					t.Errorf("%s: a call inside: %v", query, err)
				}
				_, err = c.Read(t.Context(), "x://bill")
				if (err != nil) != (query == "?groups=orders" || query == "?%67roups=orders") {
					t.Errorf("%s: reading: %v", query, err)
				}
				// Groups do not authenticate a caller: scopes are still refused.
				if _, err := c.Call(t.Context(), "scoped", nil); err == nil || !strings.Contains(err.Error(), "scopes") {
					t.Errorf("%s: a tool with scopes: %v", query, err)
				}
			}
		})
	}
}

// Over HTTP+SSE, the URL of the stream narrows all messages of its session.
func TestGroupsOverSSE(t *testing.T) {
	for query, want := range map[string]string{"?groups=orders": "orders_0 orders_3 scoped", "?groups=nothing": "unknown groups in the URL: nothing"} {
		h := mcphttp.NewSSEHandler(newGrouped(), mcphttp.WithGroups())
		server := httptest.NewServer(h)
		c, err := mcpclient.Connect(t.Context(), mcphttpclient.Endpoint{URL: server.URL + "/sse" + query, SSE: mcphttpclient.SSEOnly}, mcpclient.Options{})
		var got string
		if err != nil {
			got = err.Error()
		} else {
			got = strings.Join(toolNames(t, c), " ")
			_ = c.Close()
		}
		if !strings.Contains(got, want) || err == nil && got != want {
			t.Errorf("%s: %s", query, got)
		}
		if err := h.Close(); err != nil {
			t.Error(err)
		}
		server.Close()
	}
}

// Features that a caller may not see stay hidden, and their names are not revealed.
func TestGroupsNeverWiden(t *testing.T) {
	limited := mcphttp.WithPrincipal(func(*http.Request) (mcp.Principal, error) {
		return mcp.Principal{ID: "ada", Access: mcp.PolicyAccess(mcp.Policy{Deny: []string{"group:admin", "orders_3"}})}, nil
	})
	c, err := openGrouped(t, newGrouped(), "2026-07-28", "?groups=orders", limited)
	if err != nil {
		t.Fatal(err)
	}
	if got := toolNames(t, c); !slices.Equal(got, []string{"orders_0", "scoped"}) {
		t.Errorf("%v", got)
	}
	for _, name := range []string{"orders_3", "admin_2", "billing_1"} {
		if _, err := c.Call(t.Context(), name, nil); err == nil || !strings.Contains(err.Error(), "unknown tool") {
			t.Errorf("%s: %v", name, err)
		}
	}
	h := mcphttp.NewHandler(newGrouped(), mcphttp.WithGroups(), limited)
	defer h.Close()
	for query, want := range map[string]string{
		"groups=admin":          "unknown groups in the URL: admin; there are billing, orders",
		"groups=orders,nothing": "unknown groups in the URL: nothing; there are billing, orders",
		"groups=":               "the parameter groups of the URL names no group; there are billing, orders",
		"groups=,":              "the parameter groups of the URL names no group; there are billing, orders",
		"groups=" + strings.Repeat("abcdef,", 999): "unknown groups in the URL: abcdef; there",
		"groups=" + strings.Repeat("a", 9999):      "aaa…; there are",
	} {
		r := httptest.NewRequest("POST", "/mcp?"+query, strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"a","version":"1"}}}`))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		r.Host = "127.0.0.1"
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code != 400 || !strings.Contains(w.Body.String(), want) || w.Body.Len() > 2000 {
			t.Errorf("%.50s: %d %s", query, w.Code, w.Body)
		}
	}
}

// With mcpfind, a URL with groups lists all of their tools, and a search finds only these.
func TestGroupsAndSearch(t *testing.T) {
	for _, revision := range mcptest.Revisions() {
		c, err := openGrouped(t, newGrouped(mcpfind.New(mcpfind.WithThreshold(3))), revision, "?groups=orders")
		if err != nil {
			t.Fatal(err)
		}
		if got := toolNames(t, c); !slices.Equal(got, []string{"orders_0", "orders_3", "scoped"}) {
			t.Errorf("%v", got)
		}
		c, err = openGrouped(t, newGrouped(mcpfind.New(mcpfind.WithThreshold(3))), revision, "?groups=orders,billing")
		if err != nil {
			t.Fatal(err)
		}
		if got := toolNames(t, c); !slices.Equal(got, []string{"search_tools", "use_readonly_tool", "use_tool"}) {
			t.Errorf("%v", got)
		}
		info, err := c.Server(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if text := info.Instructions; strings.Contains(text, "admin") || !strings.Contains(text, "orders (3), billing (2)") {
			t.Errorf("%s", text)
		}
		result, err := c.Call(t.Context(), "search_tools", map[string]any{"query": "admin orders 3"})
		if err != nil || strings.Contains(result.Text(), "admin") || !strings.HasPrefix(result.Text(), "orders_3 ") {
			t.Errorf("%v, %v", result, err)
		}
		result, err = c.Call(t.Context(), "use_tool", map[string]any{"name": "billing_4"})
		if err != nil || result.Text() != "billing_4" {
			t.Errorf("%v, %v", result, err)
		}
		result, err = c.Call(t.Context(), "use_tool", map[string]any{"name": "admin_2"})
		if err != nil || !result.IsError || strings.Contains(strings.ReplaceAll(result.Text(), `"admin_2"`, ""), "admin") {
			t.Errorf("%v, %v", result, err)
		}
	}
}

// Header fields for arguments of a tool that another tool calls are optional, but must not be
// wrong.
func TestForwardedHeaders(t *testing.T) {
	serve(t, setup{server: []mcp.Option{mcpfind.New(mcpfind.WithThreshold(0))}}, func(t *testing.T, s *testServer) {
		through := call("use_tool", `{"name":"mirror","arguments":{"region":"eu","count":3,"where":{"zone":"b"}}}`)
		s.do(through.post()).wantResult("1")
		s.do(through.post("Mcp-Param-Region: eu", "Mcp-Param-Zone: b", "Mcp-Param-Count: 3.0")).wantResult("1")
		s.do(through.post("Mcp-Param-Region: us")).wantError(400, -32020, "1")
		s.do(through.post("Mcp-Param-Zone: c")).wantError(400, -32020, "1")
		s.do(through.post("Mcp-Param-Dry-Run: true")).wantError(400, -32020, "1")
		s.do(through.post("Mcp-Name: mirror")).wantError(400, -32020, "1")
		s.do(call("use_tool", `{"name":"mirror","arguments":"{\"region\":\"eu\"}"}`).post("Mcp-Param-Region: us")).wantError(400, -32020, "1")
		s.do(call("use_tool", `{"name":"mirror"}`).post("Mcp-Param-Region: us")).wantError(400, -32020, "1")
		s.do(call("use_tool", `{"name":"nothing","arguments":{}}`).post("Mcp-Param-Region: us")).wantResult("1")
	})
}
