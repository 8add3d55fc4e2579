// Package observed contains a tool for the programs prometheus and otlp, which record its calls
// with OpenTelemetry. It is a separate module, since exporters have many dependencies.
//
//mcp:defaults errors=declared
package observed

import (
	"context"

	"github.com/mcpgen/mcpgen/runtime/mcp"
)

//go:generate go tool mcpgen

// Shop sells books.
type Shop struct {
	Prices map[string]int // in cents, by title
}

// NewShop returns a shop with two books.
func NewShop() *Shop { return &Shop{map[string]int{"Emma": 900, "Persuasion": 1100}} }

// Price returns the price of a book in cents.
//
//mcp:tool name=get_price readonly closedworld
func (s *Shop) Price(
	_ context.Context,
	title string, // the title of the book
) (int, error) {
	price, ok := s.Prices[title]
	if !ok {
		return 0, mcp.Errorf("there is no book %q", title)
	}
	return price, nil
}
