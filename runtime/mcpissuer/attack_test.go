package mcpissuer_test

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/internal/testbed"
	"github.com/mcpgen/mcpgen/runtime/mcpissuer"
)

// attack is a row of the table in docs/decide/security.md.
type attack struct {
	name string
	what string
	end  string
	run  func(*testing.T)
}

var attacks = []attack{
	{"CodeUsedTwice", "a code that is used twice", "`invalid_grant`; the tokens of the first use end", codeUsedTwice},
	{"CodeOfAnother", "a code used by another client, or with another verifier, redirect URI or resource", "`invalid_grant`; the code ends", codeOfAnother},
	{"RefreshTokenUsedTwice", "a refresh token that was used, or is another client's", "`invalid_grant`; used twice, all tokens of the login end", refreshTokenUsedTwice},
	{"RedirectElsewhere", "a redirect URI of another host, port, path, scheme or case, with user name, fragment or query; an error that is sent there", "400; of a loopback address the port alone may differ", redirectElsewhere},
	{"ErrorStays", "an unknown client; a parameter that comes twice", "400 or 401 at the issuer; other errors go to the client's own address, with `state` and `iss`", errorStays},
	{"RegistrationRefused", "a registration with `javascript:`, `data:`, `file:`, http to another machine, user name or fragment", "400", registrationRefused},
	{"ConsentForged", "consent in a frame, forged, from a page of another origin or another browser; a decision that comes twice", "not shown; 403", consentForged},
	{"PagePolicy", "markup in what a client says about itself; a redirect URI that changes the policy of the page", "shown as text; refused", pagePolicy},
	{"DocumentAtPrivateAddress", "a metadata document at a private address", "401; no connection", documentAtPrivateAddress},
	{"DocumentWrong", "a metadata document about another client, with a secret or a private key, too large, or redirected", "401 or 400", documentWrong},
	{"DocumentStorm", "pages that name 200 documents at a time", "few requests at a time; 503", documentStorm},
	{"Assertions", "an assertion for another audience, expired, without end or id, by a foreign key, about another client; two ways to authenticate", "`invalid_client`, `invalid_request`", assertions},
	{"AssertionUsedTwice", "an assertion that is used twice, within an hour", "`invalid_client`", assertionUsedTwice},
	{"Proofs", "a DPoP proof of another method, URL, type or key, old, from the future, symmetric, or with the private key; two of them", "`invalid_dpop_proof`; the code can still be used", proofs},
	{"ProofUsedTwice", "a proof that is used twice", "`invalid_dpop_proof`", proofUsedTwice},
	{"ProofOfAnother", "a bound code or refresh token with another key, or without a proof", "`invalid_dpop_proof`", proofOfAnother},
	{"Nonces", "with `Options.Nonces`: a proof without nonce, or with an old or a foreign one", "`use_dpop_nonce`", nonces},
	{"RevokedByAnother", "a token that another client revokes", "it goes on", revokedByAnother},
	{"IntrospectedByAnother", "introspection without authentication, or by a client that has registered itself about another client's token", "401; not active", introspectedByAnother},
	{"Forgotten", "a revoked token, when the issuer has forgotten it", "not active", forgotten},
	{"Bounds", "thousands of registrations, documents, pages, logins and refreshes, as large as they may be", "the oldest go; memory is bounded", bounds},
	{"ProofsFull", "proofs or assertions beyond what is remembered", "one more is refused, until some have expired", proofsFull},
	{"OtherMachines", "a URL or an address that is not of this machine; another `Host` (DNS rebinding)", "error at start; 403", otherMachines},
}

// TestAttack shows that each attack fails. No log record and no error contains a secret: see
// newWorld.
func TestAttack(t *testing.T) {
	for _, a := range attacks {
		t.Run(a.name, a.run)
	}
}

var update = flag.Bool("update", false, "write the table of attacks")

// TestAttackTable checks that docs/decide/security.md names each attack and its test; -update
// rewrites the table.
func TestAttackTable(t *testing.T) {
	var b strings.Builder
	b.WriteString("| attack | ends in | test |\n|---|---|---|\n")
	for _, a := range attacks {
		fmt.Fprintf(&b, "| %s | %s | `TestAttack/%s` |\n", a.what, a.end, a.name)
	}
	testbed.CompareTable(t, "../../docs/decide/security.md", "<!-- attacks on the issuer -->\n", "<!-- end of attacks on the issuer -->", b.String(), *update)
}

