package mcpauth_test

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/go-jose/go-jose/v4"

	"github.com/mcpgen/mcpgen/runtime/mcpauth"
	"github.com/mcpgen/mcpgen/runtime/mcpissuer"
)

// answering is a Transport that calls a handler in this process.
type answering struct{ http.Handler }

func (a answering) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.RemoteAddr, r.Host, r.RequestURI = "127.0.0.1:50000", r.URL.Host, r.URL.RequestURI()
	if r.Body == nil {
		r.Body = http.NoBody
	}
	w := httptest.NewRecorder()
	a.ServeHTTP(w, r)
	resp := w.Result()
	resp.Request = r
	return resp, nil
}

// Introspection at the development issuer, by each authentication method and each kind of key.
func TestIntrospectionAuthentication(t *testing.T) {
	const url127 = "http://127.0.0.1:8080"
	p384 := must(ecdsa.GenerateKey(elliptic.P384(), rand.Reader))
	keySet := func(key crypto.Signer) []byte {
		return must(json.Marshal(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: key.Public(), KeyID: "1"}}}))
	}
	i := must(mcpissuer.New(mcpissuer.Options{
		URL: url127, Resources: []string{resource}, Log: slog.New(slog.DiscardHandler),
		Clients: []mcpissuer.Client{
			{ID: "a server:&", Secret: canary + " &:", Scopes: []string{"books:read"}},
			{ID: "es256", Keys: keySet(ecKey)}, {ID: "es384", Keys: keySet(p384)}, {ID: "rsa", Keys: keySet(rsaKey)}, {ID: "ed", Keys: keySet(edKey)},
		},
	}))
	token := tokenOf(t, i, url127, "a server:&", canary+" &:")
	for name, test := range map[string]struct {
		o    mcpauth.IntrospectionOptions
		want string
	}{
		"secret":                          {mcpauth.IntrospectionOptions{ClientID: "a server:&", ClientSecret: canary + " &:"}, "taken"},
		"client_secret_basic":             {mcpauth.IntrospectionOptions{ClientID: "a server:&", ClientSecret: canary + " &:", AuthMethod: "client_secret_basic"}, "taken"},
		"client_secret_post":              {mcpauth.IntrospectionOptions{ClientID: "a server:&", ClientSecret: canary + " &:", AuthMethod: "client_secret_post"}, "taken"},
		"client_secret_post, given place": {mcpauth.IntrospectionOptions{ClientID: "a server:&", ClientSecret: canary + " &:", AuthMethod: "client_secret_post", Endpoint: url127 + "/oauth/introspect"}, "taken"},
		"ES256":                           {mcpauth.IntrospectionOptions{ClientID: "es256", Key: ecKey}, "taken"},
		"ES256, given place":              {mcpauth.IntrospectionOptions{ClientID: "es256", Key: ecKey, Endpoint: url127 + "/oauth/introspect"}, "taken"},
		"a key and a wrong secret":        {mcpauth.IntrospectionOptions{ClientID: "es256", Key: ecKey, ClientSecret: canary}, "taken"},
		"ES384":                           {mcpauth.IntrospectionOptions{ClientID: "es384", Key: p384}, "taken"},
		"RSA":                             {mcpauth.IntrospectionOptions{ClientID: "rsa", Key: rsaKey}, "taken"},
		"Ed25519":                         {mcpauth.IntrospectionOptions{ClientID: "ed", Key: edKey}, "taken"},
		"a foreign key":                   {mcpauth.IntrospectionOptions{ClientID: "es256", Key: otherECKey}, "unknown"},
		"a key of another client":         {mcpauth.IntrospectionOptions{ClientID: "rsa", Key: ecKey}, "unknown"},
		"a secret, not the key":           {mcpauth.IntrospectionOptions{ClientID: "es256", ClientSecret: canary}, "unknown"},
		"a wrong secret":                  {mcpauth.IntrospectionOptions{ClientID: "a server:&", ClientSecret: canary, AuthMethod: "client_secret_post"}, "unknown"},
	} {
		log := new(record)
		test.o.Issuer, test.o.HTTP, test.o.Log = url127, &http.Client{Transport: answering{i}}, log.logger()
		v := mcpauth.Introspection(test.o)
		for n := range 2 { // each question has an assertion of its own
			if got := outcome(verify(t, v, bearer(token))); got != test.want {
				t.Errorf("%s, question %d: %s\n%s", name, n, got, log)
			}
			if got := outcome(verify(t, v, bearer("opaque-"+name[:2]+string(rune('a'+n))))); got != map[string]string{"taken": "refused", "unknown": "unknown"}[test.want] {
				t.Errorf("%s, question %d about an unknown token: %s", name, n, got)
			}
		}
		noSecret(t, log.String(), token)
	}
}

// tokenOf returns an access token that a client gets with its own credentials.
func tokenOf(t *testing.T, i http.Handler, issuer, id, secret string) string {
	t.Helper()
	form := url.Values{"grant_type": {"client_credentials"}, "client_id": {id}, "client_secret": {secret}}
	r := must(http.NewRequest("POST", issuer+"/oauth/token", strings.NewReader(form.Encode())))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	var reply struct {
		Token string `json:"access_token"`
	}
	resp := must(answering{i}.RoundTrip(r))
	if err := json.NewDecoder(resp.Body).Decode(&reply); err != nil || reply.Token == "" {
		t.Fatal(resp.StatusCode, err)
	}
	return reply.Token
}

