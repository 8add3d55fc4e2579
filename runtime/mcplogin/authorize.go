package mcplogin

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/internal/fetch"
	"golang.org/x/oauth2"
)

// New returns a Login by which a person logs in with a browser: discovery of the authorization
// server, registration, authorization code with PKCE, and later the refresh token. It contacts no
// server.
func New(c Config) (*Login, error) {
	l, err := newLogin(c, nil)
	if err != nil {
		return nil, err
	}
	if l.c.OpenBrowser == nil {
		l.c.OpenBrowser = OpenBrowser
	}
	l.grant = &codeGrant{l}
	return l, nil
}

// offlineAccess is the scope of a refresh token that outlives the session of the person (OpenID
// Connect Core 1.0, section 11).
const offlineAccess = "offline_access"

// codeGrant is the grant of an authorization code (RFC 6749, section 4.1).
type codeGrant struct{ l *Login }

func (g *codeGrant) key() string {
	c := &g.l.c
	return fmt.Sprintf("code %q %q %q %q", c.Issuer, c.ClientID, c.MetadataURL, c.Name)
}

func (g *codeGrant) extension() string { return "" }

// token opens the browser, and waits until the person has logged in or ctx is cancelled.
func (g *codeGrant) token(ctx context.Context, t *attempt) (*token, error) {
	l := g.l
	if l.c.Redirect != "" && !isLoopbackURL(l.c.Redirect) {
		return nil, fmt.Errorf("a person cannot log in here: the redirect URI %s is that of a web program, which calls Begin and Finish", l.c.Redirect)
	}
	listener, err := l.listen(ctx, t.as)
	if err != nil {
		return nil, err
	}
	defer listener.close()
	f, err := l.begin(ctx, t, listener.redirect)
	if err != nil {
		return nil, err
	}
	listener.serve(f.State)
	to, err := l.authorizationURL(t, f)
	if err != nil {
		return nil, err
	}
	if err := l.c.OpenBrowser(ctx, to); err != nil {
		return nil, fmt.Errorf("open the browser: %w", err)
	}
	callback, err := listener.wait(ctx)
	if err != nil {
		return nil, err
	}
	return l.exchange(ctx, t, f, callback)
}

// flow is the state of one authorization request, until its code is exchanged.
type flow struct {
	State    string       `json:"state"`
	Verifier string       `json:"verifier"`
	Redirect string       `json:"redirect"`
	Client   registration `json:"client"`
}

// begin registers the client if necessary, and generates the secrets of the request.
func (l *Login) begin(ctx context.Context, t *attempt, redirect string) (*flow, error) {
	if !contains(t.as.ChallengeMethods, "S256") {
		return nil, errNoPKCE
	}
	var err error
	if t.client, err = l.client(ctx, t.from, t.as, redirect); err != nil {
		return nil, err
	}
	if l.c.Offline && contains(t.as.ScopesSupported, offlineAccess) {
		t.scopes = union(t.scopes, []string{offlineAccess})
	}
	return &flow{State: rand.Text(), Verifier: oauth2.GenerateVerifier(), Redirect: redirect, Client: *t.client}, nil
}

// authorizationURL returns the URL that the person's browser opens.
func (l *Login) authorizationURL(t *attempt, f *flow) (string, error) {
	u, err := t.from.CheckURL(t.as.AuthorizationEndpoint)
	if err != nil {
		return "", fmt.Errorf("the authorization endpoint: %w", err)
	}
	q := u.Query()
	q.Set("response_type", "code")
	q.Set("client_id", t.client.ID)
	q.Set("redirect_uri", f.Redirect)
	q.Set("state", f.State)
	q.Set("code_challenge", oauth2.S256ChallengeFromVerifier(f.Verifier))
	q.Set("code_challenge_method", "S256")
	q.Set("resource", t.res.id)
	if len(t.scopes) > 0 {
		q.Set("scope", strings.Join(t.scopes, " "))
	}
	if contains(t.scopes, offlineAccess) {
		q.Set("prompt", "consent") // OpenID Connect Core 1.0, section 11
	}
	u.RawQuery = q.Encode()
	return u.String(), nil
}

var (
	errState  = errors.New("the authorization response has another state than the request")
	errIssuer = errors.New("the authorization response is of another authorization server than the request (RFC 9207)")
	errNoIss  = errors.New("the authorization response does not name its authorization server (iss), which it should (RFC 9207)")
	errNoCode = errors.New("the authorization response has no code")
)

// checkCallback checks an authorization response, and returns its code. An error of the
// authorization server counts, and is shown, only if the response comes from that server.
func (t *attempt) checkCallback(f *flow, callback url.Values) (code string, err error) {
	for _, values := range callback {
		if len(values) > 1 {
			return "", errors.New("the authorization response has a parameter twice")
		}
	}
	if subtle.ConstantTimeCompare([]byte(callback.Get("state")), []byte(f.State)) != 1 {
		return "", errState
	}
	// The four rows of RFC 9207, section 2.4; strings are compared without normalization.
	if _, ok := callback["iss"]; !ok && t.as.IssParameter {
		return "", errNoIss
	} else if ok && callback.Get("iss") != t.as.Issuer {
		return "", errIssuer
	}
	if e := callback.Get("error"); e != "" {
		return "", &OAuthError{e, callback.Get("error_description")}
	}
	if code = callback.Get("code"); code == "" {
		return "", errNoCode
	}
	return code, nil
}

