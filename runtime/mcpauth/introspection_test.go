package mcpauth_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/runtime/mcpauth"
)

const opaque = "opaque-token-" + canary

// asked is an issuer that answers questions about tokens.
type asked struct {
	*issuer
	questions atomic.Int64
}

// introspected returns a verifier, and its issuer with an answer.
func introspected(answer func(w http.ResponseWriter, r *http.Request)) (*asked, mcpauth.Verifier) {
	a := &asked{issuer: newIssuer()}
	a.answer(func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.URL.Path, "/.well-known/") {
			_, _ = io.WriteString(w, jsonOf(object{"issuer": issuerURL, "introspection_endpoint": issuerURL + "/introspect"}))
			return
		}
		a.questions.Add(1)
		answer(w, r)
	})
	return a, mcpauth.Introspection(mcpauth.IntrospectionOptions{
		Issuer: issuerURL, ClientID: "mcp server", ClientSecret: "s&cret", HTTP: a.client(), Log: new(record).logger(),
	})
}

// active is an answer about a valid token.
func active(more object) object {
	c := claims(object{"active": true, "token_type": "Bearer", "iss": nil})
	for name, v := range more {
		if c[name] = v; v == nil {
			delete(c, name)
		}
	}
	return c
}

func says(v any) func(w http.ResponseWriter, r *http.Request) {
	return func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, jsonOf(v)) }
}

func TestIntrospection(t *testing.T) {
	_, v := introspected(func(w http.ResponseWriter, r *http.Request) {
		user, secret, _ := r.BasicAuth()
		if r.Method != "POST" || r.URL.String() != issuerURL+"/introspect" || user != "mcp+server" || secret != "s%26cret" || r.FormValue("token") != opaque ||
			r.FormValue("token_type_hint") != "access_token" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		says(active(object{"iss": issuerURL}))(w, r)
	})
	i, err := verify(t, v, bearer(opaque))
	if err != nil || i.ID() != issuerURL+" ada" || i.Method != "introspection" || !i.HasScope("books:read") || i.Client != "desktop" {
		t.Errorf("%+v, %v", i, err)
	}
}

// TestIntrospectionAnswers checks answers that do not prove the token to be valid for this server.
func TestIntrospectionAnswers(t *testing.T) {
	for _, test := range []struct {
		name   string
		answer any
		want   string
	}{
		{"valid", active(nil), "taken"},
		{"without exp", active(object{"exp": nil}), "taken"},
		{"not active", object{"active": false}, "refused"},
		{"active: text", active(object{"active": "true"}), "refused"},
		{"active: 1", active(object{"active": 1}), "refused"},
		{"active: missing", active(object{"active": nil}), "refused"},
		{"active: other case", active(object{"active": nil, "Active": true}), "refused"},
		{"active: twice", rawJSON(`{"active":false,"active":true,` + jsonOf(active(object{"active": nil}))[1:]), "unknown"},
		{"another audience", active(object{"aud": "https://mcp.example.com"}), "refused"},
		{"no audience", active(object{"aud": nil}), "refused"},
		{"another issuer", active(object{"iss": issuerURL + "/"}), "refused"},
		{"expired", active(object{"exp": time.Now().Unix() - 60}), "refused"},
		{"exp: text", active(object{"exp": "1"}), "refused"},
		{"refresh token", active(object{"token_type": "refresh_token"}), "refused"},
		{"refresh token by token_use", active(object{"token_use": "refresh_token"}), "refused"},
		{"access token by token_use", active(object{"token_use": "access_token"}), "taken"},
		{"bound", active(object{"cnf": object{"jkt": "x"}}), "refused"},
		{"a list", []any{true}, "unknown"},
		{"HTML", rawJSON("<html>"), "unknown"},
		{"40 KB, which would be kept", active(object{"x": strings.Repeat("x", 40<<10)}), "unknown"},
		{"10 MB", rawJSON(jsonOf(active(nil)) + strings.Repeat(" ", 10<<20)), "unknown"},
	} {
		_, v := introspected(func(w http.ResponseWriter, r *http.Request) {
			if text, ok := test.answer.(rawJSON); ok {
				_, _ = io.WriteString(w, string(text))
				return
			}
			says(test.answer)(w, r)
		})
		if got := outcome(verify(t, v, bearer(opaque))); got != test.want {
			t.Errorf("%s: %s", test.name, got)
		}
	}
}

