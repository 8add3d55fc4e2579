package transport

import (
	"context"
	"sync"
)

// Endings counts operations that a transport waits for before it has shut down, such as the hooks
// of sessions. The zero value is ready for use. Its methods may be called by many goroutines.
type Endings struct {
	mu    sync.Mutex
	count int
	none  chan struct{} // closed when the count is 0; nil unless Wait waits
}

// Add counts one more.
func (e *Endings) Add() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.count++
}

// Done counts one less.
func (e *Endings) Done() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.count--; e.count == 0 && e.none != nil {
		close(e.none)
		e.none = nil
	}
}

// Wait waits until the count is 0, or the context is cancelled, whose cause it then returns.
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
