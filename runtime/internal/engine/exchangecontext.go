package engine

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
	x *Exchange

	mu     sync.Mutex
	made   context.Context // below that of the connection; nil until first use
	cancel context.CancelCauseFunc
	ended  bool
	cause  error
	inner  *Exchange // that runs the handler of the request; nil if that is the same

	parentOfRun context.Context // instead of that of the connection; does not change
}

// Stop ends the context of the handlers. A nil cause means [context.Canceled].
func (x *Exchange) Stop(cause error) {
	x.Ctx.End(cause)
	if r := x.Ctx.handler(); r != nil {
		r.Ctx.End(cause)
	}
}

// handler returns the exchange of the handler of a request, nil if that is the same.
func (c *exchangeContext) handler() *Exchange {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.inner
}

// SetRun sets the exchange that runs the handler of the request, nil for the request itself.
func (c *exchangeContext) SetRun(r *Exchange) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.inner = r
}

// endHandlerLocked ends what the handler of a request sends to its client, if the handler has an
// exchange of its own: before the reply, or without one. The caller holds Conn.mu.
func (x *Exchange) endHandlerLocked(reply bool) {
	r := x.Ctx.handler()
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
func (c *Conn) stopHandlers(cause error) {
	c.mu.Lock()
	all := c.inflight.all()
	c.mu.Unlock()
	for _, x := range all {
		if r := x.Ctx.handler(); r != nil {
			r.Ctx.End(cause)
		}
	}
}

// End ends the context. A nil cause means [context.Canceled].
func (c *exchangeContext) End(cause error) {
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

// parent is the context of the connection, or that of a run.
func (c *exchangeContext) parent() context.Context {
	if c.parentOfRun != nil {
		return c.parentOfRun
	}
	return c.x.conn.Ctx
}

// Made returns the context that package context knows.
func (c *exchangeContext) Made() context.Context {
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

func (c *exchangeContext) Done() <-chan struct{} { return c.Made().Done() }

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
	if value := c.x.call.Value(key); value != nil {
		return value
	}
	values := c.x.From.Values // of the transport, besides; nil where there are none
	if value := c.Made().Value(key); value != nil || values == nil {
		return value
	}
	return values.Value(key)
}
