package mcpissuer_test

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/mcpgen/mcpgen/runtime/mcpissuer"
)

// proof returns a DPoP proof for the token endpoint; more replaces claims.
func (w *world) proof(key *ecdsa.PrivateKey, more map[string]any) string {
	return sign(key, jose.ES256, map[string]any{"typ": "dpop+jwt", "jwk": jose.JSONWebKey{Key: key.Public()}}, with(map[string]any{
		"htm": "POST", "htu": w.url + "/oauth/token", "iat": time.Now().Unix(), "jti": rand.Text(),
	}, more))
}

func thumbprint(t *testing.T, key *ecdsa.PrivateKey) string {
	t.Helper()
	sum, err := (&jose.JSONWebKey{Key: key.Public()}).Thumbprint(crypto.SHA256)
	if err != nil {
		t.Fatal(err)
	}
	return base64.RawURLEncoding.EncodeToString(sum)
}

// boundTo returns the key that an access token is bound to.
func boundTo(t *testing.T, token string) string {
	t.Helper()
	var is struct {
		Confirm struct{ JKT string } `json:"cnf"`
	}
	text, err := base64.RawURLEncoding.DecodeString(strings.Split(token, ".")[1])
	if err != nil || json.Unmarshal(text, &is) != nil {
		t.Fatal(err)
	}
	return is.Confirm.JKT
}

func proofs(t *testing.T) {
	key := newKey()
	now := time.Now().Unix()
	public := jose.JSONWebKey{Key: key.Public()}
	claims := func(w *world) map[string]any {
		return map[string]any{"htm": "POST", "htu": w.url + "/oauth/token", "iat": now, "jti": rand.Text()}
	}
	for name, make := range map[string]func(*world) string{
		"another method": func(w *world) string { return w.proof(key, map[string]any{"htm": "GET"}) },
		"other case":     func(w *world) string { return w.proof(key, map[string]any{"htm": "post"}) },
		"another URL":    func(w *world) string { return w.proof(key, map[string]any{"htu": w.url + "/oauth/introspect"}) },
		"another host":   func(w *world) string { return w.proof(key, map[string]any{"htu": "http://localhost:8080/oauth/token"}) },
		"a user in the URL": func(w *world) string {
			return w.proof(key, map[string]any{"htu": "http://ada@127.0.0.1:8080/oauth/token"})
		},
		"old":               func(w *world) string { return w.proof(key, map[string]any{"iat": now - 400}) },
		"from the future":   func(w *world) string { return w.proof(key, map[string]any{"iat": now + 100}) },
		"without a time":    func(w *world) string { return w.proof(key, map[string]any{"iat": nil}) },
		"without jti":       func(w *world) string { return w.proof(key, map[string]any{"jti": nil}) },
		"jti of 3000 bytes": func(w *world) string { return w.proof(key, map[string]any{"jti": strings.Repeat("x", 3000)}) },
		"without a key":     func(w *world) string { return sign(key, jose.ES256, map[string]any{"typ": "dpop+jwt"}, claims(w)) },
		"of another type": func(w *world) string {
			return sign(key, jose.ES256, map[string]any{"typ": "JWT", "jwk": public}, claims(w))
		},
		"without a type": func(w *world) string { return sign(key, jose.ES256, map[string]any{"jwk": public}, claims(w)) },
		"of another key": func(w *world) string {
			return sign(newKey(), jose.ES256, map[string]any{"typ": "dpop+jwt", "jwk": public}, claims(w))
		},
		"with the private key": func(w *world) string {
			return sign(key, jose.ES256, map[string]any{"typ": "dpop+jwt", "jwk": jose.JSONWebKey{Key: key}}, claims(w))
		},
		"symmetric": func(w *world) string {
			return sign([]byte(strings.Repeat("k", 32)), jose.HS256, map[string]any{"typ": "dpop+jwt", "jwk": public}, claims(w))
		},
		"without a signature": func(*world) string { return encode(`{"typ":"dpop+jwt","alg":"none"}`) + "." + encode(`{}`) + "." },
		"no JWT":              func(*world) string { return "x" },
		"17 KB":               func(*world) string { return strings.Repeat("x", 17<<10) },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			form := w.login()
			if _, failed := w.redeem(form, "DPoP", make(w)); failed != "invalid_dpop_proof" {
				t.Errorf("%q", failed)
			}
			// That did not use up the code.
			if got, failed := w.redeem(form, "DPoP", w.proof(key, nil)); failed != "" || got.Type != "DPoP" || boundTo(t, got.Access) != thumbprint(t, key) {
				t.Errorf("a valid proof: %q, %q", failed, got.Type)
			}
		})
	}
	t.Run("two", func(t *testing.T) {
		w := newWorld(t)
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, w.url+"/oauth/token", strings.NewReader(w.login().Encode()))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header["Dpop"] = []string{w.proof(key, nil), w.proof(newKey(), nil)}
		if a := w.do(nil, r); a.status != http.StatusBadRequest || !strings.Contains(a.body, "invalid_dpop_proof") {
			t.Errorf("status %d: %s", a.status, a.body)
		}
	})
}

