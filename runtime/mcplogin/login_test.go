package mcplogin_test

import (
	"context"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/mcplogin"
)

// A login gets one token for the server, which later requests use.
func TestLogin(t *testing.T) {
	w := newWorld(t)
	w.needs = []string{"read"}
	w.challenge = func() string { return `Bearer scope="read"` }
	l := w.login()
	for range 3 {
		w.accepted(l)
	}
	if n := w.requests("/token"); n != 1 || len(w.opened) != 1 {
		t.Errorf("%d token requests, %d logins", n, len(w.opened))
	}
	for _, f := range []string{w.forms[0].Get("resource"), query(t, w.opened[0]).Get("resource")} {
		if f != w.url() {
			t.Errorf("resource %q", f)
		}
	}
	q := query(t, w.opened[0])
	if q.Get("scope") != "read" || q.Get("code_challenge_method") != "S256" || !strings.HasPrefix(q.Get("redirect_uri"), "http://127.0.0.1:") {
		t.Errorf("%v", q)
	}
}

func query(t *testing.T, text string) url.Values {
	t.Helper()
	u, err := url.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return u.Query()
}

// Many concurrent requests cause one login, and one refresh.
func TestOneLoginForMany(t *testing.T) {
	w := newWorld(t)
	l := w.login()
	many := func() {
		var all sync.WaitGroup
		for range 16 {
			all.Go(func() { w.accepted(l) })
		}
		all.Wait()
	}
	many()
	if len(w.opened) != 1 || w.requests("/token") != 1 {
		t.Errorf("%d logins, %d token requests", len(w.opened), w.requests("/token"))
	}
	w.expire()
	many()
	if len(w.opened) != 1 || w.requests("/token") != 2 {
		t.Errorf("after the end of the token: %d logins, %d token requests", len(w.opened), w.requests("/token"))
	}
}

// A second process uses the token of the first, and only one of them uses a refresh token.
func TestSharedStore(t *testing.T) {
	w := newWorld(t)
	path := filepath.Join(t.TempDir(), "folder", "logins.json")
	inStore := func(c *mcplogin.Config) { c.Store = mcplogin.FileStore(path) }
	first, second := w.login(inStore), w.login(inStore)
	w.accepted(first)
	w.accepted(second)
	if len(w.opened) != 1 {
		t.Errorf("%d logins", len(w.opened))
	}
	if first.CacheKey() != second.CacheKey() {
		t.Error("one login has two keys for caches")
	}
	w.expire()
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() { w.accepted(first) })
		all.Go(func() { w.accepted(second) })
	}
	all.Wait()
	if len(w.opened) != 1 || w.requests("/token") != 2 {
		t.Errorf("%d logins, %d token requests", len(w.opened), w.requests("/token"))
	}
}

// An expiring token is renewed before it is sent.
func TestRefreshAhead(t *testing.T) {
	w := newWorld(t)
	w.reply = func(f url.Values, m map[string]any) {
		if f.Get("grant_type") == "authorization_code" {
			m["expires_in"] = "5" // less than ten seconds; some servers send a string
		}
	}
	l := w.login()
	w.accepted(l)
	w.accepted(l)
	if f := w.forms[1]; f.Get("grant_type") != "refresh_token" || f.Get("resource") != w.url() || len(w.headers) != 3 {
		t.Errorf("%v, %d requests", f, len(w.headers))
	}
}

// A refused refresh token causes one login, and no loop.
func TestLostRotation(t *testing.T) {
	w := newWorld(t)
	l := w.login()
	w.accepted(l)
	w.expire()
	w.mu.Lock()
	clear(w.refresh) // used by a process that crashed before it stored the new one
	w.mu.Unlock()
	w.accepted(l)
	if len(w.opened) != 2 || w.requests("/token") != 3 {
		t.Errorf("%d logins, %d token requests", len(w.opened), w.requests("/token"))
	}
}

// An unavailable authorization server does not end the login.
func TestRefreshFails(t *testing.T) {
	w := newWorld(t)
	l := w.login()
	w.accepted(l)
	w.expire()
	w.override["/token"] = func(rw http.ResponseWriter, _ *http.Request) { rw.WriteHeader(http.StatusServiceUnavailable) }
	w.refused(l, "renew the token")
	delete(w.override, "/token")
	w.accepted(l)
	if len(w.opened) != 1 {
		t.Errorf("%d logins", len(w.opened))
	}
}

// A step-up requests the union of all scopes, and the cache key changes.
func TestStepUp(t *testing.T) {
	w := newWorld(t)
	w.needs = []string{"read"}
	w.challenge = func() string { return `Bearer scope="read"` }
	l := w.login()
	w.accepted(l)
	before := l.CacheKey()
	w.mu.Lock()
	w.needs = []string{"write"}
	w.mu.Unlock()
	w.accepted(l)
	if scope := query(t, w.opened[1]).Get("scope"); scope != "read write" {
		t.Errorf("scope %q", scope)
	}
	if l.CacheKey() == before {
		t.Error("the key for caches has not changed")
	}
}

