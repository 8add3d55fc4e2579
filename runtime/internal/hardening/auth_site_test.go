package hardening_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"fmt"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/faultconn"
	"github.com/mcpgen/mcpgen/runtime/mcpauth"
	"github.com/mcpgen/mcpgen/runtime/mcpnet"
)

// testAuthPage has pages of other origins, whose browser adds cookies.
func testAuthPage(t *testing.T, v target) {
	v.visitAuth(t, setup{origins: []string{"https://app.example"}}, nil, func(t *testing.T, s *authSite) {
		good := bearer(tokenOf(nil))
		for what, fields := range map[string][]string{
			"a page with a cookie": {"Origin: https://evil.example", "Cookie: session=" + canary},
			"a page with a token":  {"Origin: https://evil.example", good},
			"a page of no origin":  {"Origin: null", good},
			"a longer name":        {"Origin: https://app.example.evil.example", good},
		} {
			a := s.knock(fields...)
			if a.status != 403 || a.header.Get("Access-Control-Allow-Origin") != "" {
				t.Errorf("%s: status %d, %v", what, a.status, a.header)
			}
			s.keeps(what, fields)
			noCanary(t, what, fmt.Sprint(a.header, a.body), fields)
		}
		s.wantRefused("a cookie alone", 401, "Cookie: session="+canary)
		s.wantOpen("an allowed page", "Origin: https://app.example", good)
		if v.is(webSocket) {
			return // the transport does not support CORS
		}
		a := s.wantRefused("an allowed page without a token", 401, "Origin: https://app.example")
		if exposed := a.header.Get("Access-Control-Expose-Headers"); !strings.Contains(exposed, "WWW-Authenticate") || !strings.Contains(exposed, "DPoP-Nonce") {
			t.Errorf("an allowed page may read %q", exposed)
		}
		preflight := func(origin string) *authAnswer {
			return s.raw("OPTIONS /mcp", "", "Origin: "+origin, "Access-Control-Request-Method: POST", "Access-Control-Request-Headers: authorization,dpop")
		}
		if a := preflight("https://evil.example"); a.status != 403 || a.header.Get("Access-Control-Allow-Headers") != "" {
			t.Errorf("preflight: status %d, %v", a.status, a.header)
		}
		a = preflight("https://app.example")
		if allowed := a.header.Get("Access-Control-Allow-Headers"); a.status != 204 || a.header.Get("Access-Control-Allow-Origin") != "https://app.example" ||
			!strings.Contains(allowed, "Authorization") || !strings.Contains(allowed, "DPoP") || a.header.Get("Access-Control-Allow-Credentials") != "" {
			t.Errorf("preflight: status %d, %v", a.status, a.header)
		}
	})
}

// testAuthResources has two guards with one verifier, and a server without a guard.
func testAuthResources(t *testing.T, v target) {
	const other = "https://mcp.example.com/admin"
	if _, err := mcpauth.New(mcpauth.Options{Verifiers: []mcpauth.Verifier{newAuthIssuer().jwt(mcpauth.DPoPOptions{})}}); err == nil || !strings.Contains(err.Error(), "Options.Resource") {
		t.Errorf("no resource: %v", err)
	}
	verifier := newAuthIssuer().jwt(mcpauth.DPoPOptions{})
	for _, own := range []string{authResource, other} {
		v.visitAuth(t, setup{}, func(_ *authSite, o *mcpauth.Options) {
			o.Resource, o.Verifiers = own, []mcpauth.Verifier{verifier}
		}, func(t *testing.T, s *authSite) {
			for _, audience := range []string{authResource, other} {
				token := bearer(tokenOf(object{"aud": audience}))
				if a := s.knock(token); (a.status == s.opened()) != (audience == own) || audience != own && a.status != 401 {
					t.Errorf("a token for %s at %s: status %d", audience, own, a.status)
				}
				s.keeps(own, []string{token})
			}
		})
	}
	// Without a guard, features with scopes are refused, and one log line reports it.
	v.visit(t, setup{register: registerGuarded}, func(t *testing.T, s *site) {
		for range 2 {
			c := s.openAs("ann")
			for _, use := range authUses(v) {
				if m := c.ask(use[0], fmt.Sprintf(use[1], "write")); m.code() != -32603 || !strings.Contains(m.raw, `"scopes":["books:write"]`) {
					t.Errorf("%s: %v", use[0], m)
				}
				if m := c.ask(use[0], fmt.Sprintf(use[1], "plain")); m.Error != nil {
					t.Errorf("%s: %v", use[0], m)
				}
			}
		}
		if n := strings.Count(s.log.String(), "features with scopes are refused over networks"); n != 1 {
			t.Errorf("the log says so %d times", n)
		}
	})
}

