package mcpauth_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/runtime/internal/challenge"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpauth"
	"github.com/mcpgen/mcpgen/runtime/mcphttp"
)

// site is a guarded server, its issuer and its logs.
type site struct {
	*issuer
	http.Handler
	guard      *mcpauth.Guard
	server     *mcp.Server
	audit, log *record
}

// caller is the result of the tool whoami.
type caller struct {
	Principal string
	Identity  *mcpauth.Identity
	Header    map[string][]string
}

// newSite returns a site whose options a test may change.
func newSite(t *testing.T, change func(*mcpauth.Options)) *site {
	t.Helper()
	s := &site{issuer: newIssuer(), audit: new(record), log: new(record)}
	o := mcpauth.Options{Resource: resource, Verifiers: []mcpauth.Verifier{jwtOf(s.issuer)}, Audit: s.audit.logger(), AuditGrants: true, Log: s.log.logger()}
	if change != nil {
		change(&o)
	}
	var err error
	if s.guard, err = mcpauth.New(o); err != nil {
		t.Fatal(err)
	}
	server := mcp.NewServer(mcp.ServerInfo{Name: "books", Version: "1"}, mcp.WithLogger(s.log.logger()), mcp.WithInterceptors(mcp.LogCalls(s.log.logger())))
	s.server = server
	server.Register(mcp.NewTool(mcp.ToolInfo{Name: "whoami"}, func(ctx context.Context, _ json.RawMessage) (*mcp.ToolResult, error) {
		call := mcp.CallFrom(ctx)
		text, err := json.Marshal(caller{call.Principal().ID, mcpauth.IdentityFromContext(ctx), call.Header()})
		return mcp.TextResult(string(text)), err
	}))
	server.Register(mcp.NewTool(mcp.ToolInfo{Name: "panics"}, func(ctx context.Context, _ json.RawMessage) (*mcp.ToolResult, error) {
		panic(fmt.Sprintf("%+v %#v %v", mcp.CallFrom(ctx).Principal(), mcpauth.IdentityFromContext(ctx), mcp.CallFrom(ctx).Header()))
	}))
	mux := http.NewServeMux()
	mux.Handle("/mcp", mcphttp.NewHandler(server, append(s.guard.HTTP(), mcphttp.WithAllowedOrigins("https://app.example"))...))
	sse := mcphttp.NewSSEHandler(server, s.guard.HTTP()...)
	mux.Handle("/sse", sse)
	s.Handler = s.guard.Wrap(mux)
	t.Cleanup(func() { _ = sse.Close() })
	return s
}

// post sends a call of revision 2026-07-28 with header fields, given as "Name: value".
func post(tool string, fields ...string) *http.Request {
	body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + tool + `","arguments":{},` +
		`"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`
	return request("POST", resource, body, append([]string{
		"Content-Type: application/json", "Accept: application/json, text/event-stream",
		"Mcp-Protocol-Version: 2026-07-28", "Mcp-Method: tools/call", "Mcp-Name: " + tool,
	}, fields...)...)
}

func request(method, at, body string, fields ...string) *http.Request {
	r := httptest.NewRequest(method, at, strings.NewReader(body))
	r.TLS = nil // the connection of a proxy
	for _, field := range fields {
		name, value, _ := strings.Cut(field, ": ")
		name = http.CanonicalHeaderKey(name)
		r.Header[name] = append(r.Header[name], value)
	}
	return r
}