// A login without scopes has received the default ones, which a step-up keeps.
func TestStepUpFromDefault(t *testing.T) {
	w := newWorld(t)
	w.reply = func(f url.Values, m map[string]any) {
		if len(w.opened) == 1 {
			m["scope"] = "read list"
		}
	}
	l := w.login()
	w.accepted(l)
	if q := query(t, w.opened[0]); q.Has("scope") {
		t.Errorf("the first login asked for %q", q.Get("scope"))
	}
	w.mu.Lock()
	w.needs = []string{"write"}
	w.mu.Unlock()
	w.accepted(l)
	if scope := query(t, w.opened[1]).Get("scope"); scope != "list read write" {
		t.Errorf("scope %q", scope)
	}
}

// Begin and Finish form the login of a web program, whose second replica finishes it.
func TestWebProgram(t *testing.T) {
	w := newWorld(t)
	store := mcplogin.MemoryStore()
	web := func(c *mcplogin.Config) {
		c.Store, c.Redirect, c.OpenBrowser = store, "https://app.example.com/callback", nil
	}
	first, second := w.login(web), w.login(web)
	w.refused(first, "Begin and Finish")
	to, pending, err := first.Begin(t.Context(), w.url())
	if err != nil {
		t.Fatal(err)
	}
	q := query(t, to)
	for _, secret := range []string{q.Get("state"), "client-", w.url()} {
		if strings.Contains(string(pending), secret) {
			t.Errorf("the pending login shows %q", secret)
		}
	}
	w.mu.Lock()
	w.codes["code-x"] = q
	w.mu.Unlock()
	back := url.Values{"code": {"code-x"}, "state": {q.Get("state")}, "iss": {w.issuer.URL}}
	for name, bad := range map[string]func() (*mcplogin.Login, []byte, url.Values){
		"other store":   func() (*mcplogin.Login, []byte, url.Values) { return w.login(), pending, back },
		"changed":       func() (*mcplogin.Login, []byte, url.Values) { return second, append(slices.Clone(pending), 0), back },
		"empty":         func() (*mcplogin.Login, []byte, url.Values) { return second, nil, back },
		"without state": func() (*mcplogin.Login, []byte, url.Values) { return second, pending, url.Values{"code": {"code-x"}} },
	} {
		l, p, b := bad()
		if err := l.Finish(t.Context(), p, b); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if n := w.requests("/token"); n != 0 {
		t.Errorf("%d token requests", n)
	}
	if err := second.Finish(t.Context(), pending, back); err != nil {
		t.Fatal(err)
	}
	w.accepted(first)
	w.accepted(second)
}

// Forget revokes the refresh token.
func TestForget(t *testing.T) {
	w := newWorld(t)
	l := w.login()
	w.accepted(l)
	if err := l.Forget(t.Context(), w.url()); err != nil {
		t.Fatal(err)
	}
	if len(w.refresh) != 0 || w.requests("/revoke") != 1 {
		t.Errorf("%v, %d requests", w.refresh, w.requests("/revoke"))
	}
	w.accepted(l)
	if len(w.opened) != 2 {
		t.Errorf("%d logins", len(w.opened))
	}
}

// A login that a person does not complete ends with the request.
func TestNotCompleted(t *testing.T) {
	w := newWorld(t)
	ctx, cancel := context.WithCancel(t.Context())
	l := w.login(func(c *mcplogin.Config) {
		c.OpenBrowser = func(context.Context, string) error { cancel(); return nil }
	})
	if _, err := send(ctx, l, w.url()); err == nil || !strings.Contains(err.Error(), "not completed") {
		t.Errorf("%v", err)
	}
}

// Errors of Config name the field.
func TestConfig(t *testing.T) {
	for text, c := range map[string]mcplogin.Config{
		"Issuer":       {ClientID: "id"},
		"no ClientID":  {ClientSecret: "secret"},
		"MetadataURL":  {MetadataURL: "http://example.com/client.json"},
		"no path":      {MetadataURL: "https://example.com/"},
		"Redirect":     {Redirect: "javascript:alert(1)"},
		"Config.DPoP":  {DPoP: 7},
		"MaxSteps":     {MaxSteps: -1},
		"begin with h": {Issuer: "ftp://example.com"},
	} {
		if _, err := mcplogin.New(c); err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// A client that the authorization server has forgotten is registered again: when the server refuses
// the refresh token, and after Forget.
func TestForgottenClient(t *testing.T) {
	w := newWorld(t)
	l := w.login()
	w.accepted(l)
	w.expire()
	unknown := ""
	w.mu.Lock()
	unknown = w.forms[0].Get("client_id")
	w.override["/token"] = func(rw http.ResponseWriter, r *http.Request) {
		_ = r.ParseForm()
		if r.PostForm.Get("client_id") == unknown {
			refuse(rw, "invalid_client")
			return
		}
		w.token(rw, r)
	}
	w.mu.Unlock()
	w.accepted(l)
	if len(w.opened) != 2 || w.requests("/register") != 2 || strings.Contains(w.opened[1], unknown) {
		t.Errorf("%d logins, %d registrations", len(w.opened), w.requests("/register"))
	}
	if err := l.Forget(t.Context(), w.url()); err != nil {
		t.Fatal(err)
	}
	w.accepted(l)
	if w.requests("/register") != 3 {
		t.Errorf("%d registrations after Forget", w.requests("/register"))
	}
}
