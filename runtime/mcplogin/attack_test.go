package mcplogin_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/mcplogin"
)

// elsewhere is a listener that must not receive a request.
func elsewhere(t *testing.T) *httptest.Server {
	var n atomic.Int32
	s := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		n.Add(1)
		writeJSON(rw, map[string]any{})
	}))
	t.Cleanup(func() {
		s.Close()
		if n.Load() != 0 {
			t.Errorf("%d requests went elsewhere", n.Load())
		}
	})
	return s
}

// noLogin fails if a person was asked, a client registered, or a token requested.
func (w *world) noLogin() {
	w.t.Helper()
	if len(w.opened) != 0 || w.requests("/register") != 0 || w.requests("/token") != 0 {
		w.t.Errorf("opened %q, requests %q", w.opened, w.log)
	}
}

// Metadata of another resource causes no login, and the authorization server receives nothing.
func TestResourceOfAnother(t *testing.T) {
	for name, id := range map[string]func(*world) string{
		"other origin":      func(*world) string { return "https://bank.example.com/mcp" },
		"other port":        func(w *world) string { return w.issuer.URL + "/mcp" },
		"sibling":           func(w *world) string { return w.server.URL + "/mc" },
		"child":             func(w *world) string { return w.url() + "/admin" },
		"longer":            func(w *world) string { return w.url() + "2" },
		"parent of another": func(w *world) string { return w.server.URL + "/other/" },
		"other case":        func(w *world) string { return w.server.URL + "/MCP" },
		"fragment":          func(w *world) string { return w.url() + "#part" },
		"empty fragment":    func(w *world) string { return w.url() + "#" },
		"user":              func(w *world) string { return strings.Replace(w.url(), "//", "//user@", 1) },
		"dots":              func(w *world) string { return w.server.URL + "/other/../mcp" },
		"query":             func(w *world) string { return w.url() + "?tenant=1" },
		"missing":           func(*world) string { return "" },
		"relative":          func(*world) string { return "/mcp" },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.resource["resource"] = id(w)
			w.refused(w.login(), "is of another resource")
			if len(w.log) != 0 {
				t.Errorf("requests %q", w.log)
			}
		})
	}
	for name, id := range map[string]func(*world) string{
		"itself": (*world).url, "origin": func(w *world) string { return w.server.URL }, "root": func(w *world) string { return w.server.URL + "/" },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.resource["resource"] = id(w)
			w.accepted(w.login())
			if got := w.forms[0].Get("resource"); got != id(w) {
				t.Errorf("resource %q", got)
			}
		})
	}
}

// A document of another issuer is not used, however similar its name is.
func TestIssuerOfAnother(t *testing.T) {
	for name, change := range map[string]func(string) string{
		"slash":  func(s string) string { return s + "/" },
		"case":   func(s string) string { return strings.Replace(s, "http", "HTTP", 1) },
		"host":   func(s string) string { return strings.Replace(s, "127.0.0.1", "localhost", 1) },
		"prefix": func(s string) string { return s[:len(s)-1] },
		"empty":  func(string) string { return "" },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.metadata["issuer"] = change(w.issuer.URL)
			w.refused(w.login(), "another issuer")
			w.noLogin()
		})
	}
}