// exchange gets a token for the code of an authorization response.
func (l *Login) exchange(ctx context.Context, t *attempt, f *flow, callback url.Values) (*token, error) {
	code, err := t.checkCallback(f, callback)
	if err != nil {
		return nil, err
	}
	got, err := l.requestToken(ctx, t.request(url.Values{
		"grant_type": {"authorization_code"}, "code": {code}, "redirect_uri": {f.Redirect}, "code_verifier": {f.Verifier},
	}))
	if unknownClient(err) {
		l.forget(ctx, t.as.Issuer, t.client.ID)
	}
	if err != nil {
		return nil, fmt.Errorf("exchange the code: %w", err)
	}
	return got, nil
}

// pendingLogin is a login between Begin and Finish.
type pendingLogin struct {
	Server string   `json:"server"`
	Remote string   `json:"remote,omitempty"`
	Res    string   `json:"resource"`
	As     issuer   `json:"issuer"`
	Scopes []string `json:"scopes,omitempty"`
	Key    []byte   `json:"key,omitempty"`
	Flow   flow     `json:"flow"`
	Given  bool     `json:"given,omitempty"`
}

// Begin begins a login at a server, for web programs: it returns the URL for the person's browser,
// and the state for Finish. pending is encrypted with a key of the Store, so that it may be kept in
// a cookie or a database. Keep it with the session of the browser, and call Finish only with the
// state of the same session: otherwise an attacker could make a person use another account.
//
// Config.Redirect must be set.
func (l *Login) Begin(ctx context.Context, server string) (to string, pending []byte, err error) {
	if _, ok := l.grant.(*codeGrant); !ok || l.c.Redirect == "" {
		return "", nil, errors.New("mcplogin: Begin needs a Login of New, with Config.Redirect")
	}
	a, err := l.accountOf(server)
	if err != nil {
		return "", nil, err
	}
	rec, err := a.read(ctx)
	if err != nil {
		return "", nil, err
	}
	d, from, err := l.probe(ctx, a)
	if err != nil {
		return "", nil, a.failed("log in", err)
	}
	t, err := l.prepare(ctx, from, d, rec)
	if err != nil {
		return "", nil, a.failed("log in", err)
	}
	f, err := l.begin(ctx, t, l.c.Redirect)
	if err != nil {
		return "", nil, a.failed("log in", err)
	}
	if to, err = l.authorizationURL(t, f); err != nil {
		return "", nil, a.failed("log in", err)
	}
	p := pendingLogin{Server: a.name, Res: t.res.id, As: *t.as, Scopes: t.scopes, Flow: *f, Given: t.client.given}
	if p.Given {
		p.Flow.Client.Secret = ""
	}
	if t.from.Remote.IsValid() {
		p.Remote = t.from.Remote.String()
	}
	if t.key != nil {
		if p.Key, err = t.key.marshal(); err != nil {
			return "", nil, err
		}
	}
	pending, err = l.seal(ctx, &p)
	return to, pending, err
}

// Finish completes a login with the query of the request to Config.Redirect. It may run in another
// process than Begin, with the same Store. The token is for the server given to Begin.
func (l *Login) Finish(ctx context.Context, pending []byte, callback url.Values) error {
	p := new(pendingLogin)
	if err := l.unseal(ctx, pending, p); err != nil {
		return err
	}
	server, err := url.Parse(p.Server)
	if err != nil {
		return err
	}
	a, err := l.account(server)
	if err != nil {
		return err
	}
	t := &attempt{from: fetch.Peer{URL: server}, res: &resource{id: p.Res}, as: &p.As, scopes: p.Scopes, client: l.credentials(p.Flow.Client)}
	t.client.given = p.Given
	t.from.SetRemote(p.Remote)
	if p.Key != nil {
		if t.key, err = parseProofKey(p.Key); err != nil {
			return err
		}
	}
	unlock, err := l.store.Lock(ctx, a.key)
	if err != nil {
		return a.failed("wait for another login", err)
	}
	defer unlock()
	got, err := l.exchange(ctx, t, &p.Flow, callback)
	if err != nil {
		return a.failed("log in", err)
	}
	rec, err := t.record(a.name, got)
	if err != nil {
		return err
	}
	return a.write(ctx, rec)
}

// probe sends a request without a token, for the challenge.
func (l *Login) probe(ctx context.Context, a *account) (demand, fetch.Peer, error) {
	status, remote, err := l.http.Challenge(ctx, a.server.String())
	if err != nil {
		return demand{}, fetch.Peer{}, err
	}
	return readDemand(status), fetch.Peer{URL: a.server, Remote: remote}, nil
}

// seal encrypts a value with a key of the store.
func (l *Login) seal(ctx context.Context, p *pendingLogin) ([]byte, error) {
	data, err := json.Marshal(p)
	if err != nil {
		return nil, err
	}
	box, err := l.box(ctx)
	if err != nil {
		return nil, err
	}
	return box.Seal(nil, nil, data, nil), nil
}

func (l *Login) unseal(ctx context.Context, data []byte, p *pendingLogin) error {
	box, err := l.box(ctx)
	if err != nil {
		return err
	}
	text, err := box.Open(nil, nil, data, nil)
	if err != nil {
		return errors.New("mcplogin: the login that Finish gets was not begun with this Store, or was changed")
	}
	if json.Unmarshal(text, p) != nil {
		return errors.New("mcplogin: the login that Finish gets is of another version of this package")
	}
	return nil
}
