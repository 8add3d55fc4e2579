// Package children counts the programs that clients of this process have started as servers, so
// that a command can wait for them before it exits: ending a program in steps takes time, and a
// program that ignores the first steps would outlive its client.
package children

import (
	"sync"
	"time"
)

var (
	mu    sync.Mutex
	count int
	none  chan struct{} // closed when the count reaches zero; nil if no goroutine waits
)

// Add counts a program until the returned function is called, once.
func Add() (done func()) {
	mu.Lock()
	defer mu.Unlock()
	count++
	return func() {
		mu.Lock()
		defer mu.Unlock()
		if count--; count == 0 && none != nil {
			close(none)
			none = nil
		}
	}
}

// Wait waits up to within until the count is zero. It reports whether it is.
func Wait(within time.Duration) bool {
	mu.Lock()
	if count == 0 {
		mu.Unlock()
		return true
	}
	if none == nil {
		none = make(chan struct{})
	}
	wait := none
	mu.Unlock()
	timer := time.NewTimer(within)
	defer timer.Stop()
	select {
	case <-wait:
		return true
	case <-timer.C:
		return false
	}
}
