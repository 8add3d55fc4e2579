package mcpauth_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpauth"
	"github.com/mcpgen/mcpgen/runtime/mcpcmd"
)

// started is a program with mcpauth.Flags.
type started struct {
	url    string
	stderr string // at the start
	client *http.Client
}

// start runs a program with flags until the test ends. It captures the standard error of mcpcmd.
func start(t *testing.T, args ...string) *started {
	t.Helper()
	server := mcp.NewServer(mcp.ServerInfo{Name: "books", Version: "1"})
	for _, name := range []string{"whoami", "secret"} {
		server.Register(mcp.NewTool(mcp.ToolInfo{Name: name}, func(ctx context.Context, _ json.RawMessage) (*mcp.ToolResult, error) {
			return mcp.TextResult("caller <" + mcp.CallFrom(ctx).Principal().ID + ">"), nil
		}))
	}
	ctx, stop := context.WithCancel(t.Context())
	s := &started{client: &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}}
	ready, ended := make(chan string, 1), make(chan error, 1)
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer read.Close()
	standard := os.Stderr
	os.Stderr = write
	go func() {
		ended <- mcpcmd.Run(ctx, server, append([]string{"-http", "127.0.0.1:0"}, args...),
			mcpauth.Flags(), mcpcmd.WithReady(func(url string) { ready <- url }))
	}()
	select {
	case s.url = <-ready:
	case err = <-ended:
	}
	os.Stderr = standard
	_ = write.Close()
	text, _ := io.ReadAll(read)
	s.stderr = string(text)
	if s.url == "" {
		stop()
		t.Fatal("Run:", err, s.stderr)
	}
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return s
}

// call calls a tool, and returns the status, the challenge and the body.
func (s *started) call(t *testing.T, tool string, fields ...string) (status int, challenge, body string) {
	t.Helper()
	r := post(tool, fields...)
	req, err := http.NewRequestWithContext(t.Context(), r.Method, s.url, r.Body)
	if err != nil {
		t.Fatal(err)
	}
	req.Header = r.Header
	if host := req.Header.Get("Host"); host != "" {
		req.Host = host
		req.Header.Del("Host")
	}
	resp, err := s.client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, resp.Header.Get("WWW-Authenticate"), string(text)
}

// metadata returns the document at the path that the program's challenge names.
func (s *started) metadata(t *testing.T) (m struct {
	Resource string
	Servers  []string `json:"authorization_servers"`
}) {
	t.Helper()
	at := strings.TrimSuffix(s.url, "/mcp") + "/.well-known/oauth-protected-resource/mcp"
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, at, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := s.client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if err := json.NewDecoder(resp.Body).Decode(&m); err != nil {
		t.Error(err)
	}
	return m
}

// localIssuer serves the keys of an issuer on this machine.
func localIssuer(t *testing.T) string {
	t.Helper()
	var server *httptest.Server
	server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/.well-known/oauth-authorization-server":
			_, _ = io.WriteString(w, jsonOf(object{"issuer": server.URL, "jwks_uri": server.URL + "/keys"}))
		case "/keys":
			_, _ = io.WriteString(w, jsonOf(object{"keys": []object{jwk(ecKey, object{"kid": "ec"})}}))
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(server.Close)
	return server.URL
}

