package main

import (
	"context"
	"crypto/rand"
	"time"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcptask"
)

// Restock has the supplier deliver copies of every item, one after the other, and returns the stock
// at the end. That takes a while: the call is a task for clients that have tasks. If the replica
// that runs it is lost, another one goes on.
//
//mcp:tool additive task=optional inline=0 restart timeout=10m
//mcp:arg copies "how many copies of each item" default=10 minimum=1 maximum=100
func (s *Shop) Restock(ctx context.Context, copies int) ([]Item, error) {
	// A replica may add a delivery and die before it stores the step as done. The next run then
	// adds the delivery again, which is harmless, because it has the same name.
	delivery := rand.Text()
	if task := mcptask.FromContext(ctx); task != nil {
		delivery = task.ID
	}
	for i, p := range catalogue {
		mcp.Progress(ctx, float64(i), float64(len(catalogue)), "waiting for "+p.title)
		if _, err := mcp.Once(ctx, p.id, func() (bool, error) { return true, s.deliver(ctx, p.id, delivery, copies) }); err != nil {
			return nil, err
		}
	}
	return s.ListStock(ctx)
}

// deliver waits for the supplier, and adds the delivered copies to the stock.
func (s *Shop) deliver(ctx context.Context, item, delivery string, copies int) error {
	select {
	case <-time.After(s.supplierTime):
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	added := false
	err := s.stock.update(ctx, item, func(r *record) (write bool, err error) {
		if r.receive(delivery, copies) {
			added = true
			return true, nil
		}
		return false, nil
	})
	if added && err == nil {
		s.changed(item)
	}
	return err
}
