package mcpcmd

import (
	"context"
	"sync"
)

// running counts the requests in progress.
type running struct {
	mu    sync.Mutex
	count int
	none  chan struct{} // closed when no request is in progress; nil before wait
}

func (r *running) add(n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.count += n; r.count == 0 && r.none != nil {
		close(r.none)
		r.none = nil
	}
}

// wait waits until no request is in progress, or returns the cause of the cancellation of ctx.
func (r *running) wait(ctx context.Context) error {
	r.mu.Lock()
	if r.count == 0 {
		r.mu.Unlock()
		return nil
	}
	if r.none == nil {
		r.none = make(chan struct{})
	}
	none := r.none
	r.mu.Unlock()
	select {
	case <-none:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
