package hardening_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/runtime/mcpauth"
)

// refuseTokens checks that tokens are refused for one of the reasons, without a request to an
// issuer, whose keys are known.
func refuseTokens(t *testing.T, v target, reasons string, make func() map[string]string) {
	v.visitAuth(t, setup{}, nil, func(t *testing.T, s *authSite) {
		s.wantOpen("valid", bearer(tokenOf(nil)))
		expected := regexp.MustCompile(`reason="[^"]*(` + reasons + ")")
		for what, token := range make() {
			status := http.StatusUnauthorized
			if strings.HasPrefix(what, "form: ") {
				status = http.StatusBadRequest
			}
			s.wantRefused(what, status, bearer(token))
			if records := s.audit.String(); !expected.MatchString(records[strings.LastIndexByte(records[:len(records)-1], '\n')+1:]) {
				t.Errorf("%s: the reason is another one: %s", what, records)
			}
		}
		if keys, elsewhere := s.issuer.fetches(); keys != 1 || elsewhere != nil {
			t.Errorf("%d fetches of keys, and %v", keys, elsewhere)
		}
		s.wantOpen("valid after all", bearer(tokenOf(nil)))
	})
}

// testAuthAudience sends tokens for other audiences.
func testAuthAudience(t *testing.T, v target) {
	refuseTokens(t, v, "meant for|audience|ID token|not an access token|claim aud", func() map[string]string {
		tokens := map[string]string{
			"no audience": tokenOf(object{"aud": nil}), "ID token": tokenOf(object{"nonce": "n"}), "ID token of Cognito": tokenOf(object{"token_use": "id"}),
			"hash of an access token": tokenOf(object{"at_hash": "x"}),
		}
		for _, audience := range []any{
			"https://mcp.example.com/other", authResource + "x", authResource + "/x", authResource + "/", authResource + "?x=1", "https://mcp.example.com",
			"https://mcp.example.com/MCP", "HTTPS://mcp.example.com/mcp", "x " + authResource, "", []string{}, []any{object{}}, 1,
		} {
			tokens[fmt.Sprintf("audience %v", audience)] = tokenOf(object{"aud": audience})
		}
		return tokens
	})
}

// testAuthSignature sends tokens with a wrong signature, header or form.
func testAuthSignature(t *testing.T, v target) {
	make := func() map[string]string {
		good := tokenOf(nil)
		parts := strings.Split(good, ".")
		as := func(header string, key any) string { return signed(header, jsonOf(authClaims(nil)), key) }
		rest := jsonOf(authClaims(nil))[1:]
		return map[string]string{
			"none":                         as(`{"alg":"none","kid":"ec"}`, nil),
			"none without signature":       unpadded([]byte(`{"alg":"none"}`)) + "." + parts[1] + ".",
			"HS256 with the public key":    as(`{"alg":"HS256","kid":"ec"}`, []byte(jsonOf(jwk(issuerKey, nil)))),
			"HS256 with a key of the set":  as(`{"alg":"HS256","kid":"oct"}`, []byte(canary)),
			"other case":                   as(`{"alg":"es256","kid":"ec"}`, issuerKey),
			"key for encryption":           as(`{"alg":"ES256","kid":"enc"}`, strayKey),
			"kid: path":                    as(`{"alg":"ES256","kid":"../../dev/null"}`, issuerKey),
			"kid: SQL":                     as(`{"alg":"ES256","kid":"' or 1=1 --"}`, issuerKey),
			"jku":                          as(`{"alg":"ES256","jku":"https://evil.example/keys"}`, strayKey),
			"x5u":                          as(`{"alg":"ES256","x5u":"https://evil.example/cert"}`, strayKey),
			"jwk":                          as(`{"alg":"ES256","jwk":`+jsonOf(jwk(strayKey, nil))+`}`, strayKey),
			"crit":                         as(`{"alg":"ES256","kid":"ec","crit":["exp"]}`, issuerKey),
			"JWE":                          unpadded([]byte(`{"alg":"dir","enc":"A128GCM"}`)) + "..AAAA.AAAA.AAAA",
			"two payloads":                 parts[0] + "." + parts[1] + "." + parts[1] + "." + parts[2],
			"payload of another":           parts[0] + "." + strings.Split(tokenOf(object{"sub": "eve"}), ".")[1] + "." + parts[2],
			"padding at the end":           good + "==",
			"form: padding within":         parts[0] + "==." + parts[1] + "." + parts[2],
			"form: blank":                  good[:20] + " " + good[20:],
			"form: 1 MB of kid, cut":       as(`{"alg":"ES256","kid":"`+strings.Repeat("k", 20<<10)+`"}`, issuerKey),
			"claim twice":                  signed(authHeader, `{"sub":"eve",`+rest, issuerKey),
			"claim twice, escaped":         signed(authHeader, `{"s\u0075b":"eve",`+rest, issuerKey),
			"header twice":                 as(`{"alg":"none","alg":"ES256","kid":"ec"}`, issuerKey),
			"signature of another key":     as(authHeader, strayKey),
			"signature that is all zeroes": parts[0] + "." + parts[1] + "." + unpadded(make([]byte, 64)),
		}
	}
	refuseTokens(t, v, "algorithm|header|signature|no key|no verifier|RFC 6750|key", make)
}

