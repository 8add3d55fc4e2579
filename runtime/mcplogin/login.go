package mcplogin

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/mcpgen/mcpgen/runtime/internal/dial"
	"github.com/mcpgen/mcpgen/runtime/internal/fetch"
	"github.com/mcpgen/mcpgen/runtime/mcphttpclient"
)

// Login gets tokens for the requests of a client, renews them, and asks for more scopes where a
// server wants them. It is the Authorizer of an Endpoint. It is safe for concurrent use: if several
// goroutines need a token for one server, one gets it and the others wait.
type Login struct {
	c      Config
	grant  grant
	http   *fetch.Client
	store  Store
	nonces nonces

	mu      sync.Mutex
	servers map[string]*account // by canonical URL
}

var _ mcphttpclient.Authorizer = (*Login)(nil)

// grant gets tokens without a refresh token.
type grant interface {
	// key returns the part of the store's key that server and issuer do not determine.
	key() string
	// token gets a token.
	token(ctx context.Context, a *attempt) (*token, error)
	// extension returns the MCP extension that defines the grant; "" without one.
	extension() string
}

// attempt contains everything that is known when a token is requested.
type attempt struct {
	from   fetch.Peer // the server
	res    *resource
	as     *issuer
	scopes []string
	key    *proofKey // nil for a token that is not bound
	client *registration
}

// newLogin returns a Login with a complete Config.
func newLogin(c Config, g grant) (*Login, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	if c.MaxSteps == 0 {
		c.MaxSteps = defaultSteps
	}
	l := &Login{c: c, grant: g, store: c.Store, http: fetch.New(c.HTTP, c.AllowPrivate), servers: map[string]*account{}}
	if l.store == nil {
		l.store = MemoryStore()
	}
	return l, nil
}

// Extensions returns the extensions of the specification that the Login uses, for
// mcpclient.Options.Extensions.
func (l *Login) Extensions() map[string]json.RawMessage {
	name := l.grant.extension()
	if name == "" {
		return nil
	}
	return map[string]json.RawMessage{name: json.RawMessage("{}")}
}

// Authorize implements [mcphttpclient.Authorizer]. It adds the token for the server, renewed if it
// has expired. Without a token it adds nothing: the server's refusal tells how to get one.
func (l *Login) Authorize(ctx context.Context, r *http.Request) error {
	a, err := l.account(r.URL)
	if err != nil {
		return err
	}
	rec, err := a.current(ctx)
	if err != nil || rec == nil {
		return err
	}
	r.Header = r.Header.Clone()
	r.Header["Authorization"] = []string{rec.Kind + " " + rec.Access}
	if rec.Kind != "DPoP" {
		return nil
	}
	proof, err := rec.proof.proof(r.Method, r.URL, rec.Access, l.nonces.get(r.URL))
	if err != nil {
		return err
	}
	r.Header["Dpop"] = []string{proof}
	return nil
}

// HandleChallenge implements [mcphttpclient.Authorizer]. After a status 401 it renews the token, or
// logs in; after a status 403 with the error insufficient_scope it logs in with more scopes.
func (l *Login) HandleChallenge(ctx context.Context, r *http.Request, resp *http.Response) error {
	a, err := l.account(r.URL)
	if err != nil {
		return err
	}
	request, d := dial.AuthorizationOf(ctx), readDemand(resp.Header)
	from := fetch.Peer{URL: a.server}
	if remote := request.Remote.Load(); remote != nil {
		from.Remote = *remote
	}
	sent := sentToken(r)
	if fresh := l.nonces.put(r.URL, resp.Header); d.code == "use_dpop_nonce" && sent != "" {
		if request.Nonces++; !fresh || request.Nonces > maxNonces {
			return errors.New("the server does not accept a nonce that it has sent for the proof (DPoP)")
		}
		return nil
	}
	switch {
	case resp.StatusCode == http.StatusForbidden && d.code != "insufficient_scope":
		return errors.New("the server refuses the request, and no other login would change that")
	case request.Logins >= l.c.MaxSteps:
		return fmt.Errorf("the server still refuses the request after %d logins", request.Logins)
	}
	renewed, err := a.obtain(ctx, from, d, sent, resp.StatusCode == http.StatusForbidden)
	if err == nil && renewed {
		request.Logins++
	}
	return err
}

// maxNonces limits the nonces that a server may ask for in one request: one may expire on the way.
const maxNonces = 2

// sentToken returns the token of a request; "" without one.
func sentToken(r *http.Request) string {
	scheme, text, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") && !strings.EqualFold(scheme, "DPoP") {
		return ""
	}
	return text
}

// CacheKey implements [mcphttpclient.Authorizer]. The key changes with each login, and when a login
// is granted other scopes, but not when a token is renewed.
func (l *Login) CacheKey() string {
	l.mu.Lock()
	accounts := slices.Collect(maps.Values(l.servers))
	l.mu.Unlock()
	keys := []string{l.grant.key()}
	for _, a := range accounts {
		if rec := a.known(); rec != nil {
			keys = append(keys, fmt.Sprintf("%q %q %q", rec.Server, rec.ID, rec.Granted))
		}
	}
	slices.Sort(keys)
	h := sha256.New()
	for _, key := range keys {
		fmt.Fprintf(h, "%d:%s", len(key), key)
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// Forget deletes the token for a server, and revokes it where the authorization server supports it
// (RFC 7009). The next request logs in. It first registers a dynamically registered client again,
// since the login page of an authorization server that has forgotten the client is a dead end.
func (l *Login) Forget(ctx context.Context, server string) error {
	a, err := l.accountOf(server)
	if err != nil {
		return err
	}
	return a.forget(ctx)
}

// account returns the account for the server with a URL.
func (l *Login) account(u *url.URL) (*account, error) {
	if u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return nil, fmt.Errorf("log in to %s: the URL must begin with https or http", quote(u.Redacted()))
	}
	server := *u
	server.User, server.Fragment, server.RawFragment = nil, "", ""
	name := canonical(&server)
	l.mu.Lock()
	defer l.mu.Unlock()
	a := l.servers[name]
	if a == nil {
		a = &account{l: l, server: &server, name: name, key: storeKey("token", name, l.grant.key())}
		l.servers[name] = a
	}
	return a, nil
}

// load reads a value from the store, and reports whether it succeeded.
func (l *Login) load(ctx context.Context, key string, to any) bool {
	data, err := l.store.Get(ctx, key)
	return err == nil && data != nil && json.Unmarshal(data, to) == nil
}

func (l *Login) save(ctx context.Context, key string, value any) error {
	data, err := json.Marshal(value)
	if err == nil {
		err = l.store.Put(ctx, key, data)
	}
	if err != nil {
		return fmt.Errorf("keep the login in the store: %w", err)
	}
	return nil
}
