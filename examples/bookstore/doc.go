// Package bookstore is a small bookshop over an SQLite database, filled with classics that are in
// the public domain.
//
// It is an ordinary Go package: everything in it can be called, tested and imported as it stands.
// The comments that begin with //mcp: select the methods that an MCP client may call, too; mcpgen
// generates mcp_gen.go from them.
//
//mcp:server title=Bookstore website="https://github.com/mcpgen/mcpgen"
//mcp:defaults errors=declared closedworld timeout=30s
//mcp:ignore rounded-id SQLite numbers the rows from 1.
package bookstore

//go:generate go tool mcpgen
//go:generate go tool mcpgen docs -o reference.md .
