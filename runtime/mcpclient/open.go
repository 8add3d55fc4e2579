package mcpclient

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/dial"
)

// opening is an attempt to connect that callers wait for.
type opening struct {
	done  chan struct{}
	clock *openClock
	conn  *connection
	err   error
}

// connected returns the connection, and opens one if necessary. One goroutine at a time opens a
// connection, for all callers.
func (c *Client) connected(ctx context.Context) (*connection, error) {
	c.mu.Lock()
	switch {
	case c.closed:
		c.mu.Unlock()
		return nil, c.err
	case c.current != nil && !c.current.isGone():
		x := c.current
		c.mu.Unlock()
		return x, nil
	case ctx.Err() != nil:
		c.mu.Unlock()
		return nil, context.Cause(ctx)
	case c.opening == nil:
		o := &opening{done: make(chan struct{})}
		c.opening = o
		c.spawnLocked(func() { c.open(o) })
	}
	o := c.opening
	c.mu.Unlock()
	select {
	case <-o.done:
		return o.conn, o.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// connectedFor calls connected within the time of a request.
func (c *Client) connectedFor(ctx context.Context, o *requestOptions) (*connection, error) {
	c.mu.Lock()
	x := c.current
	c.mu.Unlock()
	if x != nil && !x.isGone() { // the usual case, which needs no timer
		return x, nil
	}
	ctx, cancel := o.within(ctx)
	defer cancel()
	return c.connected(ctx)
}

// within returns a context that also ends with the time of the request.
func (o *requestOptions) within(ctx context.Context) (context.Context, context.CancelFunc) {
	if o.deadline.IsZero() {
		return ctx, func() {}
	}
	return context.WithDeadlineCause(ctx, o.deadline, errMaxTime)
}

// open connects for all waiting callers.
func (c *Client) open(o *opening) {
	c.mu.Lock()
	again := c.opened
	c.mu.Unlock()
	ctx, clock, end := startOpenClock(c.ctx, &c.limits)
	defer end()
	c.mu.Lock()
	o.clock = clock
	c.mu.Unlock()
	x, err := c.openUntil(ctx)
	if x != nil {
		c.restore(ctx, x, again)
	}
	c.mu.Lock()
	defer func() {
		c.mu.Unlock()
		close(o.done)
		if x != nil && x.isGone() {
			c.lostConnection(x, x.why()) // does nothing if lostConnection was called before
		}
	}()
	c.opening = nil
	if err == nil && c.closed {
		err = c.err
	}
	if err != nil {
		o.err = err
		if x != nil {
			c.spawnLocked(func() { x.fail(err) })
		}
		return
	}
	c.current, c.opened, c.openedAt = x, true, time.Now()
	c.revision.Store(x.revision.Load())
	o.conn = x
	kind := Connected
	if again {
		kind = Reconnected
	}
	c.events.state(State{Kind: kind})
}

// openUntil connects, and tries again as long as that may help.
func (c *Client) openUntil(ctx context.Context) (*connection, error) {
	var before error // of the last attempt
	for attempt := 1; ; attempt++ {
		if err := c.exits.givenUp(); err != nil {
			return nil, err
		}
		x, err := c.openOnce(ctx)
		if err == nil {
			return x, nil
		}
		if ctx.Err() != nil {
			return nil, c.openError(ctx, err, before)
		}
		if !errors.Is(err, ErrTimeout) { // any other error is more specific
			before = err
		}
		if err := c.exits.givenUp(); err != nil {
			return nil, err
		}
		after, again := mayOpenAgain(err)
		if !again || attempt >= c.retry.Attempts {
			return nil, err
		}
		if sleep(ctx, c.ctx, c.retry.backoff(attempt, after)) != nil {
			return nil, err // the error is more specific than the timeout
		}
	}
}

// openError returns the error for an opening that has timed out, together with the last error, or
// the error of the attempt before, if it is more specific.
func (c *Client) openError(ctx context.Context, err, before error) error {
	cause := context.Cause(ctx)
	if errors.Is(err, cause) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		err = before
	}
	if err == nil {
		return cause
	}
	return &timeoutError{cause, unnamed(c.wrap("", err))}
}

// timeoutError is a timeout with the error before it.
type timeoutError struct{ cause, last error }

func (e *timeoutError) Error() string   { return e.cause.Error() + "; before that: " + e.last.Error() }
func (e *timeoutError) Unwrap() []error { return []error{e.cause, e.last} }

// mayOpenAgain reports whether a later attempt may succeed, and when.
func mayOpenAgain(err error) (after time.Duration, again bool) {
	if s, ok := errors.AsType[*dial.Status](err); ok {
		switch s.Status {
		case 408, 421, 425, 429: // as in classifyStatus
			return s.RetryAfter, true
		}
		return s.RetryAfter, s.Status >= 500
	}
	if e, ok := errors.AsType[*dial.Error](err); ok {
		return 0, e.Again
	}
	if _, ok := errors.AsType[*dial.Exit](err); ok {
		return 0, true
	}
	_, ok := errors.AsType[*lost](err)
	return 0, ok || errors.Is(err, ErrTimeout)
}

// A program that exits this often within this time is not started again.
const (
	maxExits = 5
	exitTime = time.Minute
)

// exits records the last exits of programs.
type exits struct {
	mu   sync.Mutex // no other lock is acquired while it is held
	last []exited
}

type exited struct {
	at  time.Time
	err *dial.Exit
}

// note records why a connection was closed.
func (e *exits) note(why error) {
	exit, ok := errors.AsType[*dial.Exit](why)
	if !ok {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.last = append(e.last, exited{time.Now(), exit})
	e.last = e.last[max(0, len(e.last)-maxExits):]
}

// givenUp returns the error of a program that has exited too often to be started again.
func (e *exits) givenUp() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.last) == maxExits && time.Since(e.last[0].at) < exitTime {
		return e.last[maxExits-1].err
	}
	return nil
}

