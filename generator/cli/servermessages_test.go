package cli

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/mcpgen/mcpgen/internal/visible"
)

// runAgainstServer runs the command in an empty directory, with a separate cache.
func runAgainstServer(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	return runTyped(t, "", args...)
}

// runTyped is like runAgainstServer, with a person who types lines.
func runTyped(t *testing.T, typed string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	return runWith(t, typed, t.TempDir(), t.TempDir(), args...)
}

// runIn is like runAgainstServer, in a directory.
func runIn(t *testing.T, dir string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	return runWith(t, "", dir, t.TempDir(), args...)
}

// runWithCache is like runAgainstServer, with a cache.
func runWithCache(t *testing.T, cache string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	return runWith(t, "", t.TempDir(), cache, args...)
}

func runWith(t *testing.T, typed, dir, cache string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	t.Setenv("XDG_CACHE_HOME", cache)
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	t.Setenv("HTTP_PROXY", "")
	t.Setenv("HTTPS_PROXY", "")
	var out, err lockedBuffer
	c := &command{
		ctx: t.Context(), dir: dir, invoked: "mcpgen", in: strings.NewReader(typed), asksAnyway: typed != "",
		out: visible.Writer(&out), err: visible.Writer(&err), data: &out, log: &err,
		progress: newProgress(io.Discard, false),
	}
	code = c.run(args)
	return code, out.String(), err.String()
}

// lockedBuffer is a buffer for several goroutines.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

