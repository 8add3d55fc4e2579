package pages_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcphttp"
)

// proxied is a proxy from a page, running in front of servers.
type proxied struct {
	t      *testing.T
	port   string
	scheme string
	client *http.Client
}

// startProxy runs a proxy until the test ends. It skips the test if the program is missing. The
// client uses the host name of the page.
func startProxy(t *testing.T, scheme, port string, env []string, name string, args ...string) *proxied {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Env = append(os.Environ(), env...)
	var log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &log, &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = cmd.Wait()
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		<-ended
		if t.Failed() {
			t.Logf("%s printed\n%s", name, &log)
		}
	})
	address := net.JoinHostPort("127.0.0.1", port)
	for {
		c, err := net.Dial("tcp", address)
		if err == nil {
			c.Close()
			break
		}
		select {
		case <-ended:
			t.Fatalf("%s has ended: %v", name, err)
		case <-time.After(10 * time.Millisecond): // it does not report when it listens
		}
	}
	transport := &http.Transport{
		TLSClientConfig:   &tls.Config{InsecureSkipVerify: true},
		ForceAttemptHTTP2: true,
		DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, network, address)
		},
	}
	t.Cleanup(transport.CloseIdleConnections)
	return &proxied{t, port, scheme, &http.Client{Transport: transport}}
}

// look skips a test if the program is missing.
func look(t *testing.T, name string) {
	t.Helper()
	if _, err := exec.LookPath(name); err != nil {
		t.Skip(err)
	}
}

// freePort returns an unused port.
func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return port
}

// behind serves with the page's options for a server behind a proxy. Its tool climb waits after
// each step until the client receives it.
func behind(t *testing.T, seen <-chan struct{}, options ...mcphttp.Option) *httptest.Server {
	t.Helper()
	s := mcp.NewServer(mcp.ServerInfo{Name: "proxied"})
	s.Register(mcp.NewTool(mcp.ToolInfo{Name: "climb"}, func(ctx context.Context, _ json.RawMessage) (*mcp.ToolResult, error) {
		for i := range 3 {
			mcp.Progress(ctx, float64(i+1), 3, "")
			select {
			case <-seen:
			case <-ctx.Done():
				return nil, context.Cause(ctx)
			}
		}
		return mcp.TextResult("up"), nil
	}))
	s.Register(mcp.NewTool(mcp.ToolInfo{Name: "size"}, func(_ context.Context, arguments json.RawMessage) (*mcp.ToolResult, error) {
		return mcp.TextResult(fmt.Sprint(len(arguments))), nil
	}))
	handler := mcphttp.NewHandler(s, options...)
	web := httptest.NewServer(handler)
	t.Cleanup(func() {
		_ = handler.Close()
		web.Close()
	})
	return web
}

// call calls a tool with an argument of size bytes.
func (p *proxied) call(tool string, size int, header ...string) *http.Response {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.t.Context(), 20*time.Second)
	p.t.Cleanup(cancel)
	body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + tool + `","arguments":{"a":"` + strings.Repeat("x", size) + `"},` +
		`"_meta":{"progressToken":1,"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`
	return p.post(ctx, body, append([]string{"MCP-Protocol-Version", "2026-07-28", "Mcp-Method", "tools/call", "Mcp-Name", tool}, header...)...)
}

func (p *proxied) post(ctx context.Context, body string, header ...string) *http.Response {
	p.t.Helper()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, p.scheme+"://mcp.example.com/mcp", strings.NewReader(body))
	if err != nil {
		p.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := p.client.Do(req)
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() { resp.Body.Close() })
	return resp
}

// text returns the whole body of a response.
func text(t *testing.T, resp *http.Response) string {
	t.Helper()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// works checks the page's statements about a proxy.
func (p *proxied) works(seen chan<- struct{}) {
	p.t.Helper()
	// Each event arrives before the next one is sent.
	resp := p.call("climb", 0)
	if kind := resp.Header.Get("Content-Type"); resp.StatusCode != http.StatusOK || kind != "text/event-stream" {
		p.t.Fatalf("%s, %s: %s", resp.Status, kind, text(p.t, resp))
	}
	events, last := 0, ""
	for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
		if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
			if last = data; strings.Contains(data, "notifications/progress") {
				events++
				seen <- struct{}{}
			}
		}
	}
	if events != 3 || !strings.Contains(last, `"up"`) {
		p.t.Errorf("%d steps, then %s", events, last)
	}
	// Messages may be as large as the server accepts.
	if resp := p.call("size", 4_000_000); resp.StatusCode != http.StatusOK || !strings.Contains(text(p.t, resp), "4000008") {
		p.t.Errorf("4 MB: %s", resp.Status)
	}
	// A page with the proxy's host name may call, other pages may not.
	if resp := p.call("size", 0, "Origin", "https://mcp.example.com"); resp.StatusCode != http.StatusOK {
		p.t.Errorf("own origin: %s, %s", resp.Status, text(p.t, resp))
	}
	if resp := p.call("size", 0, "Origin", "https://evil.example"); resp.StatusCode != http.StatusForbidden {
		p.t.Errorf("another origin: %s", resp.Status)
	}
}

