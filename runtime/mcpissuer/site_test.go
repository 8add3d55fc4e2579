package mcpissuer_test

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/mcpissuer"
)

// send sends a request without a body to the issuer.
func (w *world) send(method, path string, fields ...string) answer {
	w.t.Helper()
	r, err := http.NewRequestWithContext(w.t.Context(), method, w.url+path, nil)
	if err != nil {
		w.t.Fatal(err)
	}
	for n := 0; n < len(fields); n += 2 {
		r.Header.Set(fields[n], fields[n+1])
	}
	return w.do(nil, r)
}

func TestMethods(t *testing.T) {
	w := newWorld(t)
	public := map[string]string{
		"/.well-known/oauth-authorization-server": "GET, HEAD", "/.well-known/openid-configuration": "GET, HEAD", "/oauth/jwks": "GET, HEAD",
		"/oauth/token": "POST", "/oauth/register": "POST", "/oauth/introspect": "POST", "/oauth/revoke": "POST",
	}
	for path, allow := range public {
		for _, method := range []string{"GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "TRACE", "get"} {
			a := w.send(method, path)
			allowed := strings.Contains(", "+allow+",", ", "+method+",")
			if (a.status == http.StatusMethodNotAllowed) == allowed || !allowed && a.header.Get("Allow") != allow {
				t.Errorf("%s %s: status %d, Allow %q", method, path, a.status, a.header.Get("Allow"))
			}
			if a.header.Get("Cache-Control") != "no-store" || a.header.Get("X-Content-Type-Options") != "nosniff" {
				t.Errorf("%s %s: %v", method, path, a.header)
			}
		}
		a := w.send(http.MethodOptions, path, "Origin", "https://inspector.example", "Access-Control-Request-Method", "POST")
		if a.status != http.StatusNoContent || a.header.Get("Access-Control-Allow-Origin") != "*" || a.header.Get("Access-Control-Allow-Credentials") != "" ||
			!strings.Contains(a.header.Get("Access-Control-Allow-Headers"), "DPoP") {
			t.Errorf("preflight of %s: status %d, %v", path, a.status, a.header)
		}
	}
	for _, method := range []string{"OPTIONS", "HEAD", "PUT"} {
		if a := w.send(method, "/oauth/authorize", "Origin", "https://evil.example"); a.status != http.StatusMethodNotAllowed || a.header.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s of the page: status %d, %v", method, a.status, a.header)
		}
	}
	for _, path := range []string{"/", "/oauth", "/oauth/token/", "//oauth/token", "/oauth/%74oken/x", "/.well-known/oauth-protected-resource"} {
		if a := w.send(http.MethodGet, path); a.status != http.StatusNotFound {
			t.Errorf("%s: status %d", path, a.status)
		}
	}
}

// Responses that pages of other origins may read depend on no cookie; only the browser may read the
// page.
func TestCORS(t *testing.T) {
	w := newWorld(t)
	if a := w.open(newBrowser(), request(strings.Repeat("v", 43))); a.header.Get("Access-Control-Allow-Origin") != "" {
		t.Error("pages may read the page")
	}
	a := w.post(nil, "/oauth/token", url.Values{"grant_type": {"client_credentials"}, "client_id": {"service"}, "client_secret": {"x"}}, "Origin", "https://inspector.example")
	if a.header.Get("Access-Control-Allow-Origin") != "*" || !strings.Contains(a.header.Get("Access-Control-Expose-Headers"), "DPoP-Nonce") {
		t.Errorf("%v", a.header)
	}
}

func TestForms(t *testing.T) {
	w := newWorld(t)
	for name, c := range map[string]struct{ kind, body string }{
		"JSON": {"application/json", `{"grant_type":"client_credentials"}`}, "no type": {"", "grant_type=client_credentials"}, "text": {"text/plain", "grant_type=x"},
		"multipart": {"multipart/form-data; boundary=x", "--x--"}, "twice": {"", "client_id=service&client_id=app"}, "malformed": {"", "client_id=%zz"},
		"semicolons": {"", "client_id=service;x=y"}, "large": {"", "client_id=" + strings.Repeat("x", 70_000)}, "grant": {"", "grant_type=password&client_id=app"},
		"no grant": {"", "client_id=app"},
	} {
		kind := c.kind
		if kind == "" && name != "no type" {
			kind = "application/x-www-form-urlencoded"
		}
		for _, path := range []string{"/oauth/token", "/oauth/introspect", "/oauth/revoke"} {
			if strings.HasSuffix(name, "grant") && path != "/oauth/token" {
				continue
			}
			r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, w.url+path, strings.NewReader(c.body))
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Content-Type", kind)
			a := w.do(nil, r)
			var got struct{ Error, Error_description string }
			if err := json.Unmarshal([]byte(a.body), &got); err != nil || a.status != http.StatusBadRequest || got.Error == "" || got.Error_description == "" {
				t.Errorf("%s at %s: status %d: %s", name, path, a.status, a.body)
			}
		}
	}
}

