package mcpclient

import (
	"fmt"
	"sync/atomic"
	"time"
)

// clock measures how long a request has waited. Two times bound it: one since the last sign
// of life of the server, and one since the beginning.
type clock struct {
	idle, most time.Duration
	began      time.Time
	alive      atomic.Int64 // nanoseconds from began to the last sign of life
	stopped    atomic.Int32 // how many persons the request waits for
}

func (k *clock) start(idle, most time.Duration) {
	k.idle, k.most = idle, most
	k.began = time.Now()
}

// sign notes a sign of life.
func (k *clock) sign() { k.alive.Store(int64(time.Since(k.began))) }

// stop stops the first of the two times until the function that it returns is called.
func (k *clock) stop() (resume func()) {
	k.stopped.Add(1)
	return func() {
		k.sign()
		k.stopped.Add(-1)
	}
}

// over returns the error of a request whose time is over.
func (k *clock) over() error {
	if time.Since(k.began) >= k.most {
		return errMaxTime
	}
	return fmt.Errorf("%w: the server has shown no sign of life for %v; Limits.RequestTime and WithTimeout set that time", ErrTimeout, k.idle)
}

// Causes of a timeout. They say which time was over.
var (
	errMaxTime      = fmt.Errorf("%w: the request has not ended within the time of Limits.MaxTime or WithMaxTime", ErrTimeout)
	errQuestionTime = fmt.Errorf("%w: a question of the server has not been answered within Limits.QuestionTime", ErrTimeout)
	errNotifyTime   = fmt.Errorf("%w: the server has not accepted the notification within Limits.RequestTime", ErrTimeout)
	errListenTime   = fmt.Errorf("%w: the server has not acknowledged the subscription within Limits.RequestTime", ErrTimeout)
	errConnectTime  = fmt.Errorf("%w: the server was not reached within Limits.ConnectTime", ErrTimeout)
)

// left is how long the request may still wait before the clock has to be read again; 0 or less
// if its time is over.
func (k *clock) left(x *connection) time.Duration {
	now := time.Since(k.began)
	most := k.most - now
	if k.stopped.Load() > 0 || x.answering.Load() > 0 {
		return min(most, k.idle)
	}
	alive := max(time.Duration(k.alive.Load()), time.Unix(0, x.answered.Load()).Sub(k.began))
	return min(most, k.idle-(now-alive))
}
