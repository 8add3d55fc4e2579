package netdial_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net/http/httptest"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/internal/netdial"
)

// TestTLSKey: configurations that send other data, or trust other certificates, have different
// keys.
func TestTLSKey(t *testing.T) {
	server := httptest.NewTLSServer(nil)
	defer server.Close()
	pool := func(add bool) *x509.CertPool {
		p := x509.NewCertPool()
		if add {
			p.AddCert(server.Certificate())
		}
		return p
	}
	certificate := func(n int) func(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
		return func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return nil, fmt.Errorf("%d", n) }
	}
	configs := []*tls.Config{
		nil, {}, {ServerName: "a"}, {InsecureSkipVerify: true},
		{RootCAs: pool(false)}, {RootCAs: pool(true)},
		{GetClientCertificate: certificate(1)}, {GetClientCertificate: certificate(2)},
		{VerifyConnection: func(tls.ConnectionState) error { return nil }},
		{VerifyPeerCertificate: func([][]byte, [][]*x509.Certificate) error { return nil }},
	}
	keys := map[string]int{}
	for i, c := range configs {
		key := netdial.TLSKey(c)
		if other, ok := keys[key]; ok {
			t.Errorf("configurations %d and %d have the same key", other, i)
		}
		keys[key] = i
		if netdial.TLSKey(c) != key {
			t.Errorf("configuration %d has another key the second time", i)
		}
	}
	if a, b := netdial.TLSKey(&tls.Config{RootCAs: pool(true)}), netdial.TLSKey(&tls.Config{RootCAs: pool(true)}); a != b {
		t.Error("equal pools have different keys")
	}
}

// TestKnowsClient: configurations whose key does not identify the client that a server sees.
func TestKnowsClient(t *testing.T) {
	server := httptest.NewTLSServer(nil)
	defer server.Close()
	own := server.TLS.Certificates[0]
	other, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	unparsed := tls.Certificate{Certificate: own.Certificate, PrivateKey: own.PrivateKey}
	function := func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return &own, nil }
	for _, test := range []struct {
		name   string
		config *tls.Config
		want   bool
	}{
		{"nil", nil, true},
		{"empty", &tls.Config{}, true},
		{"authorities", &tls.Config{RootCAs: x509.NewCertPool(), ServerName: "a"}, true},
		{"a certificate", &tls.Config{Certificates: []tls.Certificate{own}}, true},
		{"one that is not parsed", &tls.Config{Certificates: []tls.Certificate{unparsed}}, true},
		{"with the key of another", &tls.Config{Certificates: []tls.Certificate{{Certificate: own.Certificate, PrivateKey: other}}}, false},
		{"without a key", &tls.Config{Certificates: []tls.Certificate{own, {Certificate: own.Certificate}}}, false},
		{"with nonsense", &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{{1}}, PrivateKey: own.PrivateKey}}}, false},
		{"without one", &tls.Config{Certificates: []tls.Certificate{{PrivateKey: own.PrivateKey}}}, false},
		{"a function", &tls.Config{GetClientCertificate: function}, false},
		{"sessions that are resumed", &tls.Config{ClientSessionCache: tls.NewLRUClientSessionCache(1)}, false},
	} {
		if got := netdial.KnowsClient(test.config); got != test.want {
			t.Errorf("%s: %v", test.name, got)
		}
	}
}
