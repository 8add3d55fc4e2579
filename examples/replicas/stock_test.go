package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/mcpgen/mcpgen/runtime/mcpclient"
	"github.com/mcpgen/mcpgen/runtime/mcpnats/embedded"
	"github.com/mcpgen/mcpgen/runtime/mcptest"
)

// startNATS starts a server in this process, and returns two connections.
func startNATS(t *testing.T) (one, other *nats.Conn) {
	t.Helper()
	s, err := embedded.Start(embedded.Options{Dir: t.TempDir(), MaxStore: 1 << 40, MaxMemory: 1 << 40})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close(context.Background()) })
	both := make([]*nats.Conn, 2)
	for i := range both {
		if both[i], err = s.Connect(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(both[i].Close)
	}
	return both[0], both[1]
}

// newShops returns two replicas of a shop with a stock of each item.
func newShops(t *testing.T, copies int) (one, other *Shop) {
	t.Helper()
	a, b := startNATS(t)
	shops := make([]*Shop, 0, 2)
	for _, nc := range []*nats.Conn{a, b} {
		js, err := jetstream.New(nc)
		if err != nil {
			t.Fatal(err)
		}
		stock, err := openStock(t.Context(), js, false, copies)
		if err != nil {
			t.Fatal(err)
		}
		shops = append(shops, &Shop{stock: stock, changed: func(string) {}})
	}
	return shops[0], shops[1]
}

// The sum of sold and available copies stays correct under concurrency, and an order with a known
// reference returns the earlier order.
func TestOrders(t *testing.T) {
	one, other := newShops(t, 30)
	var ordering sync.WaitGroup
	var sold, refused atomic.Int64
	for i := range 60 {
		shop := []*Shop{one, other}[i%2]
		ordering.Go(func() {
			switch _, err := shop.Order(t.Context(), "cup", 1, fmt.Sprint("order-", i/2)); { // each reference at both
			case err == nil:
				sold.Add(1)
			case errors.Is(err, ErrOutOfStock):
				refused.Add(1)
			default:
				t.Error(err)
			}
		})
	}
	ordering.Wait()
	got, err := one.LookUp(t.Context(), "cup")
	if err != nil || sold.Load() != 60 || got.Left != 0 || got.Sold != 30 || got.Received != 30 {
		t.Errorf("%d calls succeeded, %d were refused: %+v, %v", sold.Load(), refused.Load(), got, err)
	}
	for _, c := range []struct {
		item      string
		copies    int
		reference string
		want      error
	}{
		{"cup", 1, "late", ErrOutOfStock},
		{"cup", 2, "order-1", ErrOtherOrder},
		{"cup", 1, "order-1", nil},
		{"teapot", 10, "all", nil},
		{"teapot", 21, "more", ErrOutOfStock},
		{"spoon", 1, "x", ErrNoItem},
		{"", 1, "x", ErrNoItem},
	} {
		if _, err := other.Order(t.Context(), c.item, c.copies, c.reference); !errors.Is(err, c.want) {
			t.Errorf("order %d × %q as %s: %v, want %v", c.copies, c.item, c.reference, err, c.want)
		}
	}
	if _, found, err := one.StockOf(t.Context(), "spoon"); found || err != nil {
		t.Errorf("the stock of what is not sold: %t, %v", found, err)
	}
}

// A record keeps its sum while old sales and deliveries are dropped.
func TestRecordIsBounded(t *testing.T) {
	r := record{Received: 10_000, Left: 10_000}
	for i := range 3 * maxSales {
		r.sell(sale{Reference: fmt.Sprint(i), Copies: 1 + i%3})
		if i%5 == 0 {
			r.takeBack(r.find("", fmt.Sprint(i)))
		}
		if i%7 == 0 && (!r.receive(fmt.Sprint("delivery ", i), 2) || r.receive(fmt.Sprint("delivery ", i), 2)) {
			t.Errorf("delivery %d was not added once", i)
		}
		sum := r.Left + r.Settled
		for _, s := range r.Sales {
			sum += s.Copies
		}
		if sum != r.Received || len(r.Sales) > maxSales || len(r.Deliveries) > maxDeliveries {
			t.Fatalf("after %d sales: %d of %d copies, %d sales, %d deliveries", i, sum, r.Received, len(r.Sales), len(r.Deliveries))
		}
	}
	if r.find("", "0") >= 0 || r.find("", fmt.Sprint(3*maxSales-1)) < 0 || r.find("another", fmt.Sprint(3*maxSales-1)) >= 0 {
		t.Error("other sales are known than the newest of the caller")
	}
}

// The tools through the protocol, in both eras.
func TestTools(t *testing.T) {
	for _, revision := range []string{"2025-11-25", "2026-07-28"} {
		t.Run(revision, func(t *testing.T) {
			shop, _ := newShops(t, 5)
			confirm := true
			c := mcptest.New(t, newServer(shop), mcptest.Options{
				Revision: revision,
				Elicit: func(context.Context, *mcpclient.Elicitation) mcpclient.ElicitAnswer {
					return mcpclient.Accept(Cancellation{Confirm: confirm})
				},
			})
			watch := c.Watch(mcpclient.Filter{URIs: []string{"shop://stock/kettle"}})
			order := mcptest.Call[Order](c, "order", map[string]any{"item": "kettle", "copies": 2, "reference": "a"})
			if order.TotalCents != 9800 {
				t.Errorf("%+v", order)
			}
			if change := watch.Next(); change.URI != "shop://stock/kettle" {
				t.Errorf("notified of %+v", change)
			}
			confirm = false
			if r, err := c.Start("cancel_order", map[string]any{"item": "kettle", "reference": "a"}).Result(); err != nil || !r.IsError {
				t.Error("the order was cancelled against the will of the user")
			}
			confirm = true
			item := mcptest.Call[Item](c, "cancel_order", map[string]any{"item": "kettle", "reference": "a"})
			if item.Left != 5 || item.Sold != 0 {
				t.Errorf("after the cancellation: %+v", item)
			}
			if r, err := c.Start("cancel_order", map[string]any{"item": "kettle", "reference": "a"}).Result(); err != nil || !r.IsError {
				t.Error("the order was cancelled twice")
			}
			items := mcptest.Task[[]Item](c, "restock", map[string]any{"copies": 7})
			for _, i := range items {
				if i.Left != 12 || i.Received != 12 {
					t.Errorf("after the delivery: %+v", i)
				}
			}
			if text := c.Read("shop://stock/cup").Contents[0].Text; text != `{"id":"cup","title":"Cup and saucer","priceCents":1150,"left":12,"sold":0,"received":12}` {
				t.Errorf("the resource is %s", text)
			}
		})
	}
}
