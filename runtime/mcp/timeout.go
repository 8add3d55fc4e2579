package mcp

import (
	"context"
	"errors"
	"time"
)

// timeoutError is the cause with which the context of a tool ends, and what the
// model reads.
type timeoutError struct {
	after time.Duration
}

func (e *timeoutError) Error() string        { return "timed out after " + e.after.String() }
func (e *timeoutError) Is(target error) bool { return target == ErrTimeout }
func (e *timeoutError) Timeout() bool        { return true }

// callWithin calls the tool with a context that ends after its timeout. A tool
// that pays no heed to its context is answered for after the grace time; what
// it returns then is dropped.
func (s *Server) callWithin(ctx context.Context, t *tool, req *Request) (*ToolResult, error) {
	overdue := &timeoutError{after: t.info.Timeout}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	giveUp := time.AfterFunc(time.Hour, func() { req.x.abandon(overdue) })
	giveUp.Stop()
	defer giveUp.Stop()
	clock := startClock(overdue.after, func() {
		giveUp.Reset(s.limits.GraceTime)
		cancel(overdue)
	})
	defer clock.stop()
	req.x.clock.Store(clock)
	result, err := t.call(&clockContext{Context: ctx, clock: clock, overdue: overdue}, req)
	if err != nil && errors.Is(context.Cause(ctx), ErrTimeout) {
		return nil, overdue
	}
	return result, err
}
