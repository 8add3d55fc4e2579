// Package gcra is a token bucket as one point in time: the generic cell rate algorithm (ITU-T I.371). A store needs to
// keep no more of a bucket than that.
package gcra

import (
	"math"
	"time"
)

// Take takes up to want tokens from a bucket that is full at the time full, has burst tokens then, and gains limit
// of them per second. It returns when the bucket is full after that, and how many tokens were taken; if none, after
// which time there is one. The zero time is that of a full bucket.
//
// A bucket cannot lack more than burst tokens. A time full beyond that was written by a clock that is ahead: it counts as an
// empty bucket, and next is the time when that is full, also if no token was taken.
func Take(full, now time.Time, limit float64, burst, want int) (next time.Time, got int, retry time.Duration) {
	if limit >= float64(time.Second) { // more than one token in the least time
		return now, want, 0
	}
	interval := float64(time.Second) / limit
	if full.Before(now) {
		full = now
	}
	if latest := now.Add(time.Duration(min(float64(burst)*interval, math.MaxInt64/4))); full.After(latest) {
		full = latest
	}
	missing := float64(full.Sub(now)) / interval // tokens, since the bucket was full
	there := float64(burst) - missing
	// A token that has been gained but for rounding is there.
	got = int(min(float64(want), math.Floor(there+1e-6)))
	if got < 1 {
		wait := math.Ceil((1 - there) * interval)
		return full, 0, time.Duration(max(1, min(wait, math.MaxInt64/2)))
	}
	return full.Add(time.Duration(min(float64(got)*interval, math.MaxInt64/4))), got, 0
}
