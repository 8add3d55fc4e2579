package features

import (
	"context"
	_ "embed" // for the schema
	"encoding/json"

	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// contactSchema uses keywords that a Go signature cannot express.
//
//go:embed schema.json
var contactSchema string

// newSchemaTool returns a tool whose schema the suite compares literally. It is written by hand
// because no Go type gives conditions, anchors and references to definitions.
func newSchemaTool() mcp.Feature {
	return mcp.NewTool(mcp.ToolInfo{
		Name:        "json_schema_2020_12_tool",
		Description: "Takes a contact that a schema with conditions describes.",
		InputSchema: contactSchema,
		Hints:       mcp.ToolHints{ReadOnly: true, Idempotent: true},
	}, func(_ context.Context, arguments json.RawMessage) (*mcp.ToolResult, error) {
		return mcp.TextResult("The arguments are " + string(arguments)), nil
	})
}
