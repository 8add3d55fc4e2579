package mcpauth_test

import (
	"context"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/mcpgen/mcpgen/runtime/internal/challenge"
	"github.com/mcpgen/mcpgen/runtime/mcpauth"
)

// thumbprint returns the thumbprint of a key (RFC 7638).
func thumbprint(key any) string {
	k := jwk(key, nil)
	sum := sha256.Sum256([]byte(fmt.Sprintf(`{"crv":%q,"kty":%q,"x":%q,"y":%q}`, k["crv"], k["kty"], k["x"], k["y"])))
	return b64(sum[:])
}

// proof creates a proof for a token; header and claims replace parts of a valid one.
func proof(token string, header, claims object) string {
	sum := sha256.Sum256([]byte(token))
	h := object{"typ": "dpop+jwt", "alg": "ES256", "jwk": jwk(otherECKey, nil)}
	c := object{"jti": "proof-" + fmt.Sprint(time.Now().UnixNano()), "htm": "POST", "htu": resource, "iat": time.Now().Unix(), "ath": b64(sum[:])}
	for _, change := range []struct{ to, from object }{{h, header}, {c, claims}} {
		maps.Copy(change.to, change.from)
		for name, v := range change.from {
			if v == nil {
				delete(change.to, name)
			}
		}
	}
	return sign(jsonOf(h), jsonOf(c), otherECKey)
}

// bound returns a token that is bound to otherECKey.
func bound() string { return token(object{"cnf": object{"jkt": thumbprint(otherECKey)}}) }

func dpopSite(t *testing.T, o mcpauth.DPoPOptions) *site {
	return newSite(t, func(options *mcpauth.Options) {
		i := newIssuer()
		options.Verifiers = []mcpauth.Verifier{mcpauth.JWT(mcpauth.JWTOptions{Issuer: issuerURL, HTTP: i.client(), DPoP: o})}
	})
}

func TestDPoP(t *testing.T) {
	s := dpopSite(t, mcpauth.DPoPOptions{Mode: mcpauth.DPoPAccept})
	text := bound()
	for name, p := range map[string]string{
		"valid":                       proof(text, nil, nil),
		"path of the request":         proof(text, nil, object{"htu": resource}),
		"query and fragment":          proof(text, nil, object{"htu": resource + "?x=1#y"}),
		"default port and upper case": proof(text, nil, object{"htu": "HTTPS://MCP.Example.com:443/mcp"}),
		"a minute old":                proof(text, nil, object{"iat": time.Now().Unix() - 60}),
		"of a clock that is early":    proof(text, nil, object{"iat": time.Now().Unix() + 20}),
	} {
		if resp := s.do(t, post("whoami", "Authorization: DPoP "+text, "DPoP: "+p)); resp.StatusCode != 200 {
			t.Errorf("%s: status %d, %s", name, resp.StatusCode, s.audit)
		}
	}
	if resp := s.do(t, post("whoami", "Authorization: Bearer "+token(nil))); resp.StatusCode != 200 {
		t.Errorf("unbound token: status %d", resp.StatusCode)
	}
}