// A browser gets an error as a page with constant texts and the policy of the page. All other
// clients get JSON.
func TestErrorPage(t *testing.T) {
	w := newWorld(t)
	const browsers = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
	verifier, markup := strings.Repeat("v", 43), "<script>alert(1)</script>"
	q := func(more ...string) string { return "/oauth/authorize?" + request(verifier, more...).Encode() }
	expired := func(fields ...string) answer {
		return w.post(newBrowser(), "/oauth/authorize", url.Values{"ticket": {markup}, "decision": {markup}}, fields...)
	}
	for name, test := range map[string]struct {
		a      answer
		status int
		html   bool
	}{
		"an unknown client":       {w.send("GET", q("client_id", markup), "Accept", browsers), 401, true},
		"another redirect URI":    {w.send("GET", q("redirect_uri", "https://evil.example/"+markup), "Accept", browsers), 400, true},
		"a parameter twice":       {w.send("GET", q()+"&state="+url.QueryEscape(markup), "Accept", "application/json, Text/HTML; q=0.1"), 400, true},
		"a form that is too old":  {expired("Origin", w.url, "Accept", browsers), 403, true},
		"a form of another page":  {expired("Origin", "https://evil.example", "Accept", browsers), 403, true},
		"an unknown path":         {w.send("GET", "/oauth/"+url.PathEscape(markup), "Accept", browsers), 404, true},
		"another method":          {w.send("DELETE", "/oauth/authorize", "Accept", browsers), 405, true},
		"no Accept":               {w.send("GET", q("client_id", markup)), 401, false},
		"any type":                {w.send("GET", q("client_id", markup), "Accept", "*/*"), 401, false},
		"no HTML":                 {w.send("GET", q("client_id", markup), "Accept", "text/html;q=0.0, application/json"), 401, false},
		"a type that is not one":  {w.send("GET", q("client_id", markup), "Accept", "text/html/x, ;;"), 401, false},
		"a path of programs":      {w.send("GET", "/oauth/token", "Accept", browsers), 405, false},
		"a form that is not HTML": {expired("Origin", w.url), 403, false},
	} {
		h := test.a.header
		if test.a.status != test.status || strings.Contains(test.a.body, "<script") || strings.Contains(test.a.body, canary) {
			t.Errorf("%s: status %d: %s", name, test.a.status, test.a.body)
		}
		if html := h.Get("Content-Type") == "text/html; charset=utf-8" && strings.HasPrefix(test.a.body, "<!DOCTYPE html>"); html != test.html {
			t.Errorf("%s: %s: %s", name, h.Get("Content-Type"), test.a.body)
		}
		policy := h.Get("Content-Security-Policy")
		if test.html && (!strings.HasPrefix(policy, "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; style-src 'sha256-") ||
			!strings.HasSuffix(policy, "; form-action 'none'") || h.Get("X-Frame-Options") != "DENY" || h.Get("Vary") != "Accept") {
			t.Errorf("%s: %v", name, h)
		}
		var got struct{ Error, Error_description string }
		if err := json.Unmarshal([]byte(test.a.body), &got); !test.html && (err != nil || got.Error == "") {
			t.Errorf("%s: %s", name, test.a.body)
		}
	}
}

// Two pages in one browser both work: two clients may log in at the same time.
func TestTwoPages(t *testing.T) {
	w := newWorld(t)
	b, verifier := newBrowser(), strings.Repeat("v", 43)
	first, second := w.page(b, request(verifier)), w.page(b, request(verifier, "client_id", "other"))
	for _, page := range []url.Values{first, second} {
		if to := w.decide(b, page); to.Query().Get("code") == "" {
			t.Errorf("the browser ends at %s", to)
		}
	}
}

