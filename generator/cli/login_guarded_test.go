package cli

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpauth"
	"github.com/mcpgen/mcpgen/runtime/mcpauthtest"
	"github.com/mcpgen/mcpgen/runtime/mcpissuer"
)

// guardedUser is a user of the command and a guarded server with an issuer: the complete login,
// without a browser.
type guardedUser struct {
	*loginWorld
	server  *mcpauthtest.Server
	person  mcpauthtest.Person
	pages   []string // scopes that the pages asked for
	secrets map[string]bool
}

func newGuardedUser(t *testing.T, o mcpauthtest.Options) *guardedUser {
	s := mcp.NewServer(mcp.ServerInfo{Name: "books", Version: "1"}, mcp.WithLogger(slog.New(slog.DiscardHandler)))
	for name, scope := range map[string]string{"look": "books:read", "buy": "books:write"} {
		s.Register(mcp.NewTool(mcp.ToolInfo{Name: name, Scopes: []string{scope}, InputSchema: `{"type":"object"}`}, func(ctx context.Context, _ json.RawMessage) (*mcp.ToolResult, error) {
			return mcp.TextResult(name + " by " + mcpauth.IdentityFromContext(ctx).Subject), nil
		}))
	}
	o.Personas = []mcpissuer.Persona{{Name: "ada", Scopes: []string{"books:read", "books:write"}}, {Name: "bob", Scopes: []string{"books:read"}}}
	o.Guard.Scopes = []string{"books:read"}
	u := &guardedUser{loginWorld: &loginWorld{t: t, config: t.TempDir()}, server: mcpauthtest.New(t, s, o), secrets: map[string]bool{}}
	u.person = mcpauthtest.Person{Scopes: func(scopes []string) []string {
		u.pages = append(u.pages, strings.Join(scopes, " "))
		return scopes
	}}
	return u
}

// open replaces the browser. It records the secrets that it sees.
func (u *guardedUser) open(ctx context.Context, address string) error {
	to, err := u.person.Callback(ctx, address)
	if err != nil {
		return err
	}
	q, err := url.Parse(to)
	if err != nil {
		return err
	}
	if code := q.Query().Get("code"); code != "" {
		u.secrets[code] = true
	}
	return browse(ctx, to, http.DefaultClient)
}

// noteStored records the secrets in the file of logins.
func (u *guardedUser) noteStored() {
	u.t.Helper()
	text, err := os.ReadFile(filepath.Join(u.config, "mcpgen", "logins.json"))
	if err != nil {
		return // no secrets yet
	}
	var file struct{ Values map[string][]byte }
	if err := json.Unmarshal(text, &file); err != nil {
		u.t.Fatal(err)
	}
	for _, value := range file.Values {
		var rec struct{ Access, Refresh string }
		if json.Unmarshal(value, &rec) == nil {
			for _, secret := range []string{rec.Access, rec.Refresh} {
				if secret != "" {
					u.secrets[secret] = true
				}
			}
		}
	}
}

// must runs a command, with or without a terminal, that must exit with a code and print texts. It
// must not print a secret of this login or an earlier one.
func (u *guardedUser) must(terminal bool, code int, line string, want ...string) {
	u.t.Helper()
	var out, err lockedBuffer
	var in io.Reader
	if terminal {
		r, write := io.Pipe()
		defer write.Close()
		in = r
	}
	c := u.command(in, &out, &err)
	c.browser = u.open
	got := c.run(words0(line))
	all := out.String() + err.String()
	if got != code {
		u.t.Errorf("%s: exit code %d, want %d\n%s", line, got, code, all)
	}
	for _, text := range want {
		if !strings.Contains(all, text) {
			u.t.Errorf("%s: no %q in\n%s", line, text, all)
		}
	}
	u.noteStored()
	for secret := range u.secrets {
		if strings.Contains(all, secret) {
			u.t.Errorf("%s prints the secret %.8s...:\n%s", line, secret, all)
		}
	}
}

