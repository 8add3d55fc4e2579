package bookstore

import "sync"

// bell wakes all waiting goroutines. The zero value is ready to use, and safe for concurrent use.
type bell struct {
	mu   sync.Mutex
	next chan struct{}
}

// wait returns a channel that is closed at the next ring. Call it before you read the state that
// may change, so that no change is missed.
func (b *bell) wait() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.next == nil {
		b.next = make(chan struct{})
	}
	return b.next
}

// ring wakes the waiting goroutines.
func (b *bell) ring() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.next != nil {
		close(b.next)
		b.next = nil
	}
}