// The policy of the page allows its own style, and forms to the issuer and the client only; a
// client's registration does not change it.
func pagePolicy(t *testing.T) {
	w := newWorld(t)
	b := newBrowser()
	a := w.open(b, request(strings.Repeat("v", 43)))
	_, rest, _ := strings.Cut(a.body, "<style>")
	style, _, _ := strings.Cut(rest, "</style>")
	sum := sha256.Sum256([]byte(style))
	want := "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) +
		"'; form-action 'self' https://app.example.com"
	if got := a.header.Get("Content-Security-Policy"); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	for _, to := range []string{"https://a;script-src/x", "https://a,script-src/x", "https://a'b/x", "https://a%3bb/x", "https://*/x", "https://*.example.com/x", "https://a:b/", "https://[::1/x", "https://a$b/"} {
		if a := w.register(map[string]any{"redirect_uris": []string{to}, "token_endpoint_auth_method": "none"}); a.status != http.StatusBadRequest {
			t.Errorf("%s is registered", to)
		}
	}
	// Its name and the request do not change it either.
	const name = `</style><script>alert(1)</script><img src=x onerror=alert(1)>"'`
	a = w.register(map[string]any{"redirect_uris": []string{callback + "?x=%22%3E%3Cscript%3E", "http://[::1]/x"}, "token_endpoint_auth_method": "none", "client_name": name})
	var got struct {
		ID string `json:"client_id"`
	}
	if err := json.Unmarshal([]byte(a.body), &got); err != nil || got.ID == "" {
		t.Fatalf("%v: %s", err, a.body)
	}
	for _, to := range []string{callback + "?x=%22%3E%3Cscript%3E", "http://[::1]:7777/x", "http://[::1]/x"} {
		a = w.open(b, request(strings.Repeat("v", 43), "client_id", got.ID, "redirect_uri", to, "scope", "a<script> b'c", "login_hint", `"><script>`, "state", "<script>"))
		if a.status != http.StatusOK || strings.Contains(a.body, "<script") || strings.Contains(a.body, "<img") {
			t.Errorf("status %d: %s", a.status, a.body)
		}
		if policy := a.header.Get("Content-Security-Policy"); strings.Contains(policy, ":;") || strings.HasSuffix(policy, ":") {
			t.Errorf("%s: %s", to, policy)
		}
	}
}

// Errors in a request before its client and address are verified are shown, without a redirect.
func errorStays(t *testing.T) {
	w := newWorld(t)
	verifier := strings.Repeat("v", 43)
	for name, query := range map[string]string{
		"unknown client":    request(verifier, "client_id", "nobody").Encode(),
		"no client":         request(verifier, "client_id", "").Encode(),
		"two clients":       request(verifier).Encode() + "&client_id=other",
		"two addresses":     request(verifier).Encode() + "&redirect_uri=https://evil.example",
		"two states":        request(verifier).Encode() + "&state=x",
		"malformed":         request(verifier).Encode() + "&x=%zz",
		"semicolon":         request(verifier).Encode() + ";redirect_uri=https://evil.example",
		"a client's secret": request(verifier, "client_id", "service").Encode(),
		"long client":       request(verifier, "client_id", strings.Repeat("x", 3000)).Encode(),
	} {
		a := w.send(http.MethodGet, "/oauth/authorize?"+query)
		if a.status/100 != 4 || a.header.Get("Location") != "" || strings.Contains(a.body, "evil") {
			t.Errorf("%s: status %d, Location %q: %s", name, a.status, a.header.Get("Location"), a.body)
		}
		w.clean(a)
	}
	for name, c := range map[string]struct {
		more []string
		want string
	}{
		"implicit":        {[]string{"response_type", "token"}, "unsupported_response_type"},
		"ID token":        {[]string{"response_type", "code id_token"}, "unsupported_response_type"},
		"fragment":        {[]string{"response_mode", "fragment"}, "invalid_request"},
		"request":         {[]string{"request", "x.y.z"}, "request_not_supported"},
		"request_uri":     {[]string{"request_uri", "http://169.254.169.254/"}, "request_not_supported"},
		"plain":           {[]string{"code_challenge_method", "plain"}, "invalid_request"},
		"no method":       {[]string{"code_challenge_method", ""}, "invalid_request"},
		"short challenge": {[]string{"code_challenge", "x"}, "invalid_request"},
		"scope":           {[]string{"scope", `a"b`}, "invalid_scope"},
		"long scope":      {[]string{"scope", strings.Repeat("x", 300)}, "invalid_scope"},
		"many scopes":     {[]string{"scope", strings.Repeat("x ", 300)}, "invalid_request"},
		"target":          {[]string{"resource", resource + "/"}, "invalid_target"},
	} {
		a := w.open(newBrowser(), request(verifier, c.more...))
		to, err := url.Parse(a.header.Get("Location"))
		if err != nil || to.Host != "app.example.com" || to.Query().Get("error") != c.want || to.Query().Get("iss") != w.url || to.Query().Get("state") != "state-"+canary || to.Query().Has("code") {
			t.Errorf("%s: status %d, Location %q", name, a.status, a.header.Get("Location"))
		}
	}
}

