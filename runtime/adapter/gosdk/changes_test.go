package gosdk

import (
	"context"
	encoding "encoding/json"
	"errors"
	"slices"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// The first feature of a kind can be registered later.
func TestFirstOfAKindLater(t *testing.T) {
	var inner *mcp.Server
	s := newServer()
	unmount, err := Mount(s, func(r mcp.Registrar) { inner = r.(*mcp.Server) })
	if err != nil {
		t.Fatal(err)
	}
	defer unmount()
	c := connect(t, s, modern, nil)
	inner.Register(echo("later"))
	inner.Register(mcp.NewResource(mcp.ResourceInfo{URI: "a://b", Name: "b"}, func(context.Context, string) (*mcp.ResourceResult, error) { return mcp.TextContents("x"), nil }))
	inner.Register(mcp.NewPrompt(mcp.PromptInfo{Name: "later"}, func(context.Context, map[string]string) (*mcp.PromptResult, error) {
		return &mcp.PromptResult{}, nil
	}))
	waitFor(func() bool { return slices.Contains(toolNames(t, c), "later") })
	waitFor(func() bool {
		_, err := c.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: "a://b"})
		return err == nil
	})
	waitFor(func() bool {
		_, err := c.GetPrompt(t.Context(), &sdk.GetPromptParams{Name: "later"})
		return err == nil
	})
}

// Only requests and sessions of clients reach interceptors and hooks.
func TestMountIsNoClient(t *testing.T) {
	intercepted, hooked := 0, 0
	refuse := mcp.WithInterceptors(func(mcp.Handler) mcp.Handler {
		return func(context.Context, *mcp.Request) (mcp.Reply, error) {
			intercepted++
			return nil, errors.New("only callers with a token")
		}
	})
	hook := mcp.WithSessionHook(func(context.Context, mcp.SessionInfo) func() {
		hooked++
		return func() {}
	})
	ran := tool("a", func(context.Context, encoding.RawMessage) (string, error) { return "ran", nil })
	s := newServer()
	unmount, err := Mount(s, registering(ran), refuse, hook)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "requests", intercepted, 0)
	same(t, "sessions", hooked, 0)
	c := connect(t, s, modern, nil)
	r, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: "a"})
	if err == nil && !r.IsError {
		t.Errorf("the call is not refused: %s", textOf(r))
	}
	same(t, "requests", intercepted, 1)
	unmount()
}
