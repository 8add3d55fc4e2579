package mcpauth_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"os"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/runtime/mcpauth"
)

// liveHeap returns the bytes of the live heap.
func liveHeap() int {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc) //nolint:gosec // of this process
}

// documentedMB returns the maximum memory, in bytes, that docs/decide/security.md documents for a
// purpose.
func documentedMB(t *testing.T, what string) int {
	t.Helper()
	page := string(must(os.ReadFile("../../docs/decide/security.md")))
	found := regexp.MustCompile(`\| memory of ` + what + ` \| (\d+) MB \|`).FindStringSubmatch(page)
	if found == nil {
		t.Fatalf("docs/decide/security.md does not say how much memory %s need", what)
	}
	return must(strconv.Atoi(found[1])) * 1_000_000
}

// largeClaims are claims that need as much memory as the claims of a 16 KiB token can.
func largeClaims() map[string]object {
	const room = 11_500 // bytes of JSON; base64 makes 15,400 of them
	repeat := func(s, separator string) string {
		return strings.Repeat(s+separator, room/len(s+separator)-1) + s
	}
	raw := func(text string) object { return object{"x": json.RawMessage(text)} }
	var names strings.Builder
	for n := 0; names.Len() < room; n++ {
		fmt.Fprintf(&names, `,"%d":0`, n)
	}
	return map[string]object{
		"a text":                {"x": strings.Repeat("x", room)},
		"a key id":              {"kid": strings.Repeat("k", 5000), "jti": strings.Repeat("j", 6000)},
		"scopes":                {"scope": "books:read " + repeat("a", " ")},
		"roles":                 {"roles": json.RawMessage("[" + repeat(`""`, ",") + "]")},
		"numbers":               raw("[" + repeat("0", ",") + "]"),
		"empty lists":           raw("[" + repeat("[]", ",") + "]"),
		"lists in lists":        raw("[" + repeat("[[[[[[[0]]]]]]]", ",") + "]"),
		"empty objects":         raw("[" + repeat("{}", ",") + "]"),
		"objects with a member": raw("[" + repeat(`{"":0}`, ",") + "]"),
		"objects in objects":    raw("[" + repeat(`{"":{"":{"":0}}}`, ",") + "]"),
		"an object":             raw(`{"x":0` + names.String() + "}"),
	}
}

// The caches of verifiers and exchangers are limited by estimated bytes. The estimate is not below
// the real size, whatever the tokens contain.
func TestCacheMemory(t *testing.T) {
	for _, each := range []int{1 << 20, 100 << 10, 10 << 10} {
		if most := mcpauth.CachedBytes(each); most > 64<<20 || most < 32<<20 {
			t.Errorf("%d bytes of entries with %d", most, each)
		}
	}
	for name, more := range largeClaims() {
		v := jwtOf(newIssuer())
		keep := func(n int) {
			more["n"] = n
			text := token(more)
			if got := outcome(v.Verify(t.Context(), bearer(text))); got != "taken" || len(text) > 16<<10 {
				t.Fatalf("%s: %s, %d bytes", name, got, len(text))
			}
		}
		keep(0) // and fetch the keys
		const tokens, noise = 8, 100_000
		before, estimated := liveHeap(), mcpauth.Estimate(v)
		for n := range tokens {
			keep(n + 1)
		}
		grown, estimate := liveHeap()-before, mcpauth.Estimate(v)-estimated
		const most = 4 * 64 / strconv.IntSize // the estimate counts words of 64 bits
		if grown > estimate+noise || estimate > most*grown+noise {
			t.Errorf("%s: %d bytes, and the estimate is %d", name, grown/tokens, estimate/tokens)
		}
		runtime.KeepAlive(v)
	}
}

// A full verifier needs no more memory than documented. Answers of an issuer may be twice as large
// as tokens.
func TestIntrospectionMemory(t *testing.T) {
	most := documentedMB(t, "the verified tokens of a verifier")
	_, v := introspected(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, jsonOf(active(object{"x": json.RawMessage("[" + strings.Repeat(`{"":0},`, 4000) + "0]")})))
	})
	before := liveHeap()
	for n := range 88 {
		if got := outcome(v.Verify(t.Context(), bearer(fmt.Sprintf("%s%d%s", opaque, n, strings.Repeat("x", 16_000))))); got != "taken" {
			t.Fatal(got)
		}
	}
	grown := liveHeap() - before
	t.Logf("%d bytes", grown)
	if grown > most || grown < most/4 {
		t.Errorf("%d bytes, and may be %d", grown, most)
	}
	runtime.KeepAlive(v)
}

// Used proofs and counters of addresses have entries of constant size.
func TestFixedMemory(t *testing.T) {
	before := liveHeap()
	s := mcpauth.NewProofStore(100_000)
	for n := range 100_100 {
		id := fmt.Sprintf("%043d.%043d", n, n) // as many keys as proofs
		if first, err := s.Consume(t.Context(), id, time.Now().Add(time.Hour)); (err == nil && first) != (n < 100_000) {
			t.Fatal(n, first, err)
		}
	}
	grown, most := liveHeap()-before, documentedMB(t, "used DPoP proofs")
	t.Logf("proofs: %d bytes", grown)
	if grown > most || grown < most/4 {
		t.Errorf("proofs: %d bytes, and may be %d", grown, most)
	}
	runtime.KeepAlive(s)
	before = liveHeap()
	g := must(mcpauth.New(mcpauth.Options{Resource: resource, Verifiers: []mcpauth.Verifier{jwtOf(newIssuer())}, Log: new(record).logger(), TrustedProxy: addressOf}))
	for n := range 12_000 {
		r := post("whoami", "Authorization: Bearer x", fmt.Sprintf("X-Address: 2001:db8:%x:%x::1", n>>8, n&0xff))
		if _, err := g.Principal(r); err == nil {
			t.Fatal("a wrong token is taken")
		}
	}
	grown, most = liveHeap()-before, documentedMB(t, "refused credentials by address")
	t.Logf("addresses: %d bytes", grown)
	if grown > most {
		t.Errorf("addresses: %d bytes, and may be %d", grown, most)
	}
	runtime.KeepAlive(g)
}

func addressOf(r *http.Request) netip.Addr { return netip.MustParseAddr(r.Header.Get("X-Address")) }
