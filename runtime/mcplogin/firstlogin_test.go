package mcplogin_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/mcplogin"
)

// The client registers with the grant types that the authorization server supports.
func TestRegisteredGrants(t *testing.T) {
	for name, test := range map[string]struct {
		supported any // nil leaves the member out
		want      []string
	}{
		"not said":        {nil, []string{"authorization_code", "refresh_token"}},
		"without refresh": {[]string{"implicit", "authorization_code", "client_credentials"}, []string{"authorization_code"}},
		"with refresh":    {[]string{"refresh_token", "authorization_code"}, []string{"authorization_code", "refresh_token"}},
		"an empty list":   {[]string{}, []string{"authorization_code"}},
		"others alone":    {[]string{"client_credentials"}, []string{"authorization_code"}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			if test.supported != nil {
				w.metadata["grant_types_supported"] = test.supported
			}
			var asked struct {
				Grants []string `json:"grant_types"`
			}
			w.override["/register"] = func(rw http.ResponseWriter, r *http.Request) {
				if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
					t.Error(err)
				}
				rw.Header().Set("Content-Type", "application/json")
				rw.WriteHeader(http.StatusCreated)
				writeJSON(rw, map[string]any{"client_id": "registered"})
			}
			w.accepted(w.login())
			if !slices.Equal(asked.Grants, test.want) {
				t.Errorf("registered with %q, want %q", asked.Grants, test.want)
			}
		})
	}
}

// A refused registration means an unknown client; a registration that cannot be tried now does not.
func TestRegistrationRefused(t *testing.T) {
	for name, test := range map[string]struct {
		status  int
		body    string
		refused bool
	}{
		"metadata":       {http.StatusBadRequest, `{"error":"invalid_client_metadata","error_description":"no"}`, true},
		"needs a token":  {http.StatusUnauthorized, "", true},
		"is not allowed": {http.StatusForbidden, "<html>", true},
		"too many":       {http.StatusTooManyRequests, "", false},
		"takes too long": {http.StatusRequestTimeout, "", false},
		"is broken":      {http.StatusInternalServerError, "", false},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.override["/register"] = func(rw http.ResponseWriter, _ *http.Request) {
				rw.Header().Set("Content-Type", "application/json")
				rw.WriteHeader(test.status)
				_, _ = rw.Write([]byte(test.body))
			}
			_, err := w.call(w.login())
			if err == nil || errors.Is(err, mcplogin.ErrUnregistered) != test.refused || strings.Contains(err.Error(), "set Config.Issuer and ClientID") != test.refused {
				t.Errorf("%v", err)
			}
			if oauth, ok := errors.AsType[*mcplogin.OAuthError](err); ok != (name == "metadata") {
				t.Errorf("%v", oauth)
			}
		})
	}
}

// LogIn requests all scopes that a server publishes; a request asks for the scopes that its refusal
// names.
func TestLogInAsksForAll(t *testing.T) {
	for name, test := range map[string]struct {
		challenge, supported string
		choose               func([]string) []string
		logIn, request       string
	}{
		"both":            {"read", "read write", nil, "read write", "read"},
		"challenge alone": {"read", "", nil, "read", "read"},
		"metadata alone":  {"", "read write", nil, "read write", "read write"},
		"neither":         {"", "", nil, "", ""},
		"chosen":          {"read", "read write", func([]string) []string { return []string{"mine"} }, "mine", "mine"},
	} {
		t.Run(name, func(t *testing.T) {
			for explicit, want := range map[bool]string{true: test.logIn, false: test.request} {
				w := newWorld(t)
				w.resource["scopes_supported"] = strings.Fields(test.supported)
				if test.challenge != "" {
					w.challenge = func() string { return `Bearer scope="` + test.challenge + `"` }
				}
				l := w.login(func(c *mcplogin.Config) { c.Scopes = test.choose })
				if explicit {
					if err := l.LogIn(t.Context(), w.url()); err != nil {
						t.Fatal(err)
					}
				} else {
					w.accepted(l)
				}
				if got := query(t, w.opened[0]).Get("scope"); got != want || len(w.opened) != 1 {
					t.Errorf("explicit %v: %q asks for %q, want %q", explicit, w.opened, got, want)
				}
			}
		})
	}
}

// If an authorization server refuses all scopes, it is asked once for the scopes that the server's
// refusal names; other errors abort the login.
func TestLogInWithFewerScopes(t *testing.T) {
	for name, test := range map[string]struct {
		code, challenge string
		pages           []string
	}{
		"fewer":       {"invalid_scope", "read", []string{"read write", "read"}},
		"no others":   {"invalid_scope", "read write", []string{"read write"}},
		"not named":   {"invalid_scope", "", []string{"read write"}},
		"other error": {"access_denied", "read", []string{"read write"}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.resource["scopes_supported"] = []string{"read", "write"}
			if test.challenge != "" {
				w.challenge = func() string { return `Bearer scope="` + test.challenge + `"` }
			}
			w.callback = func(back url.Values) {
				if strings.Contains(query(t, w.opened[len(w.opened)-1]).Get("scope"), "write") {
					back.Del("code")
					back.Set("error", test.code)
				}
			}
			err := w.login().LogIn(t.Context(), w.url())
			var pages []string
			for _, to := range w.opened {
				pages = append(pages, query(t, to).Get("scope"))
			}
			if !slices.Equal(pages, test.pages) || (err == nil) != (len(pages) == 2) {
				t.Errorf("the pages ask for %q, want %q; %v", pages, test.pages, err)
			}
		})
	}
}

// State contains the scopes that were not granted.
func TestStateOfRefusedScopes(t *testing.T) {
	w := newWorld(t)
	w.metadata["scopes_supported"] = []string{"offline_access"}
	w.resource["scopes_supported"] = []string{"write", "read", "admin"}
	w.reply = func(_ url.Values, m map[string]any) { m["scope"] = "read" }
	l := w.login(func(c *mcplogin.Config) { c.Offline = true })
	if err := l.LogIn(t.Context(), w.url()); err != nil {
		t.Fatal(err)
	}
	if s, err := l.State(t.Context(), w.url()); err != nil || !slices.Equal(s.Scopes, []string{"read"}) || !slices.Equal(s.Refused, []string{"admin", "write"}) {
		t.Errorf("%+v, %v", s, err)
	}
}
