package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// product is an article of the shop. Only the stock changes, so the bucket contains only the stock.
type product struct {
	id, title  string
	priceCents int
}

var catalogue = []product{
	{"kettle", "Enamel kettle", 4900},
	{"teapot", "Teapot for two", 3200},
	{"cup", "Cup and saucer", 1150},
	{"strainer", "Tea strainer", 800},
}

// productOf returns the product with an id.
func productOf(item string) (product, error) {
	i := slices.IndexFunc(catalogue, func(p product) bool { return p.id == item })
	if i < 0 {
		return product{}, fmt.Errorf("%w: %q", ErrNoItem, item)
	}
	return catalogue[i], nil
}

// ErrNoItem is returned for an item that the shop does not sell.
//
//mcp:error
var ErrNoItem = errors.New("the shop has no such item")

// ErrOutOfStock is returned if fewer copies are left than ordered.
//
//mcp:error
var ErrOutOfStock = errors.New("not enough copies are left")

// ErrOtherOrder is returned if the reference belongs to an order of something else.
//
//mcp:error
var ErrOtherOrder = errors.New("there is another order with this reference: choose another reference")

// ErrNoOrder is returned if the caller has no such order.
//
//mcp:error
var ErrNoOrder = errors.New("you have no such order, or it is too old to be cancelled")

// ErrKept is returned if the user does not want an order to be cancelled.
//
//mcp:error
var ErrKept = errors.New("the user wants to keep the order")

// Shop is one replica of the shop. It is safe for concurrent use.
type Shop struct {
	stock *stock
	// changed notifies clients of a new stock of an item.
	changed func(item string)
	// supplierTime is the time that the supplier takes for the copies of one item.
	supplierTime time.Duration
}

// newServer returns the server of a shop. It notifies clients of stock changes.
func newServer(shop *Shop, options ...mcp.Option) *mcp.Server {
	server := NewMCPServer(shop, options...)
	shop.changed = func(item string) {
		server.ResourceUpdated(mcp.ExpandURI("shop://stock/{item}", "item", item))
		server.ResourceUpdated("shop://stock")
	}
	return server
}

// Item is a product with its stock.
type Item struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	// PriceCents is the price of one copy, in euro cents.
	PriceCents int `json:"priceCents"`
	// Left is the number of copies that can be ordered.
	Left int `json:"left"`
	// Sold is the number of copies that were ordered.
	Sold int `json:"sold"`
	// Received is the number of copies that have come in: those that are left and those that were
	// sold.
	Received int `json:"received"`
}

// ListStock returns what the shop sells, with the copies that are left.
//
//mcp:tool readonly
//mcp:resource shop://stock title="The stock"
func (s *Shop) ListStock(ctx context.Context) ([]Item, error) {
	var items []Item
	for _, p := range catalogue {
		item, err := s.LookUp(ctx, p.id)
		if err != nil {
			return nil, err
		}
		items = append(items, item)
	}
	return items, nil
}

// LookUp returns one item of the shop, with the copies that are left.
//
//mcp:tool readonly
//mcp:arg item "the id of the item, such as teapot"
func (s *Shop) LookUp(ctx context.Context, item string) (Item, error) {
	p, err := productOf(item)
	if err != nil {
		return Item{}, err
	}
	r, err := s.stock.read(ctx, item)
	if err != nil {
		return Item{}, err
	}
	sold := r.Settled
	for _, sale := range r.Sales {
		sold += sale.Copies
	}
	return Item{ID: p.id, Title: p.title, PriceCents: p.priceCents, Left: r.Left, Sold: sold, Received: r.Received}, nil
}

// StockOf is the stock of one item. found is false if there is no such item.
//
//mcp:resource shop://stock/{item} title="The stock of an item"
func (s *Shop) StockOf(ctx context.Context, item string) (stock Item, found bool, err error) {
	stock, err = s.LookUp(ctx, item)
	if errors.Is(err, ErrNoItem) {
		return Item{}, false, nil
	}
	return stock, err == nil, err
}
