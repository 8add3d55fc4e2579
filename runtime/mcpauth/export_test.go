package mcpauth

import (
	"fmt"
	"net/netip"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// CacheBound adds many more entries to a cache than it may hold, and returns the largest number
// that it held.
func CacheBound(t *testing.T) (most int) {
	c := newCache[int](maxCached)
	until := time.Now().Add(time.Hour)
	for n := range 5 * maxCached {
		key := digestOf(&Credential{Token: fmt.Sprint(n)})
		c.put(key, n, 100, until)
		if v, ok := c.get(key); !ok || v != n {
			t.Fatalf("%d: %d, %v", n, v, ok)
		}
		most = max(most, c.len())
	}
	return most
}

// CachedBytes adds entries that need many bytes to a cache, and returns the maximum of their
// estimated bytes.
func CachedBytes(each int) (most int) {
	c := newCache[int](maxCached)
	for n := range 5 * maxCachedBytes / each {
		c.put(digestOf(&Credential{Token: fmt.Sprint(n)}), n, each, time.Now().Add(time.Hour))
		most = max(most, c.len()*each)
	}
	return most
}

// Estimate returns the estimated bytes in the cache of a JWT verifier.
func Estimate(v Verifier) int {
	c := v.(*jwtVerifier).tokens
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.bytes
}

// FailuresBound counts failures of many more addresses than are counted separately, and returns the
// number of counters. It also reports whether one of these addresses is refused.
func FailuresBound() (counts int, refused bool) {
	f := newFailures(60)
	for n := range 3 * maxFailing {
		f.add(netip.AddrFrom4([4]byte{10, byte(n >> 16), byte(n >> 8), byte(n)}))
	}
	first := netip.AddrFrom4([4]byte{10, 0, 0, 0})
	return f.len(), f.exceeded(first)
}

// NewProofStore returns the store of proofs of one process.
func NewProofStore(most int) mcp.StateStore { return newProofStore(most) }

// ForgetLook makes a store of KeysFile or RolesFile check its file at the next use.
func ForgetLook(s any) {
	switch f := s.(type) {
	case keysFile:
		f.forget()
	case rolesFile:
		f.forget()
	}
}

func (w *watched[T]) forget() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.looked = time.Time{}
}

// KeepUntil exports keepUntil.
var KeepUntil = keepUntil

// TokenID exports tokenID.
var TokenID = tokenID

// WithChecksum appends the checksum of an API key.
func WithChecksum(s string) string { return s + checksumOf(s) }

// cheap divides the rounds of CheapBasic and CheapHash.
const cheap = 1000

// CheapBasic is Basic for hashes of CheapHash, with a thousandth of the rounds. It also returns the
// number of rounds that Basic would have run.
func CheapBasic(store PasswordStore) (v Verifier, rounds *atomic.Int64) {
	b := Basic(store).(*basic)
	rounds = new(atomic.Int64)
	b.derive = func(password string, salt []byte, n int) []byte {
		rounds.Add(int64(n))
		return derive(password, salt, n/cheap)
	}
	return b, rounds
}

// CheapHash is HashPassword for CheapBasic.
func CheapHash(password string) string {
	salt := []byte("salt of 16 bytes")
	return passwordHash{passwordRounds, salt, derive(password, salt, passwordRounds/cheap)}.String()
}
