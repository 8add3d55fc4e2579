package interop

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"log/slog"
	nethttp "net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/zitadel/oidc/v3/example/server/storage"
	"github.com/zitadel/oidc/v3/pkg/oidc"
	"github.com/zitadel/oidc/v3/pkg/op"
	"golang.org/x/text/language"
)

// opPlan configures the issuer of package op.
type opPlan struct {
	JWT      bool // access tokens of users are JWTs, else they are opaque
	Lifetime time.Duration
	Once     bool // no refresh tokens
	Bare     bool // the issuer's name does not end in a slash
}

// The clients registered at the issuer, which does not support registration.
const (
	opReader     = "reader"  // a user's program, without a secret
	opGuard      = "guard"   // the bookshop, which introspects and exchanges tokens
	opService    = "sid1"    // from the example's storage, with client credentials
	opWorkload   = "service" // from the example's storage, with a key
	opSecret     = "guard-secret-of-the-test"
	opServiceKey = "verysecret"
)

// opRegister registers the clients, in the map that all storages of the example share.
var opRegister = sync.OnceFunc(func() {
	storage.RegisterClients(storage.NativeClient(opReader, "http://127.0.0.1/callback"), storage.WebClient(opGuard, opSecret))
})

// opIssuer is an issuer of zitadel's package op with its example's storage. Its name ends in a
// slash.
type opIssuer struct {
	*storage.Storage
	url  string
	plan opPlan
	key  *ecdsa.PrivateKey // belongs to opWorkload

	mu        sync.Mutex
	tokens    map[string]*oidc.IntrospectionResponse // by id
	refreshed []string                               // the used refresh tokens
	revoked   int
	exchanged int
}

// startOP starts the issuer until the end of the test.
func startOP(t *testing.T, plan opPlan) *opIssuer {
	t.Helper()
	opRegister()
	site := httptest.NewUnstartedServer(nil)
	i := &opIssuer{url: "http://" + site.Listener.Addr().String() + "/", plan: plan, tokens: map[string]*oidc.IntrospectionResponse{}}
	if plan.Bare {
		i.url = strings.TrimSuffix(i.url, "/")
	}
	i.Storage = storage.NewStorage(storage.NewUserStore(i.url))
	var err error
	if i.key, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader); err != nil {
		t.Fatal(err)
	}
	provider, err := op.NewProvider(&op.Config{
		CryptoKey: [32]byte{1}, CodeMethodS256: true, AuthMethodPost: true, AuthMethodPrivateKeyJWT: true, GrantTypeRefreshToken: true,
		SupportedUILocales: []language.Tag{language.English},
	}, i, op.StaticIssuer(i.url), op.WithAllowInsecure(), op.WithLogger(slog.New(slog.DiscardHandler)))
	if err != nil {
		t.Fatal(err)
	}
	mux := nethttp.NewServeMux()
	mux.Handle("/", provider)
	mux.HandleFunc("GET /login/username", i.page)
	back, issuer := op.AuthCallbackURL(provider), op.NewIssuerInterceptor(provider.IssuerFromRequest)
	mux.HandleFunc("POST /login/username", issuer.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
		id := r.FormValue("id")
		if err := i.CheckUsernamePassword(r.FormValue("username"), r.FormValue("password"), id); err != nil {
			nethttp.Error(w, err.Error(), nethttp.StatusForbidden)
			return
		}
		nethttp.Redirect(w, r, back(r.Context(), id), nethttp.StatusFound)
	}))
	site.Config.Handler = mux
	site.Start()
	t.Cleanup(func() {
		site.CloseClientConnections()
		site.Close()
	})
	return i
}

// page is the login page.
func (i *opIssuer) page(w nethttp.ResponseWriter, r *nethttp.Request) {
	w.Header().Set("Content-Type", "text/html")
	fmt.Fprintf(w, `<form method="post" action="/login/username"><input type="hidden" name="id" value="%s"></form>`, html.EscapeString(r.FormValue("authRequestID")))
}

// opUser is the user of the example whose tokens may be exchanged.
var opUser = map[string]string{"username": "test-user@127.0.0.1", "password": "verysecure"}

// keep stores the introspection response of a token, and limits its lifetime.
func (i *opIssuer) keep(id, client string, r op.TokenRequest) time.Time {
	expires := time.Now().Add(i.plan.Lifetime)
	i.mu.Lock()
	defer i.mu.Unlock()
	i.tokens[id] = &oidc.IntrospectionResponse{
		Issuer: i.url, Subject: r.GetSubject(), ClientID: client, JWTID: id,
		Audience: r.GetAudience(), Scope: r.GetScopes(), Expiration: oidc.FromTime(expires),
	}
	return expires
}

func clientOf(r op.TokenRequest) string {
	if of, ok := r.(interface{ GetClientID() string }); ok {
		return of.GetClientID()
	}
	return r.GetSubject()
}

// CreateAccessToken implements op.Storage.
func (i *opIssuer) CreateAccessToken(ctx context.Context, r op.TokenRequest) (string, time.Time, error) {
	id, _, err := i.Storage.CreateAccessToken(ctx, r)
	if _, ok := r.(op.TokenExchangeRequest); ok {
		i.mu.Lock()
		i.exchanged++
		i.mu.Unlock()
	}
	return id, i.keep(id, clientOf(r), r), err
}

