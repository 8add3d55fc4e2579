package mcpauth

import (
	"context"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rsa"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-jose/go-jose/v4"
)

// Limits of the keys of an issuer.
const (
	maxKeys     = 100
	maxKeyTries = 4 // keys to try for one token

	minRSABits = 2048
	maxRSABits = 8192 // a larger one would make verification slow

	keysFresh = 15 * time.Minute // after that they are fetched again in the background
	keysKept  = 24 * time.Hour   // if fetching fails
	fetchGap  = 10 * time.Second // minimum time between the beginnings of two fetches
)

// algorithms are the names of the supported signature algorithms (RFC 7518, RFC 8037). Symmetric
// ones and none are excluded.
var algorithms = []string{"RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"}

// joseAlgorithms are the same algorithms as the library names them.
var joseAlgorithms = func() (all []jose.SignatureAlgorithm) {
	for _, name := range algorithms {
		all = append(all, jose.SignatureAlgorithm(name))
	}
	return all
}()

// publicKey is a key that verifies signatures.
type publicKey struct {
	id, alg string // alg may be ""
	key     any
}

// fits reports whether a key may verify signatures of an algorithm.
func (k *publicKey) fits(alg string) bool {
	return (k.alg == "" || k.alg == alg) && keyFits(k.key, alg)
}

// keyFits reports whether a key has the type for an algorithm, and a sufficient size.
func keyFits(key any, alg string) bool {
	switch key := key.(type) {
	case *rsa.PublicKey:
		return (strings.HasPrefix(alg, "RS") || strings.HasPrefix(alg, "PS")) && key.N.BitLen() >= minRSABits && key.N.BitLen() <= maxRSABits
	case *ecdsa.PublicKey:
		return map[string]string{"ES256": "P-256", "ES384": "P-384", "ES512": "P-521"}[alg] == key.Curve.Params().Name
	case ed25519.PublicKey:
		return alg == "EdDSA"
	}
	return false
}

// readKeys reads a key set (RFC 7517, section 5). It omits keys that cannot verify a signature.
func readKeys(set map[string]any) ([]*publicKey, error) {
	list, ok := set["keys"].([]any)
	if !ok {
		return nil, errors.New("the key set has no list of keys")
	}
	if len(list) > maxKeys {
		return nil, fmt.Errorf("the key set has more than %d keys", maxKeys)
	}
	var keys []*publicKey
	for _, element := range list {
		if k := readKey(element); k != nil {
			keys = append(keys, k)
		}
	}
	if len(keys) == 0 {
		return nil, errors.New("the key set has no key that verifies signatures")
	}
	return keys, nil
}

// readKey reads one key. It returns nil if the key cannot verify signatures of a supported
// algorithm.
func readKey(element any) *publicKey {
	object, ok := element.(map[string]any)
	if !ok {
		return nil
	}
	if use, ok := text(object, "use"); !ok || use != "" && use != "sig" {
		return nil
	}
	if _, there := object["key_ops"]; there {
		if operations, ok := texts(object, "key_ops"); !ok || !slices.Contains(operations, "verify") {
			return nil
		}
	}
	id, ok1 := text(object, "kid")
	alg, ok2 := text(object, "alg")
	if !ok1 || !ok2 {
		return nil
	}
	key := parseKey(object)
	if key == nil || !slices.ContainsFunc(algorithms, func(alg string) bool { return keyFits(key, alg) }) {
		return nil
	}
	return &publicKey{id, alg, key}
}

// parseKey returns the public key of a JWK, or nil if it is invalid. It ignores certificates in the
// JWK.
func parseKey(object map[string]any) any {
	material := map[string]any{}
	for _, name := range []string{"kty", "n", "e", "crv", "x", "y"} {
		if v, there := object[name]; there {
			material[name] = v
		}
	}
	b, err := json.Marshal(material)
	if err != nil {
		return nil
	}
	var k jose.JSONWebKey
	if k.UnmarshalJSON(b) != nil || !k.Valid() || !k.IsPublic() {
		return nil
	}
	return k.Key
}

// keySource fetches the keys of an issuer from its documents. It sends requests only when a token
// needs a key, and at most once per fetchGap, whatever the tokens contain.
type keySource struct {
	fetch func(context.Context) ([]*publicKey, error)
	log   func(error) // for errors of fetches

	mu      sync.Mutex
	keys    []*publicKey
	fetched time.Time     // when the keys were fetched
	began   time.Time     // when the last fetch began
	failed  error         // the result of the last completed fetch
	running chan struct{} // closed at the end of the fetch in progress; nil without one
}

