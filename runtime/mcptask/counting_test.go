package mcptask_test

import (
	"context"
	"iter"
	"sync/atomic"
	"time"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcptask"
)

// counting counts the calls of a task on its store. Servers claim tasks of a store that is given to
// them.
type counting struct {
	mcptask.Store
	calls   atomic.Int32 // of all
	updates atomic.Int32
	gets    atomic.Int32
	found   atomic.Int32 // calls of Get that return a record
}

func (c *counting) Create(ctx context.Context, r *mcptask.Record, q mcptask.Quota, lease time.Duration) error {
	c.calls.Add(1)
	return c.Store.Create(ctx, r, q, lease)
}

func (c *counting) Get(ctx context.Context, k mcptask.Key) (*mcptask.Record, error) {
	c.calls.Add(1)
	c.gets.Add(1)
	r, err := c.Store.Get(ctx, k)
	if err == nil {
		c.found.Add(1)
	}
	return r, err
}

func (c *counting) Update(ctx context.Context, r *mcptask.Record) error {
	c.calls.Add(1)
	c.updates.Add(1)
	return c.Store.Update(ctx, r)
}

func (c *counting) Watch(ctx context.Context, k mcptask.Key) iter.Seq2[*mcptask.Record, error] {
	c.calls.Add(1)
	return c.Store.Watch(ctx, k)
}

func (c *counting) CountActive(ctx context.Context, account mcptask.Digest) (int, error) {
	c.calls.Add(1)
	return c.Store.CountActive(ctx, account)
}

func plainTool(name string, f func(ctx context.Context) (string, error)) mcp.Feature {
	return mcp.NewTool(mcp.ToolInfo{Name: name, InputSchema: schema}, handler(f))
}
