package mcp_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpimpl"
	"github.com/mcpgen/mcpgen/runtime/mcptest"
)

// TestApplyDefaults registers the same features with and without defaults, and a feature with
// settings of its own.
func TestApplyDefaults(t *testing.T) {
	secret := errors.New("dial tcp 10.0.0.7: refused")
	var left time.Duration
	fail := func(ctx context.Context, _ *mcp.Request) (*mcp.ToolResult, error) {
		left = 0
		if deadline, ok := ctx.Deadline(); ok {
			left = time.Until(deadline)
		}
		return nil, secret
	}
	plain := &mcp.ToolInfo{Name: "plain", InputSchema: `{"type":"object"}`}
	own := &mcp.ToolInfo{Name: "own", InputSchema: `{"type":"object"}`, Timeout: 5 * time.Second, Errors: func(error) (string, bool) { return "of its own", true }}
	register := func(r mcp.Registrar) {
		for _, info := range []*mcp.ToolInfo{plain, own} {
			r.Register(mcpimpl.FuncTool(info, fail))
		}
	}
	s := mcp.NewServer(mcp.ServerInfo{Name: "defaults", Version: "1"})
	register(s)
	register(mcpimpl.ApplyDefaults(mcp.Prefix(s, "with"), mcpimpl.Defaults{
		Errors:  func(err error) (string, bool) { return "the shop is closed", errors.Is(err, secret) },
		Timeout: 10 * time.Second,
	}))
	register(mcp.Prefix(mcpimpl.ApplyDefaults(mcp.Prefix(s, "inner"), mcpimpl.Defaults{HideErrors: true}), "hidden"))
	c := mcptest.New(t, s, mcptest.Options{})
	for _, test := range []struct {
		tool, text string
		timeout    time.Duration
	}{
		{"plain", secret.Error(), 0},
		{"own", "of its own", 5 * time.Second},
		{"with_plain", "the shop is closed", 10 * time.Second},
		{"with_own", "of its own", 5 * time.Second},
		{"inner_hidden_own", "of its own", 5 * time.Second},
	} {
		result := c.Call(test.tool, nil)
		if got := result.Text(); !result.IsError || got != test.text {
			t.Errorf("%s: %q, want %q", test.tool, got, test.text)
		}
		if test.timeout > 0 && (left <= test.timeout-5*time.Second || left > test.timeout) {
			t.Errorf("%s: %v are left of the timeout, want about %v", test.tool, left, test.timeout)
		}
	}
	if got := c.Call("inner_hidden_plain", nil).Text(); got == secret.Error() || got == "" {
		t.Errorf("with HideErrors the model reads %q", got)
	}
	if plain.Errors != nil || plain.Timeout != 0 || plain.HideErrors {
		t.Error("the description that the features share has changed")
	}
}

// TestApplyDefaultsToAllKinds compares the error messages that a client reads for each kind.
func TestApplyDefaultsToAllKinds(t *testing.T) {
	fault := errors.New("fault")
	s := mcp.NewServer(mcp.ServerInfo{Name: "defaults", Version: "1"})
	r := mcpimpl.ApplyDefaults(s, mcpimpl.Defaults{Errors: func(error) (string, bool) { return "declared", true }})
	r.Register(mcpimpl.FuncPrompt(&mcp.PromptInfo{Name: "p"}, func(context.Context, *mcp.Request) (*mcp.PromptResult, error) { return nil, fault }))
	read := func(context.Context, *mcp.Request) (*mcp.ResourceResult, error) { return nil, fault }
	r.Register(mcpimpl.FuncResource(&mcp.ResourceInfo{URI: "a://b", Name: "r"}, read))
	r.Register(mcpimpl.FuncTemplate(&mcp.TemplateInfo{URITemplate: "c://{d}", Name: "t"}, read))
	c := mcptest.New(t, s, mcptest.Options{})
	for _, request := range []struct {
		method string
		params map[string]any
	}{
		{"prompts/get", map[string]any{"name": "p"}},
		{"resources/read", map[string]any{"uri": "a://b"}},
		{"resources/read", map[string]any{"uri": "c://e"}},
	} {
		if _, err := c.Request(request.method, request.params); err == nil || !strings.Contains(err.Error(), "declared") {
			t.Errorf("%s %v: %v", request.method, request.params, err)
		}
	}
}
