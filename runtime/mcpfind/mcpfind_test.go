package mcpfind_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpclient"
	"github.com/mcpgen/mcpgen/runtime/mcpfind"
	"github.com/mcpgen/mcpgen/runtime/mcprate"
	"github.com/mcpgen/mcpgen/runtime/mcptask"
	"github.com/mcpgen/mcpgen/runtime/mcptest"
)

// A client finds an unlisted tool, and calls it.
func TestFindAndCall(t *testing.T) {
	everywhere(t, func(t *testing.T, revision string) {
		c := mcptest.New(t, newShop(mcpfind.New()), mcptest.Options{Revision: revision})
		if got := names(c); !slices.Equal(got, three) {
			t.Fatalf("listed: %v", got)
		}
		result := c.Call(mcpfind.SearchTools, map[string]any{"query": "give the buyer his money back", "limit": 1}).Text()
		if !strings.HasPrefix(result, "orders_refund (by use_tool)\nGives money back to a buyer.\nArguments: {") {
			t.Errorf("found: %s", result)
		}
		if got := c.Call(mcpfind.UseTool, use("orders_refund", map[string]any{"amount": 5})); got.Text() != `{"amount":5}` {
			t.Errorf("result: %+v", got)
		}
		if got := c.Call(mcpfind.UseTool, use("orders_refund", `{"amount":6}`)); got.Text() != `{"amount":6}` {
			t.Errorf("arguments as a text: %+v", got)
		}
		if got := c.Call(mcpfind.UseReadOnlyTool, map[string]any{"name": "stock_level_7"}).Text(); got != "stock_level_7 {}" {
			t.Errorf("result: %s", got)
		}
		if got := c.Call("stock_level_7", nil).Text(); got != "stock_level_7 {}" {
			t.Errorf("by its name: %s", got)
		}
	})
}

func TestRefused(t *testing.T) {
	everywhere(t, func(t *testing.T, revision string) {
		c := mcptest.New(t, newShop(mcpfind.New()), mcptest.Options{Revision: revision})
		for _, test := range []struct {
			tool      string
			arguments any
			want      string
		}{
			{mcpfind.UseReadOnlyTool, use("orders_cancel", map[string]any{}), "orders_cancel may change something: call it by use_tool"},
			{mcpfind.UseTool, use("order_cancel", map[string]any{}), `there is no tool "order_cancel"; the most similar names are orders_cancel`},
			{mcpfind.UseTool, use("StockLevel3", map[string]any{}), `there is no tool "StockLevel3"; the most similar names are stock_level_3, `},
			{mcpfind.UseTool, use("zzz", map[string]any{}), `there is no tool "zzz"; search_tools finds those that there are`},
			{mcpfind.UseTool, use("use_tool", use("orders_cancel", map[string]any{})), "use_tool is called by itself, and not by use_tool"},
			{mcpfind.UseReadOnlyTool, use("search_tools", map[string]any{"query": "x"}), "search_tools is called by itself"},
			{mcpfind.UseTool, use("orders_refund", map[string]any{"amount": "x"}), "1 problem with the arguments of orders_refund:\n- amount: must be an integer"},
			{mcpfind.UseTool, use("orders_refund", map[string]any{}), "Input schema of orders_refund:\n{\"type\":\"object\",\"properties\":{\"amount\""},
			{mcpfind.UseTool, map[string]any{}, "name"},
			{mcpfind.UseTool, map[string]any{"name": 1}, "1 problem with the arguments of use_tool:\n- name: "},
			{mcpfind.UseTool, map[string]any{"name": "orders_refund", "arguments": "{"}, "use_tool needs the name of a tool"},
			{mcpfind.UseTool, map[string]any{"name": "orders_refund", "amount": 1}, "1 problem with the arguments of use_tool:\n- amount: "},
			{mcpfind.SearchTools, map[string]any{}, "a search needs a query or a group; the groups of tools are admin, orders, stock"},
			{mcpfind.SearchTools, map[string]any{"query": "x", "limit": 21}, "limit"},
			{mcpfind.SearchTools, map[string]any{"query": strings.Repeat("x", 1001)}, "query"},
		} {
			if got := c.CallError(test.tool, test.arguments); !strings.Contains(got, test.want) {
				t.Errorf("%s %v: %s", test.tool, test.arguments, got)
			}
		}
		if got := c.Call(mcpfind.SearchTools, map[string]any{"query": "qqqq"}).Text(); got != "No tool was found; the groups of tools are admin, orders, stock." {
			t.Errorf("nothing found: %s", got)
		}
	})
}

