// Package features implements the features that the official conformance suite of the Model Context
// Protocol requires of a server: tools, resources and prompts with given names and behavior, in
// every revision. The program in server serves it, and the script run runs the suite against it.
//
// It is annotated and generated like any package. Features that directives cannot express are
// written by hand, with the reason beside them: the tool of schema.go, and the form of choices.go.
//
//mcp:server name=conformance title="Conformance fixture" description="What the official conformance suite asks of a server."
//mcp:defaults prefix=test readonly closedworld errors=text
package features

//go:generate go run github.com/mcpgen/mcpgen/cmd/mcpgen
