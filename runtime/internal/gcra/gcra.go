// Package gcra represents a token bucket as one point in time: the generic cell rate algorithm
// (ITU-T I.371). A store needs to keep nothing else of a bucket.
package gcra

import (
	"math"
	"time"
)

// Take takes up to want tokens from a bucket that is full at the time full, contains burst tokens
// then, and gains limit tokens per second. It returns the time when the bucket is full after that,
// and the number of tokens that were taken; if it is 0, also the time until a token is available.
// The zero time means a full bucket.
//
// A bucket cannot lack more than burst tokens. If full is later than that allows, a clock that is
// ahead has written it: the bucket counts as empty, and next is the time when an empty bucket is
// full, even if no token was taken.
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
	// Round up a token that is missing only by rounding.
	got = int(min(float64(want), math.Floor(there+1e-6)))
	if got < 1 {
		wait := math.Ceil((1 - there) * interval)
		return full, 0, time.Duration(max(1, min(wait, math.MaxInt64/2)))
	}
	return full.Add(time.Duration(min(float64(got)*interval, math.MaxInt64/4))), got, 0
}
