package mcpissuer_test

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/mcpgen/mcpgen/internal/loginpage"
	"github.com/mcpgen/mcpgen/runtime/mcpissuer"
)

const (
	resource = "https://mcp.example.com/mcp"
	callback = "https://app.example.com/callback"
	canary   = "CaNaRy0123456789" // in secrets of the tests
)

// world is an issuer that serves, and what it has logged.
type world struct {
	t       *testing.T
	issuer  *mcpissuer.Issuer
	url     string
	mu      sync.Mutex
	log     bytes.Buffer
	secrets []string
}

func (w *world) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.log.Write(b)
}

// newWorld returns an issuer with two clients without secrets, app and other, and one with a
// secret, service. At the end of the test no secret is in the log.
func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, secrets: []string{canary}}
	server := httptest.NewUnstartedServer(nil)
	w.url = "http://" + server.Listener.Addr().String()
	i, err := mcpissuer.New(mcpissuer.Options{
		URL: w.url, Resources: []string{resource}, Log: slog.New(slog.NewTextHandler(w, nil)),
		Personas: []mcpissuer.Persona{{Name: "ada", Scopes: []string{"books:read", "books:write"}}},
		Clients: []mcpissuer.Client{
			{ID: "app", RedirectURIs: []string{callback, "http://127.0.0.1/callback"}},
			{ID: "other", RedirectURIs: []string{callback}},
			{ID: "service", Secret: canary, Scopes: []string{"books:read"}},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	w.issuer, server.Config.Handler = i, i
	server.Start()
	t.Cleanup(func() {
		server.Close()
		for _, secret := range w.secrets {
			if secret != "" && strings.Contains(w.log.String(), secret) {
				t.Errorf("the log has a secret, %.20s...:\n%s", secret, w.log.String())
			}
		}
	})
	return w
}

// answer is a response.
type answer struct {
	status int
	header http.Header
	body   string
}

func (w *world) do(c *http.Client, r *http.Request) answer {
	w.t.Helper()
	resp, err := c.Do(r)
	if err != nil {
		w.t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		w.t.Fatal(err)
	}
	return answer{resp.StatusCode, resp.Header, string(body)}
}

// browser has cookies, and does not follow redirects.
func browser() *http.Client {
	jar, err := cookiejar.New(nil)
	if err != nil {
		panic(err)
	}
	return &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// open opens a page of the issuer.
func (w *world) open(c *http.Client, query url.Values) answer {
	w.t.Helper()
	r, err := http.NewRequestWithContext(w.t.Context(), http.MethodGet, w.url+"/oauth/authorize?"+query.Encode(), nil)
	if err != nil {
		w.t.Fatal(err)
	}
	return w.do(c, r)
}

// post posts a form, with header fields in pairs.
func (w *world) post(c *http.Client, path string, form url.Values, fields ...string) answer {
	w.t.Helper()
	r, err := http.NewRequestWithContext(w.t.Context(), http.MethodPost, w.url+path, strings.NewReader(form.Encode()))
	if err != nil {
		w.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	for n := 0; n < len(fields); n += 2 {
		r.Header.Set(fields[n], fields[n+1])
	}
	return w.do(c, r)
}

// request returns a valid request for authorization; more replaces parameters.
func request(verifier string, more ...string) url.Values {
	sum := sha256.Sum256([]byte(verifier))
	q := url.Values{
		"response_type": {"code"}, "client_id": {"app"}, "redirect_uri": {callback}, "state": {"state-" + canary}, "scope": {"books:read"},
		"resource": {resource}, "code_challenge": {base64.RawURLEncoding.EncodeToString(sum[:])}, "code_challenge_method": {"S256"},
	}
	for n := 0; n < len(more); n += 2 {
		q.Set(more[n], more[n+1])
	}
	return q
}

// login returns a code, and the form that redeems it.
func (w *world) login() url.Values {
	w.t.Helper()
	verifier := rand.Text() + rand.Text()
	to, err := loginpage.Answer(w.t.Context(), w.url+"/oauth/authorize?"+request(verifier).Encode(), loginpage.Choice{})
	if err != nil {
		w.t.Fatal(err)
	}
	u, err := url.Parse(to)
	if err != nil || u.Query().Get("code") == "" || u.Query().Get("iss") != w.url {
		w.t.Fatalf("the browser ends at %s: %v", to, err)
	}
	w.secrets = append(w.secrets, u.Query().Get("code"), verifier)
	return url.Values{
		"grant_type": {"authorization_code"}, "code": {u.Query().Get("code")}, "client_id": {"app"}, "redirect_uri": {callback}, "code_verifier": {verifier},
	}
}

// tokens are those of a response.
type tokens struct {
	Access  string `json:"access_token"`
	Refresh string `json:"refresh_token"`
}

// redeem asks for tokens. The error is "" where there are some.
func (w *world) redeem(form url.Values) (tokens, string) {
	w.t.Helper()
	a := w.post(http.DefaultClient, "/oauth/token", form)
	var reply struct {
		tokens
		Error string `json:"error"`
	}
	if err := json.Unmarshal([]byte(a.body), &reply); err != nil || (a.status == http.StatusOK) != (reply.Error == "") {
		w.t.Fatalf("status %d: %s", a.status, a.body)
	}
	if reply.Error != "" {
		w.clean(a, form.Get("code"), form.Get("code_verifier"), form.Get("refresh_token"))
	}
	w.secrets = append(w.secrets, reply.Access, reply.Refresh)
	return reply.tokens, reply.Error
}

// clean checks that an answer has no secret.
func (w *world) clean(a answer, secrets ...string) {
	w.t.Helper()
	for _, secret := range append(secrets, canary) {
		if secret != "" && (strings.Contains(a.body, secret) || strings.Contains(a.header.Get("WWW-Authenticate"), secret)) {
			w.t.Errorf("the answer has a secret, %.20s...:\n%s", secret, a.body)
		}
	}
}

// active asks the issuer about an access token.
func (w *world) active(token string) bool {
	w.t.Helper()
	r, err := http.NewRequestWithContext(w.t.Context(), http.MethodPost, w.url+"/oauth/introspect", strings.NewReader(url.Values{"token": {token}}.Encode()))
	if err != nil {
		w.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.SetBasicAuth("service", canary)
	var is struct{ Active bool }
	if a := w.do(http.DefaultClient, r); a.status != http.StatusOK || json.Unmarshal([]byte(a.body), &is) != nil {
		w.t.Fatalf("introspection: status %d: %s", a.status, a.body)
	}
	return is.Active
}

func refreshForm(token string) url.Values {
	return url.Values{"grant_type": {"refresh_token"}, "refresh_token": {token}, "client_id": {"app"}}
}

func TestCodeUsedTwice(t *testing.T) {
	w := newWorld(t)
	form := w.login()
	got, failed := w.redeem(form)
	if failed != "" || !w.active(got.Access) {
		t.Fatal(failed)
	}
	if _, failed := w.redeem(form); failed != "invalid_grant" {
		t.Errorf("again: %q", failed)
	}
	if w.active(got.Access) {
		t.Error("the access token is still active")
	}
	if _, failed := w.redeem(refreshForm(got.Refresh)); failed != "invalid_grant" {
		t.Errorf("the refresh token: %q", failed)
	}
}

func TestCodeOfAnother(t *testing.T) {
	for name, change := range map[string][2]string{
		"client": {"client_id", "other"}, "verifier": {"code_verifier", rand.Text() + rand.Text()}, "short verifier": {"code_verifier", "x"},
		"no verifier": {"code_verifier", ""}, "redirect": {"redirect_uri", "http://127.0.0.1/callback"}, "resource": {"resource", "https://other.example.com/mcp"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			form := w.login()
			right := form.Get(change[0])
			form.Set(change[0], change[1])
			if _, failed := w.redeem(form); failed == "" {
				t.Error("there is a token")
			}
			if name == "resource" {
				return // found before the code is looked at
			}
			if form.Set(change[0], right); right == "" {
				form.Del(change[0])
			}
			if _, failed := w.redeem(form); failed != "invalid_grant" {
				t.Errorf("the code can still be used: %q", failed)
			}
		})
	}
}

func TestRefreshTokenUsedTwice(t *testing.T) {
	w := newWorld(t)
	first, _ := w.redeem(w.login())
	second, failed := w.redeem(refreshForm(first.Refresh))
	if failed != "" || second.Refresh == first.Refresh || !w.active(second.Access) {
		t.Fatalf("%q", failed)
	}
	other := refreshForm(second.Refresh)
	other.Set("client_id", "other")
	if _, failed := w.redeem(other); failed != "invalid_grant" {
		t.Errorf("of another client: %q", failed)
	}
	if _, failed := w.redeem(refreshForm(first.Refresh)); failed != "invalid_grant" {
		t.Errorf("again: %q", failed)
	}
	if _, failed := w.redeem(refreshForm(second.Refresh)); failed != "invalid_grant" {
		t.Errorf("the newer one: %q", failed)
	}
	if w.active(first.Access) || w.active(second.Access) {
		t.Error("an access token of the family is still active")
	}
}

func TestRedirectElsewhere(t *testing.T) {
	w := newWorld(t)
	for _, to := range []string{
		"https://evil.example/callback", "https://app.example.com.evil.example/callback", "https://user@app.example.com/callback",
		"https://app.example.com@evil.example/callback", "https://app.example.com:444/callback", callback + "#fragment", callback + "/", callback + "?x=1",
		"http://app.example.com/callback", "https://APP.example.com/callback", "https://app.example.com/a/../callback", "javascript:alert(1)", "//evil.example",
		"http://127.0.0.1:80@evil.example/callback", "http://user@127.0.0.1:80/callback", "http://127.0.0.1:80/callback#x", "http://127.0.0.1.evil.example/callback",
		"http://localhost:80/callback", "http://[::1]:80/callback", "http://127.0.0.1:80/callback/x", "http://127.0.0.1:x/callback", "http://127.0.0.1:80\\@evil.example/callback", "",
	} {
		// The second one is wrong besides: an error must not go there either.
		for _, more := range [][]string{nil, {"response_type", "token"}, {"code_challenge", ""}, {"resource", "https://other.example.com"}} {
			a := w.open(browser(), request(rand.Text()+rand.Text(), append(more, "redirect_uri", to)...))
			if a.status != http.StatusBadRequest || a.header.Get("Location") != "" {
				t.Errorf("%s %v: status %d, Location %q", to, more, a.status, a.header.Get("Location"))
			}
			w.clean(a)
		}
	}
	// Errors go to an address of the client, with the state as it was.
	a := w.open(browser(), request(rand.Text()+rand.Text(), "response_type", "token", "state", "a&code=b\r\nX: y"))
	to, err := url.Parse(a.header.Get("Location"))
	if err != nil || to.Scheme+"://"+to.Host+to.Path != callback || to.Query().Get("error") == "" || to.Query().Has("code") || to.Query().Get("state") != "a&code=b\r\nX: y" {
		t.Errorf("an error goes to %s", a.header.Get("Location"))
	}
	if a := w.open(browser(), request(rand.Text()+rand.Text(), "redirect_uri", "http://127.0.0.1:7777/callback")); a.status != http.StatusOK {
		t.Errorf("another port of this machine: status %d: %s", a.status, a.body)
	}
}

func TestRegistrationRefused(t *testing.T) {
	w := newWorld(t)
	for _, to := range []string{
		"javascript:alert(1)", "JavaScript:alert(1)", "javascript://x/%0aalert(1)", "data:text/html,x", "file:///etc/passwd", "vbscript:x", "http://evil.example/", "https://user@evil.example/",
		"https://evil.example/#x", "/callback", "", "https:///callback", "https://a b/", "https://a\"/", "https://evil.example/" + strings.Repeat("x", 3000),
	} {
		text, err := json.Marshal(map[string]any{"redirect_uris": []string{to}, "token_endpoint_auth_method": "none", "client_name": canary})
		if err != nil {
			t.Fatal(err)
		}
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, w.url+"/oauth/register", bytes.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		if a := w.do(http.DefaultClient, r); a.status != http.StatusBadRequest || strings.Contains(a.body, "client_id") {
			t.Errorf("%.60q: status %d: %s", to, a.status, a.body)
		}
	}
}

var ticketField = regexp.MustCompile(`name="ticket" value="([^"]+)"`)

func TestConsentForged(t *testing.T) {
	w := newWorld(t)
	person := browser()
	page := w.open(person, request(rand.Text()+rand.Text()))
	m := ticketField.FindStringSubmatch(page.body)
	if page.status != http.StatusOK || m == nil {
		t.Fatalf("status %d: %s", page.status, page.body)
	}
	w.secrets = append(w.secrets, m[1])
	if policy := page.header.Get("Content-Security-Policy"); !strings.Contains(policy, "frame-ancestors 'none'") || page.header.Get("X-Frame-Options") != "DENY" {
		t.Errorf("the page may be in a frame: %s", policy)
	}
	if !strings.Contains(page.body, "does not authenticate") {
		t.Error("the page does not say that it does not authenticate")
	}
	decision := url.Values{"ticket": {m[1]}, "persona": {"ada"}, "scopes": {"books:read"}, "decision": {"allow"}}
	wrong := url.Values{"ticket": {rand.Text()}, "persona": {"ada"}, "decision": {"allow"}}
	for name, c := range map[string]struct {
		browser *http.Client
		form    url.Values
		origin  string
	}{
		"page of another origin":  {person, decision, "https://evil.example"},
		"page of another port":    {person, decision, "http://127.0.0.1:1"},
		"frame without an origin": {person, decision, "null"},
		"no origin":               {person, decision, ""},
		"another browser":         {browser(), decision, w.url},
		"without the ticket":      {person, wrong, w.url},
	} {
		fields := []string{"Origin", c.origin}
		if c.origin == "" {
			fields = nil
		}
		a := w.post(c.browser, "/oauth/authorize", c.form, fields...)
		if a.status != http.StatusForbidden || a.header.Get("Location") != "" {
			t.Errorf("%s: status %d, Location %q", name, a.status, a.header.Get("Location"))
		}
		w.clean(a, m[1])
	}
	if a := w.post(person, "/oauth/authorize", decision, "Origin", w.url); !strings.HasPrefix(a.header.Get("Location"), callback+"?") {
		t.Errorf("the person's own decision: status %d: %s", a.status, a.body)
	}
	if a := w.post(person, "/oauth/authorize", decision, "Origin", w.url); a.status != http.StatusForbidden {
		t.Errorf("the decision twice: status %d", a.status)
	}
}

func TestDocumentAtPrivateAddress(t *testing.T) {
	w := newWorld(t)
	var connections atomic.Int64
	private := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { connections.Add(1) }))
	defer private.Close()
	_, port, _ := strings.Cut(private.Listener.Addr().String(), ":")
	for _, id := range []string{
		private.URL + "/client.json", "https://localhost:" + port + "/client.json", "https://[::ffff:127.0.0.1]:" + port + "/client.json",
		"https://169.254.169.254/latest", "https://10.0.0.1/client.json", "https://user@127.0.0.1:" + port + "/x", "http://127.0.0.1:" + port + "/x",
	} {
		a := w.open(browser(), request(rand.Text()+rand.Text(), "client_id", id))
		if a.status != http.StatusUnauthorized || a.header.Get("Location") != "" {
			t.Errorf("%s: status %d: %s", id, a.status, a.body)
		}
	}
	if connections.Load() != 0 {
		t.Error("the issuer has sent a request to a private address")
	}
}

func TestOtherMachines(t *testing.T) {
	for _, at := range []string{"http://192.0.2.1:8080", "https://id.example.com", "http://127.0.0.1.example.com", "http://0.0.0.0:8080", "http://user@127.0.0.1", "ftp://127.0.0.1", ""} {
		if _, err := mcpissuer.New(mcpissuer.Options{URL: at, Resources: []string{resource}}); err == nil {
			t.Errorf("New takes %q", at)
		}
	}
	w := newWorld(t)
	for _, c := range []struct {
		remote, host string
		status       int
	}{
		{"127.0.0.1:1", strings.TrimPrefix(w.url, "http://"), 200},
		{"192.0.2.1:1", strings.TrimPrefix(w.url, "http://"), 403},
		{"127.0.0.1:1", "evil.example", 403},
		{"@", strings.TrimPrefix(w.url, "http://"), 403},
	} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/.well-known/oauth-authorization-server", nil)
		r.RemoteAddr, r.Host = c.remote, c.host
		got := httptest.NewRecorder()
		w.issuer.ServeHTTP(got, r)
		if got.Code != c.status {
			t.Errorf("%+v: status %d", c, got.Code)
		}
	}
}