// testAuthRolesFile breaks and replaces the file of roles.
func testAuthRolesFile(t *testing.T, v target) {
	path := filepath.Join(t.TempDir(), "roles.json")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(path+".new", []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(path+".new", path); err != nil {
			t.Fatal(err)
		}
	}
	start := func() error {
		_, err := mcpauth.New(mcpauth.Options{Resource: authResource, Verifiers: []mcpauth.Verifier{newAuthIssuer().jwt(mcpauth.DPoPOptions{})}, Roles: mcpauth.RolesFile(path)})
		return err
	}
	if err := start(); err == nil || !strings.Contains(err.Error(), "Options.Roles") {
		t.Errorf("no file: %v", err)
	}
	write(`{"roles":`)
	if err := start(); err == nil || !strings.Contains(err.Error(), "Options.Roles") {
		t.Errorf("a broken file: %v", err)
	}
	const all, some = `{"roles":{"staff":{"allow":["*"]}}}`, `{"roles":{"staff":{"allow":["*"],"deny":["group:admin"]}}}`
	write(all)
	v.visitAuth(t, setup{register: registerGuarded}, func(_ *authSite, o *mcpauth.Options) { o.Roles = mcpauth.RolesFile(path) }, func(t *testing.T, s *authSite) {
		c := s.openAs(tokenOf(object{"roles": "staff", "exp": time.Now().Unix() + 36000}))
		may := func(want bool, when string) {
			t.Helper()
			if m := c.ask("tools/call", call("reset", `{}`)); (m.Error == nil) != want {
				t.Errorf("%s: %v", when, m)
			}
		}
		may(true, "at first")
		write(`{"roles":{"staff"`)
		time.Sleep(time.Minute)
		may(true, "broken")
		if !strings.Contains(s.log.String(), "cannot be read again") {
			t.Errorf("log: %s", s.log)
		}
		write(some)
		time.Sleep(time.Minute)
		may(false, "replaced")
		// Files change while calls run: each is decided by one file or the other.
		var running sync.WaitGroup
		for range 4 {
			other := s.openAs(tokenOf(object{"roles": "staff", "exp": time.Now().Unix() + 36000}))
			running.Go(func() {
				for range 20 {
					if m := other.ask("tools/call", call("reset", `{}`)); m.Error != nil && m.code() != -32602 {
						t.Errorf("%v", m)
					}
					time.Sleep(time.Second)
				}
			})
		}
		for n := range 20 {
			write([]string{all, some, `{"roles":`}[n%3])
			time.Sleep(time.Second)
		}
		running.Wait()
	})
}

// authority signs certificates.
type authority struct{ certificate *x509.Certificate }

func newAuthority(t *testing.T, key *ecdsa.PrivateKey) authority {
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "own"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	c, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return authority{c}
}

// issue makes a certificate for a name.
func (a authority) issue(t *testing.T, key any, until time.Time) *tls.Certificate {
	name, err := url.Parse("spiffe://example.org/agent")
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(2), NotBefore: time.Now().Add(-time.Hour), NotAfter: until, URIs: []*url.URL{name}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth, x509.ExtKeyUsageServerAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, a.certificate, &issuerKey.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	return &tls.Certificate{Certificate: [][]byte{der}, PrivateKey: issuerKey}
}

