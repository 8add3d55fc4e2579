package mcpclient

import (
	"fmt"
	"sync/atomic"
	"time"
)

// clock measures how long a request has waited. Two limits apply: the time since the server's last
// sign of life, and the time since the beginning.
type clock struct {
	idle, most time.Duration
	began      time.Time
	alive      atomic.Int64 // nanoseconds from began to the last sign of life
	stopped    atomic.Int32 // number of persons that the request waits for
}

func (k *clock) start(idle, most time.Duration) {
	k.idle, k.most = idle, most
	k.began = time.Now()
}

// sign records a sign of life.
func (k *clock) sign() { k.alive.Store(int64(time.Since(k.began))) }

// stop stops the first of the two limits until the returned function is called.
func (k *clock) stop() (resume func()) {
	k.stopped.Add(1)
	return func() {
		k.sign()
		k.stopped.Add(-1)
	}
}

// over returns the timeout error of a request, or nil.
func (k *clock) over() error {
	if time.Since(k.began) >= k.most {
		return errMaxTime
	}
	return fmt.Errorf("%w: the server has shown no sign of life for %v; Limits.RequestTime and WithTimeout set that time", ErrTimeout, k.idle)
}

// Causes of a timeout, one per limit.
var (
	errMaxTime      = fmt.Errorf("%w: the request has not ended within the time of Limits.MaxTime or WithMaxTime", ErrTimeout)
	errQuestionTime = fmt.Errorf("%w: a question of the server has not been answered within Limits.QuestionTime", ErrTimeout)
	errNotifyTime   = fmt.Errorf("%w: the server has not accepted the notification within Limits.RequestTime", ErrTimeout)
	errListenTime   = fmt.Errorf("%w: the server has not acknowledged the subscription within Limits.RequestTime", ErrTimeout)
)

// left returns the time until the clock has to be read again; 0 or less if the request is over
// time.
func (k *clock) left(x *connection) time.Duration {
	now := time.Since(k.began)
	most := k.most - now
	if k.stopped.Load() > 0 || x.answering.Load() > 0 {
		return min(most, k.idle)
	}
	alive := max(time.Duration(k.alive.Load()), time.Unix(0, x.answered.Load()).Sub(k.began))
	return min(most, k.idle-(now-alive))
}
