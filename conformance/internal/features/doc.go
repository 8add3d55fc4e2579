// Package conformance offers what the official conformance suite of the Model
// Context Protocol asks of a server: tools, resources and prompts of given names
// that behave in given ways, in every revision at once. The program in server
// serves it, and the script run lets the suite at that.
//
// It is annotated and generated as any package is. What no directive can say is
// made by hand, with the reason beside it: the tool of schema.go, and the form of
// choices.go.
//
//mcp:server name=conformance title="Conformance fixture" description="What the official conformance suite asks of a server."
//mcp:defaults prefix=test readonly closedworld errors=text
package features

//go:generate go run github.com/mcpgen/mcpgen/cmd/mcpgen
