package pages_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/internal/loginpage"
)

// TestAuth follows the page about logins, up to the part about production. Its client uses net/http
// alone, so that the page does not depend on what mcplogin does.
func TestAuth(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the commands are for a POSIX shell")
	}
	page, _, ok := strings.Cut(read(t, "docs/serve/auth.md"), "\n## In production\n")
	if !ok {
		t.Fatal("the page has no part about production")
	}
	s := newShell(t)
	blocks := fenced(page)
	for _, b := range blocks {
		if b.file != "" {
			if err := os.WriteFile(filepath.Join(s.dir, b.file), []byte(b.text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	endpoint, said, connected, tested := "", "", false, false
	for _, b := range blocks {
		if b.language == "text" {
			if want := strings.Replace(b.text, "http://127.0.0.1:8080/mcp", endpoint, 1); !strings.HasPrefix(said, want) {
				t.Errorf("docs/serve/auth.md:%d: it says\n%s\nbut the program prints\n%s", b.line, want, said)
			}
		}
		if b.language != "sh" {
			continue
		}
		for line := range strings.Lines(b.text) {
			switch line = strings.TrimSpace(line); {
			case strings.HasPrefix(line, "go get -tool "):
				s.install(root(t))
			case strings.HasPrefix(line, "claude "):
				loggedIn(t, endpoint)
				connected = true
			case strings.Contains(line, " -http "):
				endpoint, said = s.serve(line)
			default:
				s.must("", line)
				tested = tested || line == "go test"
			}
		}
	}
	if !connected || !tested {
		t.Error("the page has no client, or no test")
	}
}

// loggedIn follows the page's steps for a client, as ada and as root.
func loggedIn(t *testing.T, endpoint string) {
	c := &rawClient{t: t, endpoint: endpoint}
	status, challenge := c.call("search", `{"query":"e"}`)
	if status != http.StatusUnauthorized {
		t.Fatalf("without a token: status %d", status)
	}
	c.discover(challenge)
	for _, step := range []struct {
		persona, scope, tool string
		status               int
		body                 string
	}{
		{"ada", "books:read", "search", http.StatusOK, "Evelina"},
		{"", "", "order", http.StatusForbidden, "books:write"},
		{"ada", "books:read books:write", "order", http.StatusForbidden, "books:write"},
		{"root", "books:read books:write", "order", http.StatusOK, "Emma is ordered for root"},
		{"", "", "search", http.StatusOK, "Evelina"},
	} {
		if step.persona != "" {
			c.logIn(step.persona, step.scope)
		}
		status, body := c.call(step.tool, map[string]string{"search": `{"query":"e"}`, "order": `{"title":"Emma"}`}[step.tool])
		if status != step.status || !strings.Contains(body, step.body) {
			t.Errorf("%+v: status %d\n%s", step, status, body)
		}
	}
}

// rawClient is a client of the authorization chapter of the specification.
type rawClient struct {
	t        *testing.T
	endpoint string
	issuer   struct {
		Authorize string `json:"authorization_endpoint"`
		Token     string `json:"token_endpoint"`
		Register  string `json:"registration_endpoint"`
	}
	id, token string
}

// send sends a request, and returns the status, the header and the body.
func (c *rawClient) send(method, to, kind, body string, fields map[string]string) (int, http.Header, []byte) {
	c.t.Helper()
	r, err := http.NewRequestWithContext(c.t.Context(), method, to, strings.NewReader(body))
	if err != nil {
		c.t.Fatal(err)
	}
	r.Header.Set("Content-Type", kind)
	for name, value := range fields {
		r.Header.Set(name, value)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		c.t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		c.t.Fatal(err)
	}
	return resp.StatusCode, resp.Header, text
}

// call calls a tool. It returns the status, and the challenge and the body.
func (c *rawClient) call(tool, arguments string) (int, string) {
	c.t.Helper()
	fields := map[string]string{
		"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": tool,
	}
	if c.token != "" {
		fields["Authorization"] = "Bearer " + c.token
	}
	status, header, body := c.send(http.MethodPost, c.endpoint, "application/json", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"`+tool+
		`","arguments":`+arguments+`,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`, fields)
	return status, header.Get("WWW-Authenticate") + "\n" + string(body)
}

// get requests a JSON document.
func (c *rawClient) get(from string, to any) {
	c.t.Helper()
	status, _, body := c.send(http.MethodGet, from, "", "", nil)
	if err := json.Unmarshal(body, to); err != nil || status != http.StatusOK {
		c.t.Fatalf("%s: status %d, %v", from, status, err)
	}
}

var metadataField = regexp.MustCompile(`resource_metadata="([^"]+)"`)

// discover finds the issuer by the challenge, and registers there.
func (c *rawClient) discover(challenge string) {
	c.t.Helper()
	m := metadataField.FindStringSubmatch(challenge)
	if m == nil {
		c.t.Fatalf("no resource_metadata in %s", challenge)
	}
	var resource struct {
		Resource string   `json:"resource"`
		Issuers  []string `json:"authorization_servers"`
	}
	c.get(m[1], &resource)
	if resource.Resource != c.endpoint || !slices.Equal(resource.Issuers, []string{strings.TrimSuffix(c.endpoint, "/mcp")}) {
		c.t.Fatalf("the metadata has %+v", resource)
	}
	c.get(resource.Issuers[0]+"/.well-known/oauth-authorization-server", &c.issuer)
	status, _, body := c.send(http.MethodPost, c.issuer.Register, "application/json",
		`{"client_name":"page","redirect_uris":["http://127.0.0.1/callback"],"token_endpoint_auth_method":"none"}`, nil)
	var registered struct {
		ID string `json:"client_id"`
	}
	if err := json.Unmarshal(body, &registered); err != nil || status != http.StatusCreated {
		c.t.Fatalf("registration: status %d: %s", status, body)
	}
	c.id = registered.ID
}

// logIn gets a token by the page.
func (c *rawClient) logIn(persona, scope string) {
	c.t.Helper()
	verifier := rand.Text() + rand.Text()
	sum := sha256.Sum256([]byte(verifier))
	const redirect = "http://127.0.0.1:7777/callback"
	callback, err := loginpage.Answer(context.Background(), c.issuer.Authorize+"?"+url.Values{
		"response_type": {"code"}, "client_id": {c.id}, "redirect_uri": {redirect}, "state": {"s"}, "scope": {scope}, "resource": {c.endpoint},
		"code_challenge": {base64.RawURLEncoding.EncodeToString(sum[:])}, "code_challenge_method": {"S256"},
	}.Encode(), loginpage.Choice{Persona: persona})
	if err != nil {
		c.t.Fatal(err)
	}
	to, err := url.Parse(callback)
	if err != nil || to.Query().Get("state") != "s" || to.Query().Get("code") == "" {
		c.t.Fatalf("the browser ends at %s: %v", callback, err)
	}
	status, _, body := c.send(http.MethodPost, c.issuer.Token, "application/x-www-form-urlencoded", url.Values{
		"grant_type": {"authorization_code"}, "code": {to.Query().Get("code")}, "redirect_uri": {redirect}, "client_id": {c.id},
		"code_verifier": {verifier}, "resource": {c.endpoint},
	}.Encode(), nil)
	var granted struct {
		Token string `json:"access_token"`
	}
	if err := json.NewDecoder(bytes.NewReader(body)).Decode(&granted); err != nil || status != http.StatusOK {
		c.t.Fatalf("token: status %d: %s", status, body)
	}
	c.token = granted.Token
}
