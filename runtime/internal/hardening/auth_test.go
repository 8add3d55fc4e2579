package hardening_test

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/internal/challenge"
	"github.com/mcpgen/mcpgen/runtime/internal/testbed"
	"github.com/mcpgen/mcpgen/runtime/mcpauth"
)

// authRow is a kind of attack on a server behind a guard.
type authRow struct {
	name    string // name of its tests
	attacks string // a short description
	end     string // its outcome
	run     func(t *testing.T, v target)
	common  bool // see row
}

// authElsewhere are attacks whose tests are in another package: the target, the outcome, and the
// test.
var authElsewhere = [][3]string{
	{"a clock that is set while verifications are kept", "they end by time that passes", "runtime/mcpauth TestClockSteps"},
	{"a used proof, when the clock is set back", "401", "runtime/mcpauth TestClockStepsReplay"},
	{"a used request state, when the clock is set back", "-32602", "runtime/mcp TestStateStoreClockSetBack"},
	{"API keys, user names and passwords that are nearly right", "the same steps as for any other", "runtime/mcpauth TestNearMisses"},
	{"wrong passwords of one address, hundreds at a time, while another address has the right one",
		"200 as soon as one guess was verified; no more guesses are verified than the limit of failures", "runtime/mcpauth TestGuessesOfOneAddress"},
	{"scopes that a store has taken from a password that is known", "403", "runtime/mcpauth TestBasicFewerScopes"},
	{"opaque tokens that one address makes up, while another has a new one", "a quarter of the questions; 200", "runtime/mcpauth TestIntrospectionStormOfAddress"},
	{"tokens and answers of an issuer whose claims need much memory", "the oldest go; memory is bounded", "runtime/mcpauth TestIntrospectionMemory"},
	{"a client with the id of a user; a certificate whose name has the form of another kind of name", "another principal", "runtime/mcpauth TestKindsOfPrincipals"},
	{"claims with half of a surrogate pair", "401", "runtime/mcpauth TestSurrogates"},
	{"each refusal, and what its record has", "one record", "runtime/mcpauth TestAuditOfEachRefusal"},
}

// authRows are all attacks. Each runs on streamable HTTP of both eras, HTTP+SSE and WebSocket.
var authRows = []authRow{
	{"Audience", "a token for another resource of the issuer, without audience, with an audience that is longer, a prefix, or of another case; an ID token", "401", testAuthAudience, false},
	{"Signature", "`alg` none, HS256 with the public key, of another case; a key of another use; `kid` with a path, SQL or 1 MB; `jku`, `x5u`, `jwk`, `crit`; JWE; two payloads; base64 with padding or blanks; claims twice", "401, or 400 by the form; no fetch", testAuthSignature, false},
	{"Issuer", "an issuer with a slash more, of another case, a prefix; two issuers with one subject", "401; two principals", testAuthIssuer, false},
	{"Time", "a token that is expired, not yet valid, without `exp`, with `exp` as text, 1e400 or negative; a clock that is off", "401; taken within Leeway", testAuthTime, false},
	{"Keys", "an issuer that is down, without keys, with 10 MB of them, or with new ones; a storm of unknown key ids", "503 where there are no keys, else 401; one fetch in 10 s", testAuthKeys, true},
	{"Introspection", "an opaque token with `active` as text, 1 or missing, or of another audience; an issuer that fails or redirects", "401; 503", testAuthIntrospection, false},
	{"Form", "`Bearer` twice, with a comma, in the query or the body, with tab, NUL or 1 MB; Basic and Bearer together", "400 or 401; 431", testAuthForm, true},
	{"APIKey", "an API key that is one character off, or of an ended entry; a file that is half written; many guesses", "401; 429; the old file stays", testAuthAPIKey, true},
	{"Certificate", "a certificate without chain, expired, or of another authority; a name in a header field", "no connection, or 401", testAuthCertificate, false},
	{"DPoP", "a proof that is replayed, of another method, URL, key or token, old, from the future, symmetric, or with the private key; a bound token as Bearer", "401", testAuthDPoP, false},
	{"Session", "the session of another principal, with fewer scopes, or of a token that has expired; `requestState`, event id and listen that outlive it", "404; 403; 401; -32602; 400; ended", testAuthSession, false},
	{"Hidden", "a tool that a role may not see, by name, alias, other case, completion, subscription and listen; a template that matches a hidden resource", "as if it did not exist", testAuthHidden, false},
	{"Scope", "a scope that is missing for a tool of a batch, a prompt, or a resource of a template; a scope that is a part of another", "that one is refused", testAuthScope, false},
	{"Forwarded", "`X-Forwarded-*`, `Forwarded` and `Host` that name another resource", "no effect", testAuthForwarded, false},
	{"Page", "a page of another origin with a cookie, and its preflight with Authorization", "403; CORS for allowed origins alone", testAuthPage, false},
	{"Handler", "a handler that passes on, logs or panics with what it has of the call; an error of a verifier with the token", "no credential is in it, nor in the log", testAuthHandler, false},
	{"Resources", "tokens between two guards of one verifier; a guard without resource; scopes without a guard", "own audience each; error at start; refused", testAuthResources, false},
	{"RolesFile", "a file of roles that is missing, broken, or replaced while calls run", "error at start; the old one stays", testAuthRolesFile, false},
	{"Connection", "requests of several callers by one connection of HTTP/2; a token in a trailer", "each is decided by itself; 401", testAuthConnection, false},
	{"HTTP2", "credentials over HTTP/2 with TLS, in all the forms above; two `:authority`, `Host` beside it, pseudo-header fields after others; rapid resets; a header without end", "as over HTTP/1.1; reset or 400; bounded handlers, questions and memory", testAuthHTTP2, false},
	{"Framing", "two lengths, a length and chunks, other codings; a request inside or behind another; a token in a trailer", "400, 501, or each is decided by its own header", testAuthFraming, false},
	{"Subscription", "a subscription or listen that outlives its token; a session that goes on with fewer scopes", "no notification until the token is renewed; ended", testAuthSubscription, false},
	{"Servers", "session, event id and `requestState` of one server at another with the same guard", "404; -32602", testAuthServers, false},
	{"PageCertificate", "a page of another origin, with a client certificate", "403", testAuthPageCertificate, false},
}

