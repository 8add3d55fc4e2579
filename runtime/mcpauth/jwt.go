package mcpauth

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/go-jose/go-jose/v4"
)

// defaultLeeway is the tolerated difference between the clocks of issuer and server.
const defaultLeeway = 30 * time.Second

// JWTOptions configures [JWT].
type JWTOptions struct {
	// Issuer is the issuer of the tokens, exactly as in its tokens and its metadata:
	// https://id.example.com/tenant. Only issuers on this machine may use http.
	Issuer string
	// Keys is a key set (RFC 7517), for issuers with constant keys. Nil means the keys in the
	// issuer's metadata (RFC 8414, OpenID Connect Discovery 1.0).
	Keys []byte
	// Audience is an accepted audience besides the Resource of the guard: an identifier that the
	// issuer gave to the server, if the issuer does not support the parameter resource (RFC 8707).
	Audience string
	// AudienceFrom returns the audiences of a token that are not in the claim aud. A token needs an
	// audience in any case.
	AudienceFrom func(claims map[string]any) []string
	// RolesFrom returns the roles of a token. Nil means the claim roles.
	RolesFrom func(claims map[string]any) []string
	// Algorithms are the accepted signature algorithms, such as ES256. Nil means all supported
	// ones: RS256, RS384, RS512, the same with PS and ES, and EdDSA.
	Algorithms []string
	// Clients are the clients whose tokens are accepted, by the claim client_id or azp. Nil means
	// all clients of the issuer.
	Clients []string
	// DPoP configures whether tokens must be bound to a key of the client.
	DPoP DPoPOptions
	// HTTP contains the Transport for requests to the issuer. Nil means the default of net/http.
	HTTP *http.Client
	// Log gets errors of fetching keys. Nil is slog.Default.
	Log *slog.Logger
}

// JWT returns a Verifier for access tokens that are JWTs of an issuer (RFC 9068). It recognises a
// token by the claim iss. A token must contain exp, sub or client_id, and an audience that
// identifies the server.
//
// An issuer signs ID tokens with the same keys. The Verifier recognises them by the claims nonce,
// at_hash, c_hash and s_hash, by the value of typ or token_use, and by their audience, which is a
// client and not the server. It therefore accepts an ID token without those claims, such as one
// from a code flow without nonce, if Audience is the client id of the program that the token was
// issued to: use a separate identifier of the API as Audience, as most issuers provide for a
// registered API.
//
// Keys are fetched when the first token needs them. They are fetched again in the background every
// 15 minutes, and immediately for a token with an unknown key, once in 10 seconds. If fetching
// fails, the old keys are used for 24 hours. A verified token is cached for a minute.
func JWT(o JWTOptions) Verifier {
	v := &jwtVerifier{o: o, tokens: newCache[*verified](maxCached)}
	v.binding, v.wrong = newBinding(o.DPoP)
	if v.wrong == nil {
		v.wrong = v.check()
	}
	return v
}

// jwtVerifier is the Verifier of JWT.
type jwtVerifier struct {
	o       JWTOptions
	wrong   error // caused by the options
	allowed []jose.SignatureAlgorithm
	fixed   []*publicKey // of JWTOptions.Keys
	source  *keySource   // otherwise
	tokens  *cache[*verified]
	binding *binding
}

// verified is a token whose signature and claims are valid. Its binding is checked with each
// request.
type verified struct {
	identity *Identity
	bound    confirmation
}

// check checks the options and completes the verifier.
func (v *jwtVerifier) check() error {
	if _, err := checkURL(v.o.Issuer); err != nil {
		return fmt.Errorf("JWTOptions.Issuer %w", err)
	}
	names := v.o.Algorithms
	if names == nil {
		names = algorithms
	}
	for _, name := range names {
		if !slices.Contains(algorithms, name) {
			return fmt.Errorf("JWTOptions.Algorithms has %q: it must be one of %s", name, strings.Join(algorithms, ", "))
		}
		v.allowed = append(v.allowed, jose.SignatureAlgorithm(name))
	}
	if len(names) == 0 {
		return errors.New("JWTOptions.Algorithms is empty: leave it nil for all of them")
	}
	if v.o.Keys != nil {
		set, err := readObject(v.o.Keys)
		if err == nil {
			v.fixed, err = readKeys(set)
		}
		if err != nil {
			return fmt.Errorf("read JWTOptions.Keys: %w", err)
		}
		return nil
	}
	f := newFetcher(v.o.HTTP, maxDocumentBytes)
	v.source = &keySource{
		fetch: func(ctx context.Context) ([]*publicKey, error) { return discoverKeys(ctx, f, v.o.Issuer) },
		log: func(err error) {
			loggerOr(v.o.Log).Warn("the keys of an issuer cannot be fetched", slog.String("issuer", v.o.Issuer), slog.Any("error", err))
		},
	}
	return nil
}

