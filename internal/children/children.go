// Package children counts the programs that clients of this process have started as servers, so
// that a command can wait for them before it exits: who ends a program in steps needs time, and
// a program that ignores the first ones would go on without its client.
package children

import (
	"sync"
	"time"
)

var (
	mu    sync.Mutex
	count int
	none  chan struct{} // closed when there are none; nil if nothing waits
)

// Add counts one more, until the function that it returns is called, once.
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

// Wait waits until there are none, at most for the time within. It reports whether there are none.
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