// find returns the keys that may verify a token, at least one.
func (s *keySource) find(ctx context.Context, kid, alg string) ([]*publicKey, error) {
	for range 2 {
		s.mu.Lock()
		age := time.Since(s.fetched)
		have := s.keys != nil && age < keysKept
		if have {
			if keys := matching(s.keys, kid, alg); keys != nil {
				if age >= keysFresh {
					s.start()
				}
				s.mu.Unlock()
				return keys, nil
			}
		}
		s.start()
		running, failed := s.running, s.failed
		s.mu.Unlock()
		if running == nil { // the last fetch is too recent for another
			switch {
			case failed != nil:
				return nil, fmt.Errorf("get keys of the issuer: %w", failed)
			case have:
				return nil, errUnknownKey
			}
			return nil, errors.New("the keys of the issuer are too old")
		}
		select {
		case <-running:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failed != nil {
		return nil, fmt.Errorf("get keys of the issuer: %w", s.failed)
	}
	return nil, errUnknownKey
}

var errUnknownKey = refuse("the issuer has no key that could have signed the token")

// matching returns the keys with an id, or without an id all keys that fit. It returns nil if it
// finds no key, or too many to try.
func matching(all []*publicKey, kid, alg string) (keys []*publicKey) {
	for _, k := range all {
		if (kid == "" || k.id == kid) && k.fits(alg) {
			keys = append(keys, k)
		}
	}
	if len(keys) > maxKeyTries {
		return nil
	}
	return keys
}

// start begins a fetch if none is in progress and the last one was long enough ago. The caller
// holds the lock.
func (s *keySource) start() {
	now := time.Now()
	if s.running != nil || !s.began.IsZero() && now.Sub(s.began) < fetchGap {
		return
	}
	s.began, s.running = now, make(chan struct{})
	// All waiting requests share the fetch, so it does not end with the request that began it.
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), fetchTime)
		defer cancel()
		keys, err := s.fetch(ctx)
		if err != nil {
			s.log(err)
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.failed = err; err == nil {
			s.keys, s.fetched = keys, time.Now()
		}
		close(s.running)
		s.running = nil
	}()
}

// check reports whether there are keys, for readiness probes.
func (s *keySource) check(ctx context.Context) error {
	s.mu.Lock()
	if s.keys != nil && time.Since(s.fetched) < keysKept {
		s.mu.Unlock()
		return nil
	}
	s.start()
	running := s.running
	s.mu.Unlock()
	if running != nil {
		select {
		case <-running:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.failed
}

// discover returns the metadata of an issuer (RFC 8414, section 3; OpenID Connect Discovery 1.0,
// section 4), which must name the same issuer.
func discover(ctx context.Context, f fetcher, issuer string) (map[string]any, error) {
	places, err := wellKnown(issuer)
	if err != nil {
		return nil, err
	}
	var failures []error
	for _, at := range places {
		document, err := f.get(ctx, at)
		if err == nil {
			if document["issuer"] == issuer {
				return document, nil
			}
			err = fmt.Errorf("the document at %s names another issuer", at)
		}
		failures = append(failures, err)
	}
	return nil, errors.Join(failures...)
}

// wellKnown returns the URLs of an issuer's metadata, in the order in which they are requested.
func wellKnown(issuer string) ([]string, error) {
	u, err := url.Parse(issuer)
	if err != nil {
		return nil, errors.New("the issuer is not a URL")
	}
	origin, path := u.Scheme+"://"+u.Host, strings.TrimSuffix(u.EscapedPath(), "/")
	places := []string{
		origin + "/.well-known/oauth-authorization-server" + path,
		origin + "/.well-known/openid-configuration" + path,
	}
	if path != "" {
		places = append(places, origin+path+"/.well-known/openid-configuration")
	}
	return places, nil
}

// discoverKeys finds the key set of an issuer and reads it.
func discoverKeys(ctx context.Context, f fetcher, issuer string) ([]*publicKey, error) {
	document, err := discover(ctx, f, issuer)
	if err != nil {
		return nil, err
	}
	at, ok := document["jwks_uri"].(string)
	if !ok {
		return nil, errors.New("the metadata of the issuer has no jwks_uri")
	}
	if _, err := checkURL(at); err != nil {
		return nil, fmt.Errorf("the jwks_uri of the issuer %w", err)
	}
	return fetchKeys(ctx, f, at)
}

func fetchKeys(ctx context.Context, f fetcher, at string) ([]*publicKey, error) {
	set, err := f.get(ctx, at)
	if err != nil {
		return nil, err
	}
	return readKeys(set)
}
