// Package public is the server for customers.
//
//mcp:server name=shop title="The shop"
//mcp:defaults errors=declared
//mcp:from github.com/mcpgen/mcpgen/examples/wiring/catalogue group=public
//mcp:from github.com/mcpgen/mcpgen/examples/wiring/orders group=public
package public

import (
	"context"

	"github.com/mcpgen/mcpgen/examples/wiring/catalogue"
	"github.com/mcpgen/mcpgen/examples/wiring/orders"
	"github.com/mcpgen/mcpgen/runtime/mcp"
)

//go:generate go tool mcpgen

// customer returns the customer of the connection.
//
//mcp:inject
func customer(ctx context.Context) (orders.Customer, error) {
	if id := mcp.CallFrom(ctx).Principal().ID; id != "" {
		return orders.Customer(id), nil
	}
	return "guest", nil
}

// TryOut creates the desk for mcpgen call and mcpgen run.
//
//mcp:constructor
func TryOut() (*orders.Desk, func(), error) {
	store, closeStore, err := catalogue.Open()
	return orders.NewDesk(store), closeStore, err
}
