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
	// maxCachedBytes is the memory that the results of a cache may have together, by their
	// estimates.
	maxCachedBytes = 64 << 20
)

// digest is the SHA-256 of a credential and what it was verified for. Caches hold no
// credential in the clear as a key.
type digest [sha256.Size]byte

// digestOf is the key of a credential in a cache. Lengths precede the texts, so that different
// lists have different digests.
func digestOf(c *Credential) digest {
	var buf [2048]byte // most tokens fit, and the stack has room
	b := buf[:0]
	for _, s := range [...]string{c.Resource, c.Token} {
		n := len(s)
		b = append(b, byte(n>>24), byte(n>>16), byte(n>>8), byte(n))
		b = append(b, s...)
	}
	return sha256.Sum256(b)
}

// tokenID is a name of a token for logs, which does not help to guess it.
func tokenID(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:4])
}

// cache keeps results by digest, each for a time, and at most a number of them and of their bytes.
// When it is full, the older half goes. It is two maps: one takes what is new, and replaces the other.
type cache[V any] struct {
	most, mostBytes int

	mu       sync.RWMutex
	now, old map[digest]cached[V]
	bytes    int // of now
}

type cached[V any] struct {
	value V
	until time.Time
}

// keepUntil returns when a result is dropped: after a time, and not later than at the end of what
// it is about, unless that is zero. The time that it returns does not change when the clock is set.
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

// put keeps a value that needs some bytes of memory.
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
	c.bytes += bytes // also of one that it replaces, which is rare
}

func (c *cache[V]) len() int {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return len(c.now) + len(c.old)
}
