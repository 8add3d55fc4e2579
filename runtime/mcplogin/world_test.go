package mcplogin_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/internal/dial"
	"github.com/mcpgen/mcpgen/runtime/mcplogin"
)

// world is an MCP server with its authorization server, both on this machine. Tests modify their
// responses. A person who logs in is simulated by a request that follows redirects.
type world struct {
	t      *testing.T
	server *httptest.Server // the MCP server, which only checks tokens
	issuer *httptest.Server

	mu        sync.Mutex
	resource  map[string]any    // metadata of the server
	metadata  map[string]any    // of the authorization server
	challenge func() string     // returns the challenge of a refusal
	needs     []string          // scopes that a request needs
	tokens    map[string]string // scopes by access token; "" after revocation
	refresh   map[string]string // scopes by refresh token
	codes     map[string]url.Values
	callback  func(url.Values) // modifies the authorization response
	reply     func(url.Values, map[string]any)
	override  map[string]http.HandlerFunc // by path of the authorization server
	resets    map[string]http.HandlerFunc // by path on the server

	log     []string     // requests to the authorization server, as method and path
	forms   []url.Values // of token requests
	opened  []string     // URLs for the browser
	serial  int
	headers []http.Header // of requests to the server
}

func newWorld(t *testing.T) *world {
	w := &world{
		t: t, tokens: map[string]string{}, refresh: map[string]string{}, codes: map[string]url.Values{},
		override: map[string]http.HandlerFunc{}, resets: map[string]http.HandlerFunc{},
	}
	w.server = httptest.NewServer(http.HandlerFunc(w.serveMCP))
	t.Cleanup(w.server.Close)
	w.issuer = httptest.NewServer(http.HandlerFunc(w.serveIssuer))
	t.Cleanup(w.issuer.Close)
	w.resource = map[string]any{"resource": w.url(), "authorization_servers": []string{w.issuer.URL}}
	w.metadata = map[string]any{
		"issuer": w.issuer.URL, "authorization_endpoint": w.issuer.URL + "/authorize", "token_endpoint": w.issuer.URL + "/token",
		"registration_endpoint": w.issuer.URL + "/register", "revocation_endpoint": w.issuer.URL + "/revoke",
		"code_challenge_methods_supported": []string{"S256"}, "token_endpoint_auth_methods_supported": []string{"none"},
		"authorization_response_iss_parameter_supported": true,
	}
	w.challenge = func() string {
		return `Bearer resource_metadata="` + w.server.URL + `/.well-known/oauth-protected-resource/mcp"`
	}
	return w
}

// url returns the URL of the MCP server.
func (w *world) url() string { return w.server.URL + "/mcp" }

// config returns the Config of a client that registers dynamically, whose browser is a request.
func (w *world) config() mcplogin.Config {
	return mcplogin.Config{Name: "test", OpenBrowser: w.browse}
}

// browse opens a URL and follows redirects.
func (w *world) browse(ctx context.Context, to string) error {
	w.mu.Lock()
	w.opened = append(w.opened, to)
	w.mu.Unlock()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, to, nil)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	_, _ = io.Copy(io.Discard, resp.Body)
	return resp.Body.Close()
}

// login returns a Login of a person.
func (w *world) login(change ...func(*mcplogin.Config)) *mcplogin.Login {
	w.t.Helper()
	c := w.config()
	for _, f := range change {
		f(&c)
	}
	l, err := mcplogin.New(c)
	if err != nil {
		w.t.Fatal(err)
	}
	return l
}

// call sends one request like an Endpoint, and returns the last status.
func (w *world) call(l *mcplogin.Login) (int, error) { return w.callAt(l, w.url()) }

func (w *world) callAt(l *mcplogin.Login, server string) (int, error) {
	ctx, a := dial.WithAuthorization(w.t.Context())
	here := netip.MustParseAddr("127.0.0.1")
	a.Remote.Store(&here)
	return send(ctx, l, server)
}

func send(ctx context.Context, l *mcplogin.Login, server string) (int, error) {
	for attempt := 1; ; attempt++ {
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, server, strings.NewReader("{}"))
		if err != nil {
			return 0, err
		}
		if err := l.Authorize(ctx, r); err != nil {
			return 0, err
		}
		resp, err := http.DefaultTransport.RoundTrip(r)
		if err != nil {
			return 0, err
		}
		_ = resp.Body.Close()
		if resp.StatusCode != http.StatusUnauthorized && resp.StatusCode != http.StatusForbidden || attempt == 5 {
			return resp.StatusCode, nil
		}
		if err := l.HandleChallenge(ctx, r, resp); err != nil {
			return resp.StatusCode, err
		}
	}
}

// refused fails unless a call is refused with an error that contains a text.
func (w *world) refused(l *mcplogin.Login, text string) {
	w.t.Helper()
	status, err := w.call(l)
	if err == nil || !strings.Contains(err.Error(), text) {
		w.t.Errorf("status %d, error %v; want one with %q", status, err, text)
	}
}

// accepted fails unless a call succeeds.
func (w *world) accepted(l *mcplogin.Login) {
	w.t.Helper()
	if status, err := w.call(l); status != http.StatusOK || err != nil {
		w.t.Errorf("status %d, error %v", status, err)
	}
}

