package mcpimpl_test

import (
	"context"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpimpl"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// ExampleFound writes a value, and says so if there is none.
func ExampleFound() {
	for _, titles := range []*[]string{{"Emma"}, nil} {
		s := serverOf(mcpimpl.FuncTool(&mcp.ToolInfo{Name: "titles", InputSchema: `{"type":"object"}`},
			func(_ context.Context, req *mcp.Request) (*mcp.ToolResult, error) {
				return mcpimpl.Found(req, titles, nil, func(e *wire.Encoder, v *[]string) { wire.PutSlice(e, *v, wire.PutString) })
			}))
		talk(s, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"titles"}}`)
	}
	// Output:
	// {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"{\"result\":[\"Emma\"]}"}],"structuredContent":{"result":["Emma"]}}}
	// {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"nothing found"}],"isError":true}}
}

// TestFoundError: an error comes before the value, and nothing is written then.
func TestFoundError(t *testing.T) {
	failed := mcp.Errorf("no")
	for _, value := range []*string{nil, new("text")} {
		result, err := mcpimpl.Found(nil, value, failed, func(*wire.Encoder, *string) { t.Error("a value was written") })
		if result != nil || err != error(failed) {
			t.Errorf("got %v and %v", result, err)
		}
	}
}

// ExampleItems writes a list. A nil one is empty.
func ExampleItems() {
	for _, titles := range [][]string{{"Emma"}, nil} {
		s := serverOf(mcpimpl.FuncTool(&mcp.ToolInfo{Name: "titles", InputSchema: `{"type":"object"}`},
			func(_ context.Context, req *mcp.Request) (*mcp.ToolResult, error) {
				return mcpimpl.Items(req, titles, nil, wire.PutString)
			}))
		talk(s, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"titles"}}`)
	}
	// Output:
	// {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"{\"result\":[\"Emma\"]}"}],"structuredContent":{"result":["Emma"]}}}
	// {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"{\"result\":[]}"}],"structuredContent":{"result":[]}}}
}

// TestItemsError: nothing is written if the function returned an error.
func TestItemsError(t *testing.T) {
	failed := mcp.Errorf("no")
	result, err := mcpimpl.Items(nil, []string{"text"}, failed, func(*wire.Encoder, *string) { t.Error("an item was written") })
	if result != nil || err != error(failed) {
		t.Errorf("got %v and %v", result, err)
	}
}
