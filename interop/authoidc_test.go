package interop

import (
	"context"
	nethttp "net/http"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/runtime/mcpauth"
	"github.com/mcpgen/mcpgen/runtime/mcpclient"
	"github.com/mcpgen/mcpgen/runtime/mcphttpclient"
	"github.com/mcpgen/mcpgen/runtime/mcplogin"
)

// ada logs in at oidc-provider, whose pages accept every name.
var ada = map[string]string{"login": "ada", "password": "any"}

// reader returns a Config that requests the scopes of a request, and never offline_access.
func reader() mcplogin.Config {
	return mcplogin.Config{Name: "Reader", OpenBrowser: person(ada)}
}

// authEras are the revisions of the login tests: the newest of each era.
var authEras = []string{links, modern}

// connectAuth connects mcpgen's client to a guarded server.
func connectAuth(t *testing.T, g *guarded, auth mcphttpclient.Authorizer, revision string) (*mcpclient.Client, *recorder) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), deadline)
	defer cancel()
	client, wire := httpClient(t)
	c, err := mcpclient.Connect(ctx, mcphttpclient.Endpoint{URL: g.url, Auth: auth, Client: client}, mcpclient.Options{Revision: revision})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c, wire
}

// answers checks the text in a tool's result.
func answers(t *testing.T, c *mcpclient.Client, tool, want string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), deadline)
	defer cancel()
	result, err := c.Call(ctx, tool, nil)
	if err != nil {
		t.Errorf("%s: %v", tool, err)
		return
	}
	if got := result.Text(); got != want || result.IsError {
		t.Errorf("%s answers %q, want %q", tool, got, want)
	}
}

