package mcpauth

import (
	"fmt"
	"net/netip"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// CacheBound fills a cache with many more entries than it may have, and returns the largest
// number that it has had.
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

// CachedBytes fills a cache with entries that need many bytes, and returns the most that it has had
// by their estimates.
func CachedBytes(each int) (most int) {
	c := newCache[int](maxCached)
	for n := range 5 * maxCachedBytes / each {
		c.put(digestOf(&Credential{Token: fmt.Sprint(n)}), n, each, time.Now().Add(time.Hour))
		most = max(most, c.len()*each)
	}
	return most
}

// Estimate returns how many bytes a verifier of JWTs keeps by its estimate.
func Estimate(v Verifier) int {
	c := v.(*jwtVerifier).tokens
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.bytes
}

// FailuresBound counts failures of many more addresses than are counted by themselves, and
// returns the number of counts. It reports whether one address of these is refused.
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

// ForgetLook makes a store of KeysFile or RolesFile look at its file with the next use.
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

// KeepUntil is until when a cache keeps a result.
var KeepUntil = keepUntil

// TokenID is the name of a token in records.
var TokenID = tokenID

// WithChecksum appends the checksum of an API key.
func WithChecksum(s string) string { return s + checksumOf(s) }

// cheap is by how much the rounds of CheapBasic and CheapHash are divided.
const cheap = 1000

// CheapBasic is Basic for hashes of CheapHash, which it verifies by a thousandth of the rounds. It
// also returns how many rounds Basic would have made.
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
