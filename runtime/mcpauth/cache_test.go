package mcpauth_test

import (
	"testing"

	"github.com/mcpgen/mcpgen/runtime/mcpauth"
)

func TestCacheBound(t *testing.T) {
	if most := mcpauth.CacheBound(t); most > 10_000 || most < 5_000 {
		t.Errorf("%d entries", most)
	}
}

// A request with a cached token costs the server little.
func TestKnownTokenAllocations(t *testing.T) {
	v, c := jwtOf(newIssuer()), bearer(token(nil))
	if _, err := v.Verify(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	if n := testing.AllocsPerRun(100, func() { _, _ = v.Verify(t.Context(), c) }); n > 1 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkKnownToken(b *testing.B) {
	v, c := jwtOf(newIssuer()), bearer(token(nil))
	for b.Loop() {
		if _, err := v.Verify(b.Context(), c); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkNewToken(b *testing.B) {
	i := newIssuer()
	c := bearer(token(nil))
	if _, err := jwtOf(i).Verify(b.Context(), c); err != nil {
		b.Fatal(err)
	}
	keys := []byte(jsonOf(object{"keys": i.keys}))
	for b.Loop() {
		if _, err := mcpauth.JWT(mcpauth.JWTOptions{Issuer: issuerURL, Keys: keys}).Verify(b.Context(), c); err != nil {
			b.Fatal(err)
		}
	}
}

func TestFailuresBound(t *testing.T) {
	if counts, refused := mcpauth.FailuresBound(); counts > 10_001 || refused {
		t.Errorf("%d counts, refused: %v", counts, refused)
	}
}