// A caller gets the questions of a tool that it calls through another one.
func TestQuestionsOfFoundTools(t *testing.T) {
	for _, revision := range []string{"2025-06-18", "2025-11-25", "2026-07-28"} {
		t.Run(revision, func(t *testing.T) {
			c := mcptest.New(t, newShop(mcpfind.New()), mcptest.Options{Revision: revision,
				Elicit: func(context.Context, *mcpclient.Elicitation) mcpclient.ElicitAnswer {
					return mcpclient.Accept(map[string]bool{"yes": true})
				}})
			if got := c.Call(mcpfind.UseTool, use("orders_sign", map[string]any{})).Text(); got != "signed accept by orders_sign" {
				t.Errorf("%s", got)
			}
			mute := mcptest.New(t, newShop(mcpfind.New()), mcptest.Options{Revision: revision})
			result, err := mute.Start(mcpfind.UseTool, use("orders_sign", map[string]any{})).Result()
			if text := fmt.Sprint(result, err); !strings.Contains(text, "elicitation") {
				t.Errorf("without the capability: %s", text)
			}
		})
	}
}

// Interceptors, limits and logs get the name and the arguments of the tool itself.
func TestOwnCall(t *testing.T) {
	everywhere(t, func(t *testing.T, revision string) {
		var log bytes.Buffer
		var seen []string
		s := newShop(mcpfind.New(), mcp.WithInterceptors(
			mcp.LogCalls(slog.New(slog.NewTextHandler(&log, nil))),
			func(next mcp.Handler) mcp.Handler {
				return func(ctx context.Context, req *mcp.Request) (mcp.Reply, error) {
					if req.Method == "tools/call" {
						seen = append(seen, req.Name+" "+mcp.CallFrom(ctx).Feature()+" "+string(req.Arguments))
						if strings.Contains(string(req.Params), "use_tool") {
							t.Errorf("params: %s", req.Params)
						}
					}
					return next(ctx, req)
				}
			},
			mcprate.New(mcprate.WithToolLimit("orders_refund", 0.001, 1)),
		))
		c := mcptest.New(t, s, mcptest.Options{Revision: revision})
		c.Call(mcpfind.UseTool, use("orders_refund", map[string]any{"amount": 5}), mcptest.WithMeta("com.example/a", 1))
		if got := c.CallError(mcpfind.UseTool, use("orders_refund", map[string]any{"amount": 5})); !strings.Contains(got, "too many calls of orders_refund") {
			t.Errorf("limit: %s", got)
		}
		want := `orders_refund orders_refund {"amount":5}`
		if !slices.Equal(seen, []string{want, want}) {
			t.Errorf("interceptor: %q", seen)
		}
		if !strings.Contains(log.String(), "orders_refund") || strings.Contains(log.String(), "use_tool") {
			t.Errorf("log: %s", &log)
		}
	})
}

func TestTimeoutOfFoundTool(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShop(mcpfind.New())
		s.Register(mcp.NewTool(mcp.ToolInfo{Name: "slow", Timeout: time.Second}, func(ctx context.Context, _ jsonText) (*mcp.ToolResult, error) {
			<-ctx.Done()
			return nil, context.Cause(ctx)
		}))
		c := mcptest.New(t, s, mcptest.Options{})
		if got := c.CallError(mcpfind.UseTool, use("slow", map[string]any{})); got != "timed out after 1s" {
			t.Error(got)
		}
	})
}

// Tools that a caller may not see are not found or named, in any way.
func TestHidden(t *testing.T) {
	everywhere(t, func(t *testing.T, revision string) {
		for name, option := range map[string]mcp.Option{
			"visible": mcp.WithAccess(mcp.Visible(func(_ context.Context, f mcp.FeatureInfo) bool { return !slices.Contains(f.Groups, "admin") })),
			"access": mcp.WithAccess(mcp.AccessFunc(func(_ context.Context, f mcp.FeatureInfo) error {
				if slices.Contains(f.Groups, "admin") {
					return errors.New("hidden")
				}
				return nil
			})),
			"policy":    mcp.WithPolicy(mcp.Policy{Deny: []string{"group:admin"}}),
			"principal": nil,
		} {
			o := mcptest.Options{Revision: revision}
			options := []mcp.Option{mcpfind.New()}
			if option != nil {
				options = append(options, option)
			} else {
				o.Principal = mcp.Principal{ID: "a", Access: mcp.PolicyAccess(mcp.Policy{Deny: []string{"group:admin"}})}
			}
			c := mcptest.New(t, newShop(options...), o)
			var all strings.Builder
			all.WriteString(c.Server().Instructions)
			for _, query := range []string{"admin_purge", "delete all orders of a secret customer", "purge", "admin"} {
				all.WriteString(c.Call(mcpfind.SearchTools, map[string]any{"query": query, "limit": 20}).Text())
			}
			all.WriteString(c.Call(mcpfind.SearchTools, map[string]any{"query": "x", "group": "adm" + "in"}).Text())
			for _, tool := range []string{mcpfind.UseTool, mcpfind.UseReadOnlyTool} {
				all.WriteString(strings.ReplaceAll(c.CallError(tool, use("admin_purge", map[string]any{})), `"admin_purge"`, ""))
				all.WriteString(c.CallError(tool, use("admin_purg", map[string]any{})))
			}
			if text := strings.ReplaceAll(all.String(), "admin_purg\"", ""); strings.Contains(text, "admin") || strings.Contains(text, "secret") {
				t.Errorf("%s: %s", name, text)
			}
			if !strings.Contains(c.Server().Instructions, "This server has 63 tools") {
				t.Errorf("%s: %s", name, c.Server().Instructions)
			}
		}
	})
}

