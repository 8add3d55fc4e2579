package mcphttpclient

import (
	"context"
	"hash/maphash"
	"slices"
	"strconv"
	"time"
)

// The bounds of the time that a server asks to wait before a stream is opened again.
const (
	minRetry = 100 * time.Millisecond
	maxRetry = time.Minute
)

// clampRetry returns a time in milliseconds, within the bounds.
func clampRetry(digits string) time.Duration {
	ms, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || ms > maxRetry.Milliseconds() {
		return maxRetry
	}
	return max(minRetry, time.Duration(ms)*time.Millisecond)
}

// atOnce is how soon a stream has ended at once.
const atOnce = time.Second

// endings counts the streams, one after the other, that have ended at once and brought no message.
type endings struct{ n int }

// add counts a stream. A time that the server asks for is its choice; one of up to RetryFirst is
// lengthened like that after a failure while its streams bring nothing.
func (e *endings) add(c *conn, opened time.Time, received bool, asked time.Duration) {
	if received || time.Since(opened) >= atOnce || asked > max(c.o.Limits.RetryFirst, minRetry) {
		e.n = 0
		return
	}
	e.n++
}

// failures returns the number of attempts in turn that the streams count for: the first ending is none.
func (e *endings) failures() int { return max(0, e.n-1) }

// reopenAfter returns the time before a stream is opened again, after a number of attempts
// that have failed in turn.
func (c *conn) reopenAfter(asked time.Duration, failures int) time.Duration {
	l := &c.o.Limits
	wait := asked
	if wait == 0 {
		wait = max(l.RetryFirst, minRetry)
	}
	for range failures {
		if wait *= 2; wait >= l.RetryMax {
			return max(l.RetryMax, asked, minRetry)
		}
	}
	return wait
}

// sleep waits for a time. It reports false if the context has ended.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// seenIDs has the newest ids of the events of one stream, so that none is received twice
// after it was resumed.
type seenIDs struct {
	hashes  []uint64
	next    int
	resumed bool // before that, ids say nothing about events
}

const maxSeenIDs = 1024

var idSeed = maphash.MakeSeed()

// add reports whether an id is new.
func (s *seenIDs) add(id string) bool {
	h := maphash.String(idSeed, id)
	switch {
	case slices.Contains(s.hashes, h):
		return false
	case len(s.hashes) < maxSeenIDs:
		s.hashes = append(s.hashes, h)
	default:
		s.hashes[s.next] = h
		s.next = (s.next + 1) % maxSeenIDs
	}
	return true
}
