package main

import (
	"context"
	"fmt"

	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// Order is a sale as its caller sees it.
type Order struct {
	Item      string `json:"item"`
	Reference string `json:"reference"`
	Copies    int    `json:"copies"`
	// TotalCents is the price of the copies, in euro cents.
	TotalCents int `json:"totalCents"`
}

// Order orders copies of an item: all of them or none. A repeated call with the same reference is
// the same order, so it can be repeated if its result was lost.
//
//mcp:tool additive idempotent
//mcp:arg item "the id of the item, such as teapot"
//mcp:arg copies "how many copies" default=1 minimum=1 maximum=10
//mcp:arg reference "a name of your own for the order, new for each one" pattern=`^[a-z0-9-]{1,40}$`
func (s *Shop) Order(ctx context.Context, item string, copies int, reference string) (Order, error) {
	p, err := productOf(item)
	if err != nil {
		return Order{}, err
	}
	caller, sold := callerOf(ctx), false
	err = s.stock.update(ctx, item, func(r *record) (write bool, err error) {
		if i := r.find(caller, reference); i >= 0 {
			if r.Sales[i].Copies != copies {
				return false, ErrOtherOrder
			}
			return false, nil // by an earlier call, or an earlier try
		}
		if r.Left < copies {
			return false, fmt.Errorf("%w: %d", ErrOutOfStock, r.Left)
		}
		r.sell(sale{Caller: caller, Reference: reference, Copies: copies})
		sold = true
		return true, nil
	})
	if err != nil {
		return Order{}, err
	}
	if sold {
		s.changed(item)
	}
	return Order{Item: item, Reference: reference, Copies: copies, TotalCents: copies * p.priceCents}, nil
}

// callerOf returns the sender of the request: "" for every caller without authentication.
func callerOf(ctx context.Context) string { return mcp.CallFrom(ctx).Principal().ID }

// Cancellation is the form to confirm the cancellation of an order.
//
//mcp:form
type Cancellation struct {
	// Confirm is whether the order is cancelled.
	Confirm bool `json:"confirm" jsonschema:"title=Cancel the order"`
}

// CancelOrder cancels an order of yours after the user has agreed. Its copies can be ordered again.
//
//mcp:tool destructive
//mcp:arg item "the id of the item of the order"
//mcp:arg reference "the name that you gave to the order"
func (s *Shop) CancelOrder(ctx context.Context, item, reference string) (Item, error) {
	p, err := productOf(item)
	if err != nil {
		return Item{}, err
	}
	caller := callerOf(ctx)
	r, err := s.stock.read(ctx, item)
	if err != nil {
		return Item{}, err
	}
	i := r.find(caller, reference)
	if i < 0 {
		return Item{}, ErrNoOrder
	}
	answer, err := mcp.Elicit[Cancellation](ctx, fmt.Sprintf("Cancel the order %s of %d × %s?", reference, r.Sales[i].Copies, p.title))
	if err != nil {
		return Item{}, err // the client cannot ask, or the question is open
	}
	if !answer.Accepted() || !answer.Value.Confirm {
		return Item{}, ErrKept
	}
	err = s.stock.update(ctx, item, func(r *record) (write bool, err error) {
		i := r.find(caller, reference) // the answer may have taken long
		if i < 0 {
			return false, nil
		}
		r.takeBack(i)
		return true, nil
	})
	if err != nil {
		return Item{}, err
	}
	s.changed(item)
	return s.LookUp(ctx, item)
}