type rawJSON string

// If an issuer does not answer, the validity of a token is unknown; no other host gets the
// credential.
func TestIntrospectionFailures(t *testing.T) {
	for name, answer := range map[string]http.HandlerFunc{
		"500": func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "token "+opaque, 500) },
		"401": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(401) },
		"redirect 307": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, issuerURL+"/other", http.StatusTemporaryRedirect)
		},
		"redirect 302": func(w http.ResponseWriter, r *http.Request) {
			if r.Method == "GET" {
				says(active(nil))(w, r)
				return
			}
			http.Redirect(w, r, issuerURL+"/introspect", http.StatusFound)
		},
		"redirect to another origin": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "https://evil.example/"+opaque, http.StatusTemporaryRedirect)
		},
		"slow": func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
	} {
		synctest.Test(t, func(t *testing.T) {
			a, v := introspected(answer)
			began := time.Now()
			if got := outcome(verify(t, v, bearer(opaque))); got != "unknown" {
				t.Errorf("%s: %s", name, got)
			}
			if took := time.Since(began); took > 6*time.Second || a.questions.Load() != 1 {
				t.Errorf("%s: %v, %d questions", name, took, a.questions.Load())
			}
		})
	}
}

// An answer is cached for a time; many requests with one token cause one question.
func TestIntrospectionKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		valid := true
		a, v := introspected(func(w http.ResponseWriter, r *http.Request) {
			time.Sleep(time.Second)
			says(active(object{"active": valid, "exp": time.Now().Unix() + 3600}))(w, r)
		})
		ask := func(want string, questions int64) {
			t.Helper()
			var all sync.WaitGroup
			for range 50 {
				all.Go(func() {
					if got := outcome(verify(t, v, bearer(opaque))); got != want {
						t.Errorf("%s, want %s", got, want)
					}
				})
			}
			all.Wait()
			if got := a.questions.Load(); got != questions {
				t.Errorf("%d questions, want %d", got, questions)
			}
		}
		ask("taken", 1)
		valid = false // revoked
		time.Sleep(29 * time.Second)
		ask("taken", 1)
		time.Sleep(time.Second)
		ask("refused", 2)
		valid = true
		time.Sleep(4 * time.Second)
		ask("refused", 2)
		time.Sleep(time.Second)
		ask("taken", 3)
	})
}

// However many random tokens clients send, at most 64 questions are in progress.
func TestIntrospectionStorm(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var open, most atomic.Int64
		_, v := introspected(func(w http.ResponseWriter, r *http.Request) {
			most.Store(max(most.Load(), open.Add(1)))
			time.Sleep(time.Second)
			open.Add(-1)
			says(object{"active": false})(w, r)
		})
		var all sync.WaitGroup
		var unknown atomic.Int64
		for n := range 500 {
			all.Go(func() {
				if outcome(v.Verify(t.Context(), bearer(fmt.Sprintf("%s-%d", opaque, n)))) == "unknown" {
					unknown.Add(1)
				}
			})
		}
		all.Wait()
		if most.Load() > 64 || unknown.Load() != 500-64 {
			t.Errorf("%d at a time, %d unknown", most.Load(), unknown.Load())
		}
	})
}