// Access is checked for the called tool, and for the tool that calls it.
func TestAccessOfCallers(t *testing.T) {
	noChanges := mcp.Principal{ID: "reader", Access: mcp.PolicyAccess(mcp.Policy{Deny: []string{mcpfind.UseTool}})}
	c := mcptest.New(t, newShop(mcpfind.New()), mcptest.Options{Principal: noChanges})
	if got := names(c); !slices.Equal(got, three[:2]) {
		t.Errorf("listed: %v", got)
	}
	if err := refusal(c, mcpfind.UseTool, use("orders_cancel", map[string]any{})); err == nil || !strings.Contains(err.Error(), "unknown tool: use_tool") {
		t.Errorf("refused: %v", err)
	}
	stepUp := mcp.WithAccess(mcp.AccessFunc(func(_ context.Context, f mcp.FeatureInfo) error {
		if f.Name == "orders_refund" {
			return &mcp.AccessError{Scopes: []string{"refund"}, StepUp: true}
		}
		return nil
	}))
	c = mcptest.New(t, newShop(mcpfind.New(), stepUp), mcptest.Options{})
	if err := refusal(c, mcpfind.UseTool, use("orders_refund", map[string]any{"amount": 1})); err == nil || !strings.Contains(err.Error(), "scope refund") {
		t.Errorf("refused: %v", err)
	}
	if got := c.Call(mcpfind.SearchTools, map[string]any{"query": "refund"}).Text(); !strings.Contains(got, "orders_refund") {
		t.Errorf("a tool for which the client can get a scope is listed: %s", got)
	}
}

func TestListed(t *testing.T) {
	everywhere(t, func(t *testing.T, revision string) {
		hide := mcp.WithListed(func(f mcp.FeatureInfo) bool { return f.Name != "orders_cancel" })
		for _, test := range []struct {
			name    string
			options []mcp.Option
			want    []string // nil for all
		}{
			{"nothing", nil, nil},
			{"threshold", []mcp.Option{mcpfind.New(mcpfind.WithThreshold(64))}, nil},
			{"one below", []mcp.Option{mcpfind.New(mcpfind.WithThreshold(63))}, three},
			{"kept", []mcp.Option{mcpfind.New(mcpfind.WithListed("orders_c*", "group:adm*"))}, append(slices.Clone(three), "orders_cancel", "admin_purge")},
			{"kept, but not listed", []mcp.Option{mcpfind.New(mcpfind.WithListed("orders_c*")), hide}, three},
			{"policy without the search", []mcp.Option{mcpfind.New(), mcp.WithPolicy(mcp.Policy{Deny: []string{"search_*"}})}, nil},
			{"few for the caller", []mcp.Option{mcpfind.New(), mcp.WithAccess(mcp.Visible(func(_ context.Context, f mcp.FeatureInfo) bool {
				return len(f.Groups) == 0 || f.Groups[0] == "admin"
			}))}, []string{"admin_purge"}},
		} {
			c := mcptest.New(t, newShop(test.options...), mcptest.Options{Revision: revision})
			got := names(c)
			if test.want == nil {
				if len(got) != 64 || slices.ContainsFunc(three, func(name string) bool { return slices.Contains(got, name) }) {
					t.Errorf("%s: %v", test.name, got)
				}
				if c.Server().Instructions != "This is a shop." {
					t.Errorf("%s: %s", test.name, c.Server().Instructions)
				}
			} else if !slices.Equal(got, test.want) {
				t.Errorf("%s: %v", test.name, got)
			}
		}
		c := mcptest.New(t, newShop(mcpfind.New(), hide), mcptest.Options{Revision: revision})
		if got := c.Call(mcpfind.SearchTools, map[string]any{"query": "orders_cancel"}).Text(); strings.Contains(got, "orders_cancel") {
			t.Errorf("what is not listed is found: %s", got)
		}
		c.Call("orders_cancel", nil)
		c.Call(mcpfind.UseTool, use("orders_cancel", map[string]any{}))
	})
}