// authTransports are the transports that a guard of HTTP requests authenticates.
var authTransports = []string{httpLegacy, httpModern, httpSSE, webSocket}

func TestAuth(t *testing.T) {
	for _, r := range authRows {
		t.Run(r.name, func(t *testing.T) {
			for _, w := range transports {
				for _, e := range w.eras {
					v := target{transport: w, era: e}
					if r.common && !*allTransports && !v.is(httpModern) && (!v.is(webSocket) || v.era == modern) {
						continue
					}
					if v.is(authTransports...) {
						name := w.name
						if len(w.eras) > 1 {
							name += "/" + string(e)
						}
						t.Run(name, func(t *testing.T) { r.run(t, v) })
					}
				}
			}
		})
	}
}

// TestAuthTable checks that docs/decide/security.md names each attack and its test; -update writes
// them.
func TestAuthTable(t *testing.T) {
	var b strings.Builder
	b.WriteString("| attack | ends in | test |\n|---|---|---|\n")
	seen := map[string]bool{}
	for _, r := range authRows {
		if seen[r.name] || r.run == nil || r.attacks == "" || r.end == "" {
			t.Errorf("row %q is twice there, or not complete", r.name)
		}
		seen[r.name] = true
		fmt.Fprintf(&b, "| %s | %s | `TestAuth/%s` |\n", cell(r.attacks), cell(r.end), r.name)
	}
	for _, r := range authElsewhere {
		folder, name, _ := strings.Cut(r[2], " ")
		files, err := filepath.Glob("../../../" + folder + "/*_test.go")
		if err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(files, func(file string) bool {
			text, err := os.ReadFile(file)
			return err == nil && strings.Contains(string(text), "\nfunc "+name+"(t *testing.T) {")
		}) {
			t.Errorf("%s has no test %s", folder, name)
		}
		fmt.Fprintf(&b, "| %s | %s | `%s` of `%s` |\n", cell(r[0]), cell(r[1]), name, folder)
	}
	testbed.CompareTable(t, "../../../docs/decide/security.md", "<!-- attacks on guarded servers -->\n", "<!-- end of attacks -->\n", b.String(), *updateDocs)
}

// canary is a part of tokens, keys, passwords and arguments, and must not occur in any text from a
// server.
const canary = "CaNaRy0123456789"