// URLs that a server names are requested only if the server itself could request them.
func TestNamedPlaces(t *testing.T) {
	for name, c := range map[string]struct{ place, text string }{
		"loopback":       {"https://127.0.0.1:1/", "a loopback one"},
		"loopback name":  {"https://localhost:1/", "a loopback one"},
		"ipv6":           {"https://[::1]:1/", "a loopback one"},
		"mapped":         {"https://[::ffff:127.0.0.1]:1/", "a loopback one"},
		"metadata":       {"https://169.254.169.254/latest", "a link-local one"},
		"private":        {"https://10.0.0.1/", "a private one"},
		"shared":         {"https://100.64.0.1/", "a private one"},
		"6to4":           {"https://[2002:7f00:1::]/", "a loopback one"},
		"nat64":          {"https://[64:ff9b::a00:1]/", "a private one"},
		"teredo":         {"https://[2001:0:0:0:0:0:f5ff:fffe]/", "a private one"},
		"unspecified":    {"https://0.0.0.0/", "a reserved one"},
		"multicast":      {"https://224.0.0.1/", "a reserved one"},
		"plain http":     {"http://198.51.100.1/", "must begin with https"},
		"http to itself": {"http://127.0.0.1:1/", "must begin with https"},
		"file":           {"file:///etc/passwd", "must be absolute"},
		"javascript":     {"javascript:alert(1)", "must be absolute"},
		"user":           {"https://user:secret@example.com/", "without a user name"},
		"blank":          {"https://exa mple.com/", "character"},
		"quote":          {`https://example.com/"onload=`, "character"},
		"long":           {"https://example.com/" + strings.Repeat("a", 1<<20), "bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, at := range []string{"resource metadata", "issuer", "token", "authorize", "register"} {
				w := newWorld(t)
				err := w.loginFrom(at, c.place)
				if at == "authorize" && strings.HasPrefix(c.place, "https://") && !strings.Contains(c.text, "must") && !strings.Contains(c.text, "bytes") && !strings.Contains(c.text, "character") && !strings.Contains(c.text, "without") {
					continue // the person's browser requests it, not this program
				}
				if err == nil || !strings.Contains(err.Error(), c.text) {
					t.Errorf("%s: %.300v", at, err)
				}
				if strings.Contains(fmt.Sprint(err), "secret") && at != "authorize" {
					t.Errorf("%s: the error shows a password: %v", at, err)
				}
			}
		})
	}
}

// loginFrom logs in to a public server whose documents come from memory; one of them names place.
func (w *world) loginFrom(at, place string) error {
	const server, issuer = "https://mcp.example.com/mcp", "https://auth.example.com"
	resource := map[string]any{"resource": server, "authorization_servers": []string{issuer}}
	metadata := map[string]any{
		"issuer": issuer, "authorization_endpoint": issuer + "/authorize", "token_endpoint": issuer + "/token",
		"registration_endpoint": issuer + "/register", "code_challenge_methods_supported": []string{"S256"},
	}
	challenge := `Bearer resource_metadata="https://mcp.example.com/meta"`
	switch at {
	case "resource metadata":
		challenge = `Bearer resource_metadata="` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(place) + `"`
		if len(place) > 16<<10 {
			return errors.New("bytes") // a challenge of this size is not read
		}
	case "issuer":
		resource["authorization_servers"] = []string{place}
	case "token":
		metadata["token_endpoint"] = place
	case "authorize":
		metadata["authorization_endpoint"] = place
	case "register":
		metadata["registration_endpoint"] = place
	}
	documents := map[string]any{"https://mcp.example.com/meta": resource, issuer + "/.well-known/oauth-authorization-server": metadata, issuer + "/register": map[string]any{"client_id": "c"}}
	l, err := mcplogin.New(mcplogin.Config{
		Name: "test",
		HTTP: &http.Client{Transport: memory(documents)},
		OpenBrowser: func(ctx context.Context, to string) error {
			q := query(w.t, to)
			return w.browse(ctx, q.Get("redirect_uri")+"?"+url.Values{"state": {q.Get("state")}, "code": {"code"}}.Encode())
		},
	})
	if err != nil {
		return err
	}
	r := httptest.NewRequest(http.MethodPost, server, nil).WithContext(w.t.Context())
	resp := &http.Response{StatusCode: http.StatusUnauthorized, Header: http.Header{"Www-Authenticate": {challenge}}}
	return l.HandleChallenge(w.t.Context(), r, resp)
}

// memory serves documents.
type memory map[string]any

func (m memory) RoundTrip(r *http.Request) (*http.Response, error) {
	if netIP := net.ParseIP(r.URL.Hostname()); netIP != nil {
		return nil, errors.New("an address was requested that no document has: " + r.URL.Host)
	}
	rec := httptest.NewRecorder()
	if doc := m[r.URL.String()]; doc != nil {
		writeJSON(rec, doc)
	} else {
		rec.WriteHeader(http.StatusNotFound)
	}
	return rec.Result(), nil
}