// CreateAccessAndRefreshTokens implements op.Storage.
func (i *opIssuer) CreateAccessAndRefreshTokens(ctx context.Context, r op.TokenRequest, current string) (string, string, time.Time, error) {
	id, refresh, _, err := i.Storage.CreateAccessAndRefreshTokens(ctx, r, current)
	if err != nil {
		return "", "", time.Time{}, err
	}
	if current != "" {
		i.mu.Lock()
		i.refreshed = append(i.refreshed, current)
		i.mu.Unlock()
	}
	return id, refresh, i.keep(id, clientOf(r), r), nil
}

// SetIntrospectionFromToken implements op.Storage. The example responds without audience, and only
// to the client of the token.
func (i *opIssuer) SetIntrospectionFromToken(_ context.Context, r *oidc.IntrospectionResponse, id, _, client string) error {
	i.mu.Lock()
	defer i.mu.Unlock()
	known := i.tokens[id]
	if known == nil || time.Now().After(known.Expiration.AsTime()) || client != opGuard {
		return errors.New("not active")
	}
	*r = *known
	return nil
}

// RevokeToken implements op.Storage.
func (i *opIssuer) RevokeToken(ctx context.Context, token, user, client string) *oidc.Error {
	i.mu.Lock()
	i.revoked++
	delete(i.tokens, token)
	i.mu.Unlock()
	return i.Storage.RevokeToken(ctx, token, user, client)
}

// GetPrivateClaimsFromScopes implements op.Storage. The tokens of the example contain no scope.
func (i *opIssuer) GetPrivateClaimsFromScopes(_ context.Context, _, _ string, scopes []string) (map[string]any, error) {
	return map[string]any{"scope": strings.Join(scopes, " ")}, nil
}

// GetPrivateClaimsFromTokenExchangeRequest implements op.TokenExchangeStorage.
func (i *opIssuer) GetPrivateClaimsFromTokenExchangeRequest(ctx context.Context, r op.TokenExchangeRequest) (map[string]any, error) {
	return i.GetPrivateClaimsFromScopes(ctx, "", "", r.GetScopes())
}

// JWTProfileTokenType implements op.JWTProfileTokenStorage.
func (i *opIssuer) JWTProfileTokenType(context.Context, op.TokenRequest) (op.AccessTokenType, error) {
	return op.AccessTokenTypeJWT, nil
}

// ValidateJWTProfileScopes implements op.Storage.
func (i *opIssuer) ValidateJWTProfileScopes(_ context.Context, _ string, scopes []string) ([]string, error) {
	return scopes, nil
}

// GetKeyByIDAndClientID implements op.Storage. The key of the example has only 1024 bits.
func (i *opIssuer) GetKeyByIDAndClientID(_ context.Context, id, client string) (*jose.JSONWebKey, error) {
	if client != opWorkload {
		return nil, errors.New("the client has no key")
	}
	return &jose.JSONWebKey{KeyID: id, Use: "sig", Key: &i.key.PublicKey}, nil
}

// GetClientByClientID implements op.Storage.
func (i *opIssuer) GetClientByClientID(ctx context.Context, id string) (op.Client, error) {
	c, err := i.Storage.GetClientByClientID(ctx, id)
	if err != nil {
		return nil, err
	}
	return opClient{c, i.plan}, nil
}

// opClient is a client of the example that may have the scopes of the bookshop.
type opClient struct {
	op.Client
	plan opPlan
}

// IsScopeAllowed implements op.Client.
func (c opClient) IsScopeAllowed(scope string) bool {
	return scope == "books:read" || scope == "books:write"
}

// GrantTypes implements op.Client.
func (c opClient) GrantTypes() []oidc.GrantType {
	types := c.Client.GrantTypes()
	if c.plan.Once {
		types = slices.DeleteFunc(slices.Clone(types), func(g oidc.GrantType) bool { return g == oidc.GrantTypeRefreshToken })
	}
	return types
}

// AccessTokenType implements op.Client.
func (c opClient) AccessTokenType() op.AccessTokenType {
	if c.plan.JWT {
		return op.AccessTokenTypeJWT
	}
	return op.AccessTokenTypeBearer
}

// refreshes returns the number of used refresh tokens, and fails if one was used twice.
func (i *opIssuer) refreshes(t *testing.T) int {
	t.Helper()
	i.mu.Lock()
	defer i.mu.Unlock()
	if used := slices.Compact(slices.Sorted(slices.Values(i.refreshed))); len(used) != len(i.refreshed) {
		t.Error("a refresh token was used twice")
	}
	return len(i.refreshed)
}

// metadataOf fetches a metadata document of an issuer.
func metadataOf(t *testing.T, at string) map[string]any {
	t.Helper()
	response, err := nethttp.Get(at)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(response.Body)
	if err := errors.Join(err, response.Body.Close()); err != nil || response.StatusCode != nethttp.StatusOK {
		t.Fatalf("%s: %s, %v", at, response.Status, err)
	}
	var m map[string]any
	if err := json.Unmarshal(text, &m); err != nil {
		t.Fatal(err)
	}
	return m
}