func codeUsedTwice(t *testing.T) {
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

func codeOfAnother(t *testing.T) {
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
				return // refused before the code is checked
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

func refreshTokenUsedTwice(t *testing.T) {
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

func redirectElsewhere(t *testing.T) {
	w := newWorld(t)
	for _, to := range []string{
		"https://evil.example/callback", "https://app.example.com.evil.example/callback", "https://user@app.example.com/callback",
		"https://app.example.com@evil.example/callback", "https://app.example.com:444/callback", callback + "#fragment", callback + "/", callback + "?x=1",
		"http://app.example.com/callback", "https://APP.example.com/callback", "https://app.example.com/a/../callback", "javascript:alert(1)", "//evil.example",
		"http://127.0.0.1:80@evil.example/callback", "http://user@127.0.0.1:80/callback", "http://127.0.0.1:80/callback#x", "http://127.0.0.1.evil.example/callback",
		"http://localhost:80/callback", "http://[::1]:80/callback", "http://127.0.0.1:80/callback/x", "http://127.0.0.1:x/callback", "http://127.0.0.1:80\\@evil.example/callback", "",
	} {
		// The second one has a further defect: errors must not go there either.
		for _, more := range [][]string{nil, {"response_type", "token"}, {"code_challenge", ""}, {"resource", "https://other.example.com"}} {
			a := w.open(newBrowser(), request(rand.Text()+rand.Text(), append(more, "redirect_uri", to)...))
			if a.status != http.StatusBadRequest || a.header.Get("Location") != "" {
				t.Errorf("%s %v: status %d, Location %q", to, more, a.status, a.header.Get("Location"))
			}
			w.clean(a)
		}
	}
	// Errors go to an address of the client, with the unchanged state.
	a := w.open(newBrowser(), request(rand.Text()+rand.Text(), "response_type", "token", "state", "a&code=b\r\nX: y"))
	to, err := url.Parse(a.header.Get("Location"))
	if err != nil || to.Scheme+"://"+to.Host+to.Path != callback || to.Query().Get("error") == "" || to.Query().Has("code") || to.Query().Get("state") != "a&code=b\r\nX: y" {
		t.Errorf("an error goes to %s", a.header.Get("Location"))
	}
	if a := w.open(newBrowser(), request(rand.Text()+rand.Text(), "redirect_uri", "http://127.0.0.1:7777/callback")); a.status != http.StatusOK {
		t.Errorf("another port of this machine: status %d: %s", a.status, a.body)
	}
}

func registrationRefused(t *testing.T) {
	w := newWorld(t)
	for _, to := range []string{
		"javascript:alert(1)", "JavaScript:alert(1)", "javascript://x/%0aalert(1)", "data:text/html,x", "file:///etc/passwd", "vbscript:x", "http://evil.example/", "https://user@evil.example/", "https://ada:" + canary + "@evil.example/",
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
		if a := w.do(nil, r); a.status != http.StatusBadRequest || strings.Contains(a.body, "client_id") {
			t.Errorf("%.60q: status %d: %s", to, a.status, a.body)
		} else {
			w.clean(a)
		}
	}
}

func consentForged(t *testing.T) {
	w := newWorld(t)
	person := newBrowser()
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
		browser *browser
		form    url.Values
		origin  string
	}{
		"page of another origin":  {person, decision, "https://evil.example"},
		"page of another port":    {person, decision, "http://127.0.0.1:1"},
		"frame without an origin": {person, decision, "null"},
		"no origin":               {person, decision, ""},
		"another browser":         {newBrowser(), decision, w.url},
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

func documentAtPrivateAddress(t *testing.T) {
	w := newWorld(t)
	var connections atomic.Int64
	private := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { connections.Add(1) }))
	defer private.Close()
	_, port, _ := strings.Cut(private.Listener.Addr().String(), ":")
	for _, id := range []string{
		private.URL + "/client.json", "https://localhost:" + port + "/client.json", "https://[::ffff:127.0.0.1]:" + port + "/client.json",
		"https://169.254.169.254/latest?key=" + canary, "https://ada:" + canary + "@10.0.0.1/client.json", "https://10.0.0.1/client.json", "https://user@127.0.0.1:" + port + "/x", "http://127.0.0.1:" + port + "/x",
	} {
		a := w.open(newBrowser(), request(rand.Text()+rand.Text(), "client_id", id))
		if a.status != http.StatusUnauthorized || a.header.Get("Location") != "" {
			t.Errorf("%s: status %d: %s", id, a.status, a.body)
		}
	}
	if connections.Load() != 0 {
		t.Error("the issuer has sent a request to a private address")
	}
}

func otherMachines(t *testing.T) {
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