// authSite is a site with a guard.
type authSite struct {
	*site
	t      *testing.T
	issuer *authIssuer
	guard  *mcpauth.Guard
	audit  testbed.Log
	read   int        // bytes of audit that tests have looked at
	h2     *http2Site // nil: HTTP/1.1
}

// visitAuth runs f with a guarded site, in a bubble. Its options may be changed.
func (v target) visitAuth(t *testing.T, c setup, change func(*authSite, *mcpauth.Options), f func(t *testing.T, s *authSite)) {
	t.Helper()
	a := new(authSite)
	c.guard = func(s *site) *mcpauth.Guard {
		a.site, a.t, a.issuer = s, s.t, newAuthIssuer()
		o := mcpauth.Options{
			Resource: authResource, Verifiers: []mcpauth.Verifier{a.issuer.jwt(mcpauth.DPoPOptions{})}, Audit: a.audit.Logger(), Log: s.log.Logger(),
			MaxFailuresPerMinute: 1 << 20,
		}
		if change != nil {
			change(a, &o)
		}
		var err error
		if a.guard, err = mcpauth.New(o); err != nil {
			s.t.Fatal(err)
		}
		return a.guard
	}
	v.visit(t, c, func(t *testing.T, _ *site) {
		if v.http2 {
			a.h2 = a.serveHTTP2()
			defer a.h2.close()
		}
		f(t, a)
	})
}

// authAnswer is the response to a request.
type authAnswer struct {
	status int
	header http.Header
	body   string
}

// knock sends the request that opens the transport, with header fields.
func (s *authSite) knock(fields ...string) *authAnswer {
	switch s.target.name {
	case httpSSE:
		return s.raw("GET /mcp", "", append(fields, "Accept: text/event-stream")...)
	case webSocket:
		if s.h2 != nil { // which has no upgrade
			return s.raw("GET /mcp", "", fields...)
		}
		return s.raw("GET /mcp", "", append(fields, "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13",
			"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Protocol: mcp")...)
	case httpLegacy:
		return s.post(legacy.text("1", "initialize", initialize), fields...)
	}
	return s.post(modern.text("1", "tools/call", call("echo", `{"secret":"`+canary+`"}`)), fields...)
}

// post sends a message.
func (s *authSite) post(text string, fields ...string) *authAnswer {
	fields = append(fields, "Content-Type: application/json", "Accept: application/json, text/event-stream")
	if s.target.era == modern {
		fields = append(fields, "MCP-Protocol-Version: 2026-07-28")
		head := http.Header{}
		mirror(head, text)
		for name := range head {
			fields = append(fields, name+": "+head.Get(name))
		}
	}
	return s.raw("POST /mcp", text, fields...)
}

// method returns the HTTP method of the request that opens the transport.
func (s *authSite) method() string {
	if s.target.is(httpLegacy, httpModern) {
		return http.MethodPost
	}
	return http.MethodGet
}

// raw sends a request unchanged, and closes the connection. If the response is a stream that goes
// on, it reads the header only.
func (s *authSite) raw(line, body string, fields ...string) *authAnswer {
	s.t.Helper()
	if s.h2 != nil {
		return s.h2.send(line, body, fields)
	}
	conn, err := s.net.Dial(s.ctx)
	if err != nil {
		s.t.Fatal(err)
	}
	defer conn.Close()
	text := line + " HTTP/1.1\r\n"
	if !strings.Contains(strings.Join(fields, "\n"), "Host: ") {
		text += "Host: " + s.addr + "\r\n"
	}
	if body != "" {
		text += fmt.Sprintf("Content-Length: %d\r\n", len(body))
	}
	text += strings.Join(fields, "\r\n") + "\r\n\r\n" + body
	sent := make(chan struct{})
	go func() { // the server may respond before it has read the whole request
		defer close(sent)
		_, _ = io.WriteString(conn, text)
	}()
	defer func() { conn.Close(); <-sent }()
	method, _, _ := strings.Cut(line, " ")
	resp, err := http.ReadResponse(bufio.NewReader(conn), &http.Request{Method: method})
	if err != nil {
		s.t.Fatalf("%s: %v", shorten(text), err)
	}
	a := &authAnswer{status: resp.StatusCode, header: resp.Header}
	if a.status != http.StatusSwitchingProtocols && (a.status != 200 || method == http.MethodPost) {
		b, err := io.ReadAll(resp.Body)
		if err != nil {
			s.t.Fatal(err)
		}
		a.body = string(b)
	}
	return a
}

