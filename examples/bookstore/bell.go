package bookstore

import "sync"

// bell wakes all goroutines that wait for a change. The zero value is ready, and safe for
// concurrent use.
type bell struct {
	mu   sync.Mutex
	next chan struct{}
}

// wait returns a channel that is closed when the bell rings next. To miss nothing, call it before
// looking at what may change.
func (b *bell) wait() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.next == nil {
		b.next = make(chan struct{})
	}
	return b.next
}

// ring wakes the goroutines that wait.
func (b *bell) ring() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.next != nil {
		close(b.next)
		b.next = nil
	}
}
