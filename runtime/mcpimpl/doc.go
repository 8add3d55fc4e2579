// Package mcpimpl contains the functions that only generated code calls: do not use it in code
// written by hand.
//
// A file mcp_gen.go creates features from functions and methods ([FuncTool], [MethodTool]), reads
// arguments ([Decoder]) and writes results ([Encoder], [Structured]). Features written by hand use
// package mcp: mcp.NewTool and similar functions.
//
// The package stays compatible with every generated file of the same major version. A generated
// file that is newer than the runtime does not compile: see [AtLeast_v1_0].
package mcpimpl
