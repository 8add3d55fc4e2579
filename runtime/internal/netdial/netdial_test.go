package netdial_test

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net/http/httptest"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/internal/netdial"
)

// TestTLSKey: configurations that send something else, or trust others, have other keys.
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
