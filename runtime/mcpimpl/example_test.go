package mcpimpl_test

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpimpl"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

func serverOf(f mcp.Feature) *mcp.Server {
	s := mcp.NewServer(mcp.ServerInfo{Name: "x"})
	s.Register(f)
	return s
}

// talk prints the messages of a server up to the response to a request.
func talk(s *mcp.Server, request string) {
	client, wait := s.Connect(context.Background())
	client.Write([]byte(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}` + "\n"))
	client.Read()
	client.Write([]byte(request + "\n"))
	for {
		text, err := client.Read()
		if err != nil {
			break
		}
		fmt.Println(string(text))
		if m, _ := jsonrpc.Parse(text); m.Kind != jsonrpc.Notification {
			break
		}
	}
	client.Close()
	wait()
}

// The items of a sequence are sent as they come.
func ExampleStream() {
	s := serverOf(mcpimpl.FuncTool(&mcp.ToolInfo{Name: "count", InputSchema: `{"type":"object"}`},
		func(ctx context.Context, req *mcp.Request) (*mcp.ToolResult, error) {
			return mcpimpl.Stream(ctx, req, slices.Values([]int{1, 2}), wire.PutInt)
		}))
	talk(s, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"count","_meta":{"progressToken":7}}}`)
	// Output:
	// {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":7,"progress":1,"message":"1"}}
	// {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":7,"progress":2,"message":"2"}}
	// {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"{\"result\":[1,2]}"}],"structuredContent":{"result":[1,2]}}}
}

func ExampleReaderResult() {
	s := serverOf(mcpimpl.FuncTool(&mcp.ToolInfo{Name: "cover", InputSchema: `{"type":"object"}`},
		func(_ context.Context, req *mcp.Request) (*mcp.ToolResult, error) {
			return mcpimpl.ReaderResult(req, "image/png", strings.NewReader("png"))
		}))
	talk(s, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"cover","arguments":{}}}`)
	// Output:
	// {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"image","data":"cG5n","mimeType":"image/png"}]}}
}
