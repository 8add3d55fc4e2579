package mcpauth_test

import (
	"context"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/mcpgen/mcpgen/runtime/internal/challenge"
	"github.com/mcpgen/mcpgen/runtime/mcpauth"
)

// credentialKind is a kind of credential of TestLists, with the scope that a feature needs and
// without it.
type credentialKind struct {
	name     string
	can      bool // get more scopes: it belongs to a user
	with, no func(r *http.Request)
}

// credentialKinds returns a credential of each kind, and adds their verifiers to the options.
func credentialKinds(t *testing.T) (kinds []credentialKind, change func(*mcpauth.Options)) {
	field := func(name, value string) func(*http.Request) {
		return func(r *http.Request) { r.Header.Set(name, value) }
	}
	both := func(name string, can bool, credential func(scopes string) func(*http.Request)) {
		kinds = append(kinds, credentialKind{name, can, credential("books:read books:write"), credential("books:read")})
	}
	both("user token", true, func(scopes string) func(*http.Request) {
		return field("Authorization", "Bearer "+token(object{"scope": scopes}))
	})
	both("client token", false, func(scopes string) func(*http.Request) {
		return field("Authorization", "Bearer "+token(object{"sub": "desktop", "scope": scopes}))
	})
	keys := mcpauth.Keys{}
	passwords := mcpauth.Passwords{}
	both("API key", false, func(scopes string) func(*http.Request) {
		text, key := mcpauth.NewKey(scopes, strings.Fields(scopes)...)
		keys[sha256.Sum256([]byte(text))] = &key
		return field("Authorization", "Bearer "+text)
	})
	both("Basic", false, func(scopes string) func(*http.Request) {
		user := "user" + fmt.Sprint(len(passwords))
		passwords[user] = mcpauth.Password{Hash: passwordHash, Scopes: strings.Fields(scopes)}
		name, value, _ := strings.Cut(basicField(user, password), ": ")
		return field(name, value)
	})
	own := newAuthority("own", otherECKey)
	both("certificate", false, func(scopes string) func(*http.Request) {
		leaf := must(x509.ParseCertificate(own.issue(uri("spiffe://example.org/" + strings.NewReplacer(":", ".", " ", "/").Replace(scopes))).Certificate[0]))
		return func(r *http.Request) {
			r.TLS = &tls.ConnectionState{PeerCertificates: []*x509.Certificate{leaf}, VerifiedChains: [][]*x509.Certificate{{leaf, own.certificate}}}
		}
	})
	certificates := mcpauth.Certificates(mcpauth.CertificateOptions{Identify: func(_ context.Context, leaf *x509.Certificate) (*mcpauth.Identity, error) {
		path := strings.TrimPrefix(leaf.URIs[0].Path, "/")
		return &mcpauth.Identity{Scopes: strings.Fields(strings.NewReplacer(".", ":", "/", " ").Replace(path))}, nil
	}})
	basic, _ := mcpauth.CheapBasic(passwords)
	return kinds, func(o *mcpauth.Options) {
		o.Verifiers = append(o.Verifiers, mcpauth.APIKeys(keys), basic, certificates)
		o.Scopes = []string{"books:read"}
	}
}

// peer is a client of one revision.
type peer struct {
	s          *site
	revision   string
	credential func(*http.Request)
	session    string
}

func (p *peer) request(method, params string) *http.Request {
	fields := []string{"Content-Type: application/json", "Accept: application/json, text/event-stream"}
	if p.revision == "2026-07-28" {
		params += `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}},`
		fields = append(fields, "Mcp-Method: "+method)
		for _, member := range []string{`"name":"`, `"uri":"`} {
			if name, found := strings.CutPrefix(params, member); found {
				name, _, _ = strings.Cut(name, `"`)
				fields = append(fields, "Mcp-Name: "+name)
			}
		}
	}
	if p.session != "" {
		fields = append(fields, "Mcp-Session-Id: "+p.session)
	}
	if method != "initialize" && p.revision >= "2025-06-18" {
		fields = append(fields, "Mcp-Protocol-Version: "+p.revision)
	}
	r := request("POST", resource, `{"jsonrpc":"2.0","id":1,"method":"`+method+`","params":{`+strings.TrimSuffix(params, ",")+`}}`, fields...)
	p.credential(r)
	return r
}

func (p *peer) ask(t *testing.T, method, params string) (*http.Response, string) {
	t.Helper()
	resp := p.s.do(t, p.request(method, params))
	return resp, string(must(io.ReadAll(resp.Body)))
}

