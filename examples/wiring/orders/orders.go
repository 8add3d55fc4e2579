// Package orders takes orders.
//
//mcp:defaults emit=none closedworld
package orders

import (
	"sync"

	"github.com/mcpgen/mcpgen/examples/wiring/catalogue"
)

// Customer is who orders. The model never chooses it.
type Customer string

// Order is an order of a customer.
type Order struct {
	Number   int      `json:"number"`
	Customer Customer `json:"customer"`
	Article  string   `json:"article"`
	Cents    int      `json:"cents"`
}

// Desk takes the orders.
type Desk struct {
	store *catalogue.Store

	mu     sync.Mutex
	orders []Order
}

// NewDesk returns a desk without orders.
func NewDesk(store *catalogue.Store) *Desk { return &Desk{store: store} }

// Place orders an article at its present price.
//
//mcp:tool additive group=public
func (d *Desk) Place(
	by Customer,
	article string, // its name
) (Order, error) {
	cents, err := d.store.Price(article)
	if err != nil {
		return Order{}, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	o := Order{len(d.orders) + 1, by, article, cents}
	d.orders = append(d.orders, o)
	return o, nil
}

// List lists all orders.
//
//mcp:tool readonly group=staff
func (d *Desk) List() []Order {
	d.mu.Lock()
	defer d.mu.Unlock()
	return append([]Order{}, d.orders...)
}
