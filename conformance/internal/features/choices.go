package features

import (
	"context"

	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// choices is a form with every kind of choice. It is hand-written because of one field: titles as
// enumNames are deprecated, and //mcp:form writes them only for clients of revision 2025-06-18.
var choices = &mcp.FormInfo{Fields: []mcp.FormField{
	{Name: "untitledSingle", Kind: mcp.ChoiceField, Choices: []mcp.FormChoice{
		{Value: "option1"}, {Value: "option2"}, {Value: "option3"},
	}},
	{Name: "titledSingle", Kind: mcp.ChoiceField, Choices: []mcp.FormChoice{
		{Value: "value1", Title: "First Option"}, {Value: "value2", Title: "Second Option"}, {Value: "value3", Title: "Third Option"},
	}},
	{Name: "legacyEnum", Kind: mcp.ChoiceField, EnumNames: true, Choices: []mcp.FormChoice{
		{Value: "opt1", Title: "Option One"}, {Value: "opt2", Title: "Option Two"}, {Value: "opt3", Title: "Option Three"},
	}},
	{Name: "untitledMulti", Kind: mcp.ChoicesField, Choices: []mcp.FormChoice{
		{Value: "option1"}, {Value: "option2"}, {Value: "option3"},
	}},
	{Name: "titledMulti", Kind: mcp.ChoicesField, Choices: []mcp.FormChoice{
		{Value: "value1", Title: "First Choice"}, {Value: "value2", Title: "Second Choice"}, {Value: "value3", Title: "Third Choice"},
	}},
}}

// elicitationSep1330Enums shows a form with choices of every kind.
//
//mcp:tool requires=elicitation
func elicitationSep1330Enums(ctx context.Context) (string, error) {
	answer, err := mcp.ElicitFields(ctx, "Please choose.", choices)
	if err != nil {
		return "", err
	}
	return "Elicitation completed: " + describe(answer), nil
}
