package mcplogin_test

import (
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/mcplogin"
)

// Nonces of servers are small, and few.
func TestNonceMemory(t *testing.T) {
	if most := mcplogin.FillNonces(); most > 100_000 || most < 50_000 {
		t.Errorf("%d bytes of nonces", most)
	}
}

// LogIn gets a token at once, and State describes it, also in another process.
func TestLogInAndState(t *testing.T) {
	w := newWorld(t)
	w.resource["scopes_supported"] = []string{"b", "a"}
	store := mcplogin.FileStore(filepath.Join(t.TempDir(), "logins.json"))
	withStore := func(c *mcplogin.Config) { c.Store = store }
	l := w.login(withStore)
	if s, err := l.State(t.Context(), w.url()); s != nil || err != nil {
		t.Errorf("before a login: %+v, %v", s, err)
	}
	for range 2 { // the second one replaces the token
		if err := l.LogIn(t.Context(), w.url()); err != nil {
			t.Fatal(err)
		}
	}
	if n := w.requests("/authorize"); n != 2 {
		t.Errorf("%d logins", n)
	}
	other := w.login(withStore)
	s, err := other.State(t.Context(), w.url()+"#fragment")
	if err != nil || s == nil || s.Server != w.url() || s.Issuer != w.issuer.URL || !strings.HasPrefix(s.ClientID, "client-") ||
		!slices.Equal(s.Scopes, []string{"a", "b"}) || s.Expires.IsZero() || !s.Renewable {
		t.Errorf("%+v, %v", s, err)
	}
	w.accepted(other)
	if n := w.requests("/authorize"); n != 2 {
		t.Errorf("%d logins", n)
	}
	if err := other.Forget(t.Context(), w.url()); err != nil {
		t.Error(err)
	}
	if s, err := l.State(t.Context(), w.url()); s != nil || err != nil {
		t.Errorf("after Forget: %+v, %v", s, err)
	}
	for _, server := range []string{"", "mcp", "ftp://a.example", "https://a.example/%zz"} {
		if err := l.LogIn(t.Context(), server); err == nil {
			t.Errorf("LogIn(%q) succeeds", server)
		}
		if _, err := l.State(t.Context(), server); err == nil {
			t.Errorf("State(%q) succeeds", server)
		}
	}
}

// Discover finds the authorization server, and registers nothing there.
func TestDiscover(t *testing.T) {
	w := newWorld(t)
	if issuer, err := w.login().Discover(t.Context(), w.url()); err != nil || issuer != w.issuer.URL {
		t.Errorf("%s, %v", issuer, err)
	}
	if len(w.log) != 0 {
		t.Errorf("requests to the authorization server: %v", w.log)
	}
	w.resource["resource"] = "https://other.example.com/mcp"
	if issuer, err := w.login().Discover(t.Context(), w.url()); err == nil {
		t.Errorf("metadata of another server: %s", issuer)
	}
}

// A Store that cannot be read is found before a person logs in for nothing. A damaged one is
// replaced by an empty one.
func TestUnreadableStore(t *testing.T) {
	for name, test := range map[string]struct {
		text string
		mode os.FileMode
		want string
	}{
		"later version":      {`{"format":"mcpgen logins 2"}`, 0o600, "mcpgen logins 2"},
		"readable by others": {`{"format":"mcpgen logins 1"}`, 0o644, "other users"},
		"damaged":            {`{"format":`, 0o600, ""},
	} {
		t.Run(name, func(t *testing.T) {
			if runtime.GOOS == "windows" && test.mode != 0o600 {
				t.Skip("files have no such mode")
			}
			w := newWorld(t)
			path := filepath.Join(t.TempDir(), "logins.json")
			if err := os.WriteFile(path, []byte(test.text), test.mode); err != nil {
				t.Fatal(err)
			}
			l := w.login(func(c *mcplogin.Config) { c.Store = mcplogin.FileStore(path) })
			status, err := w.call(l)
			if test.want == "" {
				if err != nil || status != http.StatusOK {
					t.Errorf("%d, %v", status, err)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), test.want) || len(w.log) != 0 || len(w.headers) != 0 {
				t.Errorf("%v; requests %v, %d to the server", err, w.log, len(w.headers))
			}
		})
	}
}