// records returns the audit since the last call.
func (s *authSite) records() string {
	all := s.audit.String()
	fresh := all[s.read:]
	s.read = len(all)
	return fresh
}

// opened returns the status of a successful request that opens the transport.
func (s *authSite) opened() int {
	switch {
	case s.target.is(webSocket) && s.h2 != nil:
		return http.StatusBadRequest // the request is authenticated, but not an upgrade
	case s.target.is(webSocket):
		return http.StatusSwitchingProtocols
	}
	return http.StatusOK
}

// wantOpen checks that credentials are accepted.
func (s *authSite) wantOpen(what string, fields ...string) {
	s.t.Helper()
	if a := s.knock(fields...); a.status != s.opened() {
		s.t.Errorf("%s: status %d: %s, %s", what, a.status, a.body, s.records())
	}
	s.keeps(what, fields)
	s.records()
}

// wantRefused checks the response to credentials that are refused, and its record, and that no
// response or log contains a secret.
func (s *authSite) wantRefused(what string, status int, fields ...string) *authAnswer {
	s.t.Helper()
	a := s.knock(fields...)
	s.checkRefused(what, a, status, fields)
	return a
}

func (s *authSite) checkRefused(what string, a *authAnswer, status int, fields []string) {
	s.t.Helper()
	records := s.records()
	if a.status != status {
		s.t.Errorf("%s: status %d, want %d: %s %s", what, a.status, status, a.body, records)
		return
	}
	s.keeps(what, fields)
	noCanary(s.t, what, fmt.Sprint(a.header, a.body), fields)
	if status == http.StatusRequestHeaderFieldsTooLarge { // net/http has not read it
		return
	}
	if strings.Count(records, "\n") != 1 || !strings.Contains(records, "decision=denied") || !strings.Contains(records, fmt.Sprintf("status=%d", status)) ||
		!strings.Contains(records, "reason=") {
		s.t.Errorf("%s: the record is %s", what, records)
	}
	if a.body == "" || !s.target.is(webSocket) && !strings.Contains(a.body, `"error":{"code":`) {
		s.t.Errorf("%s: the body is %s", what, a.body)
	}
	all, err := challenge.Parse(a.header["Www-Authenticate"])
	if err != nil {
		s.t.Errorf("%s: %v", what, err)
	}
	code := ""
	for _, c := range all {
		if at, _ := c.Param("resource_metadata"); c.Scheme != "Basic" && at != "https://mcp.example.com/.well-known/oauth-protected-resource/mcp" {
			s.t.Errorf("%s: the challenge is %v", what, a.header["Www-Authenticate"])
		}
		if e, _ := c.Param("error"); e != "" {
			code = e
		}
	}
	retry := a.header.Get("Retry-After") != ""
	switch {
	case (status == 503 || status == 429) != retry, (status == 503 || status == 429) == (len(all) > 0):
		s.t.Errorf("%s: %v", what, a.header)
	case status == 400 && code != "invalid_request", status == 401 && len(fields) == 0 && code != "", status == 403 && code != "insufficient_scope":
		s.t.Errorf("%s: the error is %q", what, code)
	}
}

// keeps checks that no log contains a secret.
func (s *authSite) keeps(what string, fields []string) {
	s.t.Helper()
	noCanary(s.t, what+", audit", s.audit.String(), fields)
	noCanary(s.t, what+", log", s.log.String(), fields)
}

// noCanary checks that a text contains neither the canary nor a part of a credential.
func noCanary(t *testing.T, what, text string, fields []string) {
	t.Helper()
	secrets := []string{canary}
	for _, field := range fields {
		name, value, _ := strings.Cut(field, ": ")
		switch http.CanonicalHeaderKey(name) {
		case "Authorization", "Dpop", "X-Api-Key":
			for part := range strings.FieldsFuncSeq(value, func(r rune) bool { return strings.ContainsRune(" .,\t", r) }) {
				if len(part) > 16 {
					secrets = append(secrets, part[:16])
				}
			}
		}
	}
	for _, secret := range secrets {
		if i := strings.Index(text, secret); i >= 0 {
			t.Errorf("%s has %.20q: %s", what, secret, shorten(lineAround(text+"\n", i)))
		}
	}
}

// bearer is the header field of a token.
func bearer(token string) string { return "Authorization: Bearer " + token }
