package mcpcmd_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpcmd"
)

// issue writes a certificate for this machine and its key to files, and returns it. Without an
// authority the certificate is an authority itself.
func issue(t *testing.T, dir, name string, authority *tls.Certificate) *tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: name},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		DNSNames: []string{"localhost"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
		KeyUsage:    x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign, BasicConstraintsValid: true,
		IsCA: authority == nil,
	}
	parent, signer := template, any(key)
	if authority != nil {
		parent, signer = authority.Leaf, authority.PrivateKey
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, key.Public(), signer)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	cert := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	keyText := pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private})
	for suffix, text := range map[string][]byte{".pem": cert, ".key": keyText} {
		if err := os.WriteFile(filepath.Join(dir, name+suffix), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	pair, err := tls.X509KeyPair(cert, keyText)
	if err != nil {
		t.Fatal(err)
	}
	return &pair
}

// over makes the client trust an authority and present a certificate.
func (r *running) over(authority *tls.Certificate, config *tls.Config) *running {
	config.RootCAs = x509.NewCertPool()
	config.RootCAs.AddCert(authority.Leaf)
	r.client = &http.Client{Transport: &http.Transport{TLSClientConfig: config, DisableKeepAlives: true}}
	return r
}

func TestTLS(t *testing.T) {
	dir := t.TempDir()
	authority := issue(t, dir, "authority", nil)
	issue(t, dir, "server", authority)
	client := issue(t, dir, "client", authority)
	stranger := issue(t, dir, "stranger", issue(t, dir, "other", nil))
	path := func(name string) string { return filepath.Join(dir, name) }
	flags := []string{"-tls-key", path("server.key"), "-tls-cert", path("server.pem")}
	withCA := append([]string{"-client-ca", path("authority.pem")}, flags...)
	quiet := func() *mcp.Server { return newServer(never, mcp.WithLogger(slog.New(slog.DiscardHandler))) }

	t.Run("server", func(t *testing.T) {
		r := serve(t, quiet(), flags).over(authority, &tls.Config{})
		if status, body, err := r.call("greet"); err != nil || status != http.StatusOK || !strings.HasPrefix(r.url, "https://127.0.0.1:") {
			t.Errorf("%s: %d, %v, %s", r.url, status, err, body)
		}
		if want := " at " + r.url + "\n"; !strings.HasSuffix(r.stderr.String(), want) {
			t.Errorf("%q", r.stderr)
		}
		r.over(authority, &tls.Config{MaxVersion: tls.VersionTLS11, MinVersion: tls.VersionTLS10})
		if _, _, err := r.call("greet"); err == nil {
			t.Error("TLS 1.1 is accepted")
		}
	})
	t.Run("certificates are required", func(t *testing.T) {
		r := serve(t, quiet(), withCA).over(authority, &tls.Config{Certificates: []tls.Certificate{*client}})
		if status, body, err := r.call("greet"); err != nil || status != http.StatusOK {
			t.Errorf("%d, %v, %s", status, err, body)
		}
		for name, config := range map[string]*tls.Config{"none": {}, "of another authority": {Certificates: []tls.Certificate{*stranger}}} {
			r.over(authority, config)
			if status, _, err := r.call("greet"); err == nil {
				t.Errorf("%s: %d", name, status)
			}
		}
		if want := "\tcallers need: a certificate of the authorities in " + path("authority.pem") + "\n"; !strings.HasSuffix(r.stderr.String(), want) {
			t.Errorf("%q", r.stderr)
		}
	})
	t.Run("others decide", func(t *testing.T) {
		var got []mcpcmd.HTTPServing
		r := serve(t, quiet(), append([]string{"-who", "everybody"}, withCA...), guarded(&got)).over(authority, &tls.Config{})
		if status, body, err := r.call("greet"); err != nil || status != http.StatusOK {
			t.Errorf("%d, %v, %s", status, err, body)
		}
		if len(got) != 1 || got[0].ClientCA != path("authority.pem") || got[0].URL != r.url {
			t.Errorf("%+v", got)
		}
		// A client may send a certificate that the server does not request.
		r.over(authority, &tls.Config{GetClientCertificate: func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return stranger, nil }})
		if status, _, err := r.call("greet"); err == nil {
			t.Errorf("a certificate of another authority: %d", status)
		}
	})
}

