package mcpfind_test

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"strings"
	"sync"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpfind"
	"github.com/mcpgen/mcpgen/runtime/mcptest"
)

// lastFirst is a ranker that prefers the last tools. It also returns invalid results.
type lastFirst struct {
	mu      sync.Mutex
	indexed int
	tools   []mcp.FeatureInfo
	err     error
	broken  bool // Index panics
}

func (r *lastFirst) Index(tools []mcp.FeatureInfo) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.broken {
		panic("a secret of the ranker")
	}
	r.indexed++
	r.tools = tools
}

func (r *lastFirst) Search(_ context.Context, query string, n int) ([]int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch query {
	case "fails":
		return nil, r.err
	case "panics":
		panic("a secret of the ranker")
	}
	found := []int{-1, len(r.tools), math.MaxInt} // of no tool
	for i := len(r.tools) - 1; i >= 0 && n > 0; i, n = i-1, n-1 {
		found = append(found, i, i) // twice
	}
	return found, nil
}

// Another ranker determines which tools are found, and their order. A ranker that is faulty, fails
// or panics does not end the server, and no result contains a tool twice, or one that the caller
// must not see.
func TestRanker(t *testing.T) {
	r := &lastFirst{err: errors.New("a reason of the ranker")}
	s := newShop(mcpfind.New(mcpfind.WithRanker(r)), mcp.WithAccess(mcp.Visible(func(_ context.Context, f mcp.FeatureInfo) bool { return f.Name != "orders_sign" })))
	c := mcptest.New(t, s, mcptest.Options{Revision: "2025-11-25"})
	search := func() string {
		return c.Call(mcpfind.SearchTools, map[string]any{"query": "anything", "limit": 2}).Text()
	}
	got := search()
	r.mu.Lock()
	var want []string
	for i := len(r.tools) - 1; len(want) < 2; i-- {
		if name := r.tools[i].Name; name != "orders_sign" {
			want = append(want, name)
		}
	}
	r.mu.Unlock()
	if !strings.HasPrefix(got, want[0]+" (by") || strings.Index(got, want[1]+" (by") <= 0 || strings.Contains(got, "orders_sign") || strings.Count(got, want[0]+" (by") != 1 {
		t.Errorf("found %s, want %v", got, want)
	}
	search()
	s.Register(mcp.NewTool(mcp.ToolInfo{Name: "zz_last"}, func(context.Context, json.RawMessage) (*mcp.ToolResult, error) { return nil, nil }))
	search()
	if r.indexed != 2 {
		t.Errorf("indexed %d times, want 2: at first, and after a change", r.indexed)
	}
	for query, want := range map[string]string{"fails": "search tools: a reason of the ranker", "panics": "internal error"} {
		if got := c.CallError(mcpfind.SearchTools, map[string]any{"query": query}); !strings.Contains(got, want) || strings.Contains(got, "secret") {
			t.Errorf("%s: %s", query, got)
		}
	}
	r.mu.Lock()
	r.broken = true
	r.mu.Unlock()
	s.Register(mcp.NewTool(mcp.ToolInfo{Name: "zz_later"}, func(context.Context, json.RawMessage) (*mcp.ToolResult, error) { return nil, nil }))
	c.CallError(mcpfind.SearchTools, map[string]any{"query": "anything"})
	r.mu.Lock()
	r.broken = false
	r.mu.Unlock()
	if got := search(); !strings.Contains(got, want[0]) {
		t.Errorf("afterwards: %s", got)
	}
}