// TestDPoPRefused checks invalid proofs (RFC 9449, section 4.3).
func TestDPoPRefused(t *testing.T) {
	text, other := bound(), token(object{"cnf": object{"jkt": thumbprint(ecKey)}})
	now := time.Now().Unix()
	private := jwk(otherECKey, object{"d": b64(must(otherECKey.Bytes()))})
	for _, test := range []struct {
		name   string
		fields []string
		reason string
	}{
		{"as Bearer", []string{"Authorization: Bearer " + text, "DPoP: " + proof(text, nil, nil)}, "it needs the scheme DPoP"},
		{"none", []string{"Authorization: DPoP " + text}, "needs one proof"},
		{"two", []string{"Authorization: DPoP " + text, "DPoP: " + proof(text, nil, nil), "DPoP: " + proof(text, nil, nil)}, "needs one proof"},
		{"two in a field", []string{"Authorization: DPoP " + text, "DPoP: " + proof(text, nil, nil) + ", " + proof(text, nil, nil)}, "not a JWT"},
		{"empty", []string{"Authorization: DPoP " + text, "DPoP: "}, "not a JWT"},
		{"10 KB", []string{"Authorization: DPoP " + text, "DPoP: " + strings.Repeat("x", 10<<10)}, "more than"},
		{"access token as proof", []string{"Authorization: DPoP " + text, "DPoP: " + text}, "header of the proof"},
		{"another method", nil, "another method"},
		{"method in lower case", nil, "another method"},
		{"another path", nil, "another URL"},
		{"another host", nil, "another URL"},
		{"http", nil, "another URL"},
		{"another port", nil, "another URL"},
		{"user in the URL", nil, "another URL"},
		{"no URL", nil, "another URL"},
		{"another token", nil, "another token"},
		{"no token", nil, "another token"},
		{"old", nil, "time of the proof"},
		{"from the future", nil, "time of the proof"},
		{"no time", nil, "time of the proof"},
		{"time as text", nil, "time of the proof"},
		{"no jti", nil, "no jti"},
		{"long jti", nil, "no jti"},
		{"type", nil, "header of the proof"},
		{"symmetric", nil, "header of the proof"},
		{"none as algorithm", nil, "header of the proof"},
		{"crit", nil, "header of the proof"},
		{"no key", nil, "not a public key"},
		{"private key inside", nil, "not a public key"},
		{"symmetric key", nil, "not a public key"},
		{"another key", nil, "not the one"},
		{"signed by another key", nil, "signature of the proof"},
		{"token of another key", []string{"Authorization: DPoP " + other, "DPoP: " + proof(other, nil, nil)}, "not the one"},
	} {
		var header, claims object
		p := ""
		switch test.name {
		case "another method":
			claims = object{"htm": "GET"}
		case "method in lower case":
			claims = object{"htm": "post"}
		case "another path":
			claims = object{"htu": resource + "/x"}
		case "another host":
			claims = object{"htu": "https://evil.example/mcp"}
		case "http":
			claims = object{"htu": "http://mcp.example.com/mcp"}
		case "another port":
			claims = object{"htu": "https://mcp.example.com:8443/mcp"}
		case "user in the URL":
			claims = object{"htu": "https://x@mcp.example.com/mcp"}
		case "no URL":
			claims = object{"htu": nil}
		case "another token":
			p = proof(other, nil, nil)
		case "no token":
			claims = object{"ath": nil}
		case "old":
			claims = object{"iat": now - 301}
		case "from the future":
			claims = object{"iat": now + 60}
		case "no time":
			claims = object{"iat": nil}
		case "time as text":
			claims = object{"iat": fmt.Sprint(now)}
		case "no jti":
			claims = object{"jti": nil}
		case "long jti":
			claims = object{"jti": strings.Repeat("j", 600)}
		case "type":
			header = object{"typ": "JWT"}
		case "symmetric":
			header = object{"alg": "HS256", "jwk": object{"kty": "oct", "k": "AAAA"}}
		case "none as algorithm":
			header = object{"alg": "none"}
		case "crit":
			header = object{"crit": []string{"x"}}
		case "no key":
			header = object{"jwk": nil}
		case "private key inside":
			header = object{"jwk": private}
		case "symmetric key":
			header = object{"jwk": object{"kty": "oct", "k": "AAAA"}}
		case "another key":
			header = object{"jwk": jwk(ecKey, nil)}
		case "signed by another key":
			parts := strings.Split(proof(text, nil, nil), ".")
			p = parts[0] + "." + parts[1] + "." + strings.Split(sign(`{"alg":"ES256"}`, "{}", ecKey), ".")[2]
		}
		if test.fields == nil {
			if p == "" {
				p = proof(text, header, claims)
			}
			test.fields = []string{"Authorization: DPoP " + text, "DPoP: " + p}
		}
		s := dpopSite(t, mcpauth.DPoPOptions{Mode: mcpauth.DPoPAccept})
		resp := s.do(t, post("whoami", test.fields...))
		all, err := challenge.Parse(resp.Header["Www-Authenticate"])
		c, ok := challenge.Find(all, "DPoP")
		if resp.StatusCode != 401 || err != nil || !ok || !strings.Contains(s.audit.String(), test.reason) {
			t.Errorf("%s: status %d, %v, %s", test.name, resp.StatusCode, resp.Header, s.audit)
		}
		if code, _ := c.Param("error"); code != "invalid_dpop_proof" && test.name != "as Bearer" {
			t.Errorf("%s: error %q", test.name, code)
		}
		if algs, _ := c.Param("algs"); !strings.Contains(algs, "ES256") || strings.Contains(algs, "HS256") {
			t.Errorf("%s: algs %q", test.name, algs)
		}
	}
}

// A proof can be used once, even with a cached token, and by only one of many concurrent requests.
func TestDPoPReplay(t *testing.T) {
	s := dpopSite(t, mcpauth.DPoPOptions{Mode: mcpauth.DPoPRequire})
	text := bound()
	p := proof(text, nil, nil)
	statuses := make([]int, 20)
	var all sync.WaitGroup
	for n := range statuses {
		all.Go(func() {
			statuses[n] = s.do(t, post("whoami", "Authorization: DPoP "+text, "DPoP: "+p)).StatusCode
		})
	}
	all.Wait()
	taken := 0
	for _, status := range statuses {
		if status == 200 {
			taken++
		} else if status != 401 {
			t.Errorf("status %d", status)
		}
	}
	if taken != 1 {
		t.Errorf("taken %d times", taken)
	}
}

