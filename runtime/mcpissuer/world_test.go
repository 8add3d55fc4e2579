package mcpissuer_test

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"log/slog"
	"maps"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/go-jose/go-jose/v4"

	"github.com/mcpgen/mcpgen/runtime/mcpissuer"
)

const (
	resource = "https://mcp.example.com/mcp"
	callback = "https://app.example.com/callback"
	canary   = "CaNaRy0123456789" // part of the tests' secrets
)

// world is an issuer with its log. Requests reach it without a network, as if from this machine, so
// that worlds work in synctest bubbles.
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

// robotKey signs the assertions of the client robot.
var robotKey = newKey()

func newKey() *ecdsa.PrivateKey {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic(err)
	}
	return key
}

// keySet returns the key set of a client.
func keySet(key any) []byte {
	text, err := json.Marshal(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: key, KeyID: "1"}}})
	if err != nil {
		panic(err)
	}
	return text
}

// newWorld returns an issuer with two clients without secrets, app and other, one with a secret,
// service, and one with a key, robot. At the end of the test it checks that the log contains no
// secret.
func newWorld(t *testing.T, change ...func(*mcpissuer.Options)) *world {
	t.Helper()
	w := &world{t: t, secrets: []string{canary}, url: "http://127.0.0.1:8080"}
	o := mcpissuer.Options{
		URL: w.url, Resources: []string{resource}, Log: slog.New(slog.NewTextHandler(w, nil)),
		Personas: []mcpissuer.Persona{{Name: "ada", Scopes: []string{"books:read", "books:write"}}, {Name: "bob", Scopes: []string{"books:read"}}},
		Clients: []mcpissuer.Client{
			{ID: "app", RedirectURIs: []string{callback, "http://127.0.0.1/callback"}},
			{ID: "other", RedirectURIs: []string{callback}},
			{ID: "service", Secret: canary, Scopes: []string{"books:read"}},
			{ID: "robot", Keys: keySet(robotKey.Public()), Scopes: []string{"books:read"}},
		},
	}
	for _, f := range change {
		f(&o)
	}
	i, err := mcpissuer.New(o)
	if err != nil {
		t.Fatal(err)
	}
	w.issuer = i
	t.Cleanup(func() {
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

// do sends a request, with the cookies of a browser, which may be nil.
func (w *world) do(b *browser, r *http.Request) answer {
	w.t.Helper()
	r.RemoteAddr, r.RequestURI = "127.0.0.1:50000", r.URL.RequestURI()
	if r.Body == nil {
		r.Body = http.NoBody
	}
	if b != nil {
		for _, c := range b.jar.Cookies(r.URL) {
			r.AddCookie(c)
		}
	}
	got := httptest.NewRecorder()
	w.issuer.ServeHTTP(got, r)
	resp := got.Result()
	if b != nil {
		b.jar.SetCookies(r.URL, resp.Cookies())
	}
	return answer{resp.StatusCode, resp.Header, got.Body.String()}
}

// browser stores cookies.
type browser struct{ jar http.CookieJar }

func newBrowser() *browser {
	jar, err := cookiejar.New(nil)
	if err != nil {
		panic(err)
	}
	return &browser{jar}
}

// open opens a page of the issuer.
func (w *world) open(c *browser, query url.Values) answer {
	w.t.Helper()
	r, err := http.NewRequestWithContext(w.t.Context(), http.MethodGet, w.url+"/oauth/authorize?"+query.Encode(), nil)
	if err != nil {
		w.t.Fatal(err)
	}
	return w.do(c, r)
}

// post posts a form, with header fields in pairs.
func (w *world) post(c *browser, path string, form url.Values, fields ...string) answer {
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

// request returns a valid authorization request; more replaces parameters.
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

var (
	ticketField = regexp.MustCompile(`name="ticket" value="([^"]+)"`)
	scopeField  = regexp.MustCompile(`name="scopes" value="([^"]*)"`)
)

// page opens the page, and returns the form of a person who chooses ada and allows everything.
func (w *world) page(b *browser, query url.Values) url.Values {
	w.t.Helper()
	a := w.open(b, query)
	m := ticketField.FindStringSubmatch(a.body)
	if a.status != http.StatusOK || m == nil {
		w.t.Fatalf("the page: status %d: %s", a.status, a.body)
	}
	w.secrets = append(w.secrets, m[1])
	decision := url.Values{"ticket": {m[1]}, "persona": {"ada"}, "decision": {"allow"}}
	for _, m := range scopeField.FindAllStringSubmatch(a.body, -1) {
		decision.Add("scopes", m[1])
	}
	return decision
}

// decide sends the form, and returns the URL to which the browser is redirected.
func (w *world) decide(b *browser, decision url.Values) *url.URL {
	w.t.Helper()
	a := w.post(b, "/oauth/authorize", decision, "Origin", w.url)
	to, err := url.Parse(a.header.Get("Location"))
	if err != nil || a.status != http.StatusSeeOther || to.Query().Get("iss") != w.url {
		w.t.Fatalf("the decision: status %d, Location %q: %s", a.status, a.header.Get("Location"), a.body)
	}
	return to
}

// login returns the form that redeems a code. more replaces parameters of the request.
func (w *world) login(more ...string) url.Values {
	w.t.Helper()
	verifier := rand.Text() + rand.Text()
	b, q := newBrowser(), request(verifier, more...)
	to := w.decide(b, w.page(b, q))
	if to.Query().Get("code") == "" {
		w.t.Fatalf("the browser ends at %s", to)
	}
	w.secrets = append(w.secrets, to.Query().Get("code"), verifier)
	return url.Values{
		"grant_type": {"authorization_code"}, "code": {to.Query().Get("code")}, "client_id": {q.Get("client_id")}, "redirect_uri": {q.Get("redirect_uri")},
		"code_verifier": {verifier},
	}
}

// tokens are the members of a response.
type tokens struct {
	Access  string `json:"access_token"`
	Refresh string `json:"refresh_token"`
	Type    string `json:"token_type"`
	Scope   string `json:"scope"`
}

// redeem requests tokens. The error is "" on success.
func (w *world) redeem(form url.Values, fields ...string) (tokens, string) {
	w.t.Helper()
	a := w.post(nil, "/oauth/token", form, fields...)
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

// clean checks that a response contains no secret.
func (w *world) clean(a answer, secrets ...string) {
	w.t.Helper()
	for _, secret := range append(secrets, canary) {
		if secret != "" && (strings.Contains(a.body, secret) || strings.Contains(a.header.Get("WWW-Authenticate"), secret)) {
			w.t.Errorf("the answer has a secret, %.20s...:\n%s", secret, a.body)
		}
	}
}

// active reports whether the issuer reports a token to service as active.
func (w *world) active(token string) bool {
	w.t.Helper()
	is, ok := w.inspect(token, "Authorization", basic("service", canary))
	if !ok {
		w.t.Fatal("service may not ask")
	}
	return is["active"] == true
}

// inspect introspects a token. ok is false if the client may not.
func (w *world) inspect(token string, fields ...string) (is map[string]any, ok bool) {
	w.t.Helper()
	a := w.post(nil, "/oauth/introspect", url.Values{"token": {token}}, fields...)
	if a.status != http.StatusOK {
		w.clean(a, token)
		return nil, false
	}
	if err := json.Unmarshal([]byte(a.body), &is); err != nil {
		w.t.Fatalf("%v: %s", err, a.body)
	}
	return is, true
}

// basic returns the field Authorization of a client with a secret.
func basic(id, secret string) string {
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(url.QueryEscape(id)+":"+url.QueryEscape(secret)))
}

// sign returns a JWT. It omits nil values of claims and header.
func sign(key any, algorithm jose.SignatureAlgorithm, header, claims map[string]any) string {
	o := new(jose.SignerOptions)
	for name, value := range header {
		o.WithHeader(jose.HeaderKey(name), value)
	}
	s, err := jose.NewSigner(jose.SigningKey{Algorithm: algorithm, Key: key}, o)
	if err != nil {
		panic(err)
	}
	maps.DeleteFunc(claims, func(_ string, v any) bool { return v == nil })
	text, err := json.Marshal(claims)
	if err != nil {
		panic(err)
	}
	signed, err := s.Sign(text)
	if err != nil {
		panic(err)
	}
	compact, err := signed.CompactSerialize()
	if err != nil {
		panic(err)
	}
	return compact
}

// with returns a map with replaced values.
func with(m map[string]any, more map[string]any) map[string]any {
	m = maps.Clone(m)
	maps.Copy(m, more)
	return m
}

func refreshForm(token string) url.Values {
	return url.Values{"grant_type": {"refresh_token"}, "refresh_token": {token}, "client_id": {"app"}}
}

func encode(text string) string { return base64.RawURLEncoding.EncodeToString([]byte(text)) }