func newLogin(t *testing.T, c mcplogin.Config) *mcplogin.Login {
	t.Helper()
	l, err := mcplogin.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// mcpgen's client logs in at oidc-provider, with tokens that are bound by DPoP since both sides
// support it, and without; a scope is refused, and the client requests it.
func TestOurLoginOIDC(t *testing.T) {
	t.Parallel()
	node(t)
	issuer := startOIDC(t, oidcPlan{Format: "jwt", Lifetime: 300})
	for _, revision := range authEras {
		for name, mode := range map[string]mcpauth.DPoPMode{"bearer": mcpauth.DPoPOff, "dpop": mcpauth.DPoPRequire} {
			t.Run(revision+"/"+name, func(t *testing.T) {
				t.Parallel()
				g := serveGuarded(t, mcpauth.JWT(mcpauth.JWTOptions{Issuer: issuer.url, DPoP: mcpauth.DPoPOptions{Mode: mode}}))
				var logins []string
				config := reader()
				config.OpenBrowser = func(ctx context.Context, to string) error {
					u, err := url.Parse(to)
					if err != nil {
						return err
					}
					logins = append(logins, u.Query().Get("scope"))
					return person(ada)(ctx, to)
				}
				c, _ := connectAuth(t, g, newLogin(t, config), revision)
				tools, err := c.Tools(t.Context())
				if err != nil || len(tools) != 4 {
					t.Errorf("%d tools, %v", len(tools), err)
				}
				answers(t, c, "search", "found")
				answers(t, c, "whoami", "ada by jwt")
				answers(t, c, "buy", "bought")
				answers(t, c, "search", "found")
				same(t, "scopes of logins", logins, []string{"books:read", "books:read books:write"})
			})
		}
	}
}

// A client that does not request more scopes gets an error that names the missing scope.
func TestOurLoginOIDCRefused(t *testing.T) {
	t.Parallel()
	node(t)
	issuer := startOIDC(t, oidcPlan{Format: "jwt", Lifetime: 300})
	g := serveGuarded(t, mcpauth.JWT(mcpauth.JWTOptions{Issuer: issuer.url}))
	config := reader()
	config.Scopes = func([]string) []string { return []string{"books:read"} }
	c, _ := connectAuth(t, g, newLogin(t, config), modern)
	answers(t, c, "search", "found")
	if result, err := c.Call(t.Context(), "buy", nil); err == nil || !strings.Contains(err.Error(), "books:write") {
		t.Errorf("buy: %+v, %v; want an error that names books:write", result, err)
	}
	answers(t, c, "search", "found")
}

// Tokens live for two seconds. A stream ends with its token, and the client opens it again with a
// renewed token; the server refuses the old token.
func TestOurLoginOIDCExpiry(t *testing.T) {
	t.Parallel()
	node(t)
	for revision, stream := range map[string]string{links: "GET", modern: "POST subscriptions/listen"} {
		t.Run(revision, func(t *testing.T) {
			t.Parallel()
			issuer := startOIDC(t, oidcPlan{Format: "jwt", Lifetime: 2})
			g := serveGuarded(t, mcpauth.JWT(mcpauth.JWTOptions{Issuer: issuer.url}))
			ctx, cancel := context.WithTimeout(t.Context(), deadline)
			defer cancel()
			tokens := &taker{Login: newLogin(t, reader())}
			c, wire := connectAuth(t, g, tokens, revision)
			watch, err := c.Subscribe(ctx, mcpclient.Filter{URIs: []string{stock}})
			if err != nil {
				t.Fatal(err)
			}
			old := tokens.field(t)
			changes := make(chan string, 100)
			go func() {
				for change := range watch.Changes() {
					changes <- change.URI
				}
			}()
			for range 2 { // two streams end
				n := len(wire.all(func(e *exchange) bool { return e.request == stream && e.status == nethttp.StatusOK }))
				wire.wait(t, ctx, func() bool {
					return len(wire.all(func(e *exchange) bool { return e.request == stream && e.status == nethttp.StatusOK })) > n
				})
			}
			if _, err := g.guard.Principal(g.request(t, old)); err == nil {
				t.Error("the guard takes a token that has expired")
			}
			for len(changes) > 0 { // changes that may have been missed
				<-changes
			}
			for changed := ""; changed == "" && ctx.Err() == nil; { // a stream may end at any moment
				answers(t, c, "restock", "restocked")
				select {
				case changed = <-changes:
					same(t, "changed", changed, stock)
				case <-time.After(500 * time.Millisecond):
				}
			}
			if ctx.Err() != nil {
				t.Error("no notification after the token was renewed")
			}
			issuer.await(t, "refresh_token.consumed", 2)
			same(t, "registrations", issuer.count("registration_create.success"), 1)
			same(t, "refused token requests", issuer.count("grant.error"), 0)
		})
	}
}

// After a revocation, an introspecting guard refuses the token, and the client logs in again.
func TestOurLoginOIDCRevocation(t *testing.T) {
	t.Parallel()
	node(t)
	issuer := startOIDC(t, oidcPlan{Format: "opaque", Lifetime: 300})
	g := serveGuarded(t, mcpauth.Introspection(mcpauth.IntrospectionOptions{
		Issuer: issuer.url, ClientID: "guard", ClientSecret: "guard-secret-of-the-test",
	}))
	config, logins := reader(), 0
	config.OpenBrowser = func(ctx context.Context, to string) error {
		logins++
		return person(ada)(ctx, to)
	}
	login := newLogin(t, config)
	c, _ := connectAuth(t, g, login, modern)
	answers(t, c, "whoami", "ada by introspection")
	if err := login.Forget(t.Context(), g.url); err != nil {
		t.Fatal(err)
	}
	issuer.await(t, "grant.revoked", 1)
	answers(t, c, "whoami", "ada by introspection")
	same(t, "logins", logins, 2)
}

// A service gets a token with its own credentials.
func TestOurClientCredentialsOIDC(t *testing.T) {
	t.Parallel()
	node(t)
	issuer := startOIDC(t, oidcPlan{Format: "jwt", Lifetime: 300})
	g := serveGuarded(t, mcpauth.JWT(mcpauth.JWTOptions{Issuer: issuer.url}))
	login, err := mcplogin.ClientCredentials(mcplogin.Config{Issuer: issuer.url, ClientID: "service", ClientSecret: "service-secret-of-the-test"})
	if err != nil {
		t.Fatal(err)
	}
	c, _ := connectAuth(t, g, login, modern)
	answers(t, c, "whoami", "service by jwt")
	answers(t, c, "search", "found")
}

// Clients share a FileStore, like two processes: one logs in, one at a time renews, and no refresh
// token is used twice.
func TestOurLoginOIDCFileStore(t *testing.T) {
	t.Parallel()
	node(t)
	issuer := startOIDC(t, oidcPlan{Format: "jwt", Lifetime: 2})
	g := serveGuarded(t, mcpauth.JWT(mcpauth.JWTOptions{Issuer: issuer.url}))
	path := filepath.Join(t.TempDir(), "logins.json")
	var clients []*mcpclient.Client
	var mu sync.Mutex
	logins := 0
	for range 2 {
		config := reader()
		config.Store = mcplogin.FileStore(path) // with its own locks, like a process
		config.OpenBrowser = func(ctx context.Context, to string) error {
			mu.Lock()
			logins++
			mu.Unlock()
			return person(ada)(ctx, to)
		}
		c, _ := connectAuth(t, g, newLogin(t, config), modern)
		clients = append(clients, c)
	}
	for end := time.Now().Add(5 * time.Second); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		var both sync.WaitGroup
		for _, c := range clients {
			both.Go(func() { answers(t, c, "search", "found") })
		}
		both.Wait()
	}
	same(t, "logins", logins, 1)
	issuer.await(t, "refresh_token.consumed", 1)
	issuer.mu.Lock()
	defer issuer.mu.Unlock()
	var used []string
	for _, e := range issuer.ledger {
		if e.Event == "refresh_token.consumed" {
			if slices.Contains(used, e.ID) {
				t.Error("a refresh token was used twice")
			}
			used = append(used, e.ID)
		}
		if e.Event == "grant.error" {
			t.Errorf("a token request was refused: %s", e.Error)
		}
	}
}

