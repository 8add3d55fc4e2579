// Package mcpgen serves the catalogue by annotated functions, like a program of a user. Its
// programs are in stdio and http.
//
//mcp:server name=catalog version=1.0.0
package mcpgen

import (
	"context"

	"github.com/mcpgen/mcpgen/bench/catalog"
	"github.com/mcpgen/mcpgen/runtime/mcp"
)

//go:generate go tool mcpgen

// Add adds two numbers.
//
//mcp:tool readonly
func Add(a, b int64) catalog.Sum { return catalog.Add(a, b) }

// Search finds books.
//
//mcp:tool readonly
func Search(q catalog.Query) catalog.Hits { return catalog.Search(&q) }

// Text returns the text.
//
//mcp:tool readonly
//mcp:arg text "any text" maxLength=1048576
func Text(text string) string { return catalog.Text(text) }

// Records returns the first lines of the ledger.
//
//mcp:tool readonly
//mcp:arg count "how many" minimum=1 maximum=5000
func Records(count int) catalog.Records { return catalog.List(count) }

// Report tells ten times how far it has come.
//
//mcp:tool readonly
func Report(ctx context.Context) string { return catalog.Report(ctx, mcp.Progress) }

// Book returns a book.
//
//mcp:resource catalog://books/{id} name=book mime=application/json
func Book(id int64) (catalog.Book, error) { return catalog.BookAt(id) }
