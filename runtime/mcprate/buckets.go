package mcprate

import (
	"container/list"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// key is whose bucket it is, and for which tool, "" for all requests.
type key struct {
	caller, tool string
}

// bucket is one that is kept.
type bucket struct {
	key key
	*rate.Limiter
}

// buckets are those of all callers, the one that was used last in front.
type buckets struct {
	most int

	// mu also makes one step of taking from two buckets, or from neither.
	mu    sync.Mutex
	byKey map[key]*list.Element
	order list.List
}

// get returns a bucket, a full one where there is none yet. The caller holds the
// lock, and sweeps when it has taken from it.
func (b *buckets) get(k key, r *rule) *rate.Limiter {
	found := b.byKey[k]
	if found != nil {
		b.order.MoveToFront(found)
	} else {
		if b.byKey == nil {
			b.byKey = map[key]*list.Element{}
		}
		found = b.order.PushFront(&bucket{k, rate.NewLimiter(r.limit, r.burst)})
		b.byKey[k] = found
	}
	return found.Value.(*bucket).Limiter
}

// swept is how many of those that were not used for longest are looked at each
// time: more than can have come, so that full ones do not stay.
const swept = 3

// sweep lets go some of the buckets that are full, and as many as there are too
// many.
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

// full reports whether a bucket is like a new one.
func (b *bucket) full(now time.Time) bool { return b.TokensAt(now) >= float64(b.Burst()) }
