package mcpcmd_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpcmd"
	"github.com/mcpgen/mcpgen/runtime/mcphttp"
)

// browserAccept is the Accept field of browsers when a person opens an address.
const browserAccept = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8"

// open sends a request with header fields, given as "Name: value"; Host sets the host of the
// request.
func (r *running) open(method, path string, fields ...string) *http.Response {
	r.t.Helper()
	req, err := http.NewRequestWithContext(r.t.Context(), method, strings.TrimSuffix(r.url, "/mcp")+path, nil)
	if err != nil {
		r.t.Fatal(err)
	}
	for _, field := range fields {
		if name, value, _ := strings.Cut(field, ": "); name == "Host" {
			req.Host = value
		} else {
			req.Header.Set(name, value)
		}
	}
	resp, err := r.client.Do(req)
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { _ = resp.Body.Close() })
	return resp
}

func textOf(t *testing.T, resp *http.Response) string {
	t.Helper()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// plainTool returns a tool that requires a scope, if not "".
func plainTool(name, scope string) mcp.Feature {
	info := mcp.ToolInfo{Name: name, InputSchema: `{"type":"object"}`}
	if scope != "" {
		info.Scopes = []string{scope}
	}
	return mcp.NewTool(info, func(context.Context, json.RawMessage) (*mcp.ToolResult, error) { return mcp.TextResult("done"), nil })
}

// A browser gets a page at the endpoint and at /, which describes the server, how to add it, and
// its tools.
func TestPage(t *testing.T) {
	s := mcp.NewServer(mcp.ServerInfo{Name: `a "b" <c>`, Title: "<script>alert(1)</script>", Description: "Sells & <b>lends</b>."})
	s.Register(plainTool("search", ""))
	s.Register(plainTool("order", ""))
	r := serve(t, s, nil)
	for _, path := range []string{"/mcp", "/"} {
		resp := r.open("GET", path, "Accept: "+browserAccept)
		text := textOf(t, resp)
		if resp.StatusCode != http.StatusOK || resp.Header.Get("Content-Type") != "text/html; charset=utf-8" {
			t.Errorf("%s: %d, %v", path, resp.StatusCode, resp.Header)
		}
		for _, want := range []string{
			"<h1>&lt;script&gt;alert(1)&lt;/script&gt;</h1>", "Sells &amp; &lt;b&gt;lends&lt;/b&gt;.", "Model Context Protocol", r.url,
			"claude mcp add --transport http &#39;a &#34;b&#34; &lt;c&gt;&#39; " + r.url, "&#34;mcpServers&#34;", "&#34;servers&#34;", "mcpgen list " + r.url,
			"<li><code>search</code></li>", "<li><code>order</code></li>",
		} {
			if !strings.Contains(text, want) {
				t.Errorf("%s: no %q in\n%s", path, want, text)
			}
		}
		if strings.Contains(text, "<script") || strings.Contains(text, "credentials") || strings.Contains(text, "There are more") {
			t.Errorf("%s:\n%s", path, text)
		}
		policy := resp.Header.Get("Content-Security-Policy")
		if !strings.HasPrefix(policy, "default-src 'none'; style-src 'sha256-") || resp.Header.Get("X-Content-Type-Options") != "nosniff" || resp.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: %v", path, resp.Header)
		}
		head := r.open("HEAD", path, "Accept: "+browserAccept)
		if text := textOf(t, head); text != "" || head.StatusCode != http.StatusOK || head.ContentLength != resp.ContentLength {
			t.Errorf("HEAD %s: %d, %v, %q", path, head.StatusCode, head.Header, text)
		}
	}
	// Another host is refused as before, so that its pages cannot read the names.
	if resp := r.open("GET", "/mcp", "Accept: "+browserAccept, "Host: evil.example"); resp.StatusCode != http.StatusForbidden || strings.Contains(textOf(t, resp), "search") {
		t.Errorf("another host: %d", resp.StatusCode)
	}
	if resp := r.open("GET", "/", "Accept: "+browserAccept, "Host: evil.example"); resp.StatusCode != http.StatusNotFound || strings.Contains(textOf(t, resp), "search") {
		t.Errorf("another host at /: %d", resp.StatusCode)
	}
	s.Unregister(mcp.KindTool, "search")
	s.Unregister(mcp.KindTool, "order")
	if text := textOf(t, r.open("GET", "/", "Accept: text/html")); !strings.Contains(text, "It lists no tools.") {
		t.Error(text)
	}
	for i := range 2000 {
		s.Register(plainTool(fmt.Sprintf("tool%d", i), ""))
	}
	if text := textOf(t, r.open("GET", "/", "Accept: text/html")); !strings.Contains(text, "<code>tool0</code>") || strings.Contains(text, "tool1999") != !strings.Contains(text, "There are more.") {
		t.Errorf("%.300s ... %.300s", text, text[max(0, len(text)-300):])
	}
}

