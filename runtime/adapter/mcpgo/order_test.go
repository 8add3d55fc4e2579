package mcpgo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	ours "github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpfind"
)

// For every method of mcp-go: its hooks receive the request, and its middleware decides, before a
// mount is called.
func TestMiddlewareBeforeMounts(t *testing.T) {
	const modern = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
	requests := map[string]struct {
		method, params string
		asks           bool // whether the mount asks the client
	}{
		"Initialize":            {"initialize", `"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}`, false},
		"Ping":                  {"ping", ``, false},
		"Discover":              {"server/discover", modern, false},
		"SubscriptionsListen":   {"subscriptions/listen", `"notifications":{},` + modern, false},
		"SetLevel":              {"logging/setLevel", `"level":"debug"`, false},
		"ListResources":         {"resources/list", ``, false},
		"ListResourceTemplates": {"resources/templates/list", ``, false},
		"ReadResource":          {"resources/read", `"uri":"note://by/5"`, true},
		"Subscribe":             {"resources/subscribe", `"uri":"note://one"`, false},
		"Unsubscribe":           {"resources/unsubscribe", `"uri":"note://one"`, false},
		"ListPrompts":           {"prompts/list", ``, false},
		"GetPrompt":             {"prompts/get", `"name":"greet","arguments":{"name":"Ann"}`, true},
		"ListTools":             {"tools/list", ``, false},
		"CallTool":              {"tools/call", `"name":"echo","arguments":{"a":1}`, true},
		"GetTask":               {"tasks/get", `"taskId":"x"`, false},
		"ListTasks":             {"tasks/list", ``, false},
		"TaskResult":            {"tasks/result", `"taskId":"x"`, false},
		"CancelTask":            {"tasks/cancel", `"taskId":"x"`, false},
		"Complete":              {"completion/complete", `"ref":{"type":"ref/prompt","name":"greet"},"argument":{"name":"name","value":""}`, false},
	}
	for field := range reflect.TypeFor[server.Hooks]().Fields() {
		name, before := strings.CutPrefix(field.Name, "OnBefore")
		if !before || name == "Any" {
			continue
		}
		test, ok := requests[name]
		if !ok {
			t.Errorf("the test has no request for %s, which mcp-go has", name)
			continue
		}
		delete(requests, name)
		for _, refuse := range []bool{false, true} {
			var mu sync.Mutex
			var events []string
			note := func(event string) error {
				mu.Lock()
				defer mu.Unlock()
				if events = append(events, event); refuse && event == "middleware" {
					return errors.New("refused by the host")
				}
				return nil
			}
			hooks := new(server.Hooks)
			hooks.AddBeforeAny(func(_ context.Context, _ any, method mcp.MCPMethod, _ any) { _ = note("hook " + string(method)) })
			s := server.NewMCPServer("host", "3", server.WithHooks(hooks), server.WithResourceCapabilities(true, true), server.WithLogging(), server.WithCompletions(),
				server.WithToolHandlerMiddleware(func(next server.ToolHandlerFunc) server.ToolHandlerFunc {
					return func(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
						if err := note("middleware"); err != nil {
							return nil, err
						}
						return next(ctx, r)
					}
				}),
				server.WithResourceHandlerMiddleware(func(next server.ResourceHandlerFunc) server.ResourceHandlerFunc {
					return func(ctx context.Context, r mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
						if err := note("middleware"); err != nil {
							return nil, err
						}
						return next(ctx, r)
					}
				}),
				server.WithPromptHandlerMiddleware(func(next server.PromptHandlerFunc) server.PromptHandlerFunc {
					return func(ctx context.Context, r mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
						if err := note("middleware"); err != nil {
							return nil, err
						}
						return next(ctx, r)
					}
				}))
			unmount, err := Mount(s, register, ours.WithInterceptors(func(next ours.Handler) ours.Handler {
				return func(ctx context.Context, req *ours.Request) (ours.Reply, error) {
					_ = note("mount " + req.Method)
					return next(ctx, req)
				}
			}))
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			if name == "SubscriptionsListen" {
				cancel() // it waits for that
			}
			reply := s.HandleMessage(ctx, fmt.Appendf(nil, `{"jsonrpc":"2.0","id":1,"method":%q,"params":{%s}}`, test.method, test.params))
			cancel()
			text, err := json.Marshal(reply)
			if err != nil {
				t.Fatal(err)
			}
			mount := slices.IndexFunc(events, func(e string) bool { return strings.HasPrefix(e, "mount ") })
			switch {
			case refuse && test.asks && (mount >= 0 || !strings.Contains(string(text), "refused by the host")),
				!refuse && test.asks && (mount < 0 || mount < slices.Index(events, "middleware") || !slices.Contains(events[:mount], "hook "+test.method)),
				!test.asks && mount >= 0:
				t.Errorf("%s, refused %v: events %q, reply %s", test.method, refuse, events, text)
			}
			unmount()
		}
	}
	for name := range requests {
		t.Errorf("mcp-go has no method %s", name)
	}
}