// testAuthIssuer sends tokens of other issuers, and of two issuers with the same subject.
func testAuthIssuer(t *testing.T, v target) {
	refuseTokens(t, v, "no verifier", func() map[string]string {
		tokens := map[string]string{}
		for _, issuer := range []any{authIssuerID + "/", "https://ID.example.com/tenant", "https://id.example.com", "https://id.example.com/ten", nil, []string{authIssuerID}} {
			tokens[fmt.Sprintf("issuer %v", issuer)] = tokenOf(object{"iss": issuer})
		}
		return tokens
	})
	const other = "https://other.example.com"
	two := func(_ *authSite, o *mcpauth.Options) {
		o.Verifiers = append(o.Verifiers, mcpauth.JWT(mcpauth.JWTOptions{Issuer: other, Keys: []byte(jsonOf(object{"keys": []any{jwk(strayKey, nil)}}))}))
	}
	v.visitAuth(t, setup{}, two, func(t *testing.T, s *authSite) {
		of := func(key any) string { return signed(`{"alg":"ES256"}`, jsonOf(authClaims(object{"iss": other})), key) }
		s.wantRefused("the key of one issuer signs for the other", 401, bearer(of(issuerKey)))
		for token, want := range map[string]string{tokenOf(nil): authIssuerID + " ada", of(strayKey): other + " ada"} {
			if m := s.openAs(token).ask("tools/call", call("whoami", `{}`)); !strings.HasPrefix(m.text(), fmt.Sprintf("%q", want)) {
				t.Errorf("%s is %v", want, m)
			}
		}
	})
}

// testAuthTime sends tokens before and after their time.
func testAuthTime(t *testing.T, v target) {
	v.visitAuth(t, setup{}, nil, func(t *testing.T, s *authSite) {
		now := time.Now().Unix()
		for what, c := range map[string]object{
			"expired": {"exp": now - 31}, "not yet valid": {"nbf": now + 31}, "issued in the future": {"iat": now + 31}, "no exp": {"exp": nil},
			"exp as text": {"exp": fmt.Sprint(now + 600)}, "exp 1e400": {"exp": json.Number("1e400")}, "exp negative": {"exp": -1}, "exp negative zero": {"exp": json.Number("-0")},
			"exp in a list": {"exp": []int64{now + 600}}, "another case": {"exp": nil, "EXP": now + 600},
		} {
			s.wantRefused(what, 401, bearer(tokenOf(c)))
		}
		for what, c := range map[string]object{"exp": {"exp": now - 29}, "nbf and iat": {"nbf": now + 29, "iat": now + 29}} {
			s.wantOpen("a clock that is off: "+what, bearer(tokenOf(c)))
		}
		// A token that is known expires as well.
		token := tokenOf(object{"exp": now + 20})
		s.wantOpen("known", bearer(token))
		time.Sleep(49 * time.Second)
		s.wantOpen("known, within Leeway", bearer(token))
		time.Sleep(2 * time.Second)
		s.wantRefused("known, and expired since", 401, bearer(token))
	})
}