// Other clients get the same responses as without the page.
func TestPageForClients(t *testing.T) {
	r := serve(t, newServer(never), nil)
	for name, fields := range map[string][]string{
		"without Accept":   nil,
		"anything":         {"Accept: */*"},
		"a stream":         {"Accept: text/event-stream"},
		"a stream or page": {"Accept: text/html, text/event-stream"},
		"JSON or a page":   {"Accept: application/json, text/html"},
		"no page":          {"Accept: text/html;q=0, */*"},
		"no page, spelt":   {"Accept: text/html; q=0.000"},
		"a session":        {"Accept: " + browserAccept, "Mcp-Session-Id: 1"},
		"a revision":       {"Accept: " + browserAccept, "Mcp-Protocol-Version: 2025-06-18"},
		"a resumed stream": {"Accept: " + browserAccept, "Last-Event-ID: 1"},
	} {
		for path, want := range map[string]string{"/mcp": `{"jsonrpc":"2.0","error":`, "/": "not found: the MCP endpoint of this server is /mcp"} {
			resp := r.open("GET", path, fields...)
			if text := textOf(t, resp); !strings.HasPrefix(text, want) || resp.StatusCode < 400 {
				t.Errorf("%s at %s: %d, %s", name, path, resp.StatusCode, text)
			}
		}
	}
	for _, method := range []string{"POST", "PUT", "DELETE", "OPTIONS"} {
		if resp := r.open(method, "/mcp", "Accept: "+browserAccept); strings.Contains(resp.Header.Get("Content-Type"), "html") {
			t.Errorf("%s: %v", method, resp.Header)
		}
	}
	if resp := r.open("GET", "/sse2", "Accept: "+browserAccept); resp.StatusCode != http.StatusNotFound || strings.Contains(textOf(t, resp), "<h1>") {
		t.Errorf("another path: %d", resp.StatusCode)
	}
}

// A guard challenges browsers, too, and the page then contains no names; nor does it contain names
// that an anonymous caller may not see.
func TestPageGuarded(t *testing.T) {
	challenge := http.Header{"Www-Authenticate": {`Bearer resource_metadata="x"`, `DPoP algs="ES256"`}}
	guard := mcphttp.WithPrincipal(func(r *http.Request) (mcp.Principal, error) {
		if r.Header.Get("Authorization") == "Bearer good" {
			return mcp.Principal{ID: "ada"}, nil
		}
		return mcp.Principal{}, &mcphttp.Refusal{Status: http.StatusUnauthorized, Header: challenge, Text: "no"}
	})
	s := mcp.NewServer(mcp.ServerInfo{Name: "shop"})
	s.Register(plainTool("search", ""))
	r := serve(t, s, nil, mcpcmd.WithHTTPOptions(guard))
	resp := r.open("GET", "/mcp", "Accept: "+browserAccept)
	text := textOf(t, resp)
	if resp.StatusCode != http.StatusUnauthorized || len(resp.Header["Www-Authenticate"]) != 2 || !strings.Contains(text, "Callers need credentials") || strings.Contains(text, "search") {
		t.Errorf("%d, %v\n%s", resp.StatusCode, resp.Header, text)
	}
	if text := textOf(t, r.open("GET", "/mcp", "Accept: "+browserAccept, "Authorization: Bearer good")); !strings.Contains(text, "<code>search</code>") {
		t.Error(text)
	}

	hiding := mcp.NewServer(mcp.ServerInfo{Name: "shop"}, mcp.WithAccess(mcp.Visible(func(_ context.Context, f mcp.FeatureInfo) bool { return f.Name != "secret" })))
	hiding.Register(plainTool("secret", ""))
	hiding.Register(plainTool("open", ""))
	if text := textOf(t, serve(t, hiding, nil).open("GET", "/", "Accept: text/html")); strings.Contains(text, "secret") || !strings.Contains(text, "<code>open</code>") {
		t.Error(text)
	}
}

// The page contains the address that the browser used.
func TestPageAddress(t *testing.T) {
	r := serve(t, newServer(never), []string{"-allow-host", "*"})
	port := r.url[strings.LastIndexByte(strings.TrimSuffix(r.url, "/mcp"), ':'):]
	for host, want := range map[string]string{
		"localhost" + strings.TrimSuffix(port, "/mcp"): "http://localhost" + port,
		"mcp.example.com":      "https://mcp.example.com/mcp",
		"mcp.example.com:8443": "https://mcp.example.com:8443/mcp",
	} {
		if text := textOf(t, r.open("GET", "/mcp", "Accept: text/html", "Host: "+host)); !strings.Contains(text, "mcpgen list "+want) {
			t.Errorf("%s: no %s in\n%s", host, want, text)
		}
	}
}
