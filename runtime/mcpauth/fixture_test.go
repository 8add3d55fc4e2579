package mcpauth_test

import (
	"bytes"
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/hmac"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/runtime/mcpauth"
)

const (
	resource  = "https://mcp.example.com/mcp"
	issuerURL = "https://id.example.com/tenant"
	// canary is part of tokens, keys and passwords, and must not occur in any text.
	canary = "CaNaRy0123456789"
)

// Keys that all tests share, since generating them is slow.
var (
	ecKey      = must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
	otherECKey = must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
	rsaKey     = must(rsa.GenerateKey(rand.Reader, 2048))
	edKey      = ed25519.NewKeyFromSeed([]byte("0123456789abcdef0123456789abcdef"))
)

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func b64(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

// sign creates a compact JWS of two texts, without the library that verifies it.
func sign(header, payload string, key any) string {
	text := b64([]byte(header)) + "." + b64([]byte(payload))
	return text + "." + b64(signature(header, text, key))
}

func signature(header, text string, key any) []byte {
	sum := sha256.Sum256([]byte(text))
	switch key := key.(type) {
	case *ecdsa.PrivateKey:
		r, s, err := ecdsa.Sign(rand.Reader, key, sum[:])
		if err != nil {
			panic(err)
		}
		return append(r.FillBytes(make([]byte, 32)), s.FillBytes(make([]byte, 32))...)
	case *rsa.PrivateKey:
		if strings.Contains(header, `"PS256"`) {
			return must(rsa.SignPSS(rand.Reader, key, crypto.SHA256, sum[:], nil))
		}
		return must(rsa.SignPKCS1v15(rand.Reader, key, crypto.SHA256, sum[:]))
	case ed25519.PrivateKey:
		return ed25519.Sign(key, []byte(text))
	case []byte:
		code := hmac.New(sha256.New, key)
		code.Write([]byte(text))
		return code.Sum(nil)
	}
	return []byte("none")
}

// object is a JSON object.
type object = map[string]any

func jsonOf(v any) string { return string(must(json.Marshal(v))) }

// jwk returns a public key as a JWK.
func jwk(key any, more object) object {
	o := object{}
	switch key := key.(type) {
	case *ecdsa.PrivateKey:
		b := must(key.PublicKey.Bytes())
		o = object{"kty": "EC", "crv": "P-256", "x": b64(b[1:33]), "y": b64(b[33:])}
	case *rsa.PrivateKey:
		o = object{"kty": "RSA", "n": b64(key.N.Bytes()), "e": "AQAB"}
	case ed25519.PrivateKey:
		o = object{"kty": "OKP", "crv": "Ed25519", "x": b64(key.Public().(ed25519.PublicKey))}
	case []byte:
		o = object{"kty": "oct", "k": b64(key)}
	}
	maps.Copy(o, more)
	return o
}

// issuer is an authorization server without a network: the Transport of a client.
type issuer struct {
	url    string
	asked  atomic.Int64 // number of requests for key sets
	mu     sync.Mutex
	keys   []object
	change http.HandlerFunc // responds instead, if set
}

func newIssuer() *issuer {
	return &issuer{url: issuerURL, keys: []object{
		jwk(ecKey, object{"kid": "ec", "alg": "ES256", "use": "sig"}),
		jwk(rsaKey, object{"kid": "rsa", "key_ops": []string{"verify"}}),
		jwk(edKey, object{"kid": "ed"}),
		jwk(otherECKey, object{"kid": "enc", "use": "enc"}),
		jwk(otherECKey, object{"kid": "derive", "key_ops": []string{"deriveKey"}}),
		jwk([]byte(canary), object{"kid": "oct"}),
	}}
}

func (i *issuer) set(keys ...object) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.keys, i.change = keys, nil
}

func (i *issuer) answer(h http.HandlerFunc) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.change = h
}

func (i *issuer) client() *http.Client { return &http.Client{Transport: i} }

func (i *issuer) RoundTrip(r *http.Request) (*http.Response, error) {
	i.mu.Lock()
	change, keys := i.change, i.keys
	i.mu.Unlock()
	if strings.HasSuffix(r.URL.Path, "/keys") {
		i.asked.Add(1)
	}
	w := httptest.NewRecorder()
	switch {
	case change != nil:
		change(w, r)
	case r.URL.String() == "https://id.example.com/.well-known/oauth-authorization-server/tenant":
		_, _ = io.WriteString(w, jsonOf(object{"issuer": i.url, "jwks_uri": i.url + "/keys"}))
	case r.URL.String() == i.url+"/keys":
		_, _ = io.WriteString(w, jsonOf(object{"keys": keys}))
	default:
		http.NotFound(w, r)
	}
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	resp := w.Result()
	resp.Request = r
	return resp, nil
}

// claims returns the claims of a valid token; more replaces some, and a nil value removes one.
func claims(more object) object {
	now := time.Now().Unix()
	c := object{
		"iss": issuerURL, "aud": resource, "sub": "ada", "client_id": "desktop", "exp": now + 600, "iat": now, "jti": "id-1",
		"scope": "books:read books:write",
	}
	for name, value := range more {
		if c[name] = value; value == nil {
			delete(c, name)
		}
	}
	return c
}

const ecHeader = `{"typ":"at+jwt","alg":"ES256","kid":"ec"}`

// token returns a valid token with other claims.
func token(more object) string { return sign(ecHeader, jsonOf(claims(more)), ecKey) }

func bearer(token string) *mcpauth.Credential {
	return &mcpauth.Credential{Scheme: mcpauth.SchemeBearer, Token: token, Resource: resource, Method: "POST"}
}

// outcome returns a name for the result of a verification.
func outcome(i *mcpauth.Identity, err error) string {
	switch {
	case err == nil && i != nil:
		return "taken"
	case i != nil:
		return "both"
	case errors.Is(err, mcpauth.ErrNotMine):
		return "not mine"
	case errors.Is(err, mcpauth.ErrInvalid):
		return "refused"
	}
	return "unknown"
}

// noSecret checks that a text contains no part of a secret.
func noSecret(t *testing.T, text string, secrets ...string) {
	t.Helper()
	for _, secret := range append(secrets, canary) {
		for part := range strings.SplitSeq(secret, ".") {
			if len(part) > 7 && strings.Contains(text, part) {
				t.Errorf("%.300q has a part of a secret: %.40q", text, part)
			}
		}
	}
}

// record is a log in memory.
type record struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (r *record) Write(b []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.b.Write(b)
}

func (r *record) String() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.b.String()
}

func (r *record) logger() *slog.Logger { return slog.New(slog.NewTextHandler(r, nil)) }

// verify verifies a credential with a time limit, and checks that the error contains no secret.
func verify(t *testing.T, v mcpauth.Verifier, c *mcpauth.Credential) (*mcpauth.Identity, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	i, err := v.Verify(ctx, c)
	if err != nil {
		noSecret(t, err.Error(), c.Token, c.Password)
	}
	noSecret(t, fmt.Sprintf("%v %+v %#v", c, c, c), c.Token)
	return i, err
}

func contextFor(t *testing.T, d time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeout(t.Context(), d)
}
