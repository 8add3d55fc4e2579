// Package mcpimpl is what only generated code calls: do not use it in code written by hand.
//
// A file mcp_gen.go makes features from functions and methods ([FuncTool], [MethodTool]), reads
// arguments ([Decoder]) and writes results ([Encoder], [Structured]). People who write features by
// hand use package mcp, which has mcp.NewTool and the functions beside it.
//
// The package stays compatible with every generated file of the same major version. A file that is
// newer than the runtime does not compile: see [AtLeast_v1_0].
package mcpimpl