// A metadata document that redirects to another origin is not followed.
func TestMetadataRedirects(t *testing.T) {
	for _, path := range []string{"/.well-known/oauth-authorization-server", "/.well-known/openid-configuration"} {
		w := newWorld(t)
		other := elsewhere(t)
		w.override["/.well-known/oauth-authorization-server"] = func(rw http.ResponseWriter, _ *http.Request) { rw.WriteHeader(http.StatusNotFound) }
		w.override[path] = func(rw http.ResponseWriter, r *http.Request) {
			http.Redirect(rw, r, other.URL+r.URL.Path, http.StatusFound)
		}
		w.refused(w.login(), "another origin")
		w.noLogin()
	}
	w := newWorld(t)
	w.override["/.well-known/oauth-authorization-server"] = func(rw http.ResponseWriter, r *http.Request) {
		http.Redirect(rw, r, w.issuer.URL+r.URL.Path+"?again", http.StatusFound)
	}
	w.refused(w.login(), "redirects")
	if n := w.requests("/.well-known/oauth-authorization-server"); n != 4 {
		t.Errorf("%d requests", n)
	}
}

// Whatever a token endpoint does, credentials are not sent elsewhere, and no invalid token is
// stored.
func TestTokenEndpoint(t *testing.T) {
	other := elsewhere(t)
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		text   string
	}{
		"307": {func(rw http.ResponseWriter, r *http.Request) {
			http.Redirect(rw, r, other.URL, http.StatusTemporaryRedirect)
		}, "redirect"},
		"302":  {func(rw http.ResponseWriter, r *http.Request) { http.Redirect(rw, r, other.URL, http.StatusFound) }, "redirect"},
		"HTML": {func(rw http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(rw, "<html>") }, "content type"},
		"10 MB": {func(rw http.ResponseWriter, _ *http.Request) {
			writeJSON(rw, map[string]string{"a": strings.Repeat("a", 10<<20)})
		}, "more than"},
		"mac": {func(rw http.ResponseWriter, _ *http.Request) {
			writeJSON(rw, map[string]string{"access_token": "a", "token_type": "mac"})
		}, "token_type"},
		"DPoP unasked": {func(rw http.ResponseWriter, _ *http.Request) {
			writeJSON(rw, map[string]string{"access_token": "a", "token_type": "DPoP"})
		}, "token_type"},
		"no token": {func(rw http.ResponseWriter, _ *http.Request) {
			writeJSON(rw, map[string]string{"token_type": "Bearer"})
		}, "no access_token"},
		"line end": {func(rw http.ResponseWriter, _ *http.Request) {
			writeJSON(rw, map[string]string{"access_token": "a\r\nX: y", "token_type": "Bearer"})
		}, "no access_token"},
		"number": {func(rw http.ResponseWriter, _ *http.Request) {
			writeJSON(rw, map[string]any{"access_token": 1, "token_type": "Bearer"})
		}, "form of RFC 6749"},
		"array": {func(rw http.ResponseWriter, _ *http.Request) { writeJSON(rw, []string{}) }, "JSON object"},
		"error": {func(rw http.ResponseWriter, _ *http.Request) { refuse(rw, "invalid_request") }, `invalid_request: a <b>description</b>\x1b`},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.override["/token"] = c.answer
			w.refused(w.login(), c.text)
			if n := w.requests("/token"); n != 1 {
				t.Errorf("%d token requests", n)
			}
		})
	}
}

// The granted scopes count, not the requested ones.
func TestGrantedScopes(t *testing.T) {
	w := newWorld(t)
	w.reply = func(_ url.Values, m map[string]any) { m["scope"] = "admin" }
	l, other := w.login(), w.login()
	w.accepted(l)
	w.reply = nil
	w.accepted(other)
	if l.CacheKey() == other.CacheKey() {
		t.Error("two logins with other scopes have one key for caches")
	}
}

// Two users never share a cache key.
func TestUsersAreApart(t *testing.T) {
	w := newWorld(t)
	ada, bob := w.login(), w.login()
	w.accepted(ada)
	w.accepted(bob)
	if ada.CacheKey() == bob.CacheKey() {
		t.Error("two users have one key for caches")
	}
}

