package mcprate

import (
	"context"
	"log/slog"
	"math"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/mcpgen/mcpgen/runtime/internal/usercode"
)

// Store stores the buckets of all replicas of a server. Its method must be safe for concurrent use.
// Package replicatest tests implementations.
type Store interface {
	// Take takes up to want tokens from the bucket of a key. A bucket begins with burst tokens, and
	// gains limit tokens per second, up to burst. Take returns the number of tokens, at least one
	// if available. Otherwise retry is the time until a token is available; a retry longer than the
	// time of one token is treated as that time.
	Take(ctx context.Context, key string, limit rate.Limit, burst, want int) (got int, retry time.Duration, err error)
}

// WithStore makes the replicas of a server share the buckets. A replica takes tokens in portions of
// an eighth of the burst, so that most requests do not access the store; tokens that it does not
// use within some seconds are lost. While the store fails, the replica continues with its own
// buckets, and logs that once.
func WithStore(store Store) Option {
	return func(l *limiter) {
		if store != nil {
			l.shared = &sharedBuckets{store: store}
		}
	}
}

const (
	// storeWait limits the time for which a request waits for the store.
	storeWait = time.Second
	// storePause is the time after a failure for which the store is not used.
	storePause = time.Second
	// minPortionTime and maxPortionTime limit the lifetime of a portion.
	minPortionTime, maxPortionTime = time.Second, 30 * time.Second
)

// sharedBuckets are the buckets of a store.
type sharedBuckets struct {
	store Store

	mu     sync.Mutex
	failed time.Time // time of the last failure; zero if the store works
}

// portion is a replica's portion of a bucket in the store. It is part of the local bucket, whose
// lock guards it.
type portion struct {
	tokens  int
	expires time.Time
	none    time.Time     // until then the bucket in the store has no token
	taking  chan struct{} // closed when the portion that is being taken has arrived; nil otherwise
}

// portionSize returns the number of tokens in a portion.
func portionSize(burst int) int { return max(1, burst/8) }

// portionTime returns the lifetime of a portion. It is long enough for several replicas that share
// the limit to use up theirs.
func portionTime(size int, limit rate.Limit) time.Duration {
	t := time.Duration(min(float64(maxPortionTime), 4*float64(size)/float64(limit)*float64(time.Second)))
	return max(minPortionTime, t)
}

// takeShared is like take, but with a store.
func (l *limiter) takeShared(ctx context.Context, caller, tool string, own *rule) (what string, wait time.Duration) {
	if l.all != nil {
		if wait := l.takeOne(ctx, key{caller: caller}, l.all); wait > 0 {
			return "requests", wait
		}
	}
	if own == nil {
		return "", 0
	}
	if wait = l.takeOne(ctx, key{caller, tool}, own); wait > 0 {
		if l.all != nil {
			l.giveBack(key{caller: caller}, l.all)
		}
		return "calls of " + tool, wait
	}
	return "", 0
}

// takeOne takes one token, or returns the time until one is available.
func (l *limiter) takeOne(ctx context.Context, k key, r *rule) time.Duration {
	for {
		now := time.Now()
		l.buckets.mu.Lock()
		b := l.buckets.bucket(k, r)
		p := &b.portion
		switch {
		case p.tokens > 0 && now.Before(p.expires):
			p.tokens--
			l.buckets.mu.Unlock()
			return 0
		case now.Before(p.none):
			l.buckets.mu.Unlock()
			return p.none.Sub(now)
		case l.shared.fails():
			defer l.buckets.mu.Unlock()
			defer l.buckets.sweep(now)
			if p.taking == nil && l.shared.mayTry(now) {
				p.taking = make(chan struct{})
				go l.takePortion(context.WithoutCancel(ctx), k, r, b)
			}
			if wait := waitTime(b.Limiter, now); wait > 0 {
				return wait
			}
			b.AllowN(now, 1)
			return 0
		case p.taking != nil:
			taking := p.taking
			l.buckets.mu.Unlock()
			select {
			case <-taking:
			case <-ctx.Done():
				return storeWait // the caller is gone
			}
			continue
		}
		p.taking = make(chan struct{})
		l.buckets.mu.Unlock()
		l.takePortion(ctx, k, r, b)
	}
}

// takePortion takes a portion from the store for a bucket.
func (l *limiter) takePortion(ctx context.Context, k key, r *rule, b *bucket) {
	size := portionSize(r.burst)
	got, retry, err := l.shared.take(ctx, k, r, size)
	now := time.Now()
	l.buckets.mu.Lock()
	defer l.buckets.mu.Unlock()
	defer l.buckets.sweep(now)
	p := &b.portion
	close(p.taking)
	p.taking = nil
	switch {
	case err != nil:
	case got > 0:
		p.tokens, p.expires = min(got, size), now.Add(portionTime(size, r.limit))
	default:
		// A whole portion is available a little later: the store is not asked for each token.
		p.none = now.Add(max(time.Millisecond, min(retry, gainTime(1, r.limit))+gainTime(size-1, r.limit)))
	}
}

// gainTime returns the time in which a bucket gains tokens.
func gainTime(tokens int, limit rate.Limit) time.Duration {
	return time.Duration(min(float64(longest), math.Ceil(float64(tokens)/float64(limit)*float64(time.Second))))
}

// giveBack returns a token that takeOne has taken.
func (l *limiter) giveBack(k key, r *rule) {
	l.buckets.mu.Lock()
	defer l.buckets.mu.Unlock()
	p, size := &l.buckets.bucket(k, r).portion, portionSize(r.burst)
	if p.tokens < size {
		p.tokens++
	}
	if p.expires.IsZero() { // the bucket was removed in the meantime
		p.expires = time.Now().Add(portionTime(size, r.limit))
	}
}

// fails reports whether the last use of the store failed.
func (s *sharedBuckets) fails() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.failed.IsZero()
}

// mayTry reports whether the calling goroutine may try a failing store again.
func (s *sharedBuckets) mayTry(now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if now.Sub(s.failed) < storePause {
		return false
	}
	s.failed = now
	return true
}

// take takes tokens from the store, and logs when the store begins to fail and when it works again.
func (s *sharedBuckets) take(ctx context.Context, k key, r *rule, want int) (int, time.Duration, error) {
	type tokens struct {
		got   int
		retry time.Duration
	}
	results := make(chan tokens, 1) // the store may return later
	// The portion also serves others: it is taken even if this caller leaves.
	waiting, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeWait)
	defer cancel()
	err := usercode.Within(waiting, "the rate store", func() error {
		got, retry, err := s.store.Take(waiting, k.text(), r.limit, r.burst, want)
		results <- tokens{got, retry}
		return err
	})
	s.mu.Lock()
	before := !s.failed.IsZero()
	s.failed = time.Time{}
	if err != nil {
		s.failed = time.Now()
	}
	s.mu.Unlock()
	switch {
	case err != nil && !before:
		slog.ErrorContext(ctx, "mcprate: the store fails: this replica limits rates by itself", slog.Any("error", err))
	case err == nil && before:
		slog.InfoContext(ctx, "mcprate: the store works again")
	}
	if err != nil {
		return 0, 0, err
	}
	t := <-results
	return t.got, t.retry, nil
}

// text returns the key of a bucket in the store.
func (k key) text() string { return k.tool + "\x00" + k.caller }