// The issuer's metadata determines the authentication method.
func TestIntrospectionAuthMethods(t *testing.T) {
	for name, test := range map[string]struct {
		metadata object
		o        mcpauth.IntrospectionOptions
		want     string // received by the issuer; "" for no question
	}{
		"no list: secret":          {nil, mcpauth.IntrospectionOptions{ClientSecret: canary}, "basic"},
		"no list: key":             {nil, mcpauth.IntrospectionOptions{Key: rsaKey}, "RS256"},
		"post alone":               {object{"methods": []string{"client_secret_post"}}, mcpauth.IntrospectionOptions{ClientSecret: canary}, "post"},
		"basic and post":           {object{"methods": []string{"client_secret_post", "client_secret_basic"}}, mcpauth.IntrospectionOptions{ClientSecret: canary}, "basic"},
		"key and secret, no JWT":   {object{"methods": []string{"client_secret_post"}}, mcpauth.IntrospectionOptions{ClientSecret: canary, Key: rsaKey}, "post"},
		"key and secret":           {object{"methods": []string{"client_secret_post", "private_key_jwt"}}, mcpauth.IntrospectionOptions{ClientSecret: canary, Key: rsaKey}, "RS256"},
		"PS256 alone":              {object{"methods": []string{"private_key_jwt"}, "algs": []string{"PS256"}}, mcpauth.IntrospectionOptions{Key: rsaKey}, "PS256"},
		"an algorithm of others":   {object{"methods": []string{"private_key_jwt"}, "algs": []string{"ES256"}}, mcpauth.IntrospectionOptions{Key: rsaKey}, ""},
		"bearer alone":             {object{"methods": []string{"bearer", "none"}}, mcpauth.IntrospectionOptions{ClientSecret: canary}, ""},
		"JWT alone, no key":        {object{"methods": []string{"private_key_jwt"}}, mcpauth.IntrospectionOptions{ClientSecret: canary}, ""},
		"basic alone, option post": {object{"methods": []string{"client_secret_basic"}}, mcpauth.IntrospectionOptions{ClientSecret: canary, AuthMethod: "client_secret_post"}, "post"},
		"a list that is a number":  {object{"methods": 1}, mcpauth.IntrospectionOptions{ClientSecret: canary}, ""},
		"an option, given place":   {nil, mcpauth.IntrospectionOptions{Endpoint: issuerURL + "/introspect", ClientSecret: canary, Key: rsaKey, AuthMethod: "client_secret_basic"}, "basic"},
	} {
		got := ""
		i := newIssuer()
		i.answer(func(w http.ResponseWriter, r *http.Request) {
			if strings.Contains(r.URL.Path, "/.well-known/") {
				metadata := object{"issuer": issuerURL, "introspection_endpoint": issuerURL + "/introspect"}
				if list, ok := test.metadata["methods"]; ok {
					metadata["introspection_endpoint_auth_methods_supported"] = list
				}
				if list, ok := test.metadata["algs"]; ok {
					metadata["introspection_endpoint_auth_signing_alg_values_supported"] = list
				}
				_, _ = io.WriteString(w, jsonOf(metadata))
				return
			}
			got = sentBy(t, r)
			says(active(nil))(w, r)
		})
		log := new(record)
		test.o.Issuer, test.o.ClientID, test.o.HTTP, test.o.Log = issuerURL, "mcp", i.client(), log.logger()
		want := map[bool]string{true: "taken", false: "unknown"}[test.want != ""]
		if o := outcome(verify(t, mcpauth.Introspection(test.o), bearer(opaque))); o != want || got != test.want {
			t.Errorf("%s: %s, the issuer got %q", name, o, got)
		}
		noSecret(t, log.String())
	}
}

// sentBy returns the authentication method of a question. It checks that there is only one, with
// the values of the options.
func sentBy(t *testing.T, r *http.Request) string {
	t.Helper()
	user, secret, basic := r.BasicAuth()
	assertion := r.PostFormValue("client_assertion")
	switch {
	case basic && user == "mcp" && secret == canary && !r.PostForm.Has("client_id") && !r.PostForm.Has("client_secret") && assertion == "":
		return "basic"
	case !basic && r.PostForm.Get("client_id") == "mcp" && r.PostForm.Get("client_secret") == canary && assertion == "":
		return "post"
	case !basic && !r.PostForm.Has("client_secret") && r.PostForm.Get("client_assertion_type") == "urn:ietf:params:oauth:client-assertion-type:jwt-bearer":
		var header struct{ Alg, Typ string }
		var is struct{ Iss, Sub, Aud, Jti string }
		parts := strings.Split(assertion, ".")
		for n, v := range []any{&header, &is} {
			if err := json.Unmarshal(must(base64.RawURLEncoding.DecodeString(parts[n])), v); err != nil {
				t.Error(err)
			}
		}
		if is.Iss == "mcp" && is.Sub == "mcp" && is.Aud == issuerURL && is.Jti != "" {
			return header.Alg
		}
	}
	return "something else"
}