// requests returns the number of requests for a path of the authorization server.
func (w *world) requests(path string) (n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, entry := range w.log {
		if strings.HasSuffix(entry, " "+path) {
			n++
		}
	}
	return n
}

func (w *world) serveMCP(rw http.ResponseWriter, r *http.Request) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if f := w.resets[r.URL.Path]; f != nil {
		f(rw, r)
		return
	}
	if strings.HasPrefix(r.URL.Path, "/.well-known/oauth-protected-resource") && w.resource != nil {
		writeJSON(rw, w.resource)
		return
	}
	if r.URL.Path != "/mcp" {
		http.NotFound(rw, r)
		return
	}
	w.headers = append(w.headers, r.Header.Clone())
	_, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	scopes, ok := w.tokens[token]
	switch {
	case !ok:
		rw.Header().Set("WWW-Authenticate", w.challenge())
		rw.WriteHeader(http.StatusUnauthorized)
	case !slices.ContainsFunc(w.needs, func(s string) bool { return !slices.Contains(strings.Fields(scopes), s) }):
		rw.WriteHeader(http.StatusOK)
	default:
		rw.Header().Set("WWW-Authenticate", `Bearer error="insufficient_scope", scope="`+strings.Join(w.needs, " ")+`"`)
		rw.WriteHeader(http.StatusForbidden)
	}
}

func (w *world) serveIssuer(rw http.ResponseWriter, r *http.Request) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.log = append(w.log, r.Method+" "+r.URL.Path)
	if f := w.override[r.URL.Path]; f != nil {
		f(rw, r)
		return
	}
	switch r.URL.Path {
	case "/.well-known/oauth-authorization-server":
		writeJSON(rw, w.metadata)
	case "/register":
		w.serial++
		var m map[string]any
		_ = json.NewDecoder(r.Body).Decode(&m)
		m["client_id"] = fmt.Sprintf("client-%d", w.serial)
		rw.Header().Set("Content-Type", "application/json")
		rw.WriteHeader(http.StatusCreated)
		_ = json.NewEncoder(rw).Encode(m)
	case "/authorize":
		q := r.URL.Query()
		w.serial++
		code := fmt.Sprintf("code-%d", w.serial)
		w.codes[code] = q
		back := url.Values{"code": {code}, "state": {q.Get("state")}, "iss": {w.issuer.URL}}
		if w.callback != nil {
			w.callback(back)
		}
		http.Redirect(rw, r, q.Get("redirect_uri")+"?"+back.Encode(), http.StatusFound)
	case "/token":
		w.token(rw, r)
	case "/revoke":
		_ = r.ParseForm()
		delete(w.refresh, r.Form.Get("token"))
		rw.WriteHeader(http.StatusOK)
	default:
		http.NotFound(rw, r)
	}
}

// token handles token requests: with codes and their verifiers, and with refresh tokens, which
// rotate.
func (w *world) token(rw http.ResponseWriter, r *http.Request) {
	_ = r.ParseForm()
	w.forms = append(w.forms, r.PostForm)
	var scopes string
	switch f := r.PostForm; f.Get("grant_type") {
	case "authorization_code":
		q := w.codes[f.Get("code")]
		sum := sha256.Sum256([]byte(f.Get("code_verifier")))
		if q == nil || q.Get("code_challenge") != base64.RawURLEncoding.EncodeToString(sum[:]) || q.Get("redirect_uri") != f.Get("redirect_uri") {
			refuse(rw, "invalid_grant")
			return
		}
		delete(w.codes, f.Get("code"))
		scopes = q.Get("scope")
	case "refresh_token":
		var ok bool
		if scopes, ok = w.refresh[f.Get("refresh_token")]; !ok {
			refuse(rw, "invalid_grant")
			return
		}
		delete(w.refresh, f.Get("refresh_token"))
	default:
		scopes = f.Get("scope")
	}
	w.serial++
	access, refresh := fmt.Sprintf("access-%d", w.serial), fmt.Sprintf("refresh-%d", w.serial)
	w.tokens[access], w.refresh[refresh] = scopes, scopes
	m := map[string]any{"access_token": access, "token_type": "Bearer", "expires_in": 3600, "refresh_token": refresh}
	if w.reply != nil {
		w.reply(r.PostForm, m)
	}
	writeJSON(rw, m)
}

func refuse(rw http.ResponseWriter, code string) {
	rw.Header().Set("Content-Type", "application/json")
	rw.WriteHeader(http.StatusBadRequest)
	_ = json.NewEncoder(rw).Encode(map[string]string{"error": code, "error_description": "a <b>description</b>\x1b[31m"})
}

func writeJSON(rw http.ResponseWriter, v any) {
	var b bytes.Buffer
	if err := json.NewEncoder(&b).Encode(v); err != nil {
		panic(err)
	}
	rw.Header().Set("Content-Type", "application/json")
	_, _ = rw.Write(b.Bytes())
}

// expire makes the server refuse all tokens.
func (w *world) expire() {
	w.mu.Lock()
	defer w.mu.Unlock()
	clear(w.tokens)
}