// TestLoginGuarded runs the login commands, and commands that log in by themselves, against a
// guarded server and its issuer.
func TestLoginGuarded(t *testing.T) {
	for name, o := range map[string]mcpauthtest.Options{
		"Bearer": {DPoP: mcpauth.DPoPOptions{Mode: mcpauth.DPoPOff}},
		"DPoP": {
			DPoP:   mcpauth.DPoPOptions{Mode: mcpauth.DPoPRequire},
			Issuer: func(o *mcpissuer.Options) { o.Nonces = true },
		},
		"tokens of a second": {Issuer: func(o *mcpissuer.Options) { o.TokenTime = 1e9 }}, // each use renews
	} {
		t.Run(name, func(t *testing.T) {
			u := newGuardedUser(t, o)
			server := u.server.URL
			u.must(false, 1, "list "+server, "the server requires a login", "hint: log in: mcpgen login")
			u.must(false, 1, "call -trace "+server+" look", "the server requires a login")
			u.must(false, 0, "login -list", "there are no logins")
			if len(u.pages) != 0 {
				t.Errorf("logins without a terminal: %q", u.pages)
			}
			u.must(false, 0, "login -scopes books:read "+server, "logged in to "+server+" at "+u.server.Issuer.URL()+", with the scopes books:read\n")
			u.must(false, 0, "login -list", server, u.server.Issuer.URL(), "books:read", "renewed when it expires")
			u.must(false, 0, "list -trace "+server, "look", "buy")
			u.must(false, 0, "call -trace "+server+" look", "look by ada")
			u.must(false, 1, "call "+server+" buy", "books:write", "hint: log in: mcpgen login -scopes books:read,books:write "+server)
			u.must(true, 0, "call -trace "+server+" buy", "buy by ada")
			u.must(false, 0, "call "+server+" buy", "buy by ada")
			u.must(false, 0, "login -list", "books:read books:write")
			if len(u.pages) != 2 {
				t.Errorf("the pages have asked for %q", u.pages)
			}
			u.must(false, 0, "logout "+server, "logged out of "+server)
			u.must(false, 1, "logout "+server, "there is no login to "+server)
			u.must(false, 1, "call "+server+" look", "the server requires a login")
			// On a terminal, list and call log in by themselves.
			u.must(true, 0, "list -trace "+server, "look")
			u.must(true, 0, "call -trace "+server+" look", "look by ada")
			if len(u.pages) != 3 {
				t.Errorf("the pages have asked for %q", u.pages)
			}
			// One login by hand suffices for every tool.
			u.must(false, 0, "logout "+server)
			u.must(false, 0, "login "+server, ", with the scopes books:read books:write\n")
			u.must(false, 0, "call "+server+" look", "look by ada")
			u.must(false, 0, "call "+server+" buy", "buy by ada")
			if len(u.secrets) < 9 { // code, access and refresh token of each login
				t.Errorf("%d secrets are known to the test", len(u.secrets))
			}
		})
	}
}

// TestLoginGuardedDenied checks that a user who may not have a scope, or denies the login, is not
// asked again and again.
func TestLoginGuardedDenied(t *testing.T) {
	u := newGuardedUser(t, mcpauthtest.Options{})
	u.person.Persona = "bob"
	u.must(true, 1, "call -trace "+u.server.URL+" buy", "books:write")
	if len(u.pages) > 6 {
		t.Errorf("the pages have asked for %q", u.pages)
	}
	u.must(false, 0, "call "+u.server.URL+" look", "look by bob")
	u.must(false, 0, "logout "+u.server.URL)
	u.must(false, 0, "login "+u.server.URL, ", with the scopes books:read\n\tnot granted: books:write; the server refuses requests that need them")
	u.must(false, 0, "logout "+u.server.URL)
	u.person.Deny = true
	u.must(true, 1, "call -trace "+u.server.URL+" look", "access_denied")
	u.must(false, 1, "login "+u.server.URL, "access_denied")
	u.must(false, 0, "login -list", "there are no logins")
}

// TestLogoutRevokes checks that a copy of the refresh token is useless after logout.
func TestLogoutRevokes(t *testing.T) {
	u := newGuardedUser(t, mcpauthtest.Options{DPoP: mcpauth.DPoPOptions{Mode: mcpauth.DPoPOff}})
	u.must(false, 0, "login "+u.server.URL, "logged in")
	path := filepath.Join(u.config, "mcpgen", "logins.json")
	stolen, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	u.must(false, 0, "logout "+u.server.URL, "logged out")
	if err := os.WriteFile(path, stolen, 0o600); err != nil {
		t.Fatal(err)
	}
	var file struct{ Values map[string][]byte }
	if err := json.Unmarshal(stolen, &file); err != nil {
		t.Fatal(err)
	}
	tried := 0
	for _, value := range file.Values {
		var rec struct {
			Refresh string
			Client  struct{ ID string }
		}
		if json.Unmarshal(value, &rec) != nil || rec.Refresh == "" {
			continue
		}
		tried++
		resp, err := http.PostForm(u.server.Issuer.URL()+"/oauth/token", url.Values{"grant_type": {"refresh_token"}, "refresh_token": {rec.Refresh}, "client_id": {rec.Client.ID}})
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(resp.Body)
		if err != nil || resp.Body.Close() != nil {
			t.Fatal(err)
		}
		if resp.StatusCode != http.StatusBadRequest || !strings.Contains(string(text), "invalid_grant") {
			t.Errorf("the refresh token: %s: %s", resp.Status, text)
		}
	}
	if tried != 1 {
		t.Errorf("%d refresh tokens in the file", tried)
	}
}
