package mcp

import (
	"context"
	"sync"
	"time"
)

// exchangeContext is the context of the handlers, with the call among its values.
//
// Most short calls do not use it. So the channel of Done, and the context of package context that
// has the cause of its end, are made at first use.
// With a context of package context for each call, small calls at 64 at a time need 8 %
// more CPU time and nested ones 15 %.
type exchangeContext struct {
	x *exchange

	mu     sync.Mutex
	made   context.Context // below that of the connection; nil until first use
	cancel context.CancelCauseFunc
	ended  bool
	cause  error
	inner  *exchange // that runs the handler while the call may become a task; otherwise nil
}

type exchangeKey struct{}

// stop ends the context of the handlers. A nil cause means [context.Canceled].
func (x *exchange) stop(cause error) {
	x.ctx.end(cause)
	if r := x.ctx.handler(); r != nil {
		r.ctx.end(cause)
	}
}

// handler returns the exchange of the handler of a request, nil if that is the same.
func (c *exchangeContext) handler() *exchange {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.inner
}

func (c *exchangeContext) setHandler(r *exchange) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.inner = r
}

// endHandlerLocked ends what the handler of a request sends to its client, if the handler has an
// exchange of its own: before the reply, or without one. The caller holds conn.mu.
func (x *exchange) endHandlerLocked(reply bool) {
	r := x.ctx.handler()
	if r == nil || r.answered {
		return
	}
	if reply {
		r.closeNoticesLocked()
	} else {
		r.dropNoticesLocked()
	}
	r.answered = true
}

// stopHandlers ends the contexts of handlers that have exchanges of their own, of the requests in
// flight.
func (c *conn) stopHandlers(cause error) {
	c.mu.Lock()
	all := c.inflight.all()
	c.mu.Unlock()
	for _, x := range all {
		if r := x.ctx.handler(); r != nil {
			r.ctx.end(cause)
		}
	}
}

func (c *exchangeContext) end(cause error) {
	c.mu.Lock()
	if !c.ended {
		c.ended, c.cause = true, cause
	}
	cancel := c.cancel
	c.mu.Unlock()
	if cancel != nil {
		cancel(cause)
	}
}

// parent is the context of the connection. That of a handler whose call may become a task has only
// values, and does not end.
func (c *exchangeContext) parent() context.Context {
	if c.x.part != nil {
		return c.x.part.parent()
	}
	return c.x.conn.ctx
}

// make returns the context that package context knows.
func (c *exchangeContext) make() context.Context {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.made == nil {
		c.made, c.cancel = context.WithCancelCause(c.parent())
		if c.ended {
			c.cancel(c.cause)
		}
	}
	return c.made
}

func (c *exchangeContext) Deadline() (time.Time, bool) { return c.parent().Deadline() }

func (c *exchangeContext) Done() <-chan struct{} { return c.make().Done() }

func (c *exchangeContext) Err() error {
	c.mu.Lock()
	made, ended := c.made, c.ended
	c.mu.Unlock()
	switch {
	case made != nil:
		return made.Err()
	case ended:
		return context.Canceled
	}
	return c.parent().Err()
}

func (c *exchangeContext) Value(key any) any {
	switch key.(type) {
	case callKey:
		return &c.x.call
	case exchangeKey:
		return c.x
	}
	values := c.x.from.values // of the transport, besides; nil where there are none
	if value := c.make().Value(key); value != nil || values == nil {
		return value
	}
	return values.Value(key)
}

// exchangeFrom returns the request that ctx belongs to, nil where there is none.
func exchangeFrom(ctx context.Context) *exchange {
	x, _ := ctx.Value(exchangeKey{}).(*exchange)
	return x
}
