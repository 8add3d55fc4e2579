// Package check tests that two servers are connected to one shop.
package check

import (
	"slices"
	"testing"

	"github.com/mcpgen/mcpgen/examples/wiring/orders"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcptest"
)

// Shop orders at the public server and checks the order at the staff server.
func Shop(t *testing.T, public, staff *mcp.Server) {
	t.Helper()
	customer := mcptest.New(t, public, mcptest.Options{})
	clerk := mcptest.New(t, staff, mcptest.Options{})
	if got, want := names(customer), []string{"place", "search"}; !slices.Equal(got, want) {
		t.Errorf("customers see %q, want %q", got, want)
	}
	if got, want := names(clerk), []string{"orders_list", "search", "set_price"}; !slices.Equal(got, want) {
		t.Errorf("the staff sees %q, want %q", got, want)
	}
	clerk.Call("set_price", map[string]any{"name": "cup", "cents": 700})
	placed := mcptest.Call[orders.Order](customer, "place", map[string]any{"article": "cup"})
	if want := (orders.Order{Number: 1, Customer: "guest", Article: "cup", Cents: 700}); placed != want {
		t.Errorf("ordered %+v, want %+v", placed, want)
	}
	if all := mcptest.Call[[]orders.Order](clerk, "orders_list", nil); !slices.Equal(all, []orders.Order{placed}) {
		t.Errorf("the orders are %+v", all)
	}
	if said := customer.CallError("place", map[string]any{"article": "car"}); said != "There is no such article. Search for it first." {
		t.Errorf("of what there is none of it says %q", said)
	}
}

func names(c *mcptest.Client) []string {
	var all []string
	for _, tool := range c.Tools() {
		all = append(all, tool.Name)
	}
	return all
}