// The mode determines which tokens are accepted, and the content of the metadata.
func TestDPoPModes(t *testing.T) {
	text := bound()
	for mode, want := range map[mcpauth.DPoPMode][3]int{
		mcpauth.DPoPOff: {401, 401, 200}, mcpauth.DPoPAccept: {200, 401, 200}, mcpauth.DPoPRequire: {200, 401, 401},
	} {
		s := dpopSite(t, mcpauth.DPoPOptions{Mode: mode})
		for n, fields := range [][]string{
			{"Authorization: DPoP " + text, "DPoP: " + proof(text, nil, nil)},
			{"Authorization: Bearer " + text},
			{"Authorization: Bearer " + token(nil)},
		} {
			resp := s.do(t, post("whoami", fields...))
			if resp.StatusCode != want[n] {
				t.Errorf("mode %d, request %d: status %d", mode, n, resp.StatusCode)
			}
			challenges := strings.Join(resp.Header["Www-Authenticate"], "|")
			if mode == mcpauth.DPoPRequire && strings.Contains(challenges, "Bearer") || mode == mcpauth.DPoPOff && strings.Contains(challenges, "DPoP algs") {
				t.Errorf("mode %d: %s", mode, challenges)
			}
		}
		meta := s.do(t, request("GET", "https://mcp.example.com/.well-known/oauth-protected-resource", ""))
		body := make([]byte, 4096)
		n, _ := meta.Body.Read(body)
		if got := strings.Contains(string(body[:n]), `"dpop_bound_access_tokens_required":true`); got != (mode == mcpauth.DPoPRequire) {
			t.Errorf("mode %d: %s", mode, body[:n])
		}
		if got := strings.Contains(string(body[:n]), `"dpop_signing_alg_values_supported"`); got != (mode != mcpauth.DPoPOff) {
			t.Errorf("mode %d: %s", mode, body[:n])
		}
	}
}

// A server can require its own nonce, which is valid for five minutes on every replica.
func TestDPoPNonce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		key := []byte(strings.Repeat("k", 32))
		s := dpopSite(t, mcpauth.DPoPOptions{Mode: mcpauth.DPoPRequire, Nonces: true, NonceKey: key})
		replica := dpopSite(t, mcpauth.DPoPOptions{Mode: mcpauth.DPoPRequire, Nonces: true, NonceKey: key})
		stranger := dpopSite(t, mcpauth.DPoPOptions{Mode: mcpauth.DPoPRequire, Nonces: true})
		send := func(s *site, nonce any) *http.Response {
			time.Sleep(time.Nanosecond) // another jti
			text := bound()
			return s.do(t, post("whoami", "Authorization: DPoP "+text, "DPoP: "+proof(text, nil, object{"nonce": nonce})))
		}
		first := send(s, nil)
		nonce := first.Header.Get("DPoP-Nonce")
		if first.StatusCode != 401 || nonce == "" || !strings.Contains(first.Header.Get("Www-Authenticate"), `error="use_dpop_nonce"`) {
			t.Fatalf("status %d, %v", first.StatusCode, first.Header)
		}
		for _, test := range []struct {
			name  string
			at    *site
			nonce any
			want  int
		}{
			{"own", s, nonce, 200}, {"again", s, nonce, 200}, {"replica", replica, nonce, 200}, {"of another server", stranger, nonce, 401},
			{"changed", s, nonce[:len(nonce)-2] + "AA", 401}, {"longer", s, nonce + "AAAA", 401}, {"number", s, 1, 401}, {"1 KB", s, strings.Repeat("A", 1024), 401},
		} {
			if resp := send(test.at, test.nonce); resp.StatusCode != test.want {
				t.Errorf("%s: status %d", test.name, resp.StatusCode)
			}
		}
		time.Sleep(5*time.Minute + time.Second)
		if resp := send(s, nonce); resp.StatusCode != 401 || resp.Header.Get("DPoP-Nonce") == nonce {
			t.Errorf("after five minutes: status %d", resp.StatusCode)
		}
	})
}

// stateStore is a store that replicas share.
type stateStore struct {
	ids map[string]time.Time
	err error
}

func (s *stateStore) Consume(_ context.Context, id string, expires time.Time) (bool, error) {
	_, used := s.ids[id]
	s.ids[id] = expires
	return !used, s.err
}

