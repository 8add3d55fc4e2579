package mcprate_test

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"golang.org/x/time/rate"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcprate"
)

func ExampleNew() {
	s := mcp.NewServer(mcp.ServerInfo{Name: "shop", Version: "1"}, mcp.WithInterceptors(mcprate.New(
		mcprate.WithToolLimit("report", rate.Every(time.Hour), 1),
		mcprate.WithToolLimit("*", 5, 20),
	)))
	s.Register(mcp.NewTool(mcp.ToolInfo{Name: "report"}, func(context.Context, json.RawMessage) (*mcp.ToolResult, error) {
		return mcp.TextResult("the report"), nil
	}))

	client, wait := s.Connect(context.Background())
	for id := range 2 {
		_ = client.Write(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"report",`+
			`"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`+"\n", id))
		reply, _ := client.Read()
		var r struct{ Result struct{ Content []mcp.Text } }
		_ = json.Unmarshal(reply, &r)
		fmt.Println(r.Result.Content[0].Text)
	}
	client.Close()
	_ = wait()
	// Output:
	// the report
	// rate limit: too many calls of report; try again in 1h
}