// New returns an error that names the invalid option.
func TestOptions(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*mcpissuer.Options)
		want   string
	}{
		"no resource": {func(o *mcpissuer.Options) { o.Resources = nil }, "Options.Resources is empty"},
		"fragment":    {func(o *mcpissuer.Options) { o.Resources = []string{"https://x/#y"} }, "without a fragment"},
		"token time":  {func(o *mcpissuer.Options) { o.TokenTime = 1 << 60 }, "Options.TokenTime"},
		"empty name":  {func(o *mcpissuer.Options) { o.Personas = []mcpissuer.Persona{{}} }, "empty"},
		"claims":      {func(o *mcpissuer.Options) { o.Personas[0].Claims = map[string]any{"x": func() {}} }, `persona "ada"`},
		"two clients": {func(o *mcpissuer.Options) { o.Clients = append(o.Clients, o.Clients[0]) }, "two clients"},
		"no id":       {func(o *mcpissuer.Options) { o.Clients[0].ID = "" }, "no ID"},
		"redirect":    {func(o *mcpissuer.Options) { o.Clients[0].RedirectURIs = []string{"http://example.com/"} }, `client "app"`},
		"user": {func(o *mcpissuer.Options) {
			o.Clients[0].RedirectURIs = []string{"https://ada:" + canary + "@example.com/"}
		}, "has a user name"},
		"keys":            {func(o *mcpissuer.Options) { o.Clients[0].Keys = []byte("{") }, "keys of client"},
		"no keys":         {func(o *mcpissuer.Options) { o.Clients[0].Keys = []byte("{}") }, "keys of client"},
		"a private key":   {func(o *mcpissuer.Options) { o.Clients[0].Keys = keySet(newKey()) }, "public"},
		"scopes":          {func(o *mcpissuer.Options) { o.Clients[0].Scopes = []string{"x"} }, "neither Secret nor Keys"},
		"secret and keys": {func(o *mcpissuer.Options) { o.Clients[0].Secret, o.Clients[0].Keys = canary, keySet(newKey().Public()) }, "Secret and Keys"},
	} {
		o := mcpissuer.Options{
			URL: "http://127.0.0.1:8080", Resources: []string{resource}, Personas: []mcpissuer.Persona{{Name: "ada"}},
			Clients: []mcpissuer.Client{{ID: "app", RedirectURIs: []string{callback}}},
		}
		c.change(&o)
		if _, err := mcpissuer.New(o); err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), canary) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

// A URL may contain the default port, which browsers omit.
func TestDefaultPort(t *testing.T) {
	w := newWorld(t, func(o *mcpissuer.Options) { o.URL = "http://127.0.0.1:80" })
	for _, host := range []string{"127.0.0.1", "127.0.0.1:80"} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/oauth/jwks", nil)
		r.RemoteAddr, r.Host = "127.0.0.1:1", host
		got := httptest.NewRecorder()
		w.issuer.ServeHTTP(got, r)
		if got.Code != http.StatusOK {
			t.Errorf("%s: status %d", host, got.Code)
		}
	}
	w.url = "http://127.0.0.1:80"
	b := newBrowser()
	if a := w.post(b, "/oauth/authorize", w.page(b, request(rand.Text()+rand.Text())), "Origin", "http://127.0.0.1"); a.status != http.StatusSeeOther {
		t.Errorf("status %d: %s", a.status, a.body)
	}
}