// TestNginx runs the configuration of the page.
func TestNginx(t *testing.T) {
	look(t, "nginx")
	seen := make(chan struct{})
	web := behind(t, seen, mcphttp.WithAllowedHosts("mcp.example.com"))
	dir, port := t.TempDir(), freePort(t)
	certificate := selfSigned(t, dir, "mcp.example.com")
	server := strings.NewReplacer(
		"listen 443 ssl;\n\thttp2 on;", "listen 127.0.0.1:"+port+" ssl http2;",
		"http://127.0.0.1:8080", web.URL,
		"/etc/ssl/mcp.example.com.pem", certificate,
		"/etc/ssl/mcp.example.com.key", certificate,
	).Replace(block(t, read(t, "docs/serve/transports.md"), "nginx. ", "nginx"))
	for _, path := range []string{"client_body", "proxy", "fastcgi", "uwsgi", "scgi"} {
		server = path + "_temp_path " + filepath.Join(dir, path) + ";\n" + server
	}
	config := filepath.Join(dir, "nginx.conf")
	text := "daemon off;\nmaster_process off;\npid " + filepath.Join(dir, "pid") + ";\nerror_log stderr;\nevents {}\nhttp {\naccess_log off;\n" + server + "}\n"
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	p := startProxy(t, "https", port, nil, "nginx", "-p", dir, "-e", "stderr", "-c", config)
	if resp := p.call("size", 0); resp.ProtoMajor != 2 {
		t.Errorf("%s to clients", resp.Proto)
	}
	p.works(seen)
}

// TestCaddy runs the configuration of the page, without certificates.
func TestCaddy(t *testing.T) {
	look(t, "caddy")
	seen := make(chan struct{})
	web := behind(t, seen, mcphttp.WithAllowedHosts("mcp.example.com"))
	dir, port := t.TempDir(), freePort(t)
	site := strings.NewReplacer(
		"mcp.example.com {", "http://mcp.example.com:"+port+" {",
		"127.0.0.1:8080", strings.TrimPrefix(web.URL, "http://"),
	).Replace(block(t, read(t, "docs/serve/transports.md"), "Caddy needs only the address", "caddyfile"))
	config := filepath.Join(dir, "Caddyfile")
	if err := os.WriteFile(config, []byte("{\n\tadmin off\n}\n"+site), 0o600); err != nil {
		t.Fatal(err)
	}
	p := startProxy(t, "http", port, []string{"HOME=" + dir, "XDG_DATA_HOME=" + dir, "XDG_CONFIG_HOME=" + dir},
		"caddy", "run", "--adapter", "caddyfile", "--config", config)
	p.works(seen)
}

// TestHAProxy checks that requests of a session go to the replica that opened it.
func TestHAProxy(t *testing.T) {
	look(t, "haproxy")
	a, b := behind(t, nil, mcphttp.WithAllowedHosts("mcp.example.com")), behind(t, nil, mcphttp.WithAllowedHosts("mcp.example.com"))
	dir, port := t.TempDir(), freePort(t)
	backend := strings.NewReplacer(
		"10.0.0.1:8080", strings.TrimPrefix(a.URL, "http://"),
		"10.0.0.2:8080", strings.TrimPrefix(b.URL, "http://"),
	).Replace(block(t, read(t, "docs/serve/replicas.md"), "HAProxy can do that", "haproxy"))
	config := filepath.Join(dir, "haproxy.cfg")
	text := "defaults\n\tmode http\n\ttimeout connect 5s\n\ttimeout client 60s\n\nfrontend web\n\tbind 127.0.0.1:" + port + "\n\tdefault_backend bookstore\n\n" + backend
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	p := startProxy(t, "http", port, nil, "haproxy", "-f", config, "-db")
	p.client.Transport.(*http.Transport).DisableKeepAlives = true
	for n := range 4 { // more than the number of replicas
		opened := p.post(t.Context(), `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`)
		id := opened.Header.Get("Mcp-Session-Id")
		if opened.StatusCode != http.StatusOK || id == "" {
			t.Fatalf("initialize: %s, session %q", opened.Status, id)
		}
		for range 4 {
			resp := p.post(t.Context(), `{"jsonrpc":"2.0","id":1,"method":"ping"}`, "Mcp-Session-Id", id, "MCP-Protocol-Version", "2025-06-18")
			if resp.StatusCode != http.StatusOK {
				t.Errorf("session %d: %s", n, resp.Status)
			}
		}
	}
}

// selfSigned writes a certificate and its key into one file.
func selfSigned(t *testing.T, dir, name string) string {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), DNSNames: []string{name},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
	}
	certificate, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	for _, p := range []*pem.Block{{Type: "CERTIFICATE", Bytes: certificate}, {Type: "PRIVATE KEY", Bytes: secret}} {
		if err := pem.Encode(&b, p); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(dir, "certificate.pem")
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