// Authorization responses that do not belong to the request lead to no token.
func TestCallback(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*world, url.Values)
		text   string
		waits  bool // the response is ignored, and the login continues
	}{
		"without state":  {func(_ *world, v url.Values) { v.Del("state") }, "", true},
		"other state":    {func(_ *world, v url.Values) { v.Set("state", "x") }, "", true},
		"without iss":    {func(_ *world, v url.Values) { v.Del("iss") }, "does not name", false},
		"wrong iss":      {func(_ *world, v url.Values) { v.Set("iss", "https://evil.example.com") }, "another authorization server", false},
		"iss with slash": {func(w *world, v url.Values) { v.Set("iss", w.issuer.URL+"/") }, "another authorization server", false},
		"iss twice":      {func(w *world, v url.Values) { v.Add("iss", w.issuer.URL) }, "twice", false},
		"state twice":    {func(_ *world, v url.Values) { v.Add("state", "x") }, "twice", false},
		"no code":        {func(_ *world, v url.Values) { v.Del("code") }, "no code", false},
		"denied": {func(_ *world, v url.Values) {
			v.Set("error", "access_denied")
			v.Set("error_description", "\x1b[2J<b>")
		}, `access_denied: \x1b[2J`, false},
		"foreign error": {func(_ *world, v url.Values) { v.Set("error", "<script>"); v.Set("iss", "https://evil.example.com") }, "another authorization server", false},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.callback = func(v url.Values) { c.change(w, v) }
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			l := w.login(func(config *mcplogin.Config) {
				config.OpenBrowser = func(ctx context.Context, to string) error {
					err := w.browse(ctx, to)
					if c.waits {
						cancel()
					}
					return err
				}
			})
			_, err := send(ctx, l, w.url())
			if err == nil || !strings.Contains(err.Error(), c.text) || c.waits != strings.Contains(err.Error(), "not completed") {
				t.Errorf("%v", err)
			}
			if err != nil && (strings.Contains(err.Error(), "<script>") || strings.Contains(err.Error(), "\x1b")) {
				t.Errorf("the error shows the text of another server: %q", err)
			}
			if n := w.requests("/token"); n != 0 {
				t.Errorf("%d token requests", n)
			}
		})
	}
}

// The listener answers only its path, once, for the state of the login.
func TestListener(t *testing.T) {
	w := newWorld(t)
	l := w.login(func(c *mcplogin.Config) {
		c.OpenBrowser = func(ctx context.Context, to string) error {
			q := query(t, to)
			at := q.Get("redirect_uri")
			for _, try := range []struct {
				method, url string
				status      int
			}{
				{http.MethodGet, strings.TrimSuffix(at, "/callback"), http.StatusNotFound},
				{http.MethodPost, at + "?state=" + q.Get("state"), http.StatusMethodNotAllowed},
				{http.MethodGet, at, http.StatusBadRequest},
				{http.MethodGet, at + "?state=x&code=y", http.StatusBadRequest},
			} {
				r, _ := http.NewRequestWithContext(ctx, try.method, try.url, nil)
				resp, err := http.DefaultClient.Do(r)
				if err != nil {
					return err
				}
				body, _ := io.ReadAll(resp.Body)
				_ = resp.Body.Close()
				if resp.StatusCode != try.status || resp.Header.Get("Referrer-Policy") != "no-referrer" || strings.Contains(string(body), q.Get("state")) {
					t.Errorf("%s %s: %d, %v", try.method, try.url, resp.StatusCode, resp.Header)
				}
			}
			return w.browse(ctx, to)
		}
	})
	w.accepted(l)
}

// Without PKCE with S256, no login takes place.
func TestNoPKCE(t *testing.T) {
	for _, methods := range []any{nil, []string{}, []string{"plain"}} {
		w := newWorld(t)
		w.metadata["code_challenge_methods_supported"] = methods
		w.refused(w.login(), "PKCE")
		w.noLogin()
	}
}

