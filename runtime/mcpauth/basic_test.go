package mcpauth_test

import (
	"context"
	"encoding/base64"
	"errors"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/mcpauth"
)

// password is ada's password, and its hash for CheapBasic.
const password = "pass:" + canary

var passwordHash = mcpauth.CheapHash(password)

func basicField(user, password string) string {
	return "Authorization: Basic " + base64.StdEncoding.EncodeToString([]byte(user+":"+password))
}

func basicSite(t *testing.T, store mcpauth.PasswordStore) *site {
	verifier, _ := mcpauth.CheapBasic(store)
	return siteOf(t, verifier)
}

func siteOf(t *testing.T, verifier mcpauth.Verifier) *site {
	return newSite(t, func(o *mcpauth.Options) {
		o.MaxFailuresPerMinute = 4
		o.Verifiers = []mcpauth.Verifier{verifier}
	})
}

func TestBasic(t *testing.T) {
	s := siteOf(t, mcpauth.Basic(mcpauth.Passwords{"ada": {Hash: mcpauth.HashPassword(password), Scopes: []string{"books:read"}, Roles: []string{"staff"}}}))
	me := s.whoami(t, basicField("ada", password))
	if me.Principal != "basic ada" || !me.Identity.HasScope("books:read") || me.Identity.Roles[0] != "staff" || !me.Identity.Machine {
		t.Errorf("%+v", me)
	}
	for _, test := range []struct {
		name, field string
		status      int
	}{
		{"nothing", "Authorization: Basic", 400},
		{"no colon", "Authorization: Basic YWRh", 400},
		{"no user", basicField("", password), 400},
		{"not base64", "Authorization: Basic ada:pass", 400},
		{"line end in it", basicField("ada", "pa\nss"), 400},
		{"NUL", basicField("ada", "pa\x00ss"), 400},
		{"not UTF-8", basicField("ad\xff", password), 400},
		{"2 KB", basicField("ada", strings.Repeat("x", 2000)), 400},
	} {
		s := basicSite(t, mcpauth.Passwords{})
		if resp := s.do(t, post("whoami", test.field)); resp.StatusCode != test.status {
			t.Errorf("%s: status %d", test.name, resp.StatusCode)
		}
	}
	if field := s.do(t, post("whoami")).Header.Get("Www-Authenticate"); field != `Basic realm="https://mcp.example.com/mcp", charset="UTF-8"` {
		t.Error(field)
	}
}

// After too many failures of an address, guesses are refused without the slow derivation, and
// passwords that are known to be right are still accepted.
func TestBasicGuesses(t *testing.T) {
	verifier, rounds := mcpauth.CheapBasic(mcpauth.Passwords{"ada": {Hash: passwordHash}})
	s := siteOf(t, verifier)
	s.whoami(t, basicField("ada", password))
	for _, guess := range [][2]string{{"ada", "guess one"}, {"eve", password}, {"Ada", password}, {"ada", password + "x"}} {
		if resp := s.do(t, post("whoami", basicField(guess[0], guess[1]))); resp.StatusCode != 401 {
			t.Errorf("guess %q: status %d", guess, resp.StatusCode)
		}
	}
	for range 200 {
		if resp := s.do(t, post("whoami", basicField("ada", "guess"))); resp.StatusCode != 429 {
			t.Fatalf("one more guess: status %d", resp.StatusCode)
		}
	}
	s.whoami(t, basicField("ada", password))
	if n, want := rounds.Load(), int64(5*600_000); n != want {
		t.Errorf("%d rounds, want %d: of one password and four guesses", n, want)
	}
}

// A password is no longer accepted after the store has changed it.
func TestBasicChanged(t *testing.T) {
	store := mcpauth.Passwords{"ada": {Hash: passwordHash}}
	s := basicSite(t, store)
	s.whoami(t, basicField("ada", password))
	store["ada"] = mcpauth.Password{Hash: mcpauth.CheapHash("another password")}
	if resp := s.do(t, post("whoami", basicField("ada", password))); resp.StatusCode != 401 {
		t.Errorf("status %d", resp.StatusCode)
	}
	delete(store, "ada")
	if resp := s.do(t, post("whoami", basicField("ada", password))); resp.StatusCode != 401 {
		t.Errorf("status %d", resp.StatusCode)
	}
}

// Changed scopes and roles apply to the next request, even if the password is cached.
func TestBasicFewerScopes(t *testing.T) {
	store := mcpauth.Passwords{"ada": {Hash: passwordHash, Scopes: []string{"books:read", "books:write"}, Roles: []string{"staff"}}}
	s := basicSite(t, store)
	s.whoami(t, basicField("ada", password))
	store["ada"] = mcpauth.Password{Hash: store["ada"].Hash, Scopes: []string{"books:read"}}
	for range 2 {
		if me := s.whoami(t, basicField("ada", password)); me.Identity.HasScope("books:write") || !me.Identity.HasScope("books:read") || len(me.Identity.Roles) > 0 {
			t.Errorf("%+v", me)
		}
	}
}

// passwordFunc is a store of a program.
type passwordFunc func(user string) (*mcpauth.Password, error)

func (f passwordFunc) Password(_ context.Context, user string) (*mcpauth.Password, error) {
	return f(user)
}

func TestBasicStore(t *testing.T) {
	for _, hash := range []string{"", password, "pbkdf2-sha256$1000$" + strings.Repeat("A", 22) + "$" + strings.Repeat("A", 43), "pbkdf2-sha256$600000$AA$AA", "pbkdf2-sha256$99999999$" + strings.Repeat("A", 22) + "$" + strings.Repeat("A", 43)} {
		s := basicSite(t, passwordFunc(func(string) (*mcpauth.Password, error) { return &mcpauth.Password{Hash: hash}, nil }))
		if resp := s.do(t, post("whoami", basicField("ada", password))); resp.StatusCode != 503 {
			t.Errorf("hash %q: status %d", hash, resp.StatusCode)
		}
	}
	s := basicSite(t, passwordFunc(func(string) (*mcpauth.Password, error) { return nil, errors.New("no connection for " + password) }))
	if resp := s.do(t, post("whoami", basicField("ada", password))); resp.StatusCode != 503 {
		t.Errorf("status %d", resp.StatusCode)
	}
	if _, err := mcpauth.New(mcpauth.Options{Resource: resource, Verifiers: []mcpauth.Verifier{mcpauth.Basic(nil)}}); err == nil {
		t.Error("a guard without a store")
	}
}