// A list with pages contains the same tools.
func TestPages(t *testing.T) {
	everywhere(t, func(t *testing.T, revision string) {
		for _, visible := range []bool{false, true} {
			options := []mcp.Option{mcpfind.New(mcpfind.WithListed("stock_*")), mcp.WithLimits(mcp.Limits{PageSize: 7})}
			if visible {
				options = append(options, mcp.WithAccess(mcp.Visible(func(context.Context, mcp.FeatureInfo) bool { return true })))
			}
			c := mcptest.New(t, newShop(options...), mcptest.Options{Revision: revision})
			if got := names(c); len(got) != 33 || !slices.IsSorted(got[:3]) {
				t.Errorf("%d: %v", len(got), got)
			}
		}
	})
}

// The index contains the current tools.
func TestRegisteredLater(t *testing.T) {
	s := newShop(mcpfind.New())
	c := mcptest.New(t, s, mcptest.Options{})
	find := func() string {
		return c.Call(mcpfind.SearchTools, map[string]any{"query": "paint a picture", "limit": 1}).Text()
	}
	if got := find(); strings.Contains(got, "draw") {
		t.Error(got)
	}
	s.Register(mcp.NewTool(mcp.ToolInfo{Name: "draw", Description: "Paints pictures."}, nil))
	if got := find(); !strings.HasPrefix(got, "draw (") {
		t.Error(got)
	}
	s.Unregister(mcp.KindTool, "draw")
	if got := find(); strings.Contains(got, "draw") {
		t.Error(got)
	}
}

// The hints of use_readonly_tool hold for every tool that it calls.
func TestHints(t *testing.T) {
	s := newShop(mcpfind.New())
	c := mcptest.New(t, s, mcptest.Options{})
	for _, tool := range c.Tools() {
		want := `{"readOnlyHint":true,"destructiveHint":false,"idempotentHint":true,"openWorldHint":true}`
		switch tool.Name {
		case mcpfind.SearchTools:
			want = strings.Replace(want, `openWorldHint":true`, `openWorldHint":false`, 1)
		case mcpfind.UseTool:
			want = `{"readOnlyHint":false,"destructiveHint":true,"idempotentHint":false,"openWorldHint":true}`
		}
		if got := annotations(t, c, tool.Name); got != want {
			t.Errorf("%s: %s", tool.Name, got)
		}
	}
	for _, f := range s.Features() {
		if slices.Contains(three, f.Name) {
			continue
		}
		got := c.Call(mcpfind.UseReadOnlyTool, use(f.Name, map[string]any{}))
		if got.IsError == f.Hints.ReadOnly {
			t.Errorf("%s is read-only: %v, and it was called: %v", f.Name, f.Hints.ReadOnly, !got.IsError)
		}
	}
}

// A call through use_tool becomes a task of the tool.
func TestTaskOfFoundTool(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShop(mcpfind.New(), mcptask.WithStore(mcptask.NewMemory()))
		for _, required := range []bool{false, true} {
			name := map[bool]string{false: "optional", true: "required"}[required]
			s.Register(mcptask.Tool(mcp.NewTool(mcp.ToolInfo{Name: name, Timeout: time.Hour}, func(ctx context.Context, _ jsonText) (*mcp.ToolResult, error) {
				return mcp.TextResult("the task of " + mcp.CallFrom(ctx).Feature()), nil
			}), mcptask.Support{Required: required}))
		}
		for _, revision := range []string{"2025-11-25", "2026-07-28"} {
			c := mcptest.New(t, s, mcptest.Options{Revision: revision})
			if got := names(c); !slices.Equal(got, append(slices.Clone(three), "required")) {
				t.Errorf("%s: %v", revision, got)
			}
			for _, name := range []string{"optional", "required"} {
				result, err := c.Task(mcpfind.UseTool, use(name, map[string]any{}))
				if err != nil || result.Text() != "the task of "+name {
					t.Errorf("%s: %+v, %v", revision, result, err)
				}
			}
			c.Close()
		}
		if err := mcptask.Shutdown(t.Context(), s); err != nil {
			t.Error(err)
		}
	})
}
