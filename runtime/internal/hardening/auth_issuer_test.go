package hardening_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/runtime/mcpauth"
)

const (
	authResource = "https://mcp.example.com/mcp"
	authIssuerID = "https://id.example.com/tenant"
)

// object is a JSON object.
type object = map[string]any

var (
	issuerKey = newSigningKey()
	strayKey  = newSigningKey() // in the key set for encryption; the key of DPoP clients
)

func newSigningKey() *ecdsa.PrivateKey {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic(err)
	}
	return key
}

func jsonOf(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}

func unpadded(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

// signed makes a compact JWS of two texts. The key is a key for a signature, or for a MAC.
func signed(header, payload string, key any) string {
	text := unpadded([]byte(header)) + "." + unpadded([]byte(payload))
	switch key := key.(type) {
	case *ecdsa.PrivateKey:
		sum := sha256.Sum256([]byte(text))
		r, s, err := ecdsa.Sign(rand.Reader, key, sum[:])
		if err != nil {
			panic(err)
		}
		return text + "." + unpadded(append(r.FillBytes(make([]byte, 32)), s.FillBytes(make([]byte, 32))...))
	case []byte:
		code := hmac.New(sha256.New, key)
		code.Write([]byte(text))
		return text + "." + unpadded(code.Sum(nil))
	}
	return text + "." + unpadded([]byte("none"))
}

// jwk returns the public key as a JWK, with more members.
func jwk(key *ecdsa.PrivateKey, more object) object {
	b, err := key.PublicKey.Bytes()
	if err != nil {
		panic(err)
	}
	o := object{"kty": "EC", "crv": "P-256", "x": unpadded(b[1:33]), "y": unpadded(b[33:])}
	maps.Copy(o, more)
	return o
}

func thumbprint(key *ecdsa.PrivateKey) string {
	k := jwk(key, nil)
	sum := sha256.Sum256([]byte(fmt.Sprintf(`{"crv":"P-256","kty":"EC","x":%q,"y":%q}`, k["x"], k["y"])))
	return unpadded(sum[:])
}

// change replaces members of an object; nil removes one.
func change(o, more object) object {
	for name, v := range more {
		if o[name] = v; v == nil {
			delete(o, name)
		}
	}
	return o
}

// authClaims returns the claims of a valid token, with changes.
func authClaims(more object) object {
	now := time.Now().Unix()
	return change(object{
		"iss": authIssuerID, "aud": authResource, "sub": "ada", "client_id": "desktop", "exp": now + 600, "iat": now, "jti": "id-1",
		"scope": "books:read books:write", "private": canary,
	}, more)
}

const authHeader = `{"typ":"at+jwt","alg":"ES256","kid":"ec"}`

// tokenOf returns a valid token with changed claims.
func tokenOf(more object) string { return signed(authHeader, jsonOf(authClaims(more)), issuerKey) }

// proofOf returns a DPoP proof for a token; header and claims replace members of a valid one.
func proofOf(token, method string, header, claims object) string {
	sum := sha256.Sum256([]byte(token))
	h := change(object{"typ": "dpop+jwt", "alg": "ES256", "jwk": jwk(strayKey, nil)}, header)
	c := change(object{"jti": rand.Text(), "htm": method, "htu": authResource, "iat": time.Now().Unix(), "ath": unpadded(sum[:])}, claims)
	return signed(jsonOf(h), jsonOf(c), strayKey)
}

// authIssuer is an authorization server without a network: it is the Transport of a client.
type authIssuer struct {
	mu     sync.Mutex
	keys   []object
	asked  map[string]int   // requests by URL
	answer http.HandlerFunc // answers instead, unless nil
}

func newAuthIssuer() *authIssuer {
	return &authIssuer{asked: map[string]int{}, keys: []object{
		jwk(issuerKey, object{"kid": "ec", "alg": "ES256", "use": "sig"}), jwk(strayKey, object{"kid": "enc", "use": "enc"}),
		{"kty": "oct", "kid": "oct", "k": unpadded([]byte(canary))},
	}}
}

func (i *authIssuer) jwt(o mcpauth.DPoPOptions) mcpauth.Verifier {
	return mcpauth.JWT(mcpauth.JWTOptions{Issuer: authIssuerID, HTTP: &http.Client{Transport: i}, DPoP: o, Log: slog.New(slog.DiscardHandler)})
}

func (i *authIssuer) introspection() mcpauth.Verifier {
	return mcpauth.Introspection(mcpauth.IntrospectionOptions{
		Issuer: authIssuerID, ClientID: "server", ClientSecret: canary, HTTP: &http.Client{Transport: i}, Log: slog.New(slog.DiscardHandler),
	})
}

// answers replaces the issuer's answers to requests for its keys and for introspection.
func (i *authIssuer) answers(h http.HandlerFunc) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.answer = h
}

// fetches returns the number of requests for the keys, and all requests to other places.
func (i *authIssuer) fetches() (keys int, elsewhere []string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	for at, n := range i.asked {
		switch {
		case at == authIssuerID+"/keys":
			keys = n
		case !strings.HasPrefix(at, "https://id.example.com/"):
			elsewhere = append(elsewhere, at)
		}
	}
	return keys, elsewhere
}

// RoundTrip answers a request.
func (i *authIssuer) RoundTrip(r *http.Request) (*http.Response, error) {
	i.mu.Lock()
	i.asked[r.URL.String()]++
	answer, keys := i.answer, i.keys
	i.mu.Unlock()
	w := httptest.NewRecorder()
	switch {
	case strings.HasPrefix(r.URL.Path, "/.well-known/oauth-authorization-server"):
		_, _ = io.WriteString(w, jsonOf(object{"issuer": authIssuerID, "jwks_uri": authIssuerID + "/keys", "introspection_endpoint": authIssuerID + "/introspect"}))
	case r.URL.Host != "id.example.com" || r.URL.Path != "/tenant/keys" && r.URL.Path != "/tenant/introspect":
		http.NotFound(w, r)
	case answer != nil:
		answer(w, r)
	default:
		_, _ = io.WriteString(w, jsonOf(object{"keys": keys}))
	}
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	resp := w.Result()
	resp.Request = r
	return resp, nil
}
