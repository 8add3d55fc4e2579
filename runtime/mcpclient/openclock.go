package mcpclient

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// openClock ends the context of an opening after ConnectTime. The time of a login by a person does
// not count, up to patience.
type openClock struct {
	mu       sync.Mutex
	timer    *time.Timer
	since    time.Time // the last change of waits from or to 0
	left     time.Duration
	patience time.Duration
	waits    int // logins in progress
}

// startOpenClock returns a context that ends with parent, or when the time is over. The caller must
// call the returned function.
func startOpenClock(parent context.Context, l *Limits) (context.Context, *openClock, func()) {
	ctx, cancel := context.WithCancelCause(parent)
	k := &openClock{since: time.Now(), left: l.ConnectTime, patience: l.QuestionTime}
	k.timer = time.AfterFunc(k.left, func() {
		cancel(fmt.Errorf("%w: the server was not reached within %v (Limits.ConnectTime)", ErrTimeout, l.ConnectTime))
	})
	return ctx, k, func() {
		k.timer.Stop()
		cancel(nil)
	}
}

// stop stops the clock until the returned function is called. It does nothing after the opening.
func (k *openClock) stop() (resume func()) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.waits++; k.waits == 1 {
		k.left -= k.lap()
		k.restart(k.left + k.patience)
	}
	return func() {
		k.mu.Lock()
		defer k.mu.Unlock()
		if k.waits--; k.waits == 0 {
			k.patience -= k.lap()
			k.restart(k.left + min(k.patience, 0))
		}
	}
}

// lap returns the time since the last lap.
func (k *openClock) lap() time.Duration {
	now := time.Now()
	d := now.Sub(k.since)
	k.since = now
	return d
}

// restart sets the timer if it is still running.
func (k *openClock) restart(d time.Duration) {
	if k.timer.Stop() {
		k.timer.Reset(d)
	}
}
