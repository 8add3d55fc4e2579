package mcphttpclient

import (
	"context"
	"hash/maphash"
	"slices"
	"strconv"
	"time"
)

// Limits for the reconnection time that a server sets.
const (
	minRetry = 100 * time.Millisecond
	maxRetry = time.Minute
)

// clampRetry returns a time in milliseconds, within the limits.
func clampRetry(digits string) time.Duration {
	ms, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || ms > maxRetry.Milliseconds() {
		return maxRetry
	}
	return max(minRetry, time.Duration(ms)*time.Millisecond)
}

// atOnce is the duration below which a stream counts as one that ended at once.
const atOnce = time.Second

// endings counts successive streams that ended at once and brought no message.
type endings struct{ n int }

// add counts a stream. A reconnection time that the server sets is its choice; but if the time is
// at most RetryFirst, it grows as after failures while the streams bring no message.
func (e *endings) add(c *conn, opened time.Time, received bool, asked time.Duration) {
	if received || time.Since(opened) >= atOnce || asked > max(c.o.Limits.RetryFirst, minRetry) {
		e.n = 0
		return
	}
	e.n++
}

// failures returns the number of successive failed attempts that the streams count for. The first
// ending does not count.
func (e *endings) failures() int { return max(0, e.n-1) }

// reopenAfter returns the time before a stream is opened again, after a number of successive failed
// attempts.
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

// sleep waits for a time. It returns false if the context is cancelled first.
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

// seenIDs contains the newest ids of the events of one stream, so that no event is received twice
// after the stream was resumed.
type seenIDs struct {
	hashes  []uint64
	next    int
	resumed bool // before that, ids are not compared
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
