package mcpauthtest_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpauth"
	"github.com/mcpgen/mcpgen/runtime/mcpclient"
	"github.com/mcpgen/mcpgen/runtime/mcphttp"
	"github.com/mcpgen/mcpgen/runtime/mcphttpclient"
	"github.com/mcpgen/mcpgen/runtime/mcpissuer"
	"github.com/mcpgen/mcpgen/runtime/mcplogin"
)

const (
	grantExchange  = "urn:ietf:params:oauth:grant-type:token-exchange"
	grantAssertion = "urn:ietf:params:oauth:grant-type:jwt-bearer"
	typeGrant      = "urn:ietf:params:oauth:token-type:id-jag"
	desktopSecret  = "secret of the desktop"
)

// company is an identity provider that exchanges ID tokens for grants (ID-JAG), and the
// authorization server of the MCP server that accepts them. mcpissuer does not support this grant:
// company uses its tokens and metadata, and checks the grant itself.
type company struct {
	t      *testing.T
	key    *ecdsa.PrivateKey // the provider's
	issuer *mcpissuer.Issuer
	url    string                             // of the provider
	server string                             // the endpoint
	change func(claims, reply map[string]any) // introduces faults of the provider

	mu     sync.Mutex
	grants []string     // scopes of the requested grants
	tokens []url.Values // received by the authorization server
	used   map[string]bool
}

func answer(w http.ResponseWriter, status int, v map[string]any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v)
}

// isClient reports whether a request is from a client with a secret (RFC 6749, section 2.3.1).
func isClient(r *http.Request, id, secret string) bool {
	user, password, _ := r.BasicAuth()
	return user == url.QueryEscape(id) && password == url.QueryEscape(secret)
}

// provider is the identity provider. Ann may have all scopes, bob all but books:write.
func (c *company) provider(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/.well-known/oauth-authorization-server" {
		answer(w, 200, map[string]any{"issuer": c.url, "token_endpoint": c.url + "/token"})
		return
	}
	person, ok := strings.CutPrefix(r.PostFormValue("subject_token"), "ID token of ")
	f := r.PostForm
	if !isClient(r, "desktop at work", "secret at work") || !ok || f.Get("grant_type") != grantExchange || f.Get("requested_token_type") != typeGrant ||
		f.Get("subject_token_type") != "urn:ietf:params:oauth:token-type:id_token" || f.Get("audience") != c.issuer.URL() || f.Get("resource") != c.server {
		answer(w, 400, map[string]any{"error": "invalid_request"})
		return
	}
	c.mu.Lock()
	c.grants = append(c.grants, f.Get("scope"))
	c.mu.Unlock()
	if person == "eve" || person == "bob" && strings.Contains(f.Get("scope"), "books:write") {
		answer(w, 400, map[string]any{"error": "access_denied", "error_description": "the policy of the company"})
		return
	}
	now := time.Now()
	claims := map[string]any{
		"iss": c.url, "sub": person, "aud": c.issuer.URL(), "client_id": "desktop", "resource": c.server, "scope": f.Get("scope"),
		"jti": rand.Text(), "iat": now.Unix(), "exp": now.Unix() + 60,
	}
	reply := map[string]any{"issued_token_type": typeGrant, "token_type": "N_A", "expires_in": 60}
	if c.change != nil {
		c.change(claims, reply)
	}
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.ES256, Key: c.key}, new(jose.SignerOptions).WithType("oauth-id-jag+jwt"))
	if err == nil {
		reply["access_token"], err = jwt.Signed(signer).Claims(claims).Serialize()
	}
	if err != nil {
		c.t.Error(err)
	}
	answer(w, 200, reply)
}

// token is the token endpoint of the authorization server for the grant.
func (c *company) token(w http.ResponseWriter, r *http.Request) {
	_ = r.ParseForm()
	f := r.PostForm
	c.mu.Lock()
	defer c.mu.Unlock()
	c.tokens = append(c.tokens, f)
	refuse := func(code string) { answer(w, 400, map[string]any{"error": code}) }
	if !isClient(r, "desktop", desktopSecret) {
		refuse("invalid_client")
		return
	}
	if f.Get("grant_type") != grantAssertion {
		refuse("unsupported_grant_type")
		return
	}
	var is struct {
		jwt.Claims
		Client   string `json:"client_id"`
		Resource string `json:"resource"`
		Scope    string `json:"scope"`
	}
	t, err := jwt.ParseSigned(f.Get("assertion"), []jose.SignatureAlgorithm{jose.ES256})
	if err != nil || t.Headers[0].ExtraHeaders[jose.HeaderType] != "oauth-id-jag+jwt" || t.Claims(c.key.Public(), &is) != nil ||
		is.ValidateWithLeeway(jwt.Expected{Issuer: c.url, AnyAudience: jwt.Audience{c.issuer.URL()}, Time: time.Now()}, 0) != nil ||
		is.Client != "desktop" || is.Resource != c.server || c.used[is.ID] {
		refuse("invalid_grant")
		return
	}
	c.used[is.ID] = true
	text, err := c.issuer.SignClaims(map[string]any{
		"iss": c.issuer.URL(), "sub": is.Subject, "client_id": is.Client, "aud": is.Resource, "scope": is.Scope, "jti": rand.Text(),
		"iat": time.Now().Unix(), "exp": time.Now().Unix() + 300,
	})
	if err != nil {
		c.t.Error(err)
	}
	answer(w, 200, map[string]any{"access_token": text, "token_type": "Bearer", "expires_in": 300, "scope": is.Scope})
}

