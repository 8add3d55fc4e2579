package mcpauth_test

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
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/runtime/mcpauth"
)

// authority signs certificates.
type authority struct {
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
}

func newAuthority(name string, key *ecdsa.PrivateKey) authority {
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	der := must(x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key))
	return authority{must(x509.ParseCertificate(der)), key}
}

// issue creates the certificate of a client or server.
func (a authority) issue(change func(*x509.Certificate)) tls.Certificate {
	template := &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: "common"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth, x509.ExtKeyUsageServerAuth}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	change(template)
	der := must(x509.CreateCertificate(rand.Reader, template, a.certificate, &ecKey.PublicKey, a.key))
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: ecKey}
}

func uri(text string) func(*x509.Certificate) {
	return func(c *x509.Certificate) { c.URIs = []*url.URL{must(url.Parse(text))} }
}

// TestCertificates connects by TLS with certificates of all kinds.
func TestCertificates(t *testing.T) {
	own, other := newAuthority("own", otherECKey), newAuthority("own", ecKey) // the same name, another key
	s := newSite(t, func(o *mcpauth.Options) {
		o.Verifiers = append(o.Verifiers, mcpauth.Certificates(mcpauth.CertificateOptions{Identify: func(_ context.Context, leaf *x509.Certificate) (*mcpauth.Identity, error) {
			if strings.Contains(mcpauth.CertificateName(leaf), "banned") {
				return nil, fmt.Errorf("%s is banned: %w", mcpauth.CertificateName(leaf), mcpauth.ErrInvalid)
			}
			return &mcpauth.Identity{Scopes: []string{"books:read"}, Issuer: issuerURL}, nil
		}}))
	})
	pool := x509.NewCertPool()
	pool.AddCert(own.certificate)
	for _, mode := range []tls.ClientAuthType{tls.VerifyClientCertIfGiven, tls.RequireAndVerifyClientCert, tls.RequestClientCert} {
		server := httptest.NewUnstartedServer(s)
		server.Config.ErrorLog = log.New(io.Discard, "", 0)
		server.TLS = &tls.Config{ClientAuth: mode, ClientCAs: pool, Certificates: []tls.Certificate{own.issue(func(*x509.Certificate) {})}}
		server.StartTLS()
		roots := x509.NewCertPool()
		roots.AddCert(own.certificate)
		self := newAuthority("self", ecKey).certificate.Raw
		for _, test := range []struct {
			name   string
			cert   *tls.Certificate
			fields []string
			want   string // principal, status or handshake
		}{
			{"SPIFFE", ptr(own.issue(uri("spiffe://example.org/agent"))), nil, "certificate spiffe://example.org/agent"},
			{"DNS name", ptr(own.issue(func(c *x509.Certificate) { c.DNSNames = []string{"agent.example.org"} })), nil, "certificate agent.example.org"},
			{"two names", ptr(own.issue(func(c *x509.Certificate) { c.DNSNames = []string{"a.example.org", "b.example.org"} })), nil, "certificate sha256:"},
			{"refused", ptr(own.issue(uri("spiffe://example.org/banned"))), nil, "401"},
			{"none", nil, []string{"X-Client-Cert: spiffe://example.org/agent", "X-Forwarded-Client-Cert: URI=spiffe://example.org/agent", "Ssl-Client-Verify: SUCCESS"}, "401"},
			{"expired", ptr(own.issue(func(c *x509.Certificate) { c.NotAfter = time.Now().Add(-time.Minute) })), nil, "handshake"},
			{"for servers", ptr(own.issue(func(c *x509.Certificate) { c.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth} })), nil, "handshake"},
			{"another authority", ptr(other.issue(uri("spiffe://example.org/agent"))), nil, "handshake"},
			{"no chain", &tls.Certificate{Certificate: [][]byte{self}, PrivateKey: ecKey}, nil, "handshake"},
			{"with a token", ptr(own.issue(uri("spiffe://example.org/agent"))), []string{"Authorization: Bearer " + token(nil)}, issuerURL + " ada"},
			{"with a bad token", ptr(own.issue(uri("spiffe://example.org/agent"))), []string{"Authorization: Bearer " + token(object{"exp": 1})}, "401"},
		} {
			want := test.want
			switch {
			case mode == tls.RequestClientCert && test.cert != nil && !strings.HasPrefix(test.name, "with"):
				want = "401" // TLS has not verified it, whatever it contains
			case mode == tls.RequireAndVerifyClientCert && test.cert == nil:
				want = "handshake"
			}
			client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots, GetClientCertificate: func(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
				if test.cert == nil {
					return new(tls.Certificate), nil
				}
				return test.cert, nil
			}}}}
			r := post("whoami", test.fields...)
			r.RequestURI, r.URL, r.Host = "", must(url.Parse(server.URL+"/mcp")), ""
			resp, err := client.Do(r)
			got := "handshake"
			if err == nil {
				body := string(must(io.ReadAll(resp.Body)))
				resp.Body.Close()
				got = fmt.Sprint(resp.StatusCode)
				if _, after, ok := strings.Cut(body, `{\"Principal\":\"`); ok {
					got, _, _ = strings.Cut(after, `\"`)
				}
			}
			if !strings.HasPrefix(got, want) {
				t.Errorf("%s, mode %v: %s, want %s (%v)", test.name, mode, got, want, err)
			}
			client.CloseIdleConnections()
		}
		server.Close()
	}
}

func ptr[T any](v T) *T { return &v }

// TestGuardConn authenticates connections without HTTP.
func TestGuardConn(t *testing.T) {
	own := newAuthority("own", otherECKey)
	pool := x509.NewCertPool()
	pool.AddCert(own.certificate)
	s := newSite(t, func(o *mcpauth.Options) {
		o.Verifiers = append(o.Verifiers, mcpauth.Certificates(mcpauth.CertificateOptions{}))
	})
	connect := func(certificates ...tls.Certificate) (string, error) {
		a, b := net.Pipe()
		defer a.Close()
		defer b.Close()
		server := tls.Server(a, &tls.Config{ClientAuth: tls.VerifyClientCertIfGiven, ClientCAs: pool, Certificates: []tls.Certificate{own.issue(func(*x509.Certificate) {})}})
		client := tls.Client(b, &tls.Config{RootCAs: pool, ServerName: "127.0.0.1", Certificates: certificates})
		go func() { _ = client.Handshake(); _, _ = io.Copy(io.Discard, client) }()
		if err := server.Handshake(); err != nil {
			return "", err
		}
		p, err := s.guard.Conn(server)
		return p.ID, err
	}
	if id, err := connect(own.issue(uri("spiffe://example.org/agent"))); err != nil || id != "certificate spiffe://example.org/agent" {
		t.Errorf("%s, %v", id, err)
	}
	if id, err := connect(); err == nil || id != "" {
		t.Errorf("no certificate: %s", id)
	}
	a, b := net.Pipe()
	defer a.Close()
	defer b.Close()
	if p, err := s.guard.Conn(a); err == nil || p.ID != "" {
		t.Errorf("no TLS: %v", p)
	}
	if record := s.audit.String(); strings.Count(record, "decision=denied") != 2 || strings.Count(record, "decision=granted") != 1 {
		t.Error(record)
	}
}