// TestTLSUsage tries the contradictions, in every order of the flags.
func TestTLSUsage(t *testing.T) {
	dir := t.TempDir()
	authority := issue(t, dir, "authority", nil)
	issue(t, dir, "server", authority)
	issue(t, dir, "other", authority)
	if err := os.WriteFile(filepath.Join(dir, "empty"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ args, want string }{
		{"-tls-cert server.pem", "flag -tls-cert has no meaning without -http"},
		{"-tls-key server.key", "flag -tls-key has no meaning without -http"},
		{"-client-ca authority.pem", "flag -client-ca has no meaning without -http"},
		{"-http 0 -tls-cert server.pem", "add -tls-key FILE"},
		{"-http 0 -tls-key server.key", "add -tls-cert FILE"},
		{"-http 0 -client-ca authority.pem", "add -tls-cert FILE and -tls-key FILE"},
		{"-client-ca authority.pem -tls-key server.key -http 0", "add -tls-cert FILE"},
		{"-tls-cert= -tls-key= -http 0", "needs the path of a file"},
		{"-client-ca= -http 0", "needs the path of a file"},
		{"-tls-cert none.pem -tls-key server.key -http 0", "flags -tls-cert and -tls-key: open "},
		{"-tls-cert . -tls-key server.key -http 0", "not a regular file"},
		{"-tls-cert server.key -tls-key server.pem -http 0", "flags -tls-cert and -tls-key: "},
		{"-tls-cert server.pem -tls-key other.key -http 0", "private key does not match public key"},
		{"-tls-cert server.pem -tls-key server.key -client-ca empty -http 0", "empty has no certificate: it needs those of the authorities"},
		{"-tls-cert server.pem -tls-key server.key -client-ca none -http 0", "flag -client-ca: "},
	} {
		args := strings.Fields(test.args)
		for i, arg := range args {
			if strings.Contains(arg, ".") || arg == "empty" || arg == "none" {
				args[i] = filepath.Join(dir, arg)
			}
		}
		_, stderr, err := run(t, args)
		if _, ok := errors.AsType[*mcpcmd.UsageError](err); !ok || !strings.Contains(err.Error(), test.want) || stderr != "" {
			t.Errorf("%s: %v, want %s; stderr %q", test.args, err, test.want, stderr)
		}
	}
}

// A renewed certificate is used after 10 seconds. A broken one is not.
func TestCertificateIsReadAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		authority := issue(t, dir, "authority", nil)
		issue(t, dir, "server", authority)
		cert, key := filepath.Join(dir, "server.pem"), filepath.Join(dir, "server.key")
		var log buffer
		get, err := mcpcmd.GetCertificate(cert, key, slog.New(slog.NewTextHandler(&log, nil)))
		if err != nil {
			t.Fatal(err)
		}
		serial := func() string {
			c, err := get(nil)
			if err != nil {
				t.Fatal(err)
			}
			return c.Leaf.SerialNumber.String()
		}
		first := serial()
		time.Sleep(time.Minute)
		second := issue(t, dir, "server", authority).Leaf.SerialNumber.String()
		if got := serial(); got != second || got == first {
			t.Errorf("serial number %s, want %s", got, second)
		}
		if err := os.WriteFile(key, []byte("broken"), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := serial(); got != second || log.String() != "" {
			t.Errorf("within 10 seconds: %s, %s", got, &log)
		}
		time.Sleep(10 * time.Second)
		if got := serial(); got != second || !strings.Contains(log.String(), "server.key") {
			t.Errorf("after an error: %s, %s", got, &log)
		}
		time.Sleep(10 * time.Second)
		third := issue(t, dir, "server", authority).Leaf.SerialNumber.String()
		if got := serial(); got != third {
			t.Errorf("serial number %s, want %s", got, third)
		}
	})
}

// TLS errors of unknown clients are logged a few times, not a thousand times.
func TestHandshakeLog(t *testing.T) {
	dir := t.TempDir()
	issue(t, dir, "server", nil)
	var log buffer
	s := newServer(never, mcp.WithLogger(slog.New(slog.NewTextHandler(&log, nil))))
	r := serve(t, s, []string{"-tls-cert", filepath.Join(dir, "server.pem"), "-tls-key", filepath.Join(dir, "server.key")})
	at := strings.TrimSuffix(strings.TrimPrefix(r.url, "https://"), "/mcp")
	began := time.Now()
	for range 50 {
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		conn, err := new(net.Dialer).DialContext(ctx, "tcp", at)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := conn.Write([]byte("GET / HTTP/1.1\r\n\r\n")); err != nil {
			t.Fatal(err)
		}
		_, _ = conn.Read(make([]byte, 1)) // until the server has seen it
		_ = conn.Close()
		cancel()
	}
	r.stop()
	<-r.ended
	most := 10 * (2 + int(time.Since(began)/(10*time.Second))) // ten of a kind in ten seconds
	if n := strings.Count(log.String(), "has not connected by TLS"); n == 0 || n > most {
		t.Errorf("%d lines, want at most %d:\n%s", n, most, &log)
	}
}