// If a server names another authorization server, that one receives nothing of the first.
func TestOtherIssuer(t *testing.T) {
	w, evil := newWorld(t), newWorld(t)
	secret := func(c *mcplogin.Config) {
		c.Name, c.Issuer, c.ClientID, c.ClientSecret = "", w.issuer.URL, "id", "secret"
	}
	w.metadata["token_endpoint_auth_methods_supported"] = []string{"client_secret_post"}
	dynamic, registered := w.login(), w.login(secret)
	w.accepted(dynamic)
	w.accepted(registered)
	w.expire()
	w.mu.Lock()
	clear(w.refresh)
	w.resource["authorization_servers"] = []string{evil.issuer.URL}
	w.mu.Unlock()
	w.refused(registered, "registered at")
	if len(evil.log) != 0 {
		t.Errorf("requests %q", evil.log)
	}
	evil.mu.Lock()
	evil.override["/token"] = func(rw http.ResponseWriter, r *http.Request) {
		evil.token(rw, r)
		for access, scopes := range evil.tokens {
			w.tokens[access] = scopes // the same server accepts its tokens
		}
	}
	evil.mu.Unlock()
	w.accepted(dynamic)
	if evil.requests("/register") != 1 || evil.forms[0].Get("refresh_token") != "" {
		t.Errorf("requests %q, form %v", evil.log, evil.forms)
	}
}

// A server that always refuses causes three logins per request.
func TestRefusedForever(t *testing.T) {
	scope := 0
	for name, c := range map[string]func(*world, http.ResponseWriter){
		"401": func(w *world, rw http.ResponseWriter) {
			rw.Header().Set("WWW-Authenticate", w.challenge())
			rw.WriteHeader(http.StatusUnauthorized)
		},
		"403": func(_ *world, rw http.ResponseWriter) {
			scope++
			rw.Header().Set("WWW-Authenticate", fmt.Sprintf(`Bearer error="insufficient_scope", scope="s%d"`, scope))
			rw.WriteHeader(http.StatusForbidden)
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.reply = func(_ url.Values, m map[string]any) { delete(m, "refresh_token") }
			w.resets["/mcp"] = func(rw http.ResponseWriter, _ *http.Request) { c(w, rw) }
			w.refused(w.login(), "after 3 logins")
			if len(w.opened) != 3 {
				t.Errorf("%d logins", len(w.opened))
			}
		})
	}
	w := newWorld(t)
	w.resets["/mcp"] = func(rw http.ResponseWriter, _ *http.Request) { rw.WriteHeader(http.StatusForbidden) }
	w.refused(w.login(), "no other login")
	w.noLogin()
}

// Challenges of any size and form are read within limits.
func TestChallenges(t *testing.T) {
	for name, c := range map[string]struct{ challenge, scope string }{
		"1 MB":       {`Bearer scope="` + strings.Repeat("a ", 1<<19) + `"`, ""},
		"many":       {strings.Repeat("Bearer, ", 1000), ""},
		"quotes":     {`Bearer scope="a \"b\" \\c d"`, "a d"},
		"twice":      {`Bearer scope="a", scope="b"`, ""},
		"no end":     {`Bearer scope="a`, ""},
		"others":     {`Negotiate, Basic realm="x", Bearer scope="a"`, "a"},
		"repetition": {`Bearer scope="a a b a"`, "a b"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.challenge = func() string { return c.challenge }
			if len(c.challenge) > 1<<20 {
				// net/http itself refuses such a header: the test calls only HandleChallenge.
				r := httptest.NewRequest(http.MethodPost, w.url(), nil)
				resp := &http.Response{StatusCode: http.StatusUnauthorized, Header: http.Header{"Www-Authenticate": {c.challenge}}}
				if err := w.login().HandleChallenge(t.Context(), r, resp); err != nil {
					t.Error(err)
				}
			} else {
				w.accepted(w.login())
			}
			if scope := query(t, w.opened[0]).Get("scope"); scope != c.scope {
				t.Errorf("scope %q", scope)
			}
		})
	}
}

// Two servers with one authorization server have separate tokens.
func TestTokenPerServer(t *testing.T) {
	w := newWorld(t)
	l := w.login()
	w.accepted(l)
	second := newWorld(t)
	second.resource["authorization_servers"] = []string{w.issuer.URL}
	if status, _ := w.callAt(l, second.url()); status != http.StatusUnauthorized {
		t.Errorf("status %d", status)
	}
	for _, h := range second.headers {
		for access := range w.tokens {
			if strings.Contains(h.Get("Authorization"), access) && !strings.Contains(fmt.Sprint(w.forms), second.url()) {
				t.Errorf("the token for one server was sent to another: %v", h)
			}
		}
	}
	if first := second.headers[0].Get("Authorization"); first != "" {
		t.Errorf("the first request to another server had %q", first)
	}
}

