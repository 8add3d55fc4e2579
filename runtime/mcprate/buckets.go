package mcprate

import (
	"container/list"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// key is the caller of a bucket, and its tool, or "" for all requests.
type key struct {
	caller, tool string
}

// bucket is a stored bucket with its key.
type bucket struct {
	key key
	*rate.Limiter
	portion portion // portion of the bucket of a [Store]
}

// buckets contains the buckets of all callers, the most recently used first.
type buckets struct {
	most int

	// mu guards the buckets, and makes taking from both buckets atomic.
	mu    sync.Mutex
	byKey map[key]*list.Element
	order list.List
}

// get returns a bucket; a new one is full. The caller holds the lock, and calls sweep after it has
// taken from the bucket.
func (b *buckets) get(k key, r *rule) *rate.Limiter { return b.bucket(k, r).Limiter }

// bucket is like get, but returns the whole bucket.
func (b *buckets) bucket(k key, r *rule) *bucket {
	found := b.byKey[k]
	if found != nil {
		b.order.MoveToFront(found)
	} else {
		if b.byKey == nil {
			b.byKey = map[key]*list.Element{}
		}
		found = b.order.PushFront(&bucket{key: k, Limiter: rate.NewLimiter(r.limit, r.burst)})
		b.byKey[k] = found
	}
	return found.Value.(*bucket)
}

// swept is the number of least recently used buckets that each sweep checks: more than a request
// can add, so that full ones do not accumulate.
const swept = 3

// sweep removes full buckets, and buckets beyond the limit, the least recently used first.
func (b *buckets) sweep(now time.Time) {
	for range swept {
		last := b.order.Back()
		if last == nil || len(b.byKey) <= b.most && !last.Value.(*bucket).full(now) {
			return
		}
		delete(b.byKey, last.Value.(*bucket).key)
		b.order.Remove(last)
	}
}

// full reports whether a bucket equals a new one.
func (b *bucket) full(now time.Time) bool {
	p := &b.portion
	if p.taking != nil || p.tokens > 0 && now.Before(p.expires) || now.Before(p.none) {
		return false
	}
	return b.TokensAt(now) >= float64(b.Burst())
}