// do sends a request, and checks that neither the response nor a log has a secret.
func (s *site) do(t *testing.T, r *http.Request) *http.Response {
	t.Helper()
	var secrets []string
	for _, name := range []string{"Authorization", "X-Api-Key", "Dpop"} {
		for _, value := range r.Header[name] {
			secrets = append(secrets, value, strings.TrimPrefix(value, "Bearer "))
		}
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	resp := w.Result()
	body := w.Body.String()
	resp.Body = io.NopCloser(strings.NewReader(body))
	noSecret(t, fmt.Sprint(resp.Header, body), secrets...)
	noSecret(t, s.audit.String(), secrets...)
	noSecret(t, s.log.String(), secrets...)
	for _, name := range []string{"Authorization", "Cookie", "Dpop", "Proxy-Authorization"} {
		if r.Header[name] != nil && r.URL.Path == "/mcp" && resp.StatusCode != 403 && resp.StatusCode != 431 {
			t.Errorf("the field %s is there after the guard", name)
		}
	}
	return resp
}

// whoami calls the tool, which must work.
func (s *site) whoami(t *testing.T, fields ...string) (me caller) {
	t.Helper()
	resp := s.do(t, post("whoami", fields...))
	var reply struct {
		Result struct{ Content []struct{ Text string } }
	}
	body := must(io.ReadAll(resp.Body))
	if err := json.Unmarshal(body, &reply); err != nil || resp.StatusCode != 200 || len(reply.Result.Content) != 1 {
		t.Fatalf("status %d: %s", resp.StatusCode, body)
	}
	if err := json.Unmarshal([]byte(reply.Result.Content[0].Text), &me); err != nil {
		t.Fatal(err)
	}
	return me
}

func TestGuard(t *testing.T) {
	s := newSite(t, nil)
	me := s.whoami(t, "Authorization: Bearer "+token(nil), "Cookie: session="+canary, "Proxy-Authorization: Basic "+canary, "DPoP: "+canary,
		"Traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
	if me.Principal != issuerURL+" ada" || me.Identity.Client != "desktop" || me.Identity.Method != "jwt" {
		t.Errorf("%+v", me)
	}
	names := slices.Sorted(maps.Keys(me.Header))
	if want := []string{"Accept", "Content-Type", "Mcp-Method", "Mcp-Name", "Mcp-Protocol-Version", "Traceparent"}; !slices.Equal(names, want) {
		t.Errorf("%v", names)
	}
	for _, want := range []string{
		"level=INFO msg=access decision=granted scheme=Bearer remote=192.0.2.1 principal=\"https://id.example.com/tenant ada\" " +
			"issuer=https://id.example.com/tenant client=desktop token=id-1 scopes=\"books:read books:write\" trace=0af7651916cd43dd8448eb211c80319c\n",
	} {
		if !strings.Contains(s.audit.String(), want) {
			t.Errorf("%s\nwant %s", s.audit, want)
		}
	}
	if log := s.log.String(); !strings.Contains(log, `principal="https://id.example.com/tenant ada"`) {
		t.Errorf("log: %s", log)
	}
	// Output of a handler about the call contains no credential.
	resp := s.do(t, post("panics", "Authorization: Bearer "+token(nil)))
	if resp.StatusCode != 200 || !strings.Contains(s.log.String(), "Subject:ada") && !strings.Contains(s.log.String(), `Subject:\"ada\"`) {
		t.Errorf("status %d, log %s", resp.StatusCode, s.log)
	}
}

// IdentityFromContext is nil where no guard has authenticated the caller.
func TestIdentityUnknown(t *testing.T) {
	if i := mcpauth.IdentityFromContext(t.Context()); i != nil {
		t.Errorf("%+v", i)
	}
}

// TestGuardRefusals are requests that are not let in, each with its response and its record.
func TestGuardRefusals(t *testing.T) {
	good := "Authorization: Bearer " + token(nil)
	const meta = `resource_metadata="https://mcp.example.com/.well-known/oauth-protected-resource/mcp", scope="books:read"`
	at := func(query string) *http.Request {
		r := post("whoami")
		r.URL.RawQuery = query
		return r
	}
	for _, test := range []struct {
		name      string
		r         *http.Request
		status    int
		challenge string
		reason    string
	}{
		{"no credential", post("whoami"), 401, "Bearer " + meta, "the request has no credential"},
		{"expired", post("whoami", "Authorization: Bearer "+token(object{"exp": 1})), 401,
			"Bearer " + meta + `, error="invalid_token", error_description="the token has expired"`, "the token has expired"},
		{"opaque", post("whoami", "Authorization: Bearer "+canary), 401, "Bearer " + meta + `, error="invalid_token"`, "no verifier recognises the credential"},
		{"scopes", post("whoami", "Authorization: Bearer "+token(object{"scope": "books:reader books"})), 403,
			"Bearer " + meta + `, error="insufficient_scope"`, "scopes are missing"},
		{"another scheme", post("whoami", "Authorization: Digest username="+canary), 401, "Bearer " + meta + `, error="invalid_token"`, "the scheme of the credential is not known"},
		{"Basic", post("whoami", "Authorization: Basic YWRhOkNhTmFSeTAxMjM0NTY3ODk="), 401, "Bearer " + meta + `, error="invalid_token"`, "no verifier recognises the credential"},
		{"two fields", post("whoami", good, good), 400, "", "the request has more than one credential"},
		{"Bearer and Basic", post("whoami", good, "Authorization: Basic YWRhOkNhTmFSeTAxMjM0NTY3ODk="), 400, "", "the request has more than one credential"},
		{"two tokens in a field", post("whoami", good+", Bearer "+canary), 400, "", "the token does not have the form of RFC 6750"},
		{"blank in the token", post("whoami", "Authorization: Bearer a b"), 400, "", "the token does not have the form of RFC 6750"},
		{"tab", post("whoami", "Authorization: Bearer\t"+token(nil)), 401, "Bearer " + meta + `, error="invalid_token"`, "the scheme of the credential is not known"},
		{"tab behind", post("whoami", good+"\t"), 400, "", "the token does not have the form of RFC 6750"},
		{"NUL", post("whoami", good+"\x00"), 400, "", "the token does not have the form of RFC 6750"},
		{"quotes", post("whoami", `Authorization: Bearer "x"`), 400, "", "the token does not have the form of RFC 6750"},
		{"scheme alone", post("whoami", "Authorization: Bearer"), 400, "", "the token does not have the form of RFC 6750"},
		{"empty", post("whoami", "Authorization: "), 401, "Bearer " + meta + `, error="invalid_token"`, "the scheme of the credential is not known"},
		{"padding alone", post("whoami", "Authorization: Bearer =="), 400, "", "the token does not have the form of RFC 6750"},
		{"20 KB", post("whoami", "Authorization: Bearer "+strings.Repeat("x", 20<<10)), 400, "", "the token does not have the form of RFC 6750"},
		{"in the query", at("access_token=" + token(nil)), 400, "", "the request has a credential in its query"},
		{"in the query, other case", at("x=1&Access_Token=" + token(nil)), 400, "", "the request has a credential in its query"},
		{"in the query, escaped", at("acce%73s_token=" + token(nil)), 400, "", "the request has a credential in its query"},
		{"a query that cannot be read", at("a;access_token=" + token(nil)), 400, "", "the request has a credential in its query"},
		{"DPoP without binding", post("whoami", "Authorization: DPoP "+token(nil)), 401,
			"Bearer " + meta + `, error="invalid_token", error_description="the scheme is DPoP, and the token is not bound to a key"`, "the scheme is DPoP, and the token is not bound to a key"},
	} {
		s := newSite(t, func(o *mcpauth.Options) { o.Scopes = []string{"books:read"} })
		resp := s.do(t, test.r)
		if got := resp.Header.Get("Www-Authenticate"); resp.StatusCode != test.status || test.challenge != "" && got != test.challenge {
			t.Errorf("%s: status %d, challenge %s", test.name, resp.StatusCode, got)
		}
		if _, err := challenge.Parse(resp.Header["Www-Authenticate"]); err != nil {
			t.Errorf("%s: %v", test.name, err)
		}
		if record := s.audit.String(); strings.Count(record, "\n") != 1 || !strings.Contains(record, "decision=denied") ||
			!strings.Contains(record, fmt.Sprintf("reason=%q status=%d", test.reason, test.status)) {
			t.Errorf("%s: record %s", test.name, record)
		}
	}
}

// 1 MB in a header field, a token in the body and a form are refused whatever they say.
func TestGuardElsewhere(t *testing.T) {
	s := newSite(t, nil)
	if resp := s.do(t, post("whoami", "Authorization: Bearer "+strings.Repeat("x", 1<<20))); resp.StatusCode != 431 {
		t.Errorf("1 MB: status %d", resp.StatusCode)
	}
	r := request("POST", resource, "access_token="+token(nil), "Content-Type: application/x-www-form-urlencoded", "Accept: application/json, text/event-stream")
	if resp := s.do(t, r); resp.StatusCode != 401 {
		t.Errorf("form: status %d", resp.StatusCode)
	}
	for _, r := range []*http.Request{request("GET", resource, "", "Accept: text/event-stream"), request("DELETE", resource, "", "Mcp-Session-Id: x"), request("GET", "https://mcp.example.com/sse", "", "Accept: text/event-stream")} {
		if resp := s.do(t, r); resp.StatusCode != 401 || resp.Header.Get("Www-Authenticate") == "" {
			t.Errorf("%s %s: status %d", r.Method, r.URL, resp.StatusCode)
		}
	}
}

// An issuer that cannot be asked is neither a reason to let in nor to refuse.
func TestGuardIssuerDown(t *testing.T) {
	s := newSite(t, nil)
	s.answer(down)
	resp := s.do(t, post("whoami", "Authorization: Bearer "+token(nil)))
	if resp.StatusCode != 503 || resp.Header.Get("Retry-After") != "10" || resp.Header.Get("Www-Authenticate") != "" {
		t.Errorf("status %d, %v", resp.StatusCode, resp.Header)
	}
	if !strings.Contains(s.audit.String(), "status=503") || !strings.Contains(s.log.String(), "cannot be verified now") {
		t.Errorf("audit %s, log %s", s.audit, s.log)
	}
	if err := s.guard.Check(t.Context()); err == nil || !strings.Contains(err.Error(), issuerURL) {
		t.Errorf("Check: %v", err)
	}
	if err := newSite(t, nil).guard.Check(t.Context()); err != nil {
		t.Errorf("Check: %v", err)
	}
}

// Forwarded names change neither the resource nor the metadata.
func TestGuardForwarded(t *testing.T) {
	s := newSite(t, nil)
	r := post("whoami", "X-Forwarded-Host: evil.example", "X-Forwarded-Proto: http", "X-Forwarded-Prefix: /x", "Forwarded: host=evil.example;proto=http")
	r.Host = "evil.example"
	if field := s.do(t, r).Header.Get("Www-Authenticate"); !strings.HasPrefix(field, `Bearer resource_metadata="https://mcp.example.com/.well-known/`) {
		t.Error(field)
	}
	for _, name := range []string{"X-Forwarded-Host", "Forwarded", "X-Client-Cert", "X-Forwarded-Client-Cert"} {
		r := request("GET", "https://evil.example/.well-known/oauth-protected-resource/mcp", "", name+": evil.example")
		if body := string(must(io.ReadAll(s.do(t, r).Body))); !strings.Contains(body, `"resource":"https://mcp.example.com/mcp"`) || strings.Contains(body, "evil") {
			t.Error(body)
		}
	}
}

func TestGuardMetadata(t *testing.T) {
	s := newSite(t, func(o *mcpauth.Options) {
		o.Scopes, o.Name, o.Documentation = []string{"books:read"}, "Books", "https://example.com/docs"
	})
	want := object{
		"resource": resource, "authorization_servers": []any{issuerURL}, "scopes_supported": []any{"books:read"},
		"bearer_methods_supported": []any{"header"}, "resource_name": "Books", "resource_documentation": "https://example.com/docs",
		"tls_client_certificate_bound_access_tokens": true,
	}
	for _, test := range []struct {
		method, path string
		status       int
		body         bool
	}{
		{"GET", "/.well-known/oauth-protected-resource/mcp", 200, true},
		{"GET", "/.well-known/oauth-protected-resource", 200, true},
		{"HEAD", "/.well-known/oauth-protected-resource/mcp", 200, false},
		{"OPTIONS", "/.well-known/oauth-protected-resource/mcp", 204, false},
		{"POST", "/.well-known/oauth-protected-resource/mcp", 405, false},
		{"GET", "/.well-known/oauth-protected-resource/other", 404, false},
		{"GET", "/.well-known/oauth-protected-resource/mcp/more", 404, false},
		{"GET", "/.well-known/oauth-protected-resource/MCP", 404, false},
	} {
		resp := s.do(t, request(test.method, "https://mcp.example.com"+test.path, "", "Origin: https://any.example", "Authorization: Bearer "+canary))
		if resp.StatusCode != test.status || test.status != 404 && resp.Header.Get("Access-Control-Allow-Origin") != "*" {
			t.Errorf("%s %s: status %d, %v", test.method, test.path, resp.StatusCode, resp.Header)
		}
		if test.body {
			var got object
			if err := json.NewDecoder(resp.Body).Decode(&got); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s: %s", test.path, diff)
			}
		}
	}
}

// Pages of other origins are refused before their credentials are looked at.
func TestGuardPages(t *testing.T) {
	s := newSite(t, nil)
	good := "Authorization: Bearer " + token(nil)
	for _, test := range []struct {
		r      *http.Request
		status int
		allow  string
	}{
		{post("whoami", good, "Origin: https://evil.example"), 403, ""},
		{post("whoami", "Cookie: session=x", "Origin: https://evil.example"), 403, ""},
		{post("whoami", "Cookie: session=x", "Sec-Fetch-Site: cross-site"), 403, ""},
		{post("whoami", "Cookie: session=x"), 401, ""},
		{post("whoami", good, "Origin: https://app.example"), 200, "https://app.example"},
		{request("OPTIONS", resource, "", "Origin: https://evil.example", "Access-Control-Request-Method: POST", "Access-Control-Request-Headers: authorization"), 403, ""},
		{request("OPTIONS", resource, "", "Origin: https://app.example", "Access-Control-Request-Method: POST", "Access-Control-Request-Headers: authorization"), 204, "https://app.example"},
	} {
		resp := s.do(t, test.r)
		if got := resp.Header.Get("Access-Control-Allow-Origin"); resp.StatusCode != test.status || got != test.allow {
			t.Errorf("%s %v: status %d, %q", test.r.Method, test.r.Header, resp.StatusCode, got)
		}
	}
}

// verifierFunc is a Verifier of a program.
type verifierFunc func(ctx context.Context, c *mcpauth.Credential) (*mcpauth.Identity, error)

func (f verifierFunc) Verify(ctx context.Context, c *mcpauth.Credential) (*mcpauth.Identity, error) {
	return f(ctx, c)
}

// Whatever a verifier of a program does, its errors and panics show nothing of the credential.
func TestGuardOtherVerifiers(t *testing.T) {
	good := &mcpauth.Identity{Subject: "ada", Method: "session"}
	for _, test := range []struct {
		name   string
		verify verifierFunc
		status int
	}{
		{"good", func(context.Context, *mcpauth.Credential) (*mcpauth.Identity, error) { return good, nil }, 200},
		{"invalid", func(_ context.Context, c *mcpauth.Credential) (*mcpauth.Identity, error) {
			return nil, fmt.Errorf("token %s of %+v: %w", c.Token, c, mcpauth.ErrInvalid)
		}, 401},
		{"not mine", func(_ context.Context, c *mcpauth.Credential) (*mcpauth.Identity, error) {
			return nil, fmt.Errorf("token %s: %w", c.Token, mcpauth.ErrNotMine)
		}, 401},
		{"cannot tell", func(_ context.Context, c *mcpauth.Credential) (*mcpauth.Identity, error) {
			return nil, errors.New("no database for " + c.Token)
		}, 503},
		{"panic", func(_ context.Context, c *mcpauth.Credential) (*mcpauth.Identity, error) { panic("token " + c.Token) }, 503},
		{"nothing", func(context.Context, *mcpauth.Credential) (*mcpauth.Identity, error) { return nil, nil }, 503},
		{"no subject", func(context.Context, *mcpauth.Credential) (*mcpauth.Identity, error) {
			return &mcpauth.Identity{Method: "x"}, nil
		}, 503},
		{"no method", func(context.Context, *mcpauth.Credential) (*mcpauth.Identity, error) {
			return &mcpauth.Identity{Subject: "x"}, nil
		}, 503},
		{"expired", func(context.Context, *mcpauth.Credential) (*mcpauth.Identity, error) {
			return &mcpauth.Identity{Subject: "x", Method: "x", Expires: time.Now().Add(-time.Minute)}, nil
		}, 401},
	} {
		s := newSite(t, func(o *mcpauth.Options) { o.Verifiers = []mcpauth.Verifier{test.verify} })
		resp := s.do(t, post("whoami", "Authorization: Bearer "+token(nil)))
		if resp.StatusCode != test.status {
			t.Errorf("%s: status %d", test.name, resp.StatusCode)
		}
		if body := string(must(io.ReadAll(resp.Body))); test.status == 503 && strings.Contains(body, "database") {
			t.Errorf("%s: the client gets %s", test.name, body)
		}
	}
}

// The first verifier that recognises a credential decides.
func TestGuardOrder(t *testing.T) {
	var asked []string
	v := func(name string, err error) mcpauth.Verifier {
		return verifierFunc(func(context.Context, *mcpauth.Credential) (*mcpauth.Identity, error) {
			asked = append(asked, name)
			if err != nil {
				return nil, err
			}
			return &mcpauth.Identity{Subject: name, Method: "x"}, nil
		})
	}
	s := newSite(t, func(o *mcpauth.Options) {
		o.Verifiers = []mcpauth.Verifier{v("first", mcpauth.ErrNotMine), v("second", nil), v("third", nil)}
	})
	if me := s.whoami(t, "Authorization: Bearer x"); me.Principal != "x second" || !slices.Equal(asked, []string{"first", "second"}) {
		t.Errorf("%s, %v", me.Principal, asked)
	}
	asked = nil
	s = newSite(t, func(o *mcpauth.Options) {
		o.Verifiers = []mcpauth.Verifier{v("first", mcpauth.ErrInvalid), v("second", nil)}
	})
	if resp := s.do(t, post("whoami", "Authorization: Bearer x")); resp.StatusCode != 401 || len(asked) != 1 {
		t.Errorf("status %d, %v", resp.StatusCode, asked)
	}
}

// Two issuers may have one subject: these are two principals.
func TestGuardTwoIssuers(t *testing.T) {
	one, two := newIssuer(), newIssuer()
	two.url = "https://other.example.com"
	s := newSite(t, func(o *mcpauth.Options) {
		keys := []byte(jsonOf(object{"keys": []any{jwk(otherECKey, nil)}}))
		o.Verifiers = []mcpauth.Verifier{jwtOf(one), mcpauth.JWT(mcpauth.JWTOptions{Issuer: two.url, Keys: keys})}
	})
	first := s.whoami(t, "Authorization: Bearer "+token(nil)).Principal
	second := s.whoami(t, "Authorization: Bearer "+sign(`{"alg":"ES256"}`, jsonOf(claims(object{"iss": two.url})), otherECKey)).Principal
	if first == second || second != two.url+" ada" {
		t.Errorf("%s, %s", first, second)
	}
	// The key of one issuer does not sign for the other one.
	for _, text := range []string{sign(`{"alg":"ES256"}`, jsonOf(claims(object{"iss": two.url})), ecKey), sign(`{"alg":"ES256"}`, jsonOf(claims(nil)), otherECKey)} {
		if resp := s.do(t, post("whoami", "Authorization: Bearer "+text)); resp.StatusCode != 401 {
			t.Errorf("status %d", resp.StatusCode)
		}
	}
}

// Guards that share a verifier take tokens for their own resource alone.
func TestGuardTwoResources(t *testing.T) {
	v := jwtOf(newIssuer())
	const other = "https://mcp.example.com/admin"
	for _, own := range []string{resource, other} {
		g, err := mcpauth.New(mcpauth.Options{Resource: own, Verifiers: []mcpauth.Verifier{v}})
		if err != nil {
			t.Fatal(err)
		}
		for _, audience := range []string{resource, other} {
			_, err := g.Principal(post("whoami", "Authorization: Bearer "+token(object{"aud": audience, "jti": audience})))
			if (err == nil) != (own == audience) {
				t.Errorf("token for %s at %s: %v", audience, own, err)
			}
		}
	}
}

// A session belongs to its principal: another token of the same one goes on with it, and for others
// it does not exist.
func TestGuardSession(t *testing.T) {
	s := newSite(t, nil)
	const initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`
	send := func(body, bearer string, more ...string) *http.Response {
		return s.do(t, request("POST", resource, body, append([]string{"Content-Type: application/json", "Accept: application/json, text/event-stream", "Authorization: Bearer " + bearer}, more...)...))
	}
	opened := send(initialize, token(nil))
	id := opened.Header.Get("Mcp-Session-Id")
	if opened.StatusCode != 200 || id == "" {
		t.Fatalf("status %d", opened.StatusCode)
	}
	const ping = `{"jsonrpc":"2.0","id":2,"method":"ping"}`
	for _, test := range []struct {
		name, bearer string
		status       int
	}{
		{"same", token(nil), 200},
		{"renewed", token(object{"jti": "id-2"}), 200},
		{"another principal", token(object{"sub": "eve"}), 404},
		{"expired", token(object{"exp": 1}), 401},
	} {
		if resp := send(ping, test.bearer, "Mcp-Session-Id: "+id, "Mcp-Protocol-Version: 2025-06-18"); resp.StatusCode != test.status {
			t.Errorf("%s: status %d", test.name, resp.StatusCode)
		}
	}
}

// Many refused credentials of an address are answered with 429, and a valid one is taken all the
// same. Other addresses are not affected.
func TestGuardFailures(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSite(t, func(o *mcpauth.Options) {
			o.MaxFailuresPerMinute = 10
			o.TrustedProxy = func(r *http.Request) netip.Addr {
				a, _ := netip.ParseAddr(r.Header.Get("X-Real-Ip"))
				return a
			}
		})
		send := func(address, bearer string) int {
			r := post("whoami", "X-Real-IP: "+address, "X-Forwarded-For: 198.51.100.7")
			if bearer != "" {
				r.Header.Set("Authorization", "Bearer "+bearer)
			}
			return s.do(t, r).StatusCode
		}
		for n := range 100 {
			want := 401
			if n >= 10 {
				want = 429
			}
			if got := send("2001:db8::1", fmt.Sprintf("%s-%d", canary, n)); got != want {
				t.Fatalf("guess %d: status %d", n, got)
			}
		}
		for _, test := range []struct {
			address, bearer string
			want            int
		}{
			{"2001:db8::2", canary, 429}, // of the same network
			{"2001:db8::1", token(nil), 200},
			{"2001:db8::1", token(object{"jti": "id-2"}), 200}, // not seen before
			{"2001:db8::1", "", 401},                           // no credential is not a guess
			{"2001:db8:0:1::1", canary, 401},
			{"192.0.2.7", canary, 401},
			{"", canary, 401},
		} {
			if got := send(test.address, test.bearer); got != test.want {
				t.Errorf("%q: status %d, want %d", test.address, got, test.want)
			}
		}
		time.Sleep(2 * time.Minute)
		if got := send("2001:db8::1", canary); got != 401 {
			t.Errorf("after two minutes: status %d", got)
		}
	})
}

func TestNewErrors(t *testing.T) {
	v := []mcpauth.Verifier{jwtOf(newIssuer())}
	for _, test := range []struct {
		o    mcpauth.Options
		want string
	}{
		{mcpauth.Options{Verifiers: v}, "Options.Resource is empty"},
		{mcpauth.Options{Resource: "mcp.example.com", Verifiers: v}, "Options.Resource must begin with https://"},
		{mcpauth.Options{Resource: "http://mcp.example.com/mcp", Verifiers: v}, "since it is not of this machine"},
		{mcpauth.Options{Resource: "https://mcp.example.com/mcp#x", Verifiers: v}, "fragment"},
		{mcpauth.Options{Resource: "https://mcp.example.com/mcp#", Verifiers: v}, "fragment"},
		{mcpauth.Options{Resource: "https://ada:x@mcp.example.com/mcp", Verifiers: v}, "user"},
		{mcpauth.Options{Resource: "https://mcp.example.com/mcp?x=1", Verifiers: v}, "query"},
		{mcpauth.Options{Resource: "https://mcp.example.com/a b", Verifiers: v}, "characters"},
		{mcpauth.Options{Resource: "https:///mcp", Verifiers: v}, "host"},
		{mcpauth.Options{Resource: "https://MCP.example.com/mcp", Verifiers: v}, "lower case"},
		{mcpauth.Options{Resource: resource}, "Options.Verifiers is empty"},
		{mcpauth.Options{Resource: resource, Verifiers: []mcpauth.Verifier{nil}}, "Verifiers[0] is nil"},
		{mcpauth.Options{Resource: resource, Verifiers: []mcpauth.Verifier{mcpauth.JWT(mcpauth.JWTOptions{})}}, "Verifiers[0]: JWTOptions.Issuer"},
		{mcpauth.Options{Resource: resource, Verifiers: v, Scopes: []string{"a b"}}, `"a b"`},
		{mcpauth.Options{Resource: resource, Verifiers: v, Scopes: []string{""}}, `""`},
		{mcpauth.Options{Resource: resource, Verifiers: v, Scopes: []string{"a", "a"}}, "twice"},
		{mcpauth.Options{Resource: resource, Verifiers: v, Scopes: []string{"offline_access"}}, "offline_access"},
		{mcpauth.Options{Resource: resource, Verifiers: v, ScopeHierarchy: map[string][]string{"a": {"b"}, "b": {"c"}, "c": {"a"}}}, "cycle"},
		{mcpauth.Options{Resource: resource, Verifiers: v, ScopeHierarchy: map[string][]string{"a": {"a"}}}, "cycle"},
		{mcpauth.Options{Resource: resource, Verifiers: v, ScopeHierarchy: map[string][]string{"a": {"b c"}}}, "not a scope"},
		{mcpauth.Options{Resource: resource, Verifiers: v, KeyHeader: "X Key"}, "KeyHeader"},
		{mcpauth.Options{Resource: resource, Verifiers: v, KeyHeader: "cookie"}, "another meaning"},
		{mcpauth.Options{Resource: resource, Verifiers: v, KeyHeader: "mcp-session-id"}, "belongs to the protocol"},
		{mcpauth.Options{Resource: resource, Verifiers: v, Leeway: -1}, "negative"},
	} {
		if g, err := mcpauth.New(test.o); err == nil || g != nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%+v: %v", test.o, err)
		}
	}
	if _, err := mcpauth.New(mcpauth.Options{Resource: "http://localhost:8080/mcp", Verifiers: v}); err != nil {
		t.Error(err)
	}
}

// A scope that another one includes counts, a part of its name does not.
func TestScopeHierarchy(t *testing.T) {
	h := map[string][]string{"admin": {"write", "audit"}, "write": {"read"}}
	for granted, want := range map[string]int{"admin": 200, "write": 200, "read": 200, "audit": 403, "rea": 403, "readall": 403, "Read": 403, "": 403, "x admin": 200} {
		s := newSite(t, func(o *mcpauth.Options) { o.Scopes, o.ScopeHierarchy = []string{"read"}, h })
		if resp := s.do(t, post("whoami", "Authorization: Bearer "+token(object{"scope": granted}))); resp.StatusCode != want {
			t.Errorf("%q: status %d", granted, resp.StatusCode)
		}
	}
}

// However many requests cannot be decided, the log has some lines about it.
func TestGuardLogBounded(t *testing.T) {
	s := newSite(t, func(o *mcpauth.Options) {
		o.Verifiers = []mcpauth.Verifier{verifierFunc(func(context.Context, *mcpauth.Credential) (*mcpauth.Identity, error) {
			return nil, errors.New("no database")
		})}
	})
	for range 200 {
		_, _ = s.guard.Principal(post("whoami", "Authorization: Bearer x"))
	}
	if lines := strings.Count(s.log.String(), "\n"); lines > 10 || lines == 0 {
		t.Errorf("%d lines", lines)
	}
	if records := strings.Count(s.audit.String(), "\n"); records != 200 {
		t.Errorf("%d records", records)
	}
}