func newCompany(t *testing.T) *company {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	c := &company{t: t, key: key, used: map[string]bool{}}
	provider := httptest.NewServer(http.HandlerFunc(c.provider))
	t.Cleanup(provider.Close)
	web := httptest.NewUnstartedServer(nil)
	t.Cleanup(func() {
		web.CloseClientConnections()
		web.Close()
	})
	origin, quiet := "http://"+web.Listener.Addr().String(), slog.New(slog.DiscardHandler)
	c.url, c.server = provider.URL, origin+"/mcp"
	if c.issuer, err = mcpissuer.New(mcpissuer.Options{URL: origin, Resources: []string{c.server}, Log: quiet}); err != nil {
		t.Fatal(err)
	}
	guard, err := mcpauth.New(mcpauth.Options{
		Resource: c.server, Scopes: []string{"books:read"}, Log: quiet,
		Verifiers: []mcpauth.Verifier{mcpauth.JWT(mcpauth.JWTOptions{Issuer: origin, Keys: c.issuer.Keys(), Clients: []string{"desktop"}})},
	})
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle("/mcp", mcphttp.NewHandler(newShop(), guard.HTTP()...))
	mux.HandleFunc("/oauth/token", c.token)
	mux.Handle("/.well-known/", c.issuer)
	web.Config.Handler = guard.Wrap(mux)
	web.Start()
	return c
}

// connect connects a client of a person who has logged in at the company.
func (c *company) connect(person string) (*mcpclient.Client, error) {
	config := mcplogin.EnterpriseConfig{
		Config:  mcplogin.Config{Issuer: c.issuer.URL(), ClientID: "desktop", ClientSecret: desktopSecret},
		IDToken: func(context.Context) (string, error) { return "ID token of " + person, nil },
	}
	config.Provider.Issuer, config.Provider.ClientID, config.Provider.ClientSecret = c.url, "desktop at work", "secret at work"
	login, err := mcplogin.EnterpriseManaged(config)
	if err != nil {
		c.t.Fatal(err)
	}
	client, err := mcpclient.Connect(c.t.Context(), mcphttpclient.Endpoint{URL: c.server, Auth: login}, mcpclient.Options{Info: mcp.ClientInfo{Name: "test"}})
	if err == nil {
		c.t.Cleanup(func() { _ = client.Close() })
	}
	return client, err
}

// TestEnterpriseManaged: the company's identity provider exchanges a person's ID token for a grant,
// the authorization server of the MCP server exchanges the grant for a token, and the guard accepts
// it. Another scope needs a new grant, which the company may refuse.
func TestEnterpriseManaged(t *testing.T) {
	c := newCompany(t)
	ann, err := c.connect("ann")
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range []string{"look", "buy", "look"} {
		if result, err := ann.Call(t.Context(), tool, nil); err != nil || result.Text() != tool+" ann" {
			t.Errorf("%s: %v, %v", tool, result, err)
		}
	}
	if want := []string{"books:read", "books:read books:write"}; !slices.Equal(c.grants, want) || len(c.tokens) != 2 {
		t.Errorf("grants for %q, %d tokens", c.grants, len(c.tokens))
	}
	bob, err := c.connect("bob")
	if err != nil {
		t.Fatal(err)
	}
	if result, err := bob.Call(t.Context(), "look", nil); err != nil || result.Text() != "look bob" {
		t.Errorf("%v, %v", result, err)
	}
	before := len(c.tokens)
	if _, err := bob.Call(t.Context(), "buy", nil); err == nil || !strings.Contains(err.Error(), "access_denied") || len(c.tokens) != before {
		t.Errorf("what the company refuses: %v, %d requests", err, len(c.tokens)-before)
	}
}

// A refused or missing grant ends the login: the client tries nothing else.
func TestEnterpriseManagedRefused(t *testing.T) {
	for name, test := range map[string]struct {
		person string
		change func(claims, reply map[string]any)
		want   string // in the error
		sent   int    // to the authorization server
	}{
		"a person without access": {person: "eve", want: "access_denied"},
		"another audience":        {change: func(c, _ map[string]any) { c["aud"] = "https://other.example" }, want: "invalid_grant", sent: 1},
		"another client":          {change: func(c, _ map[string]any) { c["client_id"] = "other" }, want: "invalid_grant", sent: 1},
		"another resource":        {change: func(c, _ map[string]any) { c["resource"] = "https://other.example" }, want: "invalid_grant", sent: 1},
		"expired":                 {change: func(c, _ map[string]any) { c["exp"] = 1 }, want: "invalid_grant", sent: 1},
		"an access token instead": {change: func(_, r map[string]any) { r["issued_token_type"] = "urn:ietf:params:oauth:token-type:access_token" }, want: "id-jag"},
	} {
		c := newCompany(t)
		c.change = test.change
		person := test.person
		if person == "" {
			person = "ann"
		}
		_, err := c.connect(person)
		if err == nil || !strings.Contains(err.Error(), test.want) || len(c.tokens) != test.sent {
			t.Errorf("%s: %v, %d requests", name, err, len(c.tokens))
			continue
		}
		for _, secret := range []string{"ID token", desktopSecret, "secret at work"} {
			if strings.Contains(err.Error(), secret) {
				t.Errorf("%s: the error has a secret: %v", name, err)
			}
		}
		for _, form := range c.tokens {
			if form.Get("grant_type") != grantAssertion || strings.Contains(form.Encode(), "ID+token") {
				t.Errorf("%s: the authorization server got %v", name, form)
			}
		}
	}
}
