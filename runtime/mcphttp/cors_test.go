package mcphttp

import (
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/internal/access"
	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// page is the allowed origin.
const page = "https://app.example.com"

func allowing(t testing.TB, origins ...string) *access.Policy {
	t.Helper()
	p, err := access.New([]string{"server.example"}, origins)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// asked returns the result of cors for a request to server.example with these fields.
func asked(p *access.Policy, method string, pairs ...string) (*http.Response, bool) {
	r := httptest.NewRequest(method, "https://server.example/mcp", nil)
	r.Header = fields(pairs...)
	w := httptest.NewRecorder()
	done := cors(w, r, p)
	return w.Result(), done
}

func TestCORSPreflight(t *testing.T) {
	p := allowing(t, page)
	answer, done := asked(p, "OPTIONS", "Origin", page,
		"Access-Control-Request-Method", "POST",
		"Access-Control-Request-Headers", "content-type,mcp-method,mcp-param-region, Mcp-Param-Dry-Run ,x-other,mcp-param-,mcp-param-a b,mcp-param-\u00e4",
		"Access-Control-Request-Private-Network", "true")
	if !done || answer.StatusCode != http.StatusNoContent {
		t.Fatalf("%v, %s", done, answer.Status)
	}
	for name, want := range map[string]string{
		"Access-Control-Allow-Origin":  page,
		"Access-Control-Allow-Methods": "GET, POST, DELETE",
		"Access-Control-Allow-Headers": "Content-Type, Accept, Authorization, DPoP, Mcp-Session-Id, MCP-Protocol-Version, Last-Event-ID, " +
			"Mcp-Method, Mcp-Name, Mcp-Param-Region, Mcp-Param-Dry-Run",
		"Access-Control-Max-Age":               "7200",
		"Access-Control-Allow-Private-Network": "true",
		"Access-Control-Allow-Credentials":     "",
		"Access-Control-Expose-Headers":        "",
	} {
		if got := answer.Header.Get(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if vary := strings.Join(answer.Header["Vary"], ", "); !strings.Contains(vary, "Origin") || !strings.Contains(vary, "Access-Control-Request-Headers") {
		t.Errorf("Vary: %q", vary)
	}
	answer, _ = asked(p, "OPTIONS", "Origin", page, "Access-Control-Request-Method", "POST")
	if answer.Header.Get("Access-Control-Allow-Private-Network") != "" || strings.Contains(answer.Header.Get("Access-Control-Allow-Headers"), "Param") {
		t.Errorf("what was not asked for: %v", answer.Header)
	}
}

func TestCORSPreflightOfManyHeaders(t *testing.T) {
	var names []string
	for i := range 10_000 {
		names = append(names, fmt.Sprintf("mcp-param-%d", i))
	}
	long := "mcp-param-" + strings.Repeat("x", 1000)
	answer, _ := asked(allowing(t, page), "OPTIONS", "Origin", page, "Access-Control-Request-Method", "POST",
		"Access-Control-Request-Headers", long, "Access-Control-Request-Headers", strings.Join(names, ","))
	allowed := answer.Header.Get("Access-Control-Allow-Headers")
	if n := strings.Count(allowed, "Mcp-Param-"); n != maxCORSParams || strings.Contains(allowed, "xxx") {
		t.Errorf("%d names in %d bytes", n, len(allowed))
	}
}

func TestCORSPreflightRefused(t *testing.T) {
	for _, test := range []struct {
		name, origin string
		origins      []string
	}{
		{"another origin", "https://evil.example", []string{page}},
		{"no origin configured", page, nil},
		{"null", "null", []string{page}},
		{"rebound", "https://evil.example", nil},
	} {
		h := NewHandler(mcp.NewServer(mcp.ServerInfo{Name: "test", Version: "1.0.0"}, mcp.WithLogger(slog.New(slog.DiscardHandler))),
			WithAllowedHosts("server.example"), WithAllowedOrigins(test.origins...))
		r := httptest.NewRequest(http.MethodOptions, "http://server.example/mcp", nil)
		r.Header.Set("Origin", test.origin)
		r.Header.Set("Access-Control-Request-Method", "POST")
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		answer := w.Result()
		if answer.StatusCode != http.StatusForbidden {
			t.Errorf("%s: %s", test.name, answer.Status)
		}
		for name := range answer.Header {
			if strings.HasPrefix(name, "Access-Control-") {
				t.Errorf("%s: %s is set", test.name, name)
			}
		}
	}
}

// cors does not answer requests, but an allowed page may read the response.
func TestCORSOfRequests(t *testing.T) {
	for _, test := range []struct {
		name, method, origin string
		origins              []string
		allowed, varies      bool
	}{
		{"allowed", "POST", page, []string{page}, true, true},
		{"allowed to read", "GET", page, []string{page}, true, true},
		{"allowed to end", "DELETE", page, []string{page}, true, true},
		{"allowed, no preflight", "OPTIONS", page, []string{page}, true, true},
		{"another origin", "POST", "https://evil.example", []string{page}, false, true},
		{"same origin", "POST", "https://server.example", []string{page}, false, true},
		{"null", "POST", "null", []string{page}, false, true},
		{"none", "POST", "", []string{page}, false, true},
		{"none configured", "POST", page, nil, false, false},
		{"none at all", "POST", "", nil, false, false},
	} {
		pairs := []string{"Origin", test.origin}
		if test.origin == "" {
			pairs = nil
		}
		answer, done := asked(allowing(t, test.origins...), test.method, pairs...)
		if done {
			t.Errorf("%s: done, %s", test.name, answer.Status)
		}
		want := ""
		if test.allowed {
			want = test.origin
		}
		if got := answer.Header.Get("Access-Control-Allow-Origin"); got != want {
			t.Errorf("%s: Access-Control-Allow-Origin: %q", test.name, got)
		}
		if got := answer.Header.Get("Access-Control-Expose-Headers"); (got == "Mcp-Session-Id, WWW-Authenticate, DPoP-Nonce") != test.allowed {
			t.Errorf("%s: Access-Control-Expose-Headers: %q", test.name, got)
		}
		if got := answer.Header.Get("Vary") == "Origin"; got != test.varies {
			t.Errorf("%s: Vary: %q", test.name, answer.Header["Vary"])
		}
	}
}

// A preflight from the server's own origin, which browsers do not send, is not an error.
func TestCORSPreflightOfSameOrigin(t *testing.T) {
	answer, done := asked(allowing(t), "OPTIONS", "Origin", "https://server.example", "Access-Control-Request-Method", "POST")
	if !done || answer.StatusCode != http.StatusNoContent || answer.Header.Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("%v, %s, %v", done, answer.Status, answer.Header)
	}
}
