package engine

import (
	"context"
	"sync"
	"time"
)

// This file limits the time of handlers ([Limits].CallTime and timeouts of features). A clock
// starts and stops on the goroutine of its request; any goroutine of the handler may pause it. All
// clocks of a connection share one lock and one timer, whose goroutine ends what takes too long.

// Clock measures the time that a handler may take. It is paused while the handler waits for the
// client to answer a question, since a person may take that time, and while a listen waits.
//
// At the end of the time, the context of the handler ends. If the handler has not returned after
// [Limits].GraceTime more, the server replies for it.
type Clock struct {
	x       *Exchange
	outer   *Clock                  // of the whole request, if this one is for a part
	overdue *TimeoutError           // has the time, and is the cause with which the context ends
	cancel  context.CancelCauseFunc // of the part; nil for the whole request
	watcher clockWatcher            // learns that the time is over, instead; nil for clocks of handlers

	// The lock of the clocks of the connection guards the rest.
	end        time.Time     // of the time, while the clock runs
	left       time.Duration // while it is paused
	waiting    int           // pauses that have not ended
	giveUp     *time.Timer   // replies for the handler, after the end of the time
	over       bool
	prev, next *Clock // while it runs
}

// start starts the clock, as the innermost one of the request.
func (c *Clock) start() {
	all := c.x.conn.clocks
	now := time.Now()
	all.mu.Lock()
	c.left = c.overdue.After
	all.run(c, now)
	all.mu.Unlock()
	c.x.partClock.Store(c)
}

// stop stops the clock. The outer one is the innermost then.
func (c *Clock) stop() {
	c.x.partClock.Store(c.outer)
	all := c.x.conn.clocks
	all.mu.Lock()
	defer all.mu.Unlock()
	all.remove(c)
	c.over = true
	if c.giveUp != nil {
		c.giveUp.Stop()
	}
}

// pause pauses the clock and those around it until resume has been called as often.
func (c *Clock) pause() {
	for ; c != nil; c = c.outer {
		all := c.x.conn.clocks
		all.mu.Lock()
		if c.waiting++; c.waiting == 1 && !c.over {
			all.remove(c)
			c.left = max(0, time.Until(c.end))
		}
		all.mu.Unlock()
	}
}

func (c *Clock) resume() {
	for ; c != nil; c = c.outer {
		all := c.x.conn.clocks
		all.mu.Lock()
		if c.waiting--; c.waiting == 0 && !c.over {
			all.run(c, time.Now())
		}
		all.mu.Unlock()
	}
}

// overtime returns the cause with which the context ends if the time of the clock, or of one
// around it, is over; otherwise nil.
func (c *Clock) overtime() error {
	for ; c != nil; c = c.outer {
		all := c.x.conn.clocks
		all.mu.Lock()
		over := c.over
		all.mu.Unlock()
		if over {
			return c.overdue
		}
	}
	return nil
}

// deadline is the end of the time if the clock is not paused (again).
func (c *Clock) deadline() time.Time {
	all := c.x.conn.clocks
	all.mu.Lock()
	defer all.mu.Unlock()
	if c.waiting > 0 {
		return time.Now().Add(c.left)
	}
	return c.end
}

// Clocks are the running clocks of a connection, or of all connections of a transport that makes
// one for each request. They share a timer, which is set again only if it would fire too late for
// one of them: setting it wakes a thread, which costs more than a short call. With a timer for
// each clock, small calls at 64 at a time need 18 % more CPU time and nested ones 11 %.
type Clocks struct {
	mu    sync.Mutex
	first *Clock
	timer *time.Timer
	armed time.Time // when the timer fires; zero if it is not set
}

// sweepTime is the longest time that the timer is set to. The timer keeps its connection in
// memory, so it must not be set for much longer than a clock runs.
const sweepTime = time.Minute

// run starts a clock with the time that it has left. The caller holds the lock.
func (s *Clocks) run(c *Clock, now time.Time) {
	c.end = now.Add(c.left)
	if c.next = s.first; c.next != nil {
		c.next.prev = c
	}
	s.first = c
	s.arm(now, c.end)
}

