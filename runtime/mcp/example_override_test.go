package mcp_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/mcpgen/mcpgen/runtime/mcp"
)

func ExampleOverride() {
	descriptions := map[string]string{"search": "Searches the books of the branch in Trieste."} // configured by a deployment
	server := mcp.NewServer(mcp.ServerInfo{Name: "bookstore"})
	register := mcp.Override(server, mcp.Overrides{
		Tool: func(tool *mcp.ToolInfo) {
			if text, ok := descriptions[tool.Name]; ok {
				tool.Description = text
			}
			tool.Name = "trieste_" + tool.Name
		},
	})
	register.Register(mcp.NewTool(mcp.ToolInfo{Name: "search", Description: "Searches the books."}, // or catalogue.RegisterMCP(register, store)
		func(context.Context, json.RawMessage) (*mcp.ToolResult, error) { return mcp.TextResult("Emma"), nil }))
	for _, feature := range server.Features() {
		fmt.Println(feature.Name)
	}
	// Output: trieste_search
}
