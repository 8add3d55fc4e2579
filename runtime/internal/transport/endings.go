package transport

import (
	"context"
	"sync"
)

// Endings counts what has to end before a transport has, such as the hooks of sessions. The
// zero value is ready for use. Its methods may be called by many goroutines.
type Endings struct {
	mu    sync.Mutex
	count int
	none  chan struct{} // closed when there are none; nil if nothing waits
}

// Add counts one more.
func (e *Endings) Add() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.count++
}

// Done undoes Add.
func (e *Endings) Done() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.count--; e.count == 0 && e.none != nil {
		close(e.none)
		e.none = nil
	}
}

// Wait waits until there are none, or the context ends, whose cause it returns then.
func (e *Endings) Wait(ctx context.Context) error {
	e.mu.Lock()
	if e.count == 0 {
		e.mu.Unlock()
		return nil
	}
	if e.none == nil {
		e.none = make(chan struct{})
	}
	none := e.none
	e.mu.Unlock()
	select {
	case <-none:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