// Files that others could have written or read are refused, and damaged ones replaced.
func TestStoreFile(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	const good = `{"format":"mcpgen logins 1","values":{}}`
	for name, mode := range map[string]os.FileMode{"readable": 0o644, "group": 0o640} {
		if err := os.WriteFile(at(name), []byte(good), mode); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(at("private"), []byte(good), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(at("private"), at("link")); err != nil {
		t.Skip(err)
	}
	if err := os.WriteFile(at("future"), []byte(`{"format":"mcpgen logins 2"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"readable": "mode 0644", "group": "mode 0640", "link": "not a regular file", "future": "newer program", ".": "not a regular file"} {
		s := mcplogin.FileStore(at(name))
		if _, err := s.Get(t.Context(), "key"); err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("%s: %v", name, err)
		}
		if name == "." {
			continue
		}
		if err := s.Put(t.Context(), "key", []byte("secret")); err == nil {
			t.Errorf("%s: written", name)
		}
	}
	for _, half := range []string{"", `{"format":"mcpgen logins 1","val`, "null", "[]"} {
		name := at("half")
		if err := os.WriteFile(name, []byte(half), 0o600); err != nil {
			t.Fatal(err)
		}
		s := mcplogin.FileStore(name)
		if err := s.Put(t.Context(), "key", []byte("secret")); err != nil {
			t.Errorf("%q: %v", half, err)
		}
		if value, err := s.Get(t.Context(), "key"); string(value) != "secret" || err != nil {
			t.Errorf("%q: %q, %v", half, value, err)
		}
	}
	if info, err := os.Stat(at("half")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}

// Nonces that change each time, and enormous ones, end the request.
func TestNonces(t *testing.T) {
	w := newWorld(t)
	w.metadata["dpop_signing_alg_values_supported"] = []string{"ES256"}
	w.reply = func(_ url.Values, m map[string]any) { m["token_type"] = "DPoP" }
	serial := 0
	nonce := func() string { serial++; return fmt.Sprintf("nonce-%d", serial) }
	w.resets["/mcp"] = func(rw http.ResponseWriter, r *http.Request) {
		code := ""
		if r.Header.Get("Dpop") != "" {
			code = `, error="use_dpop_nonce"`
			rw.Header().Set("DPoP-Nonce", nonce())
		}
		rw.Header().Set("WWW-Authenticate", `DPoP algs="ES256"`+code)
		rw.WriteHeader(http.StatusUnauthorized)
	}
	w.refused(w.login(), "nonce")
	if serial != 3 {
		t.Errorf("%d attempts", serial)
	}
	nonce = func() string { return strings.Repeat("n", 1<<18) }
	w.refused(w.login(), "nonce")
}

// If the assertion of a workload is refused, the client tries nothing else.
func TestWorkloadRefused(t *testing.T) {
	w := newWorld(t)
	w.override["/token"] = func(rw http.ResponseWriter, r *http.Request) {
		_ = r.ParseForm()
		w.forms = append(w.forms, r.PostForm)
		refuse(rw, "invalid_grant")
	}
	calls := 0
	l, err := mcplogin.Workload(mcplogin.WorkloadConfig{
		Config: mcplogin.Config{Issuer: w.issuer.URL, ClientID: "workload"},
		Assertion: func(_ context.Context, audience string) (string, error) {
			calls++
			return "assertion for " + audience, nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	w.refused(l, "invalid_grant")
	if calls != 1 || len(w.forms) != 1 || w.forms[0].Get("assertion") != "assertion for "+w.issuer.URL || w.forms[0].Get("grant_type") != "urn:ietf:params:oauth:grant-type:jwt-bearer" {
		t.Errorf("%d assertions, %v", calls, w.forms)
	}
	if w.requests("/register") != 0 {
		t.Errorf("%q", w.log)
	}
}
