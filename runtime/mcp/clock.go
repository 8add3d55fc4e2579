package mcp

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// clock measures the time that a handler may take. It stands still while the
// handler waits for the client to answer a question, since then it is a person
// who takes the time, and while a listen has nothing to do but to listen.
//
// When it runs out it ends the context of the handler. One that pays no heed to
// that is answered for after the grace time.
type clock struct {
	x       *exchange
	outer   *clock                  // of the whole request, where this one is that of a part
	overdue *timeoutError           // how long it runs, and the cause with which the context ends
	cancel  context.CancelCauseFunc // must not wait, nor use the clock

	mu      sync.Mutex
	alarm   *alarm
	giveUp  *time.Timer   // once it has run out
	end     time.Time     // when it runs out, while it runs
	left    time.Duration // what is left, while it stands still
	waiting int           // questions that are open
	over    bool
}

// start lets the clock run, and makes it that of the request.
func (c *clock) start() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.alarm = c.x.conn.alarms.take(c)
	c.left = c.overdue.after
	c.run()
	c.x.clock.Store(c)
}

func (c *clock) run() {
	c.end = time.Now().Add(c.left)
	c.alarm.timer.Reset(c.left)
}

// ring is called by alarms, also by one that belongs to another clock by now.
func (c *clock) ring() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.over || c.waiting > 0 || time.Now().Before(c.end) {
		return
	}
	c.over = true
	c.giveUp = time.AfterFunc(c.x.conn.server.limits.GraceTime, func() { c.x.abandon(c.overdue) })
	c.cancel(c.overdue)
}

// pause stops the clock until resume has been called as often.
func (c *clock) pause() {
	for ; c != nil; c = c.outer {
		c.mu.Lock()
		if c.waiting++; c.waiting == 1 && !c.over {
			c.alarm.timer.Stop()
			c.left = max(0, time.Until(c.end))
		}
		c.mu.Unlock()
	}
}

func (c *clock) resume() {
	for ; c != nil; c = c.outer {
		c.mu.Lock()
		if c.waiting--; c.waiting == 0 && !c.over {
			c.run()
		}
		c.mu.Unlock()
	}
}

// stop ends the measuring.
func (c *clock) stop() {
	c.x.clock.Store(c.outer)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.over = true
	c.alarm.timer.Stop()
	if c.giveUp != nil {
		c.giveUp.Stop()
	}
	c.x.conn.alarms.give(c.alarm)
	c.alarm = nil
}

// deadline is when the clock runs out, as it looks now.
func (c *clock) deadline() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.waiting > 0 {
		return time.Now().Add(c.left)
	}
	return c.end
}

// alarm is a timer that serves one clock after the other: to make a new one for
// each request would cost more than all the rest of the measuring.
type alarm struct {
	timer *time.Timer
	clock atomic.Pointer[clock]
}

func (a *alarm) ring() {
	if c := a.clock.Load(); c != nil {
		c.ring()
	}
}

// alarms are those of a connection that no clock uses.
type alarms struct {
	mu   sync.Mutex
	free []*alarm
}

// keptAlarms is how many of them are kept.
const keptAlarms = 64

func (a *alarms) take(c *clock) *alarm {
	a.mu.Lock()
	var t *alarm
	if n := len(a.free); n > 0 {
		t = a.free[n-1]
		a.free = a.free[:n-1]
	}
	a.mu.Unlock()
	if t == nil {
		t = new(alarm)
		t.timer = time.AfterFunc(time.Hour, t.ring)
		t.timer.Stop()
	}
	t.clock.Store(c)
	return t
}

func (a *alarms) give(t *alarm) {
	t.clock.Store(nil)
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.free) < keptAlarms {
		a.free = append(a.free, t)
	}
}

// clockContext is the context of a handler whose time is measured. Its deadline
// moves while a question is open.
type clockContext struct {
	context.Context
	clock *clock
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
	if err != nil && timedOut(c.Context) != nil {
		return context.DeadlineExceeded
	}
	return err
}

// pauseClock stops the clock of the request, if there is one, and returns what
// lets it go on.
func (x *exchange) pauseClock() (resume func()) {
	c := x.clock.Load()
	c.pause()
	return c.resume
}
