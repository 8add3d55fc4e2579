// Package friend opens packages mcp and mcphttp to a few packages of this module.
//
// Packages mcpimpl, mcptask, mcptest and mcpfind need functions of package mcp that people do not
// use. Package mcp returns each group of them in a struct, from a function that takes a [Key].
// Package mcpauth has the key for an option of package mcphttp. Other modules cannot name its type. A program links a group only if it calls that function.
package friend

// Key is the parameter of functions for packages of this module.
type Key struct{}

// Choices are the values of an argument that are known when features are registered.
type Choices struct {
	Function string // as the schema and the decoder name them
	Argument string // that is completed, of prompts and templates
	Values   []string
}