// testAuthKeys has an issuer that fails in many ways.
func testAuthKeys(t *testing.T, v target) {
	for what, answer := range map[string]http.HandlerFunc{
		"down": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(502) },
		"10 MB": func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprintf(w, `{"keys":[],"x":%q}`, strings.Repeat("x", 10<<20))
		},
		"redirect to another place": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "https://evil.example/keys", http.StatusFound)
		},
		"slow": func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
	} {
		v.visitAuth(t, setup{}, nil, func(t *testing.T, s *authSite) {
			s.issuer.answers(answer)
			s.wantRefused(what, 503, bearer(tokenOf(nil)))
			if _, elsewhere := s.issuer.fetches(); elsewhere != nil {
				t.Errorf("%s: asked %v", what, elsewhere)
			}
		})
	}
	v.visitAuth(t, setup{}, nil, func(t *testing.T, s *authSite) {
		s.wantOpen("first", bearer(tokenOf(nil)))
		// A client without a valid token does not determine how often the issuer is asked.
		for n := range 50 {
			s.wantRefused("unknown key", 401, bearer(signed(fmt.Sprintf(`{"alg":"ES256","kid":"k%d"}`, n), jsonOf(authClaims(nil)), strayKey)))
		}
		time.Sleep(11 * time.Second)
		for n := range 50 {
			s.wantRefused("unknown key", 401, bearer(signed(fmt.Sprintf(`{"alg":"ES256","kid":"l%d"}`, n), jsonOf(authClaims(nil)), strayKey)))
		}
		if keys, _ := s.issuer.fetches(); keys != 2 {
			t.Errorf("%d fetches", keys)
		}
		// Known keys stay while the issuer is down; new ones are found when it is back.
		s.issuer.answers(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(500) })
		time.Sleep(time.Hour)
		s.wantOpen("an hour later", bearer(tokenOf(nil)))
		time.Sleep(11 * time.Second)
		s.issuer.answers(func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprint(w, jsonOf(object{"keys": []any{jwk(strayKey, object{"kid": "new"})}}))
		})
		s.wantOpen("the new key", bearer(signed(`{"alg":"ES256","kid":"new"}`, jsonOf(authClaims(nil)), strayKey)))
		s.wantRefused("the old key", 401, bearer(tokenOf(object{"jti": "id-2"})))
	})
	v.visitAuth(t, setup{}, nil, func(t *testing.T, s *authSite) {
		s.issuer.answers(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"keys":[]}`) })
		if a := s.knock(bearer(tokenOf(nil))); a.status != 401 && a.status != 503 {
			t.Errorf("a set without keys: status %d", a.status)
		}
	})
}

// testAuthIntrospection has an issuer that gives unusual answers about opaque tokens.
func testAuthIntrospection(t *testing.T, v target) {
	says := func(more object) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprint(w, jsonOf(change(authClaims(object{"active": true, "token_type": "Bearer"}), more)))
		}
	}
	for _, test := range []struct {
		what   string
		answer http.HandlerFunc
		status int // 0: accepted
	}{
		{"valid", says(nil), 0},
		{"active as text", says(object{"active": "true"}), 401},
		{"active 1", says(object{"active": 1}), 401},
		{"active missing", says(object{"active": nil}), 401},
		{"active false", says(object{"active": false}), 401},
		{"another audience", says(object{"aud": "https://mcp.example.com/other"}), 401},
		{"no audience", says(object{"aud": nil}), 401},
		{"another issuer", says(object{"iss": "https://evil.example"}), 401},
		{"expired", says(object{"exp": 1}), 401},
		{"500", func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "of "+canary, 500) }, 503},
		{"slow", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, 503},
		{"redirects", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "https://evil.example/"+canary, http.StatusTemporaryRedirect)
		}, 503},
	} {
		v.visitAuth(t, setup{}, func(s *authSite, o *mcpauth.Options) {
			o.Verifiers = []mcpauth.Verifier{s.issuer.introspection()}
		}, func(t *testing.T, s *authSite) {
			s.issuer.answers(test.answer)
			if token := bearer("opaque-token-" + canary); test.status == 0 {
				s.wantOpen(test.what, token)
			} else {
				s.wantRefused(test.what, test.status, token)
			}
			if _, elsewhere := s.issuer.fetches(); elsewhere != nil {
				t.Errorf("%s: asked %v", test.what, elsewhere)
			}
		})
	}
}

// testAuthForm sends credentials in invalid forms, places and sizes.
func testAuthForm(t *testing.T, v target) {
	v.visitAuth(t, setup{}, nil, func(t *testing.T, s *authSite) {
		token := tokenOf(nil)
		good := bearer(token)
		for _, test := range []struct {
			what   string
			status int
			fields []string
		}{
			{"none", 401, nil},
			{"empty", 401, []string{"Authorization: "}},
			{"twice", 400, []string{good, good}},
			{"twice, with other case", 400, []string{good, "authorization: bearer " + token}},
			{"comma", 400, []string{good + ", Bearer " + token}},
			{"comma without blank", 400, []string{good + ",Bearer"}},
			{"Basic and Bearer", 400, []string{good, "Authorization: Basic YWRhOkNhTmFSeTAxMjM0NTY3ODk="}},
			{"tab", 401, []string{"Authorization: Bearer\t" + token}},
			{"tab within", 400, []string{good[:len(good)-9] + "\t" + good[len(good)-9:]}},
			{"20 KB", 400, []string{good + strings.Repeat("x", 20<<10)}},
			{"2 MB", 431, []string{good + strings.Repeat("x", 2<<20)}},
			{"another scheme", 401, []string{"Authorization: Negotiate " + token}},
		} {
			s.wantRefused(test.what, test.status, test.fields...)
		}
		// net/http refuses NUL before the guard sees it.
		if a := s.knock(good + "\x00"); a.status != 400 || s.records() != "" {
			t.Errorf("NUL: status %d: %s", a.status, a.body)
		}
		for _, query := range []string{"access_token=" + token, "x=1&Access_Token=" + token, "acce%73s_token=" + token} {
			line := s.method() + " /mcp?" + query
			s.checkRefused(query[:8], s.raw(line, `{}`, "Content-Type: application/json"), 400, []string{good})
		}
		if v.is(httpLegacy, httpModern) {
			form := s.raw("POST /mcp", "access_token="+token, "Content-Type: application/x-www-form-urlencoded")
			s.checkRefused("body", form, 401, []string{good})
		}
	})
}

// testAuthAPIKey guesses keys, and breaks the file with the keys.
func testAuthAPIKey(t *testing.T, v target) {
	key, stored := mcpauth.NewKey("nightly")
	ended, endedKey := mcpauth.NewKey("ended")
	unknown, _ := mcpauth.NewKey("other")
	path := filepath.Join(t.TempDir(), "keys.json")
	write := func(t *testing.T, text string) {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	v.visitAuth(t, setup{}, func(_ *authSite, o *mcpauth.Options) {
		endedKey.Expires = time.Now().Add(-time.Minute)
		write(t, jsonOf(object{"keys": []any{stored, endedKey}}))
		o.Verifiers, o.KeyHeader, o.MaxFailuresPerMinute = append(o.Verifiers, mcpauth.APIKeys(mcpauth.KeysFile(path))), "X-API-Key", 60
	}, func(t *testing.T, s *authSite) {
		s.wantOpen("Bearer", bearer(key))
		s.wantOpen("header field", "X-API-Key: "+key)
		for n := range key {
			b := []byte(key)
			if b[n]++; n%4 > 0 && n < len(key)-1 || b[n] > 'Z' && b[n] < 'a' {
				continue
			}
			s.wantRefused(fmt.Sprintf("one character off at %d", n), 401, bearer(string(b)))
		}
		s.wantRefused("unknown", 401, bearer(unknown))
		s.wantRefused("ended", 401, bearer(ended))
		s.wantRefused("ended", 401, "X-API-Key: "+ended)
		s.wantRefused("SHA-256 of it", 401, bearer(stored.SHA256))
		s.wantRefused("two", 400, "X-API-Key: "+key, bearer(key))
		write(t, `{"keys":[{"name":"nightly","sha25`)
		time.Sleep(time.Minute)
		s.wantOpen("a file that is half written", bearer(key))
		if !strings.Contains(s.log.String(), "cannot be read again") {
			t.Errorf("log: %s", s.log)
		}
		statuses := map[int]int{}
		for range 200 {
			guess, _ := mcpauth.NewKey("x")
			a := s.knock(bearer(guess))
			s.keeps("guess", []string{bearer(guess)})
			statuses[a.status]++
		}
		if statuses[401] > 120 || statuses[429] < 80 || len(statuses) != 2 {
			t.Errorf("guesses: %v", statuses)
		}
		s.wantOpen("the valid key meanwhile", bearer(key))
	})
}

// testAuthDPoP sends invalid proofs.
func testAuthDPoP(t *testing.T, v target) {
	accept := func(s *authSite, o *mcpauth.Options) {
		o.Verifiers = []mcpauth.Verifier{s.issuer.jwt(mcpauth.DPoPOptions{Mode: mcpauth.DPoPAccept})}
	}
	v.visitAuth(t, setup{}, accept, func(t *testing.T, s *authSite) {
		now, method := time.Now().Unix(), s.method()
		token := tokenOf(object{"cnf": object{"jkt": thumbprint(strayKey)}})
		scheme := "Authorization: DPoP " + token
		proof := func(header, claims object) string { return "DPoP: " + proofOf(token, method, header, claims) }
		used := proof(nil, nil)
		s.wantOpen("valid", scheme, used)
		s.wantOpen("unbound token", bearer(tokenOf(nil)))
		encoded, err := strayKey.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		for what, fields := range map[string][]string{
			"as Bearer":          {bearer(token), proof(nil, nil)},
			"as Bearer, alone":   {bearer(token)},
			"no proof":           {scheme},
			"two proofs":         {scheme, proof(nil, nil), proof(nil, nil)},
			"replayed":           {scheme, used},
			"another method":     {scheme, proof(nil, object{"htm": "PUT"})},
			"another URL":        {scheme, proof(nil, object{"htu": "https://evil.example/mcp"})},
			"another path":       {scheme, proof(nil, object{"htu": authResource + "/x"})},
			"the request's Host": {scheme, proof(nil, object{"htu": "http://" + s.addr + "/mcp"})},
			"another token":      {scheme, "DPoP: " + proofOf(tokenOf(nil), method, nil, nil)},
			"another key":        {scheme, proof(object{"jwk": jwk(issuerKey, nil)}, nil)},
			"old":                {scheme, proof(nil, object{"iat": now - 301})},
			"from the future":    {scheme, proof(nil, object{"iat": now + 31})},
			"symmetric":          {scheme, proof(object{"alg": "HS256", "jwk": object{"kty": "oct", "k": "AAAA"}}, nil)},
			"private key inside": {scheme, proof(object{"jwk": jwk(strayKey, object{"d": unpadded(encoded)})}, nil)},
			"unbound token":      {"Authorization: DPoP " + tokenOf(nil), proof(nil, nil)},
		} {
			s.wantRefused(what, 401, fields...)
		}
	})
	// Even if DPoP is off, a bound token cannot be used without its key.
	v.visitAuth(t, setup{}, nil, func(t *testing.T, s *authSite) {
		token := tokenOf(object{"cnf": object{"jkt": thumbprint(strayKey)}})
		s.wantRefused("bound, and DPoP is off", 401, bearer(token))
	})
}

// testAuthForwarded names another resource in every field that proxies use.
func testAuthForwarded(t *testing.T, v target) {
	v.visitAuth(t, setup{hosts: []string{"evil.example"}}, func(s *authSite, o *mcpauth.Options) {
		o.Verifiers = []mcpauth.Verifier{s.issuer.jwt(mcpauth.DPoPOptions{Mode: mcpauth.DPoPAccept})}
	}, func(t *testing.T, s *authSite) {
		forwarded := []string{
			"Host: evil.example", "X-Forwarded-Host: evil.example", "X-Forwarded-Proto: http", "X-Forwarded-Prefix: /x", "X-Forwarded-Port: 1", "X-Original-URL: /x",
			"Forwarded: host=evil.example;proto=http",
		}
		with := func(fields ...string) []string { return append(fields, forwarded...) }
		s.checkRefused("no token", s.knock(with()...), 401, nil) // the challenge contains the URL of the metadata
		s.wantOpen("its own audience", with(bearer(tokenOf(nil)))...)
		for _, audience := range []string{"http://evil.example/mcp", "https://evil.example/mcp", "http://evil.example/x/mcp"} {
			s.wantRefused(audience, 401, with(bearer(tokenOf(object{"aud": audience})))...)
		}
		token := tokenOf(object{"cnf": object{"jkt": thumbprint(strayKey)}})
		s.wantOpen("proof", with("Authorization: DPoP "+token, "DPoP: "+proofOf(token, s.method(), nil, nil))...)
		s.wantRefused("proof for another URL", 401, with("Authorization: DPoP "+token, "DPoP: "+proofOf(token, s.method(), nil, object{"htu": "http://evil.example/mcp"}))...)
		for path, status := range map[string]int{
			"": 200, "/mcp": 200, "/mcp/": 200, "/": 200, "/other": 404, "/MCP": 404, "/mcp/x": 404, "/m%63p": 404, "/mcp%2f..": 404, "//mcp": 404,
		} {
			a := s.raw("GET /.well-known/oauth-protected-resource"+path, "", with(bearer(tokenOf(nil)))...)
			if status == 404 && (a.status == 301 || a.status == 307) { // http.ServeMux cleans paths
				status = a.status
			}
			if a.status == 200 {
				a = s.raw("HEAD /.well-known/oauth-protected-resource"+path, "", with()...)
				a.body = ""
			}
			if a.status != status || a.header.Get("Access-Control-Allow-Origin") != map[bool]string{true: "*"}[status == 200] || strings.Contains(fmt.Sprint(a.header, a.body), "evil") {
				t.Errorf("%s: status %d, %v %s", path, a.status, a.header, a.body)
			}
		}
	})
}

// testAuthHandler has handlers and verifiers that print all that they get.
func testAuthHandler(t *testing.T, v target) {
	v.visitAuth(t, setup{register: registerShowing}, nil, func(t *testing.T, s *authSite) {
		token := tokenOf(nil)
		c := s.openAs(token)
		for _, how := range []string{"returns", "logs", "panics", "fails"} {
			m := c.ask("tools/call", call("shows", fmt.Sprintf(`{"how":%q}`, how)))
			noCanary(t, how, m.raw, []string{bearer(token)})
			if how == "returns" && !strings.Contains(m.text(), "Subject:ada") {
				t.Errorf("%s: %v", how, m)
			}
		}
		s.keeps("handlers", []string{bearer(token)})
		if !strings.Contains(s.log.String(), "ada") {
			t.Errorf("log: %s", s.log)
		}
	})
	for what, verify := range map[string]func(c *mcpauth.Credential) error{
		"401":   func(c *mcpauth.Credential) error { return fmt.Errorf("%s of %+v: %w", c.Token, c, mcpauth.ErrInvalid) },
		"503":   func(c *mcpauth.Credential) error { return errors.New("no database for " + c.Token) },
		"panic": func(c *mcpauth.Credential) error { panic("token " + c.Token) },
	} {
		v.visitAuth(t, setup{}, func(_ *authSite, o *mcpauth.Options) {
			o.Verifiers = append([]mcpauth.Verifier{authVerifier(verify)}, o.Verifiers...)
		}, func(t *testing.T, s *authSite) {
			status := 503
			if what == "401" {
				status = 401
			}
			s.wantRefused(what, status, bearer(tokenOf(nil)))
		})
	}
}

// authVerifier is a verifier of a program that refuses all.
type authVerifier func(c *mcpauth.Credential) error

func (f authVerifier) Verify(_ context.Context, c *mcpauth.Credential) (*mcpauth.Identity, error) {
	return nil, f(c)
}