func writeFile(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestFlagsAuth(t *testing.T) {
	issuer := localIssuer(t)
	of := func(audience string) string {
		return "Authorization: Bearer " + token(object{"iss": issuer, "aud": audience, "roles": []string{"staff"}})
	}
	t.Run("URL of -http", func(t *testing.T) {
		s := start(t, "-auth", issuer)
		status, challenge, _ := s.call(t, "whoami")
		if want := `resource_metadata="` + strings.TrimSuffix(s.url, "/mcp") + `/.well-known/oauth-protected-resource/mcp"`; status != 401 || !strings.Contains(challenge, want) {
			t.Errorf("%d, %s", status, challenge)
		}
		if status, _, body := s.call(t, "whoami", of(s.url)); status != 200 || !strings.Contains(body, "ada>") {
			t.Errorf("%d, %s", status, body)
		}
		if status, _, _ := s.call(t, "whoami", of("https://other.example.com/mcp")); status != 401 {
			t.Errorf("a token for another server: %d", status)
		}
		if m := s.metadata(t); m.Resource != s.url || len(m.Servers) != 1 || m.Servers[0] != issuer {
			t.Errorf("%+v", m)
		}
		if want := "\tcallers need: a token of " + issuer + " for " + s.url + "\n"; !strings.HasSuffix(s.stderr, want) {
			t.Errorf("%q, want %q", s.stderr, want)
		}
	})
	t.Run("URL of -url", func(t *testing.T) {
		roles := writeFile(t, "roles.json", `{"roles": {"staff": {"deny": ["secret"]}}}`)
		s := start(t, "-roles", roles, "-url", resource, "-audience", "shop", "-auth", issuer)
		for _, audience := range []string{resource, "shop"} {
			if status, _, body := s.call(t, "whoami", of(audience), "Host: mcp.example.com"); status != 200 {
				t.Errorf("%s: %d, %s", audience, status, body)
			}
		}
		if status, _, _ := s.call(t, "whoami", of(s.url)); status != 401 {
			t.Errorf("a token for the URL of -http: %d", status)
		}
		if _, _, body := s.call(t, "secret", of("shop")); !strings.Contains(body, "-32602") {
			t.Errorf("a tool that the role may not see: %s", body)
		}
		if status, _, _ := s.call(t, "whoami", of("shop"), "Host: evil.example"); status != 403 {
			t.Errorf("another host: %d", status)
		}
		if m := s.metadata(t); m.Resource != resource {
			t.Errorf("%+v", m)
		}
		if want := "a token of " + issuer + " for " + resource + " or shop; what they see is in " + roles + "\n"; !strings.HasSuffix(s.stderr, want) {
			t.Errorf("%q, want %q", s.stderr, want)
		}
	})
	t.Run("none", func(t *testing.T) {
		s := start(t)
		if status, _, body := s.call(t, "whoami"); status != 200 || !strings.Contains(body, "caller <>") || strings.Contains(s.stderr, "callers") {
			t.Errorf("%d, %s, %q", status, body, s.stderr)
		}
	})
}

func TestFlagsKeys(t *testing.T) {
	text, key := mcpauth.NewKey("nightly")
	path := writeFile(t, "keys.json", jsonOf(object{"keys": []mcpauth.Key{key}}))
	s := start(t, "-keys", path)
	if status, _, body := s.call(t, "whoami", "Authorization: Bearer "+text); status != 200 || !strings.Contains(body, "nightly") {
		t.Errorf("%d, %s", status, body)
	}
	other, _ := mcpauth.NewKey("other")
	for _, field := range []string{"X-None: 1", "Authorization: Bearer " + other} {
		if status, _, _ := s.call(t, "whoami", field); status != 401 {
			t.Errorf("%.20s: %d", field, status)
		}
	}
	if !strings.HasSuffix(s.stderr, "\tcallers need: a key of "+path+"\n") {
		t.Errorf("%q", s.stderr)
	}
}

// TestFlagsCertificate uses certificates and a token: each of them suffices.
func TestFlagsCertificate(t *testing.T) {
	dir := t.TempDir()
	private := must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		DNSNames: []string{"reports.example.com"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
		KeyUsage:    x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	der := must(x509.CreateCertificate(rand.Reader, template, template, private.Public(), private))
	cert, key := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	for path, block := range map[string]*pem.Block{
		cert: {Type: "CERTIFICATE", Bytes: der}, key: {Type: "PRIVATE KEY", Bytes: must(x509.MarshalPKCS8PrivateKey(private))},
	} {
		if err := os.WriteFile(path, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	text, stored := mcpauth.NewKey("nightly")
	keys := writeFile(t, "keys.json", jsonOf(object{"keys": []mcpauth.Key{stored}}))
	s := start(t, "-client-ca", cert, "-tls-key", key, "-keys", keys, "-tls-cert", cert)
	pool := x509.NewCertPool()
	pool.AddCert(must(x509.ParseCertificate(der)))
	with := func(certificates ...tls.Certificate) {
		s.client = &http.Client{Transport: &http.Transport{
			TLSClientConfig: &tls.Config{RootCAs: pool, Certificates: certificates}, DisableKeepAlives: true,
		}}
	}
	with()
	if status, _, _ := s.call(t, "whoami"); status != 401 {
		t.Errorf("without a credential: %d", status)
	}
	if status, _, body := s.call(t, "whoami", "Authorization: Bearer "+text); status != 200 || !strings.Contains(body, "nightly") {
		t.Errorf("with a key: %d, %s", status, body)
	}
	with(must(tls.LoadX509KeyPair(cert, key)))
	if status, _, body := s.call(t, "whoami"); status != 200 || !strings.Contains(body, "reports.example.com") {
		t.Errorf("with a certificate: %d, %s", status, body)
	}
	if want := "at " + s.url + "\n\tcallers need: a key of " + keys + ", or a certificate of the authorities in " + cert + "\n"; !strings.HasSuffix(s.stderr, want) {
		t.Errorf("%q, want %q", s.stderr, want)
	}
}

func TestFlagsUsage(t *testing.T) {
	broken := writeFile(t, "broken.json", `{"keys": [{"name": "a", "sha256": "`+canary+`"}]}`)
	none := filepath.Join(t.TempDir(), "none.json")
	for _, test := range []struct{ args, want string }{
		{"-auth https://id.example.com", "flag -auth has no meaning without -http: add -http ADDR"},
		{"-http 0.0.0.0:0 -auth https://id.example.com", "flag -url is missing"},
		{"-http 0 -auth http://id.example.com", "write https://id.example.com"},
		{"-http 0 -audience shop", "add -auth ISSUER"},
		{"-http 0 -auth=", "it needs the URL of an issuer"},
		{"-http 0 -keys " + none, ": mcpgen key new NAME -file " + none + " makes one"},
		{"-http 0 -keys " + broken, "flag -keys: read " + broken + ": "},
		{"-http 0 -auth https://id.example.com -roles " + none, `write {"roles"`},
		{"-http 0 -auth https://id.example.com -roles " + broken, "flag -roles: read " + broken + ": "},
	} {
		err := mcpcmd.Run(t.Context(), mcp.NewServer(mcp.ServerInfo{Name: "books", Version: "1"}), strings.Fields(test.args), mcpauth.Flags())
		if _, ok := errors.AsType[*mcpcmd.UsageError](err); !ok || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %s", test.args, err, test.want)
			continue
		}
		noSecret(t, err.Error())
	}
}
