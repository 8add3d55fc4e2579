//go:build !unix

package mcp

const flagNonblock = 0