func loggerOr(l *slog.Logger) *slog.Logger {
	if l == nil {
		return slog.Default()
	}
	return l
}

func (v *jwtVerifier) Verify(ctx context.Context, c *Credential) (*Identity, error) {
	if v.wrong != nil {
		return nil, v.wrong
	}
	if !c.isToken() {
		return nil, ErrNotMine
	}
	key := digestOf(c)
	found, ok := v.tokens.get(key)
	if !ok {
		var err error
		if found, err = v.verify(ctx, c); err != nil {
			return nil, err
		}
		v.tokens.put(key, found, found.bytes(c.Token), keepUntil(cacheTime, found.identity.Expires.Add(c.clockLeeway())))
	}
	if err := v.binding.check(ctx, c, found.bound); err != nil {
		return nil, err
	}
	return found.identity, nil
}

// verify verifies a token that is not in the cache.
func (v *jwtVerifier) verify(ctx context.Context, c *Credential) (*verified, error) {
	t, ok := parseCompact(c.Token)
	if !ok || t.claims["iss"] != v.o.Issuer {
		return nil, ErrNotMine
	}
	if err := t.checkHeader(false); err != nil {
		return nil, err
	}
	switch strings.ToLower(t.typ) {
	case "", "jwt", "at+jwt", "application/at+jwt":
	default:
		return nil, refuse("the token is not an access token by its type")
	}
	if !slices.Contains(v.allowed, jose.SignatureAlgorithm(t.alg)) {
		return nil, refuse("the algorithm of the token is not allowed")
	}
	// Tokens that can be refused without a key are refused before a key is fetched.
	claims := v.claims()
	if err := claims.check(t.claims, c); err != nil {
		return nil, err
	}
	var err error
	keys := matching(v.fixed, t.kid, t.alg)
	if v.source != nil {
		if keys, err = v.source.find(ctx, t.kid, t.alg); err != nil {
			return nil, err
		}
	}
	if keys == nil {
		return nil, errUnknownKey
	}
	if !t.signedBy(keys, v.allowed) {
		return nil, refuse("the signature of the token is not valid")
	}
	return claims.read(t.claims, c)
}

// signedBy reports whether one of the keys verifies the signature.
func (c *compact) signedBy(keys []*publicKey, allowed []jose.SignatureAlgorithm) bool {
	signature, err := jose.ParseSignedCompact(c.text, allowed)
	if err != nil {
		return false
	}
	return slices.ContainsFunc(keys, func(k *publicKey) bool {
		_, err := signature.Verify(k.key)
		return err == nil
	})
}

// claims returns the rules for the claims.
func (v *jwtVerifier) claims() *claimsOf {
	return &claimsOf{
		audience: v.o.Audience, audienceFrom: v.o.AudienceFrom, rolesFrom: v.o.RolesFrom, clients: v.o.Clients,
		needsExpiry: true, method: "jwt", issuer: v.o.Issuer,
	}
}

// describe is called for the guard's metadata.
func (v *jwtVerifier) describe(d *description) {
	d.issuers = append(d.issuers, v.o.Issuer)
	d.bearer = true
	v.binding.describe(d)
}

// configuration is called by New.
func (v *jwtVerifier) configuration() error { return v.wrong }

// probe is called by Guard.Check.
func (v *jwtVerifier) probe(ctx context.Context) error {
	if v.source == nil {
		return nil
	}
	if err := v.source.check(ctx); err != nil {
		return fmt.Errorf("get keys of the issuer %s: %w", v.o.Issuer, err)
	}
	return nil
}
