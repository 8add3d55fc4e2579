// Byhand is a server without generated code: names, schemas and decoding are written by hand.
// Generated and hand-written features can be in one server.
//
//	go run ./byhand            # serves the client that has started it
//	go run ./byhand -http 8080 # at http://127.0.0.1:8080/mcp
package main

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpcmd"
)

func main() { mcpcmd.Main(newServer()) }

func newServer() *mcp.Server {
	s := mcp.NewServer(mcp.ServerInfo{Name: "words", Version: "1.0.0"})
	s.Register(mcp.NewTool(mcp.ToolInfo{
		Name:        "count_words",
		Description: "Counts the words of a text.",
		InputSchema: `{"type":"object","properties":{"text":{"type":"string"}},"required":["text"],"additionalProperties":false}`,
		Hints:       mcp.ToolHints{ReadOnly: true},
	}, countWords))
	s.Register(mcp.TextResource(&mcp.ResourceInfo{URI: "words:///help", Name: "help"}, "Words are separated by white space."))
	s.Register(mcp.NewPrompt(mcp.PromptInfo{
		Name:      "shorten",
		Arguments: []mcp.PromptArgument{{Name: "text", Required: true}},
	}, func(_ context.Context, arguments map[string]string) (*mcp.PromptResult, error) {
		return mcp.PromptText("Say this with half as many words: " + arguments["text"]), nil
	}))
	return s
}

// countWords gets the arguments as the client sent them: the schema above is only shown to clients,
// and the function checks its arguments itself.
func countWords(_ context.Context, arguments json.RawMessage) (*mcp.ToolResult, error) {
	var args struct{ Text *string }
	if err := json.Unmarshal(arguments, &args); err != nil || args.Text == nil {
		return nil, mcp.Errorf("text: a string is required")
	}
	count, err := json.Marshal(map[string]int{"count": len(strings.Fields(*args.Text))})
	return &mcp.ToolResult{Structured: count}, err
}
