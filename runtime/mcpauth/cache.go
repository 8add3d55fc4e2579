package mcpauth

import (
	"crypto/sha256"
	"encoding/hex"
	"sync"
	"time"
)

// Limits of the cache of verified credentials.
const (
	maxCached = 10_000
	cacheTime = time.Minute
	// maxCachedBytes limits the estimated memory of all results in a cache.
	maxCachedBytes = 64 << 20
)

// digest is the SHA-256 of a credential and its purpose. No cache uses a plain credential as key.
type digest [sha256.Size]byte

// digestOf returns the cache key of a credential. The length of each text precedes it, so that
// different lists have different digests.
func digestOf(c *Credential) digest {
	var buf [2048]byte // most tokens fit on the stack
	b := buf[:0]
	for _, s := range [...]string{c.Resource, c.Token} {
		n := len(s)
		b = append(b, byte(n>>24), byte(n>>16), byte(n>>8), byte(n))
		b = append(b, s...)
	}
	return sha256.Sum256(b)
}

// tokenID returns a name for a token in logs, which does not help to guess the token.
func tokenID(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:4])
}

// cache stores results by digest, each for a limited time, and limits their number and bytes. When
// it is full, it drops the older half: it consists of two maps, and the one that receives new
// results replaces the other.
type cache[V any] struct {
	most, mostBytes int

	mu       sync.RWMutex
	now, old map[digest]cached[V]
	bytes    int // of the map for new results
}

type cached[V any] struct {
	value V
	until time.Time
}

// keepUntil returns when a result expires: after most, or at end if that is earlier and not zero.
// The returned time does not change when the clock is set.
func keepUntil(most time.Duration, end time.Time) time.Time {
	now := time.Now()
	if !end.IsZero() {
		most = min(most, end.Sub(now))
	}
	return now.Add(most)
}

func newCache[V any](most int) *cache[V] { return &cache[V]{most: most, mostBytes: maxCachedBytes} }

func (c *cache[V]) get(key digest) (value V, ok bool) {
	c.mu.RLock()
	found, ok := c.now[key]
	if !ok {
		found, ok = c.old[key]
	}
	c.mu.RUnlock()
	if !ok || !time.Now().Before(found.until) {
		var none V
		return none, false
	}
	return found.value, true
}

// put stores a value that occupies the given bytes of memory.
func (c *cache[V]) put(key digest, value V, bytes int, until time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.now) >= c.most/2 || c.bytes > 0 && c.bytes+bytes > c.mostBytes/2 {
		c.old, c.now, c.bytes = c.now, nil, 0
	}
	if c.now == nil {
		c.now = map[digest]cached[V]{}
	}
	c.now[key] = cached[V]{value, until}
	c.bytes += bytes // not corrected if it replaces a value, which is rare
}

func (c *cache[V]) len() int {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return len(c.now) + len(c.old)
}