// replyWith returns the URL of a server with one reply to all requests.
func replyWith(t *testing.T, status int, header map[string]string, body string) string {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		for name, value := range header {
			w.Header().Set(name, value)
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// TestServerMessages checks that the error of a failed call names the place, the cause and a
// remedy.
func TestServerMessages(t *testing.T) {
	t.Setenv("MESSAGES_TOKEN", "secret-token")
	plain := replyWith(t, http.StatusNotFound, nil, "nothing here")
	secure := httptest.NewUnstartedServer(http.NotFoundHandler())
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	secure.StartTLS()
	t.Cleanup(secure.Close)
	secureAt := strings.TrimPrefix(secure.URL, "https://")
	html, jsonType := map[string]string{"Content-Type": "text/html"}, map[string]string{"Content-Type": "application/json"}
	for _, test := range []struct {
		name string
		args []string
		code int
		want []string
	}{
		{"no such host", []string{"http://no-such-host.invalid/mcp"}, 1, []string{"no-such-host.invalid", "cannot connect"}},
		{"refused", []string{"http://127.0.0.1:1/mcp"}, 1, []string{"127.0.0.1:1", "no server listens there: start it, or correct the address"}},
		{"unknown authority", []string{secure.URL}, 1, []string{secureAt, "certificate", "SSL_CERT_FILE=FILE"}},
		{"wrong host name", []string{"https://localhost" + secureAt[strings.LastIndexByte(secureAt, ':'):]}, 1, []string{"https://localhost", "the certificate of the server is not valid for it", "not localhost"}},
		{"wss to an unknown authority", []string{"wss" + strings.TrimPrefix(secure.URL, "https")}, 1, []string{"wss://" + secureAt, "certificate", "SSL_CERT_FILE=FILE"}},
		{"https to plain http", []string{"https" + strings.TrimPrefix(plain, "http")}, 1, []string{"https://127.0.0.1", "the server does not speak TLS"}},
		{"http to https", []string{"http://" + secureAt}, 1, []string{secureAt, "HTTP status 400", "HTTPS"}},
		{"401", []string{replyWith(t, http.StatusUnauthorized, nil, "")}, 1, []string{"HTTP status 401", "-bearer-env NAME", "the server requires a login", "hint: log in: mcpgen login http://127.0.0.1"}},
		{"403", []string{replyWith(t, http.StatusForbidden, nil, "")}, 1, []string{"HTTP status 403", "-bearer-env NAME"}},
		{"403 of JSON-RPC", []string{"-bearer-env", "MESSAGES_TOKEN", replyWith(t, http.StatusForbidden, jsonType, `{"jsonrpc":"2.0","error":{"code":-32603,"message":"no \"books\" for you"}}`)}, 1, []string{"HTTP status 403: the server forbids this: \"no \\\"books\\\" for you\"\n"}},
		{"no time", []string{"-timeout", "30ms", "--", "sleep", "60"}, 1, []string{"sleep: ", "no reply within 30ms (-timeout)", "hint: more time: -timeout 5m; a server", "-trace shows"}},
		{"no scheme", []string{"127.0.0.1:18080"}, 2, []string{"127.0.0.1:18080 is the address of a server without its scheme", "hint: write http://127.0.0.1:18080/mcp"}},
		{"404", []string{plain}, 1, []string{plain, "there is no MCP server at this URL"}},
		{"not MCP", []string{replyWith(t, http.StatusOK, html, "<html>\x1b[2J")}, 1, []string{"text/html"}},
		{"moved", []string{replyWith(t, http.StatusMovedPermanently, map[string]string{"Location": "http://127.0.0.1:1/there"}, "")}, 1, []string{"http://127.0.0.1:1/there", "not followed"}},
		{"no program", []string{"--", "no-such-program-of-tests"}, 1, []string{"there is no program no-such-program-of-tests", "install it"}},
		{"credentials over http", []string{"-bearer-env", "MESSAGES_TOKEN", "http://example.com/mcp"}, 1, []string{"credentials would be sent to example.com over plain http: use https"}},
		{"credentials over ws", []string{"-header", "Authorization: Bearer secret-token", "ws://example.com/mcp"}, 1, []string{"credentials would be sent to example.com over ws", "use wss"}},
		{"password in a URL", []string{"https://ada:secret-token@example.com/mcp"}, 2, []string{"the URL has a user name or a password", "-bearer-env NAME"}},
		{"no such entry", []string{"@books"}, 2, []string{"there is no server @books", ".mcp.json"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			code, stdout, stderr := runAgainstServer(t, append([]string{"list", "-timeout", "20s"}, test.args...)...)
			if code != test.code || stdout != "" {
				t.Errorf("exit code %d, want %d; output %q", code, test.code, stdout)
			}
			for _, want := range test.want {
				if !strings.Contains(stderr, want) {
					t.Errorf("%q is not in the message:\n%s", want, stderr)
				}
			}
			if strings.Contains(stderr, "secret-token") || strings.Contains(stderr, "\x1b") {
				t.Errorf("the message has a secret or an escape sequence:\n%q", stderr)
			}
		})
	}
}

// TestConfigMessages checks that the error for an unusable file names it.
func TestConfigMessages(t *testing.T) {
	for _, test := range []struct{ file, want string }{
		{`{"mcpServers":`, ".mcp.json: unexpected end of JSON input"},
		{`[]`, ".mcp.json"},
		{`{"mcpServers":{"a":{"command":1}}}`, "the entry a of "},
		{`{"mcpServers":{"a":{"url":"ftp://x"}}}`, "is not one of a server"},
		{`{"mcpServers":{"a":{"url":"https://ada:secret@example.com"}}}`, "has a user name or a password"},
		{`{"mcpServers":{"a":{"type":"http","url":"${NO_SUCH_VARIABLE}"}}}`, "has the variable NO_SUCH_VARIABLE, which is not set"},
		{`{"mcpServers":{"a":{"type":"http","url":"http://127.0.0.1:1/"}}}`, "no server listens there"},
		{`{"mcpServers":{"a":{"type":"sse","url":"http://127.0.0.1:1/","headers":{"X-A":"b"}}}}`, "no server listens there"},
	} {
		dir := t.TempDir()
		t.Chdir(dir)
		if err := os.WriteFile(".mcp.json", []byte(test.file), 0o600); err != nil {
			t.Fatal(err)
		}
		var err bytes.Buffer
		c := &command{
			ctx: context.Background(), dir: dir, invoked: "mcpgen", out: io.Discard, data: io.Discard, log: io.Discard,
			err: visible.Writer(&err), progress: newProgress(io.Discard, false),
		}
		t.Setenv("XDG_CACHE_HOME", dir+"/.mcp.json") // a cache that cannot be written
		if code := c.run([]string{"list", "@a"}); code == exitDone || !strings.Contains(err.String(), test.want) || strings.Contains(err.String(), "secret") {
			t.Errorf("%s: exit code %d, want %q in\n%s", test.file, code, test.want, err.String())
		}
	}
}

// TestTraceHasNoSecrets checks that credentials that a server repeats are not printed.
func TestTraceHasNoSecrets(t *testing.T) {
	t.Setenv("MESSAGES_TOKEN", "token-of-the-test")
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Set-Cookie", "sid=cookie-of-the-server")
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":%q}}`,
			fmt.Sprint("seen ", r.Header["Authorization"], r.Header["Cookie"], r.Header["X-Api-Key"], r.URL.RawQuery))
	}))
	t.Cleanup(s.Close)
	_, stdout, stderr := runAgainstServer(t, "list", "-trace", "-timeout", "20s", "-bearer-env", "MESSAGES_TOKEN",
		"-header", "Cookie: sid=cookie-of-the-test", "-header", "X-Api-Key: key-of-the-test", s.URL+"/?key=query-of-the-test")
	if !strings.Contains(stderr, "<- ") || !strings.Contains(stderr, "seen [Bearer") && !strings.Contains(stderr, "seen [[credential]") {
		t.Errorf("the trace does not have the reply:\n%s", stderr)
	}
	for _, line := range strings.Split(stdout+stderr, "\n") {
		if strings.Contains(line, "of-the-") {
			t.Errorf("a credential is printed: %s", line)
		}
	}
}