// One replica of a web program begins a login, and another one finishes it.
func TestOurLoginOIDCReplicas(t *testing.T) {
	t.Parallel()
	node(t)
	issuer := startOIDC(t, oidcPlan{Format: "jwt", Lifetime: 300})
	g := serveGuarded(t, mcpauth.JWT(mcpauth.JWTOptions{Issuer: issuer.url}))
	const redirect = "https://web.example.com/callback"
	config := mcplogin.Config{Name: "Web", Redirect: redirect, Store: mcplogin.FileStore(filepath.Join(t.TempDir(), "logins.json"))}
	first, second := newLogin(t, config), newLogin(t, config)
	to, pending, err := first.Begin(t.Context(), g.url)
	if err != nil {
		t.Fatal(err)
	}
	at, err := browse(t.Context(), to, ada, redirect)
	if err != nil {
		t.Fatal(err)
	}
	back, err := url.Parse(at)
	if err != nil {
		t.Fatal(err)
	}
	if err := second.Finish(t.Context(), pending, back.Query()); err != nil {
		t.Fatal(err)
	}
	for _, replica := range []*mcplogin.Login{second, first} {
		c, _ := connectAuth(t, g, replica, modern)
		answers(t, c, "whoami", "ada by jwt")
	}
	if err := first.Finish(t.Context(), pending, back.Query()); err == nil {
		t.Error("a code is taken twice")
	}
}

// The guard refuses a token for another server of the same issuer.
func TestOurLoginOIDCOtherResource(t *testing.T) {
	t.Parallel()
	node(t)
	issuer := startOIDC(t, oidcPlan{Format: "jwt", Lifetime: 300})
	verifier := func() mcpauth.Verifier { return mcpauth.JWT(mcpauth.JWTOptions{Issuer: issuer.url}) }
	one, other := serveGuarded(t, verifier()), serveGuarded(t, verifier())
	tokens := &taker{Login: newLogin(t, reader())}
	c, _ := connectAuth(t, one, tokens, modern)
	answers(t, c, "search", "found")
	if _, err := one.guard.Principal(one.request(t, tokens.field(t))); err != nil {
		t.Error(err)
	}
	if _, err := other.guard.Principal(other.request(t, tokens.field(t))); err == nil {
		t.Error("a token for another server is taken")
	}
}

// taker is a Login that exposes its newest token.
type taker struct {
	*mcplogin.Login
	mu   sync.Mutex
	sent string
}

// Authorize implements mcphttpclient.Authorizer.
func (a *taker) Authorize(ctx context.Context, r *nethttp.Request) error {
	err := a.Login.Authorize(ctx, r)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.sent = r.Header.Get("Authorization")
	return err
}

// field returns the header field with the token.
func (a *taker) field(t *testing.T) string {
	t.Helper()
	a.mu.Lock()
	defer a.mu.Unlock()
	if !strings.HasPrefix(a.sent, "Bearer ") {
		t.Fatalf("the client sends %q", a.sent)
	}
	return a.sent
}

// request returns a request with a credential.
func (g *guarded) request(t *testing.T, field string) *nethttp.Request {
	t.Helper()
	r, err := nethttp.NewRequestWithContext(t.Context(), nethttp.MethodPost, g.url, strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", field)
	return r
}