// Random tokens of one address occupy at most a quarter of the questions: a question about a new
// token of another address starts at once.
func TestIntrospectionStormOfAddress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var open, most atomic.Int64
		a, v := introspected(func(w http.ResponseWriter, r *http.Request) {
			defer open.Add(-1)
			n := open.Add(1)
			if r.FormValue("token") == opaque {
				says(active(object{"exp": time.Now().Unix() + 3600}))(w, r)
				return
			}
			most.Store(max(most.Load(), n))
			<-r.Context().Done()
		})
		from := func(address, token string) *mcpauth.Credential {
			c := bearer(token)
			c.Address = netip.MustParseAddr(address)
			return c
		}
		var all sync.WaitGroup
		storm := func(address string) {
			for n := range 100 {
				all.Go(func() {
					if got := outcome(v.Verify(t.Context(), from(address, fmt.Sprintf("%s-%s-%d", opaque, address, n)))); got != "unknown" {
						t.Errorf("%s: %s", address, got)
					}
				})
			}
			synctest.Wait()
		}
		storm("192.0.2.1")
		if n := a.questions.Load(); n != 16 {
			t.Errorf("%d questions of one address", n)
		}
		// Addresses of one IPv6 network count as one.
		storm("2001:db8::1")
		storm("2001:db8::2")
		if n := a.questions.Load(); n != 32 {
			t.Errorf("%d questions of two addresses", n)
		}
		if got := outcome(v.Verify(t.Context(), from("198.51.100.1", opaque))); got != "taken" {
			t.Errorf("a token of another address: %s", got)
		}
		// A cached token needs no question.
		if got := outcome(v.Verify(t.Context(), from("192.0.2.1", opaque))); got != "taken" {
			t.Errorf("a known token: %s", got)
		}
		all.Wait()
		if most.Load() != 32 {
			t.Errorf("%d at a time", most.Load())
		}
		// After the questions, the address has its share again.
		if got := outcome(v.Verify(t.Context(), from("192.0.2.1", opaque+"-new"))); got != "unknown" || a.questions.Load() != 34 {
			t.Errorf("later: %s, %d questions", got, a.questions.Load())
		}
	})
}

// The issuer does not get credentials that belong to others.
func TestIntrospectionOthers(t *testing.T) {
	a, v := introspected(says(active(nil)))
	key, _ := mcpauth.NewKey("x")
	basic := bearer(opaque)
	basic.Scheme = mcpauth.SchemeBasic
	for name, c := range map[string]*mcpauth.Credential{"API key": bearer(key), "JWT of another issuer": bearer(token(object{"iss": "https://other.example"})), "Basic": basic} {
		if got := outcome(verify(t, v, c)); got != "not mine" {
			t.Errorf("%s: %s", name, got)
		}
	}
	if a.questions.Load() != 0 {
		t.Errorf("%d questions", a.questions.Load())
	}
	if got := outcome(verify(t, v, bearer(token(nil)))); got != "taken" {
		t.Errorf("JWT of the issuer: %s", got)
	}
}

func TestIntrospectionOptions(t *testing.T) {
	good := mcpauth.IntrospectionOptions{Issuer: issuerURL, ClientID: "a", ClientSecret: "b", Endpoint: issuerURL + "/introspect"}
	for name, change := range map[string]func(*mcpauth.IntrospectionOptions){
		"":                  func(*mcpauth.IntrospectionOptions) {},
		"Issuer":            func(o *mcpauth.IntrospectionOptions) { o.Issuer = "" },
		"Endpoint":          func(o *mcpauth.IntrospectionOptions) { o.Endpoint = "http://id.example.com" },
		"ClientSecret":      func(o *mcpauth.IntrospectionOptions) { o.ClientSecret = "" },
		"ClientID":          func(o *mcpauth.IntrospectionOptions) { o.ClientID, o.Key = "", ecKey },
		"Options.Key":       func(o *mcpauth.IntrospectionOptions) { o.Key = must(ecdsa.GenerateKey(elliptic.P224(), rand.Reader)) },
		"AuthMethod":        func(o *mcpauth.IntrospectionOptions) { o.AuthMethod = "private_key_jwt" },
		"client_secret_jwt": func(o *mcpauth.IntrospectionOptions) { o.AuthMethod = "client_secret_jwt" },
		"is \"none\"":       func(o *mcpauth.IntrospectionOptions) { o.AuthMethod = "none" },
		"DPoPOptions":       func(o *mcpauth.IntrospectionOptions) { o.DPoP.Mode = 7 },
	} {
		o := good
		change(&o)
		_, err := mcpauth.New(mcpauth.Options{Resource: resource, Verifiers: []mcpauth.Verifier{mcpauth.Introspection(o)}})
		if (err == nil) != (name == "") || err != nil && !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