// testAuthCertificate connects with invalid certificates, by HTTP and as a byte stream.
func testAuthCertificate(t *testing.T, v target) {
	certificates := func(_ *authSite, o *mcpauth.Options) {
		o.Verifiers = append(o.Verifiers, mcpauth.Certificates(mcpauth.CertificateOptions{}))
	}
	v.visitAuth(t, setup{}, certificates, func(t *testing.T, s *authSite) {
		// Fields in which proxies write the name of a certificate prove nothing.
		for _, field := range []string{"X-Client-Cert: ", "X-Forwarded-Client-Cert: URI=", "Ssl-Client-S-Dn: ", "X-Ssl-Client-Verify: SUCCESS;"} {
			s.wantRefused(field, 401, field+"spiffe://example.org/agent")
		}
		own, other := newAuthority(t, strayKey), newAuthority(t, issuerKey) // the same name, another key
		pool := x509.NewCertPool()
		pool.AddCert(own.certificate)
		l := faultconn.NewListener(nil)
		certified := &tls.Config{
			ClientAuth: tls.VerifyClientCertIfGiven, ClientCAs: pool, Certificates: []tls.Certificate{*own.issue(t, strayKey, time.Now().Add(time.Hour))},
		}
		server := &http.Server{Handler: s.http.Handler, ErrorLog: log.New(io.Discard, "", 0), TLSConfig: certified.Clone()}
		stream := faultconn.NewListener(nil)
		ctx, stop := context.WithCancel(s.ctx)
		s.served.Go(func() { _ = server.ServeTLS(l, "", "") })
		s.served.Go(func() {
			if err := mcpnet.Serve(ctx, s.server, tls.NewListener(stream, certified), mcpnet.WithPrincipal(s.guard.Conn)); err != nil {
				t.Error(err)
			}
		})
		defer server.Close()
		defer stop()
		self := newAuthority(t, issuerKey)
		for _, test := range []struct {
			what string
			cert *tls.Certificate
			want string // HTTP status; "" if the handshake fails
		}{
			{"valid", own.issue(t, strayKey, time.Now().Add(time.Hour)), "200"},
			{"none", new(tls.Certificate), "401"},
			{"expired", own.issue(t, strayKey, time.Now().Add(-time.Minute)), ""},
			{"of another authority with the name", other.issue(t, issuerKey, time.Now().Add(time.Hour)), ""},
			{"without chain", &tls.Certificate{Certificate: [][]byte{self.certificate.Raw}, PrivateKey: issuerKey}, ""},
		} {
			s.records()
			config := &tls.Config{RootCAs: pool, ServerName: "127.0.0.1", GetClientCertificate: func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return test.cert, nil }}
			text := modern.text("1", "tools/call", call("whoami", `{}`))
			transport := &http.Transport{TLSClientConfig: config, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) { return l.Dial(ctx) }}
			got := ""
			if v.is(httpLegacy, httpModern) {
				r, err := http.NewRequestWithContext(s.ctx, "POST", "https://127.0.0.1/mcp", strings.NewReader(text))
				if err != nil {
					t.Fatal(err)
				}
				for name, value := range map[string]string{"Content-Type": "application/json", "Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "whoami"} {
					r.Header.Set(name, value)
				}
				if resp, err := (&http.Client{Transport: transport}).Do(r); err == nil {
					body, _ := io.ReadAll(resp.Body)
					resp.Body.Close()
					if got = fmt.Sprint(resp.StatusCode); got == "200" && !strings.Contains(string(body), `certificate spiffe://example.org/agent`) {
						t.Errorf("%s: %s", test.what, body)
					}
				}
			} else if resp, err := (&http.Client{Transport: transport}).Get("https://127.0.0.1/mcp"); err == nil {
				resp.Body.Close()
				if got = fmt.Sprint(resp.StatusCode); got != "401" { // the opening request of a stream, or no upgrade
					got = "200"
				}
			}
			transport.CloseIdleConnections()
			if got != test.want {
				t.Errorf("%s: %q, want %q", test.what, got, test.want)
			}
			if records := s.records(); (got == "401") != strings.Contains(records, "denied") {
				t.Errorf("%s: the records are %s", test.what, records)
			}
			// The byte stream is closed in the cases in which HTTP answers 401.
			conn, err := stream.Dial(s.ctx)
			if err != nil {
				t.Fatal(err)
			}
			secure := tls.Client(conn, config)
			_, _ = io.WriteString(secure, text+"\n")
			reply := make([]byte, 4096)
			n, _ := secure.Read(reply)
			if got := strings.Contains(string(reply[:n]), "certificate spiffe://example.org/agent"); got != (test.want == "200") {
				t.Errorf("%s: byte stream: %s", test.what, reply[:n])
			}
			secure.Close()
			conn.Close()
		}
	})
}