// remove removes a clock, if it is there. The caller holds the lock.
func (s *Clocks) remove(c *Clock) {
	switch {
	case c.prev != nil:
		c.prev.next = c.next
	case s.first == c:
		s.first = c.next
	default:
		return
	}
	if c.next != nil {
		c.next.prev = c.prev
	}
	c.prev, c.next = nil, nil
}

// arm sets the timer to fire at that time, or before. The caller holds the lock.
func (s *Clocks) arm(now, at time.Time) {
	if latest := now.Add(sweepTime); at.After(latest) {
		at = latest
	}
	if !s.armed.IsZero() && !at.Before(s.armed) {
		return
	}
	s.armed = at
	if s.timer == nil {
		s.timer = time.AfterFunc(at.Sub(now), s.sweep)
		return
	}
	s.timer.Reset(at.Sub(now))
}

// sweep ends the contexts of handlers whose time is over. The timer calls it.
func (s *Clocks) sweep() {
	var over []*Clock
	now := time.Now()
	s.mu.Lock()
	s.armed = time.Time{}
	for at := s.first; at != nil; {
		c := at
		at = c.next
		if now.Before(c.end) {
			s.arm(now, c.end)
			continue
		}
		s.remove(c)
		c.over = true
		if c.watcher != nil {
			over = append(over, c)
			continue
		}
		c.giveUp = time.AfterFunc(c.x.conn.Settings.Limits.GraceTime, func() { c.x.call.Abandon(c.overdue) })
		over = append(over, c)
	}
	s.mu.Unlock()
	for _, c := range over {
		if c.watcher != nil {
			c.watcher.Over()
		} else if c.cancel != nil {
			c.cancel(c.overdue)
		} else {
			c.x.Stop(c.overdue)
		}
	}
}

// clockContext is the context of a handler with a clock. Its deadline moves while the clock is
// paused.
type clockContext struct {
	context.Context
	clock *Clock
}

func (c *clockContext) Deadline() (time.Time, bool) {
	d := c.clock.deadline()
	if outer, ok := c.Context.Deadline(); ok && outer.Before(d) {
		return outer, true
	}
	return d, true
}

func (c *clockContext) Err() error {
	err := c.Context.Err()
	if err != nil && TimedOut(c.Context) != nil {
		return context.DeadlineExceeded
	}
	return err
}

// PauseClock pauses the clock of the request, if there is one, and returns the function that
// resumes it.
func (x *Exchange) PauseClock() (resume func()) {
	c := x.partClock.Load()
	c.pause()
	return c.resume
}

// StartClock starts the clock of the whole request.
func (x *Exchange) StartClock(overdue *TimeoutError) {
	x.callClock.x, x.callClock.overdue = x, overdue
	x.callClock.start()
}

// StopClock stops it.
func (x *Exchange) StopClock() { x.callClock.stop() }

// LimitTime returns a context for a part of the request, whose end is called after that time. The
// caller stops the clock of the context.
func (x *Exchange) LimitTime(ctx context.Context, end context.CancelCauseFunc, after time.Duration) *clockContext {
	c := &Clock{x: x, outer: x.partClock.Load(), overdue: &TimeoutError{After: after}, cancel: end}
	c.start()
	return &clockContext{Context: ctx, clock: c}
}

// Stop stops the clock of the context.
func (c *clockContext) Stop() { c.clock.stop() }

// Overtime returns the cause with which the context of the handlers ends if their time is over, nil
// before.
func (x *Exchange) Overtime() error { return x.partClock.Load().overtime() }

// clockWatcher learns that the time of a clock is over, which ends no handler then.
type clockWatcher interface{ Over() }

// Watch starts a clock for a watcher.
func (c *Clock) Watch(x *Exchange, after time.Duration, watcher clockWatcher) {
	c.x, c.watcher, c.left = x, watcher, after
	all := x.conn.clocks
	all.mu.Lock()
	defer all.mu.Unlock()
	all.run(c, time.Now())
}

// Unwatch stops it.
func (c *Clock) Unwatch() {
	all := c.x.conn.clocks
	all.mu.Lock()
	defer all.mu.Unlock()
	all.remove(c)
	c.over = true
}
