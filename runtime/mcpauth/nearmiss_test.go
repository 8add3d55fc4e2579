package mcpauth_test

import (
	"context"
	"crypto/sha256"
	"math/bits"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/mcpauth"
)

// digestStore contains one key, and records the digests that are looked up.
type digestStore struct {
	key   mcpauth.Key
	sum   [sha256.Size]byte
	asked [][sha256.Size]byte
}

func (s *digestStore) Key(_ context.Context, sum [sha256.Size]byte) (*mcpauth.Key, error) {
	s.asked = append(s.asked, sum)
	if sum == s.sum {
		return &s.key, nil
	}
	return nil, nil
}

// The duration of a refusal reveals nothing about the secret: a nearly correct credential takes the
// same steps as a wrong one. A store gets digests, which do not resemble each other; a password is
// derived for each user, known or not.
func TestNearMisses(t *testing.T) {
	text, key := mcpauth.NewKey("nightly")
	store := &digestStore{key: key, sum: sha256.Sum256([]byte(text))}
	v := mcpauth.APIKeys(store)
	if _, err := verify(t, v, bearer(text)); err != nil {
		t.Fatal(err)
	}
	for n := len("mcp_"); n < len("mcp_")+26; n++ {
		store.asked = nil
		near := []byte(text[:len("mcp_")+26])
		if near[n]++; near[n] > 'Z' || near[n] == '8' {
			near[n] = 'A'
		}
		whole := mcpauth.WithChecksum(string(near))
		if got := outcome(verify(t, v, bearer(whole))); got != "refused" {
			t.Errorf("character %d: %s", n, got)
		}
		if len(store.asked) != 1 {
			t.Fatalf("character %d: the store is asked %d times", n, len(store.asked))
		}
		differ := 0
		for i, b := range store.asked[0] {
			differ += bits.OnesCount8(b ^ store.sum[i])
		}
		if differ < 64 { // of 256; the average is half
			t.Errorf("character %d: the digests differ in %d bits", n, differ)
		}
	}
	passwords, rounds := mcpauth.CheapBasic(mcpauth.Passwords{"ada": {Hash: passwordHash}})
	for _, guess := range [][2]string{{"ada", password[:len(password)-1]}, {"ada", password + "x"}, {"ada", "x"}, {"adb", password}, {"", "x"}} {
		before := rounds.Load()
		c := &mcpauth.Credential{Scheme: mcpauth.SchemeBasic, User: guess[0], Password: guess[1], Resource: resource}
		if i, err := verify(t, passwords, c); err == nil {
			t.Errorf("%q: %v", guess, i)
		}
		if n := rounds.Load() - before; n != 600_000 {
			t.Errorf("%q: %d rounds", guess, n)
		}
	}
}