func proofUsedTwice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		text := w.proof(newKey(), map[string]any{"iat": time.Now().Unix() + 20}) // the longest possible lifetime
		if _, failed := w.redeem(w.login(), "DPoP", text); failed != "" {
			t.Fatal(failed)
		}
		for range 7 {
			if _, failed := w.redeem(w.login(), "DPoP", text); failed != "invalid_dpop_proof" {
				t.Errorf("again, at %v: %q", time.Now(), failed)
			}
			time.Sleep(time.Minute)
		}
	})
}

// A client without a secret must use a token with the key that it got the token with.
func proofOfAnother(t *testing.T) {
	w := newWorld(t)
	key, other := newKey(), newKey()
	got, failed := w.redeem(w.login(), "DPoP", w.proof(key, nil))
	if failed != "" {
		t.Fatal(failed)
	}
	form := refreshForm(got.Refresh)
	if _, failed := w.redeem(form); failed != "invalid_dpop_proof" {
		t.Errorf("refresh without a proof: %q", failed)
	}
	if _, failed := w.redeem(form, "DPoP", w.proof(other, nil)); failed != "invalid_dpop_proof" {
		t.Errorf("refresh by another key: %q", failed)
	}
	again, failed := w.redeem(form, "DPoP", w.proof(key, nil))
	if failed != "" || boundTo(t, again.Access) != thumbprint(t, key) {
		t.Errorf("refresh by its key: %q", failed)
	}
	// A code bound with dpop_jkt.
	bound := w.login("dpop_jkt", thumbprint(t, key))
	if _, failed := w.redeem(bound, "DPoP", w.proof(other, nil)); failed != "invalid_dpop_proof" {
		t.Errorf("a code by another key: %q", failed)
	}
	bound = w.login("dpop_jkt", thumbprint(t, key))
	if _, failed := w.redeem(bound); failed != "invalid_dpop_proof" {
		t.Errorf("a code without a proof: %q", failed)
	}
	bound = w.login("dpop_jkt", thumbprint(t, key))
	if got, failed := w.redeem(bound, "DPoP", w.proof(key, nil)); failed != "" || got.Type != "DPoP" {
		t.Errorf("a code by its key: %q", failed)
	}
	if is, _ := w.inspect(got.Access, "Authorization", basic("service", canary)); is["token_type"] != "DPoP" || is["cnf"] == nil {
		t.Errorf("the issuer says %v", is)
	}
}

// With Options.Nonces, proofs need a recent nonce of the issuer.
func nonces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, func(o *mcpissuer.Options) { o.Nonces = true })
		key, form := newKey(), w.login()
		ask := func(nonce any) (string, string) {
			t.Helper()
			a := w.post(nil, "/oauth/token", form, "DPoP", w.proof(key, map[string]any{"nonce": nonce}))
			var got struct{ Error string }
			if err := json.Unmarshal([]byte(a.body), &got); err != nil {
				t.Fatal(err)
			}
			return got.Error, a.header.Get("DPoP-Nonce")
		}
		failed, nonce := ask(nil)
		if failed != "use_dpop_nonce" || nonce == "" {
			t.Fatalf("%q, nonce %q", failed, nonce)
		}
		for name, wrong := range map[string]any{"empty": "", "another": rand.Text(), "changed": nonce[:len(nonce)-2] + "AA", "of another type": 7, "long": strings.Repeat("x", 5000)} {
			if failed, _ := ask(wrong); failed != "use_dpop_nonce" && failed != "invalid_dpop_proof" {
				t.Errorf("%s: %q", name, failed)
			}
		}
		other := newWorld(t, func(o *mcpissuer.Options) { o.Nonces = true })
		_, foreign := other.issuerNonce(newKey())
		if failed, _ := ask(foreign); failed != "use_dpop_nonce" {
			t.Errorf("of another issuer: %q", failed)
		}
		if failed, next := ask(nonce); failed != "" || next == "" {
			t.Errorf("with the nonce: %q", failed)
		}
		form = w.login()
		time.Sleep(11 * time.Minute)
		form = w.login()
		failed, nonce = ask(nonce)
		if failed != "use_dpop_nonce" || nonce == "" {
			t.Errorf("with an old one: %q", failed)
		}
		if failed, _ := ask(nonce); failed != "" {
			t.Errorf("with the new one: %q", failed)
		}
		// Without DPoP no nonce is needed.
		if _, failed := w.redeem(w.login()); failed != "" {
			t.Errorf("without a proof: %q", failed)
		}
	})
}

// issuerNonce requests a nonce.
func (w *world) issuerNonce(key *ecdsa.PrivateKey) (failed, nonce string) {
	w.t.Helper()
	form := url.Values{"grant_type": {"client_credentials"}, "client_id": {"service"}, "client_secret": {canary}}
	a := w.post(nil, "/oauth/token", form, "DPoP", w.proof(key, nil))
	var got struct{ Error string }
	if err := json.Unmarshal([]byte(a.body), &got); err != nil {
		w.t.Fatal(err)
	}
	return got.Error, a.header.Get("DPoP-Nonce")
}
