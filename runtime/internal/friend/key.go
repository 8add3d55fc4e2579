// Package friend opens packages mcp and mcphttp to a few packages of this module.
//
// Packages mcpimpl, mcptask, mcptest, mcpfind and mcpskill need functions of package mcp that
// people do not use. Package mcp returns each group of them in a struct, from a function that takes
// a [Key]. Package mcpauth uses a key for an option of package mcphttp. Other modules cannot name
// this type. A program links a group only if it calls that function.
package friend

// Key is the parameter of functions for packages of this module.
type Key struct{}

// Choices are the values of an argument that are known when features are registered.
type Choices struct {
	Function string // named in the schema and the decoder
	Argument string // the completed argument, of prompts and templates
	Values   []string
}