// Features that a function excludes, and the tools that call others, cannot be used.
func TestLeftOut(t *testing.T) {
	var log strings.Builder
	s := newServer()
	unmount, err := Mount(s, register, mcpfind.New(mcpfind.WithThreshold(1)), ours.WithLogger(slog.New(slog.NewTextHandler(&log, nil))),
		ours.WithPolicy(ours.Policy{Select: func(f ours.FeatureInfo) bool { return f.Name != "fail" && f.Name != "greet" && f.URI != "note://one" }}))
	if err != nil {
		t.Fatal(err)
	}
	defer unmount()
	c := connect(t, s, "2025-11-25")
	tools, err := c.ListTools(t.Context(), mcp.ListToolsRequest{})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, tool := range tools.Tools {
		names = append(names, tool.Name)
	}
	same(t, "tools", strings.Join(names, " "), "ask echo list own work")
	for _, name := range []string{"fail", "use_tool", "use_readonly_tool", "search_tools"} {
		if got := call(t, c, name, map[string]any{"name": "echo"}); !strings.Contains(got, "not found") {
			t.Errorf("%s: %s", name, got)
		}
	}
	var get mcp.GetPromptRequest
	get.Params.Name = "greet"
	if _, err := c.GetPrompt(t.Context(), get); err == nil {
		t.Error("the prompt is got")
	}
	var read mcp.ReadResourceRequest
	read.Params.URI = "note://one"
	if _, err := c.ReadResource(t.Context(), read); err == nil {
		t.Error("the resource is read")
	}
	if strings.Count(log.String(), "middleware would not see") != 3 {
		t.Errorf("the log is %s", &log)
	}
	// An author's tools with those names are ordinary ones.
	other, err := Mount(newServer(), func(r ours.Registrar) {
		r.Register(tool("use_tool", "", func(context.Context, json.RawMessage) (*ours.ToolResult, error) { return ours.TextResult("used"), nil }))
	})
	if err != nil {
		t.Fatal(err)
	}
	other()
}

// A request state can be used only with the credentials of the request that received it.
func TestStateOfAnother(t *testing.T) {
	s := newServer()
	unmount, err := Mount(s, register)
	if err != nil {
		t.Fatal(err)
	}
	defer unmount()
	h := httptest.NewServer(server.NewStreamableHTTPServer(s))
	defer h.Close()
	ask := func(authorization, more string) string {
		body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ask","arguments":{},` + more +
			`"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"},"io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}}}}`
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, h.URL+"/mcp", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		for name, value := range map[string]string{
			"Content-Type": "application/json", "Accept": "application/json, text/event-stream", "Mcp-Method": "tools/call", "Mcp-Name": "ask",
			"Mcp-Protocol-Version": "2026-07-28", "Authorization": authorization,
		} {
			if value != "" {
				r.Header.Set(name, value)
			}
		}
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		var reply struct {
			Result struct {
				RequestState  string
				InputRequests map[string]any
				Content       []struct{ Text string }
			}
			Error struct{ Message string }
		}
		if err := json.NewDecoder(resp.Body).Decode(&reply); err != nil {
			t.Fatal(err)
		}
		if reply.Error.Message != "" {
			return "error: " + reply.Error.Message
		}
		if reply.Result.RequestState == "" {
			return reply.Result.Content[0].Text
		}
		for key := range reply.Result.InputRequests {
			return fmt.Sprintf(`"requestState":%q,"inputResponses":{%q:{"action":"accept","content":{"size":7}}},`, reply.Result.RequestState, key)
		}
		return "no question"
	}
	for _, who := range []string{"Bearer alice", ""} {
		first := ask(who, "")
		for _, other := range []string{"Bearer mallory", "Bearer alice ", "Basic alice", "", "Bearer alice"} {
			if strings.TrimSpace(other) == who {
				continue
			}
			if got := ask(other, first); got != "error: params.requestState is not valid for this request" {
				t.Errorf("%q with a state of %q: %s", other, who, got)
			}
		}
		second := ask(who, first)
		if !strings.Contains(second, "requestState") {
			t.Fatalf("%q, second round: %s", who, second)
		}
		same(t, "the result of "+who, ask(who, second), "acceptmap[size:7]acceptmap[size:7]")
		for _, state := range []string{"x", "=", strings.Repeat("A", 200)} {
			if got := ask(who, fmt.Sprintf(`"requestState":%q,"inputResponses":{},`, state)); !strings.HasPrefix(got, "error: params.requestState") {
				t.Errorf("the state %q: %s", state, got)
			}
		}
	}
}
