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
	done chan struct{}
	conn *connection
	err  error
}

// connected returns the connection, and opens one where there is none. One goroutine at a
// time opens a connection, for all that wait for it.
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

// open connects for all that wait.
func (c *Client) open(o *opening) {
	c.mu.Lock()
	again := c.opened
	c.mu.Unlock()
	ctx, cancel := context.WithTimeoutCause(c.ctx, c.limits.ConnectTime, ErrTimeout)
	defer cancel()
	x, err := c.openUntil(ctx)
	if x != nil {
		err = c.restore(ctx, x, again)
	}
	c.mu.Lock()
	defer func() {
		c.mu.Unlock()
		close(o.done)
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
	c.current, c.opened = x, true
	c.revision.Store(x.revision.Load())
	o.conn = x
	kind := Connected
	if again {
		kind = Reconnected
	}
	c.events.state(State{Kind: kind})
}

// openUntil connects, again and again as long as that may help.
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
		before = err
		if err := c.exits.givenUp(); err != nil {
			return nil, err
		}
		after, again := mayOpenAgain(err)
		if !again || attempt >= c.retry.Attempts {
			return nil, err
		}
		if sleep(ctx, c.ctx, c.retry.backoff(attempt, after)) != nil {
			return nil, err // that error says more than the end of the time
		}
	}
}

// openError is the error where the time of an opening is over: with what happened last, if
// that says more, or in the attempt before.
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

// timeoutError is the end of a time, with the error before it.
type timeoutError struct{ cause, last error }

func (e *timeoutError) Error() string   { return e.cause.Error() + "; before that: " + e.last.Error() }
func (e *timeoutError) Unwrap() []error { return []error{e.cause, e.last} }

// mayOpenAgain reports whether an error may be gone later, and when.
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

// Programs that end this often within this time are not started again.
const (
	maxExits = 5
	exitTime = time.Minute
)

// exits are the last ends of programs.
type exits struct {
	mu   sync.Mutex // no other lock is taken inside
	last []exited
}

type exited struct {
	at  time.Time
	err *dial.Exit
}

// note takes note of why a connection has ended.
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

// givenUp returns the error of a program that has ended too often to be started again.
func (e *exits) givenUp() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.last) == maxExits && time.Since(e.last[0].at) < exitTime {
		return e.last[maxExits-1].err
	}
	return nil
}

// lostConnection is called once for each connection that has ended.
func (c *Client) lostConnection(x *connection, why error) {
	c.mu.Lock()
	was := c.current == x
	if was {
		c.current = nil
	}
	subs := slices.Clone(c.subs)
	closed := c.closed
	c.mu.Unlock()
	if !was || closed {
		return
	}
	c.results.lost()
	err := c.wrap("", why)
	if e, ok := err.(*ConnectionError); ok { // which speaks of a request
		err = &requestError{prefix(c.target.Name(), ""), e.Err}
	}
	c.events.state(State{Kind: Lost, Err: err})
	switch {
	case len(subs) == 0:
	case c.retry.Attempts > 1:
		go c.reconnect()
	default:
		for _, s := range subs {
			s.finish(c.wrap("", why))
		}
	}
}

// reconnect opens the connection again while something waits for changes.
func (c *Client) reconnect() {
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

// dialOptions are those of a connection.
func (c *Client) dialOptions() dial.Options {
	return dial.Options{
		Limits: dial.Limits{
			MessageBytes: c.limits.MessageBytes, HeaderBytes: c.limits.HeaderBytes, StderrBytes: c.limits.StderrBytes,
			Attempts: c.retry.Attempts, RetryFirst: c.retry.First, RetryMax: c.retry.Max,
			WriteTime: c.limits.WriteTime, CloseTime: c.limits.CloseTime,
		},
		Logger: c.log,
		Report: c.reportViolation,
	}
}

// openOnce connects, and finds out the revision.
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

// restore brings a new connection into the state of the one before: log level and
// subscriptions.
func (c *Client) restore(ctx context.Context, x *connection, again bool) error {
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
		return nil
	}
	c.mu.Lock()
	subs := append([]*Subscription(nil), c.subs...)
	c.mu.Unlock()
	for _, s := range subs {
		if err := s.begin(ctx, x); err != nil {
			if x.isGone() || ctx.Err() != nil {
				return err
			}
			s.finish(err)
		}
	}
	return nil
}

// listensToSession reports whether the client needs what a server sends in a session that
// belongs to no request.
func (c *Client) listensToSession() bool {
	o := &c.options
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.subs) > 0 || o.OnChange != nil || o.OnLog != nil || o.OnNotification != nil ||
		o.Elicit != nil || o.OpenURL != nil || o.Sample != nil || o.Roots != nil
}
