package gosdk

import (
	"context"
	encoding "encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpgen/mcpgen/runtime/mcp"
)

func TestCallTool(t *testing.T) {
	everyRevision(t, func(t *testing.T, revision string) {
		s := mounted(t, nil, echo("echo"),
			tool("fail", func(context.Context, encoding.RawMessage) (string, error) { return "", errors.New("broken") }),
			tool("refuse", func(context.Context, encoding.RawMessage) (string, error) {
				return "", &mcp.ProtocolError{Code: 77, Message: "no", Data: encoding.RawMessage(`{"a":[1]}`)}
			}),
			tool("who", func(ctx context.Context, _ encoding.RawMessage) (string, error) {
				c := mcp.CallFrom(ctx)
				return c.Revision() + " " + c.Client().Name + " " + c.Transport(), nil
			}))
		c := connect(t, s, revision, nil)
		same(t, "echo", call(t, c, "echo", map[string]any{"a": 1}), `{"a":1}`)
		same(t, "own", call(t, c, "own", map[string]any{}), "mine")
		same(t, "fail", call(t, c, "fail", map[string]any{}), "failed: broken")
		same(t, "who", call(t, c, "who", map[string]any{}), revision+" client gosdk")
		_, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: "refuse"})
		e, ok := errors.AsType[*jsonrpc.Error](err)
		if !ok || e.Code != 77 || e.Message != "no" || string(e.Data) != `{"a":[1]}` {
			t.Errorf("refuse: %v", err)
		}
		sameList(t, "tools", toolNames(t, c), "echo", "fail", "own", "refuse", "who")
		same(t, "server", c.InitializeResult().ServerInfo.Name, "host")
	})
}

func TestCollisions(t *testing.T) {
	s := newServer()
	unmount, err := Mount(s, registering(echo("a"), echo("b")))
	if err != nil {
		t.Fatal(err)
	}
	c := connect(t, s, modern, nil)
	_, err = Mount(s, registering(echo("z"), echo("own"), echo("b")))
	if err == nil || !strings.Contains(err.Error(), `a tool "b" already`) || !strings.Contains(err.Error(), `a tool "own" already`) {
		t.Errorf("collision: %v", err)
	}
	sameList(t, "nothing of the second is mounted", toolNames(t, c), "a", "b", "own")
	second, err := Mount(s, registering(echo("z")))
	if err != nil {
		t.Fatal(err)
	}
	sameList(t, "two packages", toolNames(t, c), "a", "b", "own", "z")
	unmount()
	unmount()
	sameList(t, "after unmount", toolNames(t, c), "own", "z")
	if _, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: "a"}); err == nil {
		t.Error("a tool of an unmounted package can be called")
	}
	same(t, "the other", call(t, c, "z", map[string]any{}), "{}")
	second()
	sameList(t, "after both", toolNames(t, c), "own")
	third, err := Mount(s, registering(echo("a")))
	if err != nil {
		t.Fatal(err)
	}
	defer third()
	same(t, "again", call(t, c, "a", map[string]any{}), "{}")
}
