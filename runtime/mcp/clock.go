package mcp

import (
	"context"
	"sync"
	"time"
)

// clock measures the time that a tool may take. It stands still while the tool
// waits for the client to answer a question, since then it is a person who takes
// the time.
type clock struct {
	expire func() // called once, when no time is left; must not wait, nor use the clock

	mu      sync.Mutex
	timer   *time.Timer
	end     time.Time     // when it runs out, while it runs
	left    time.Duration // what is left, while it stands still
	waiting int           // questions that are open
	over    bool
}

// startClock returns a clock that runs.
func startClock(d time.Duration, expire func()) *clock {
	c := &clock{expire: expire, left: d}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.run()
	return c
}

func (c *clock) run() {
	c.end = time.Now().Add(c.left)
	c.timer = time.AfterFunc(c.left, c.ring)
}

func (c *clock) ring() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.over || c.waiting > 0 || time.Now().Before(c.end) {
		return
	}
	c.over = true
	c.expire()
}

// pause stops the clock until resume has been called as often.
func (c *clock) pause() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.waiting++; c.waiting == 1 && !c.over {
		c.timer.Stop()
		c.left = max(0, time.Until(c.end))
	}
}

func (c *clock) resume() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.waiting--; c.waiting == 0 && !c.over {
		c.run()
	}
}

// stop ends the measuring.
func (c *clock) stop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.over = true
	c.timer.Stop()
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

// clockContext is the context of a tool whose time is measured. Its deadline
// moves while a question is open.
type clockContext struct {
	context.Context
	clock   *clock
	overdue error
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
	if err != nil && context.Cause(c.Context) == c.overdue {
		return context.DeadlineExceeded
	}
	return err
}

// pauseClock stops the clock of the tool, if there is one, and returns what lets
// it go on.
func (x *exchange) pauseClock() (resume func()) {
	c := x.clock.Load()
	if c == nil {
		return func() {}
	}
	c.pause()
	return c.resume
}
