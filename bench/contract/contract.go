// Package contract contains the tools that all servers of the comparison publish: the tools/list
// result of package servers/mcpgen in revision 2025-11-25. A test of that package rewrites it with
// -update.
package contract

import (
	_ "embed"
	"encoding/json"
)

// Text is a JSON array of 50 tools, without white space.
//
//go:embed tools.json
var Text string

// Tool is one of these tools.
type Tool struct {
	Name         string          `json:"name"`
	Description  string          `json:"description"`
	InputSchema  json.RawMessage `json:"inputSchema"`
	OutputSchema json.RawMessage `json:"outputSchema"`
	Annotations  json.RawMessage `json:"annotations"`
}

// Tools returns the tools in order.
func Tools() []Tool {
	var tools []Tool
	if err := json.Unmarshal([]byte(Text), &tools); err != nil {
		panic(err)
	}
	return tools
}