// lostConnection is called once for each connection that ends.
func (c *Client) lostConnection(x *connection, why error) {
	c.mu.Lock()
	was, closed := c.current == x, c.closed
	if was {
		c.current = nil
		if x.requester != nil && !closed {
			c.retired = append(c.retired, x) // until it is released
		}
		if time.Since(c.openedAt) >= c.retry.Max {
			c.losses = 0
		}
		c.losses++
	}
	losses := c.losses
	subs := slices.Clone(c.subs)
	c.mu.Unlock()
	if !was || closed {
		return
	}
	c.results.lost()
	err := c.wrap("", why)
	if e, ok := err.(*ConnectionError); ok { // it refers to a request
		err = &requestError{prefix(c.target.Name(), ""), e.Err}
	}
	c.events.state(State{Kind: Lost, Err: err})
	switch {
	case len(subs) == 0:
	case c.retry.Attempts > 1:
		go c.reconnect(losses)
	default:
		for _, s := range subs {
			s.finish(c.wrap("", why))
		}
	}
}

// released is called for a connection without requests after its end.
func (c *Client) released(x *connection) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.retired = slices.DeleteFunc(c.retired, func(other *connection) bool { return other == x })
}

// reconnect opens the connection again while a subscription needs it: at once, or later if the
// previous connections have not lasted either, so that a server that ends each connection is not
// connected to all the time.
func (c *Client) reconnect(losses int) {
	if losses > 1 && sleep(c.ctx, c.ctx, c.retry.backoff(losses-1, 0)) != nil {
		return
	}
	for attempt := 1; ; attempt++ {
		_, err := c.connected(c.ctx)
		if err == nil || c.ctx.Err() != nil {
			return
		}
		if _, again := mayOpenAgain(err); !again {
			c.log.Warn("mcpclient: the connection cannot be opened again, so changes are not received until the next request",
				"server", c.target.Name(), "error", err)
			return
		}
		if sleep(c.ctx, c.ctx, c.retry.backoff(attempt, 0)) != nil {
			return
		}
	}
}

// dialOptions returns the options of a connection.
func (c *Client) dialOptions() dial.Options {
	return dial.Options{
		Limits: dial.Limits{
			MessageBytes: c.limits.MessageBytes, HeaderBytes: headerBytes, StderrBytes: stderrBytes,
			Attempts: c.retry.Attempts, RetryFirst: c.retry.First, RetryMax: c.retry.Max,
			WriteTime: c.limits.WriteTime, CloseTime: c.limits.CloseTime,
		},
		Logger: c.log,
		Report: c.reportViolation,
		Wait:   c.waitForLogin,
	}
}

// waitForLogin stops the clock of an opening in progress until the returned function is called.
func (c *Client) waitForLogin() (done func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.opening == nil || c.opening.clock == nil {
		return func() {}
	}
	return c.opening.clock.stop()
}

// openOnce connects, and negotiates the revision.
func (c *Client) openOnce(ctx context.Context) (*connection, error) {
	conn, err := c.target.Dial(ctx, c.dialOptions())
	if err != nil {
		return nil, err
	}
	h := handshake{client: c, x: newConnection(c, conn)}
	if err := h.run(ctx); err != nil {
		h.x.close(err)
		return nil, err
	}
	return h.x, nil
}

// restore restores the state of the previous connection: log level and subscriptions. If the
// connection ends in the meantime, that is a loss like any later one.
func (c *Client) restore(ctx context.Context, x *connection, again bool) {
	level := c.logLevel()
	if level != "" && c.supports(x, setLevel) == nil {
		if _, err := x.request(ctx, setLevelRequest(level, c.apply(nil))); err != nil {
			c.log.Warn("mcpclient: the log level could not be set", "server", c.target.Name(), "error", err)
		}
	}
	if x.requester != nil && !x.revision.Load().PerRequest && c.listensToSession() {
		x.listenOnce.Do(func() { x.startListening(ctx) })
	}
	if !again {
		return
	}
	c.mu.Lock()
	subs := append([]*Subscription(nil), c.subs...)
	c.mu.Unlock()
	for _, s := range subs {
		if !s.hasBegun(nil) { // otherwise Subscribe begins it
			s.restore(ctx, x)
		}
	}
}

// listensToSession reports whether the client needs the messages of a session that belong to no
// request.
func (c *Client) listensToSession() bool {
	o := &c.options
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.subs) > 0 || o.OnChange != nil || o.OnLog != nil || o.OnNotification != nil ||
		o.Elicit != nil || o.OpenURL != nil || o.Sample != nil || o.Roots != nil
}
