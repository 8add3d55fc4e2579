package mcpissuer_test

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/mcpgen/mcpgen/runtime/mcpissuer"
)

// heap returns the bytes of the live heap.
func heap() int {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc) //nolint:gosec // of this process
}

// most limits the tables in these tests.
const most = 100

// fill sends requests, and checks that the named tables are full, and that their entries need at
// most entry bytes.
func fill(t *testing.T, w *world, entry int, send func(n int), tables ...string) {
	t.Helper()
	mcpissuer.SetMost(w.issuer, most)
	send(0)
	before := heap()
	for n := range 2 * most {
		send(n + 1)
	}
	w.mu.Lock()
	w.log = bytes.Buffer{}
	w.secrets = slices.Clone(w.secrets[:1])
	w.mu.Unlock()
	grown := heap() - before
	kept := mcpissuer.Kept(w.issuer)
	total := 0
	for name, n := range kept {
		if n > most {
			t.Errorf("%d %s are kept", n, name)
		}
	}
	for _, name := range tables {
		if kept[name] != most {
			t.Errorf("%d %s are kept, and there were more", kept[name], name)
		}
		total += mcpissuer.Most[name]
	}
	const noise = 500_000 // of the test itself
	if grown > most*entry+noise {
		t.Errorf("%v: %d bytes for each of %d, and may be %d", tables, grown/most, most, entry)
	}
	t.Logf("%v: %d bytes for each of %d; %d MB with all %d", tables, grown/most, most, grown/most*total/len(tables)>>20, total/len(tables))
	runtime.KeepAlive(w)
}

// An issuer stores a limited part of everything that it receives.
func bounds(t *testing.T) {
	long, verifier := strings.Repeat("x", 1900), strings.Repeat("v", 43)
	var redirects []string
	for n := range 6 {
		redirects = append(redirects, fmt.Sprintf("https://app.example.com/%d/%s", n, long))
	}
	keys, err := json.Marshal(manyKeys(20))
	if err != nil {
		t.Fatal(err)
	}
	t.Run("Registrations", func(t *testing.T) {
		w := newWorld(t)
		fill(t, w, 25_000, func(int) {
			w.register(map[string]any{
				"redirect_uris": redirects, "client_name": "x", "token_endpoint_auth_method": "private_key_jwt", "jwks": json.RawMessage(keys),
			})
		}, "registrations")
	})
	t.Run("Documents", func(t *testing.T) {
		d := roundTrip(func(r *http.Request) (*http.Response, error) {
			return reply(http.StatusOK, document(r.URL.String(), map[string]any{
				"redirect_uris": redirects, "client_name": "x", "token_endpoint_auth_method": "private_key_jwt", "jwks": json.RawMessage(keys),
			})), nil
		})
		w := newWorld(t, func(o *mcpissuer.Options) { o.HTTP = &http.Client{Transport: d} })
		fill(t, w, 25_000, func(n int) {
			w.open(nil, url.Values{"client_id": {fmt.Sprintf("https://app.example.com/%d%s", n, long)}, "redirect_uri": {"x"}})
		}, "documents")
	})
	t.Run("Pages", func(t *testing.T) {
		w := newWorld(t)
		query := request(verifier, "state", long, "unknown", strings.Repeat(long, 100)) // the ticket does not retain the whole query
		var scopes []string
		for n := range 100 {
			scopes = append(scopes, fmt.Sprint(n, long[:16]))
		}
		query.Set("scope", strings.Join(scopes, " "))
		for range 500 {
			query.Add("resource", resource)
		}
		fill(t, w, 12_000, func(int) { w.open(nil, query) }, "pages")
	})
	// A page that is left open does not prevent later ones from being dropped.
	t.Run("Decisions", func(t *testing.T) {
		w := newWorld(t)
		w.open(nil, request(verifier))
		fill(t, w, 5000, func(int) {
			b := newBrowser()
			w.decide(b, w.page(b, request(verifier)))
		}, "codes")
	})
	t.Run("Logins", func(t *testing.T) {
		w := newWorld(t, func(o *mcpissuer.Options) { o.Personas = []mcpissuer.Persona{{Name: "ada", Scopes: []string{"*"}}} })
		var scopes []string
		for n := range 100 {
			scopes = append(scopes, fmt.Sprint(n, long[:16]))
		}
		fill(t, w, 12_000, func(int) {
			if _, failed := w.redeem(w.login("scope", strings.Join(scopes, " "), "state", long)); failed != "" {
				t.Fatal(failed)
			}
		}, "codes", "refresh tokens", "access tokens")
	})
	t.Run("Refreshes", func(t *testing.T) {
		w := newWorld(t)
		got, _ := w.redeem(w.login())
		fill(t, w, 3000, func(int) {
			next, failed := w.redeem(refreshForm(got.Refresh))
			if failed != "" {
				t.Fatal(failed)
			}
			got = next
		}, "refresh tokens", "access tokens")
	})
	t.Run("Proofs", func(t *testing.T) {
		w := newWorld(t, func(o *mcpissuer.Options) { o.Personas = nil })
		key, form := newKey(), url.Values{"grant_type": {"client_credentials"}, "client_id": {"service"}, "client_secret": {canary}}
		fill(t, w, 3000, func(n int) {
			_, _ = w.redeem(form, "DPoP", w.proof(key, map[string]any{"jti": long + fmt.Sprint(n)}))
		}, "proofs", "access tokens")
	})
	t.Run("Assertions", func(t *testing.T) {
		w := newWorld(t)
		fill(t, w, 3000, func(n int) {
			_ = w.ask(sign(robotKey, jose.ES256, nil, with(w.assertion(), map[string]any{"jti": long + fmt.Sprint(n)})))
		}, "assertions", "access tokens")
	})
}

// When too many proofs or assertions are stored, further ones are refused until some have expired.
func proofsFull(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		mcpissuer.SetMost(w.issuer, most)
		key, form := newKey(), url.Values{"grant_type": {"client_credentials"}, "client_id": {"service"}, "client_secret": {canary}}
		proof := func() string {
			_, failed := w.redeem(form, "DPoP", w.proof(key, map[string]any{"jti": rand.Text()}))
			return failed
		}
		assertion := func() string { return w.ask(sign(robotKey, jose.ES256, nil, w.assertion())) }
		for range most {
			if failed := proof() + assertion(); failed != "" {
				t.Fatal(failed)
			}
		}
		if failed := proof(); failed != "invalid_dpop_proof" {
			t.Errorf("a proof more: %q", failed)
		}
		if failed := assertion(); failed != "invalid_client" {
			t.Errorf("an assertion more: %q", failed)
		}
		time.Sleep(6 * time.Minute)
		if failed := proof(); failed != "" {
			t.Errorf("a proof after six minutes: %q", failed)
		}
		time.Sleep(time.Hour)
		if failed := assertion(); failed != "" {
			t.Errorf("an assertion after an hour: %q", failed)
		}
	})
}
