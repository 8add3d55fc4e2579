package mcpauth_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpauth"
	"github.com/mcpgen/mcpgen/runtime/mcphttp"
)

const exchanged = "exchanged-" + canary

// exchangeFrom calls an Exchanger in a tool, for a caller with the given header fields, and returns
// its result.
func exchangeFrom(t *testing.T, g *mcpauth.Guard, x *mcpauth.Exchanger, fields []string, audience string, scopes ...string) (string, error) {
	t.Helper()
	server := mcp.NewServer(mcp.ServerInfo{Name: "books", Version: "1"})
	var got string
	err := errors.New("the tool has not run")
	server.Register(mcp.NewTool(mcp.ToolInfo{Name: "whoami"}, func(ctx context.Context, _ json.RawMessage) (*mcp.ToolResult, error) {
		got, err = x.Token(ctx, audience, scopes...)
		return mcp.TextResult("done"), nil
	}))
	s := &site{Handler: mcphttp.NewHandler(server, g.HTTP()...), audit: new(record), log: new(record)}
	if resp := s.do(t, post("whoami", fields...)); resp.StatusCode != 200 {
		t.Fatalf("status %d", resp.StatusCode)
	}
	return got, err
}

// exchanger returns an Exchanger with the answer of its issuer.
func exchanger(answer http.HandlerFunc) *mcpauth.Exchanger {
	i := newIssuer()
	i.answer(func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.URL.Path, "/.well-known/") {
			_, _ = io.WriteString(w, jsonOf(object{"issuer": issuerURL, "token_endpoint": issuerURL + "/token"}))
			return
		}
		answer(w, r)
	})
	return must(mcpauth.NewExchanger(mcpauth.ExchangerOptions{Issuer: issuerURL, ClientID: "mcp", ClientSecret: "secret", HTTP: i.client()}))
}

func TestExchanger(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		text := token(object{"exp": time.Now().Add(time.Hour).Unix()})
		var asked atomic.Int64
		x := exchanger(func(w http.ResponseWriter, r *http.Request) {
			asked.Add(1)
			user, secret, _ := r.BasicAuth()
			_ = r.ParseForm()
			want := object{
				"grant_type": "urn:ietf:params:oauth:grant-type:token-exchange", "subject_token": text, "audience": "orders", "scope": "a b",
				"subject_token_type": "urn:ietf:params:oauth:token-type:access_token", "requested_token_type": "urn:ietf:params:oauth:token-type:access_token",
			}
			for name, value := range want {
				if r.PostForm.Get(name) != value {
					w.WriteHeader(500)
				}
			}
			if r.URL.String() != issuerURL+"/token" || user != "mcp" || secret != "secret" || len(r.PostForm) != len(want) {
				w.WriteHeader(500)
			}
			_, _ = io.WriteString(w, jsonOf(object{"access_token": exchanged, "token_type": "bearer", "expires_in": 120, "issued_token_type": "x"}))
		})
		g := newSite(t, nil).guard
		ask := func(want int64) {
			t.Helper()
			got, err := exchangeFrom(t, g, x, []string{"Authorization: Bearer " + text}, "orders", "a", "b")
			if err != nil || got != exchanged || asked.Load() != want {
				t.Errorf("%s, %v, %d questions", got, err, asked.Load())
			}
		}
		ask(1)
		ask(1)
		time.Sleep(89 * time.Second)
		ask(1)
		time.Sleep(2 * time.Second)
		ask(2)
		// Another caller does not get the token of the first one.
		other := token(object{"sub": "eve"})
		if got, err := exchangeFrom(t, g, x, []string{"Authorization: Bearer " + other}, "orders", "a", "b"); err == nil {
			t.Errorf("another caller gets %s", got)
		}
	})
}

// Callers without a token, and issuers that do not exchange it.
func TestExchangerErrors(t *testing.T) {
	text, key := mcpauth.NewKey("nightly")
	other := newIssuer()
	other.url = "https://other.example.com"
	g := newSite(t, func(o *mcpauth.Options) {
		keys := []byte(jsonOf(object{"keys": []any{jwk(otherECKey, nil)}}))
		o.Verifiers = append(o.Verifiers, mcpauth.APIKeys(must(mcpauth.ReadKeys([]byte(keysOf(key))))),
			mcpauth.JWT(mcpauth.JWTOptions{Issuer: other.url, Keys: keys}))
	}).guard
	mine := "Authorization: Bearer " + token(nil)
	for _, test := range []struct {
		name, field, audience string
		answer                http.HandlerFunc
		want                  string
	}{
		{"API key", "Authorization: Bearer " + text, "orders", nil, "not at hand"},
		{"another issuer", "Authorization: Bearer " + sign(`{"alg":"ES256"}`, jsonOf(claims(object{"iss": other.url})), otherECKey), "orders", nil, "not at hand"},
		{"no audience", mine, "", nil, "audience"},
		{"refused", mine, "orders", status(400, `{"error":"invalid_target","error_description":"`+canary+`"}`), "invalid_target"},
		{"refused with a strange code", mine, "orders", status(400, `{"error":"`+canary+`"}`), "status 400"},
		{"down", mine, "orders", status(502, canary), "status 502"},
		{"no token", mine, "orders", status(200, `{"token_type":"Bearer"}`), "not sent a bearer token"},
		{"another type", mine, "orders", status(200, `{"access_token":"x","token_type":"mac"}`), "not sent a bearer token"},
		{"token with a line end", mine, "orders", status(200, `{"access_token":"x\r\ny","token_type":"Bearer"}`), "not sent a bearer token"},
		{"HTML", mine, "orders", status(200, "<html>"+canary), "read reply"},
		{"redirect", mine, "orders", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "https://evil.example/", http.StatusTemporaryRedirect)
		}, "redirect"},
	} {
		_, err := exchangeFrom(t, g, exchanger(test.answer), []string{test.field}, test.audience)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		noSecret(t, err.Error(), strings.TrimPrefix(test.field, "Authorization: Bearer "))
		if test.want == "not at hand" && !errors.Is(err, mcpauth.ErrNoToken) {
			t.Errorf("%s: %v", test.name, err)
		}
	}
	if _, err := exchanger(nil).Token(t.Context(), "orders"); !errors.Is(err, mcpauth.ErrNoToken) {
		t.Errorf("without a call: %v", err)
	}
	for _, o := range []mcpauth.ExchangerOptions{{}, {Issuer: issuerURL}, {Issuer: issuerURL, ClientID: "a", ClientSecret: "b", Endpoint: "x"}} {
		if _, err := mcpauth.NewExchanger(o); err == nil {
			t.Errorf("%+v", o)
		}
	}
}

func status(code int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(code)
		_, _ = io.WriteString(w, body)
	}
}

// An identity that was passed through another process no longer has a token.
func TestIdentityElsewhere(t *testing.T) {
	i, err := verify(t, jwtOf(newIssuer()), bearer(token(nil)))
	if err != nil {
		t.Fatal(err)
	}
	text := must(json.Marshal(i))
	noSecret(t, string(text), token(nil))
	var again mcpauth.Identity
	if err := json.Unmarshal(text, &again); err != nil || again.ID() != i.ID() || again.Client != i.Client || !again.Expires.Equal(i.Expires) {
		t.Errorf("%+v, %v", again, err)
	}
}