// The program's store decides, and no request is accepted if it fails.
func TestDPoPStore(t *testing.T) {
	store := &stateStore{ids: map[string]time.Time{}}
	one, two := dpopSite(t, mcpauth.DPoPOptions{Mode: mcpauth.DPoPRequire, Replay: store}), dpopSite(t, mcpauth.DPoPOptions{Mode: mcpauth.DPoPRequire, Replay: store})
	text := bound()
	p := proof(text, nil, nil)
	fields := []string{"Authorization: DPoP " + text, "DPoP: " + p}
	if a, b := one.do(t, post("whoami", fields...)).StatusCode, two.do(t, post("whoami", fields...)).StatusCode; a != 200 || b != 401 {
		t.Errorf("%d, %d", a, b)
	}
	for id, expires := range store.ids {
		if left := time.Until(expires); left < 5*time.Minute || left > 6*time.Minute {
			t.Errorf("recorded for %v", left)
		}
		noSecret(t, id, p)
	}
	store.err = errors.New("no connection")
	if status := one.do(t, post("whoami", "Authorization: DPoP "+text, "DPoP: "+proof(text, nil, nil))).StatusCode; status != 503 {
		t.Errorf("status %d", status)
	}
}

// A full store drops nothing that can still be used, and one key cannot fill it.
func TestDPoPStoreFull(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := mcpauth.NewProofStore(100)
		expires := time.Now().Add(5 * time.Minute)
		use := func(id string) string {
			first, err := s.Consume(t.Context(), id, expires)
			return fmt.Sprint(first, err != nil)
		}
		for n := range 25 {
			if got := use(fmt.Sprintf("a.%d", n)); got != "true false" {
				t.Fatalf("%d: %s", n, got)
			}
		}
		if got := use("a.25"); got != "false true" {
			t.Errorf("one more of a key: %s", got)
		}
		for n := range 75 {
			use(fmt.Sprintf("b%d.0", n))
		}
		for id, want := range map[string]string{"c.0": "false true", "a.0": "false false", "b74.0": "false false"} {
			if got := use(id); got != want {
				t.Errorf("%s in a full store: %s", id, got)
			}
		}
		time.Sleep(4 * time.Minute)
		if got := use("a.0"); got != "false false" {
			t.Errorf("after four minutes: %s", got)
		}
		time.Sleep(time.Minute + time.Second)
		expires = time.Now().Add(time.Minute)
		if got := use("a.0"); got != "true false" {
			t.Errorf("after its end: %s", got)
		}
	})
}

// The thumbprint equals the library's (RFC 7638).
func TestThumbprint(t *testing.T) {
	k := jose.JSONWebKey{Key: &otherECKey.PublicKey}
	if sum := must(k.Thumbprint(5)); b64(sum) != thumbprint(otherECKey) {
		t.Error("differs")
	}
}

// A token that is bound to a certificate is accepted over a connection with that certificate, in
// every mode, and over no other.
func TestCertificateBound(t *testing.T) {
	own, other := &x509.Certificate{Raw: []byte("own")}, &x509.Certificate{Raw: []byte("other")}
	sum := sha256.Sum256(own.Raw)
	text := token(object{"cnf": object{"x5t#S256": b64(sum[:])}})
	both := token(object{"cnf": object{"x5t#S256": b64(sum[:]), "jkt": thumbprint(otherECKey)}})
	for _, test := range []struct {
		name   string
		tls    *tls.ConnectionState
		fields []string
		want   int
	}{
		{"own", &tls.ConnectionState{PeerCertificates: []*x509.Certificate{own}}, []string{"Authorization: Bearer " + text}, 200},
		{"other", &tls.ConnectionState{PeerCertificates: []*x509.Certificate{other}}, []string{"Authorization: Bearer " + text}, 401},
		{"second in the chain", &tls.ConnectionState{PeerCertificates: []*x509.Certificate{other, own}}, []string{"Authorization: Bearer " + text}, 401},
		{"none", &tls.ConnectionState{}, []string{"Authorization: Bearer " + text}, 401},
		{"no TLS", nil, []string{"Authorization: Bearer " + text}, 401},
		{"header field", nil, []string{"Authorization: Bearer " + text, "X-Client-Cert: b3du", "X-Forwarded-Client-Cert: b3du", "X-SSL-Cert: b3du"}, 401},
		{"both, no proof", &tls.ConnectionState{PeerCertificates: []*x509.Certificate{own}}, []string{"Authorization: Bearer " + both}, 401},
		{"both, no certificate", nil, []string{"Authorization: DPoP " + both, "DPoP: " + proof(both, nil, nil)}, 401},
		{"both", &tls.ConnectionState{PeerCertificates: []*x509.Certificate{own}}, []string{"Authorization: DPoP " + both, "DPoP: " + proof(both, nil, nil)}, 200},
	} {
		s := dpopSite(t, mcpauth.DPoPOptions{Mode: mcpauth.DPoPAccept})
		for range 2 { // the second time the token is cached
			r := post("whoami", test.fields...)
			r.TLS = test.tls
			if test.name == "both" {
				r.Header.Set("DPoP", proof(both, nil, nil))
			}
			if resp := s.do(t, r); resp.StatusCode != test.want {
				t.Errorf("%s: status %d, %s", test.name, resp.StatusCode, s.audit)
			}
		}
	}
}
