package features

import (
	"context"
	_ "embed" // for the schema
	"encoding/json"

	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// contactSchema uses keywords that a Go signature has no words for.
//
//go:embed schema.json
var contactSchema string

// newSchemaTool returns a tool whose schema the suite wants to see word for word.
// Conditions, anchors and references to definitions of its own follow from no Go
// type, which is why it is made by hand.
func newSchemaTool() mcp.Feature {
	return mcp.NewTool(mcp.ToolInfo{
		Name:        "json_schema_2020_12_tool",
		Description: "Takes a contact that a schema with conditions describes.",
		InputSchema: contactSchema,
		Hints:       mcp.Hints{ReadOnly: true, Idempotent: true},
	}, func(_ context.Context, arguments json.RawMessage) (*mcp.ToolResult, error) {
		return mcp.TextResult("The arguments are " + string(arguments)), nil
	})
}