// answers reports how the server answers: taken, 403 with the challenge, or gone, as for a feature
// that does not exist.
func (p *peer) answers(t *testing.T, method, params, name string) string {
	t.Helper()
	resp, body := p.ask(t, method, fmt.Sprintf(params, name))
	switch {
	case !strings.Contains(body, `"error":`) && resp.StatusCode == 200:
		return "taken"
	case resp.StatusCode != 403:
		_, missing := p.ask(t, method, fmt.Sprintf(params, "never"))
		if strings.ReplaceAll(missing, "never", name) != body {
			return fmt.Sprintf("%s, and for what does not exist %s", body, missing)
		}
		return "gone"
	}
	all, err := challenge.Parse(resp.Header["Www-Authenticate"])
	c, _ := challenge.Find(all, "Bearer")
	scope, _ := c.Param("scope")
	code, _ := c.Param("error")
	if err != nil || scope != "books:read books:write" || code != "insufficient_scope" || !strings.Contains(body, `"data":{"reason":"insufficient scope","scopes":["books:write"]}`) {
		return fmt.Sprint(resp.Header, body)
	}
	return "403"
}

// listens reports how the server answers a listen to a resource, and a change of it.
func (p *peer) listens(t *testing.T, uri string) string {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r := p.request("subscriptions/listen", `"notifications":{"resourceSubscriptions":["`+uri+`"]},`).WithContext(ctx)
	w := httptest.NewRecorder()
	var running sync.WaitGroup
	running.Go(func() { p.s.ServeHTTP(w, r) })
	synctest.Wait()
	p.s.server.ResourceUpdated(uri)
	synctest.Wait()
	cancel()
	running.Wait()
	switch body := w.Body.String(); {
	case w.Code == 403:
		return "403"
	case w.Code == 200 && strings.Contains(body, "notifications/resources/updated"):
		return "taken"
	case w.Code == 200 && !strings.Contains(body, `"error":`):
		return "gone"
	default:
		return fmt.Sprint(w.Code, body)
	}
}

// TestLists is the table of the features that each kind of credential lists and may use:
// credential, with the scope and without it, mode, revision and use. The expected answer follows
// from one rule.
func TestLists(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		kinds, change := credentialKinds(t)
		for _, mode := range []mcpauth.ListMode{mcpauth.StepUp, mcpauth.Granted} {
			s := shop(t, func(o *mcpauth.Options) { change(o); o.Lists = mode })
			for _, kind := range kinds {
				for _, scope := range []bool{true, false} {
					// The rule: a credential with the scope may use the feature. One that can get
					// the scope is asked to, unless lists contain only granted features. For others
					// the feature does not exist.
					want, credential := "gone", kind.no
					switch {
					case scope:
						want, credential = "taken", kind.with
					case kind.can && mode == mcpauth.StepUp:
						want = "403"
					}
					for _, revision := range []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"} {
						at := fmt.Sprintf("%s, scope %v, mode %d, %s", kind.name, scope, mode, revision)
						testLists(t, at, &peer{s: s, revision: revision, credential: credential}, want)
					}
				}
			}
		}
	})
}

// testLists checks all uses of a feature by a client of one revision.
func testLists(t *testing.T, at string, p *peer, want string) {
	t.Helper()
	all := uses
	if p.revision != "2026-07-28" {
		resp, body := p.ask(t, "initialize", `"protocolVersion":"`+p.revision+`","capabilities":{},"clientInfo":{"name":"c","version":"1"}`)
		if p.session = resp.Header.Get("Mcp-Session-Id"); resp.StatusCode != 200 || p.session == "" {
			t.Fatalf("%s: initialize: status %d: %s", at, resp.StatusCode, body)
		}
		all = append(all[:len(all):len(all)], struct{ list, method, params string }{"resources/list", "resources/subscribe", `"uri":"test://%s",`})
	} else if got := p.listens(t, "test://write"); got != want {
		t.Errorf("%s, listen: %s, want %s", at, got, want)
	}
	p.s.audit.mu.Lock()
	p.s.audit.b.Reset()
	p.s.audit.mu.Unlock()
	for _, use := range all {
		_, list := p.ask(t, use.list, "")
		if listed := strings.Contains(list, `"name":"write"`); listed != (want != "gone") || !strings.Contains(list, `"name":"open"`) {
			t.Errorf("%s, %s: listed %v: %s", at, use.list, listed, list)
		}
		if p.revision == "2026-07-28" && !strings.Contains(list, `"cacheScope":"private"`) {
			t.Errorf("%s, %s: the list is not private: %s", at, use.list, list)
		}
		if got := p.answers(t, use.method, use.params, "write"); got != want {
			t.Errorf("%s, %s %s: %s, want %s", at, use.method, use.params, got, want)
		}
		if got := p.answers(t, use.method, use.params, "open"); got != "taken" {
			t.Errorf("%s, %s %s: open: %s", at, use.method, use.params, got)
		}
	}
	denied := 0
	if want != "taken" {
		denied = len(all)
	}
	if records := p.s.audit.String(); strings.Count(records, "decision=denied") != denied || strings.Contains(records, "/list") {
		t.Errorf("%s: the records are %s", at, records)
	}
}
