// Package bookstore is a small bookshop over an SQLite database, filled with classics that are in
// the public domain.
//
// It is an ordinary Go package: programs and tests can import and call all of it without mcpgen.
// The comments that begin with //mcp: select the methods that an MCP client may call, too; mcpgen
// generates mcp_gen.go from them.
//
//mcp:server title=Bookstore website="https://github.com/mcpgen/mcpgen"
//mcp:defaults errors=declared closedworld timeout=30s
//mcp:ignore rounded-id SQLite numbers the rows from 1.
package bookstore

//go:generate go tool mcpgen
//go:generate go tool mcpgen docs -o reference.md .
