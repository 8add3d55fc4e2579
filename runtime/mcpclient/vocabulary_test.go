package mcpclient_test

import (
	"context"
	"encoding/json"
	"reflect"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpclient"
)

// A handler of another server can return received values unchanged, except for metadata that the
// specification reserves.
func TestReceivedIsReturned(t *testing.T) {
	want := &mcp.ToolResult{
		Content: []mcp.Content{
			mcp.Text{Text: "a", Annotations: &mcp.Annotations{Audience: []mcp.Role{mcp.RoleUser}, Priority: new(0.5)}},
			mcp.Image{Data: []byte{0, 255}, MIMEType: "image/png"},
			mcp.Audio{Data: []byte{1}, MIMEType: "audio/wav"},
			mcp.ResourceLink{URI: "a:b", Name: "b", Icons: []mcp.Icon{{Source: "https://example.com/a"}}},
			mcp.EmbeddedResource{URI: "a:b", MIMEType: "text/plain", Text: "b", ResourceMeta: mcp.Meta{"com.example/a": json.RawMessage("1")}},
		},
		Structured: json.RawMessage(`{"a":[1]}`), IsError: true, Meta: mcp.Meta{"com.example/b": json.RawMessage("2")},
	}
	clientOf := func(f func(context.Context) (*mcp.ToolResult, error)) *mcpclient.Client {
		s := mcp.NewServer(mcp.ServerInfo{Name: "s", Version: "1"})
		s.Register(mcp.NewTool(mcp.ToolInfo{Name: "x"}, func(ctx context.Context, _ json.RawMessage) (*mcp.ToolResult, error) { return f(ctx) }))
		c, err := mcpclient.Connect(t.Context(), mcpclient.InMemory(s), mcpclient.Options{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Close() })
		return c
	}
	inner := clientOf(func(context.Context) (*mcp.ToolResult, error) { return want, nil })
	const serverInfo = "io.modelcontextprotocol/serverInfo"
	outer := clientOf(func(ctx context.Context) (*mcp.ToolResult, error) {
		result, err := inner.Call(ctx, "x", nil)
		if err == nil {
			delete(result.Meta, serverInfo)
		}
		return result, err
	})
	got, err := outer.Call(t.Context(), "x", nil)
	if err != nil {
		t.Fatal(err)
	}
	delete(got.Meta, serverInfo)
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}
