package mcpauth_test

import (
	"crypto/rand"
	"crypto/rsa"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/runtime/mcpauth"
)

// jwtOf returns a verifier of tokens of an issuer.
func jwtOf(i *issuer) mcpauth.Verifier {
	return mcpauth.JWT(mcpauth.JWTOptions{Issuer: i.url, HTTP: i.client(), Log: new(record).logger()})
}

func TestJWT(t *testing.T) {
	v := jwtOf(newIssuer())
	i, err := verify(t, v, bearer(token(object{
		"aud": []string{"x", resource}, "roles": []string{"staff"}, "act": object{"sub": "agent", "act": object{"sub": "first"}},
	})))
	if err != nil {
		t.Fatal(err)
	}
	if i.ID() != issuerURL+" ada" || i.Client != "desktop" || !slices.Equal(i.Scopes, []string{"books:read", "books:write"}) ||
		!slices.Equal(i.Roles, []string{"staff"}) || !slices.Equal(i.Actors, []string{"agent", "first"}) || i.TokenID != "id-1" ||
		i.Method != "jwt" || i.Machine || i.Claims["sub"] != "ada" || time.Until(i.Expires).Round(time.Minute) != 10*time.Minute {
		t.Errorf("%+v", i)
	}
	if !i.HasScope("books:read") || i.HasScope("books") || (*mcpauth.Identity)(nil).HasScope("x") {
		t.Error("HasScope")
	}
	noSecret(t, fmt.Sprintf("%+v %#v %s", *i, i, must(json.Marshal(&mcpauth.Identity{Subject: i.Subject}))), strings.Split(token(nil), ".")[0])
}

// Tokens signed with each supported kind of key, with and without the optional parts.
func TestJWTKinds(t *testing.T) {
	v := jwtOf(newIssuer())
	for _, test := range []struct {
		name, header string
		key          any
		claims       object
		want         string
	}{
		{"ES256", ecHeader, ecKey, nil, "taken"},
		{"RS256", `{"alg":"RS256","kid":"rsa","typ":"JWT"}`, rsaKey, nil, "taken"},
		{"PS256", `{"alg":"PS256","kid":"rsa","typ":"application/at+jwt"}`, rsaKey, nil, "taken"},
		{"EdDSA", `{"alg":"EdDSA","kid":"ed","typ":"AT+JWT"}`, edKey, nil, "taken"},
		{"without kid and typ", `{"alg":"ES256"}`, ecKey, nil, "taken"},
		{"thumbprint of a certificate", `{"alg":"ES256","kid":"ec","x5t":"abc"}`, ecKey, nil, "taken"},
		{"leeway of exp", ecHeader, ecKey, object{"exp": time.Now().Unix() - 20}, "taken"},
		{"leeway of nbf and iat", ecHeader, ecKey, object{"nbf": time.Now().Unix() + 20, "iat": time.Now().Unix() + 20}, "taken"},
		{"fraction of a second", ecHeader, ecKey, object{"exp": float64(time.Now().Unix()) + 100.5}, "taken"},
		{"no scope", ecHeader, ecKey, object{"scope": nil}, "taken"},
		{"scp", ecHeader, ecKey, object{"scope": nil, "scp": []string{"a", "b"}}, "taken"},
		{"client only", ecHeader, ecKey, object{"sub": nil}, "taken"},
		{"token_use", ecHeader, ecKey, object{"token_use": "access"}, "taken"},
	} {
		i, err := verify(t, v, bearer(sign(test.header, jsonOf(claims(test.claims)), test.key)))
		if got := outcome(i, err); got != test.want {
			t.Errorf("%s: %s, %v", test.name, got, err)
		}
	}
}

// TestJWTRefused checks tokens that an attacker, or a faulty client, sends.
func TestJWTRefused(t *testing.T) {
	good := token(nil)
	parts := strings.Split(good, ".")
	now := time.Now().Unix()
	with := func(header string, key any, more object) string { return sign(header, jsonOf(claims(more)), key) }
	public := []byte(jsonOf(jwk(ecKey, nil)))
	weak := must(rsa.GenerateKey(rand.Reader, 1024))
	raw := func(payload string) string { return sign(ecHeader, payload, ecKey) }
	rest := jsonOf(claims(nil))[1:]
	for _, test := range []struct{ name, token, want string }{
		{"audience: another resource", token(object{"aud": "https://mcp.example.com/other"}), "refused"},
		{"audience: none", token(object{"aud": nil}), "refused"},
		{"audience: empty", token(object{"aud": ""}), "refused"},
		{"audience: empty list", token(object{"aud": []string{}}), "refused"},
		{"audience: longer", token(object{"aud": resource + "x"}), "refused"},
		{"audience: path below", token(object{"aud": resource + "/x"}), "refused"},
		{"audience: prefix", token(object{"aud": "https://mcp.example.com"}), "refused"},
		{"audience: other case of the path", token(object{"aud": "https://mcp.example.com/MCP"}), "refused"},
		{"audience: slash", token(object{"aud": resource + "/"}), "refused"},
		{"audience: within a text", token(object{"aud": "x " + resource}), "refused"},
		{"audience: number", token(object{"aud": 1}), "refused"},
		{"audience: list of objects", token(object{"aud": []any{object{}, resource}}), "refused"},
		{"ID token: nonce", token(object{"nonce": "x"}), "refused"},
		{"ID token: at_hash", token(object{"at_hash": "x"}), "refused"},
		{"ID token: token_use", token(object{"token_use": "id"}), "refused"},
		{"ID token: typ", token(object{"typ": "ID"}), "refused"},
		{"refresh token", token(object{"typ": "Refresh"}), "refused"},
		{"logout token", token(object{"events": object{}}), "refused"},
		{"type: logout", with(`{"typ":"logout+jwt","alg":"ES256","kid":"ec"}`, ecKey, nil), "refused"},
		{"type: proof", with(`{"typ":"dpop+jwt","alg":"ES256","kid":"ec"}`, ecKey, nil), "refused"},

		{"alg: none", with(`{"alg":"none","kid":"ec"}`, nil, nil), "refused"},
		{"alg: None", with(`{"alg":"None"}`, nil, nil), "refused"},
		{"alg: none without signature", b64([]byte(`{"alg":"none"}`)) + "." + parts[1] + ".", "not mine"},
		{"alg: HS256 with the public key", with(`{"alg":"HS256","kid":"ec"}`, public, nil), "refused"},
		{"alg: HS256 with a symmetric key of the set", with(`{"alg":"HS256","kid":"oct"}`, []byte(canary), nil), "refused"},
		{"alg: other case", with(`{"alg":"es256","kid":"ec"}`, ecKey, nil), "refused"},
		{"alg: that of another key", with(`{"alg":"RS256","kid":"ec"}`, rsaKey, nil), "refused"},
		{"alg: ES384 with P-256", with(`{"alg":"ES384","kid":"ec"}`, ecKey, nil), "refused"},
		{"alg: missing", with(`{"kid":"ec"}`, ecKey, nil), "not mine"},
		{"alg: number", with(`{"alg":1,"kid":"ec"}`, ecKey, nil), "not mine"},
		{"key: for encryption", with(`{"alg":"ES256","kid":"enc"}`, otherECKey, nil), "refused"},
		{"key: for other operations", with(`{"alg":"ES256","kid":"derive"}`, otherECKey, nil), "refused"},
		{"key: unknown", with(`{"alg":"ES256"}`, otherECKey, nil), "refused"},
		{"key: small", with(`{"alg":"RS256"}`, weak, nil), "refused"},
		{"kid: path", with(`{"alg":"ES256","kid":"../../dev/null"}`, ecKey, nil), "refused"},
		{"kid: SQL", with(`{"alg":"ES256","kid":"' or 1=1 --"}`, ecKey, nil), "refused"},
		{"kid: other case", with(`{"alg":"ES256","kid":"EC"}`, ecKey, nil), "refused"},
		{"kid: long", with(`{"alg":"ES256","kid":"`+strings.Repeat("k", 1000)+`"}`, ecKey, nil), "refused"},
		{"kid: 1 MB", with(`{"alg":"ES256","kid":"`+strings.Repeat("k", 1<<20)+`"}`, ecKey, nil), "not mine"},
		{"header: jku", with(`{"alg":"ES256","jku":"https://evil.example/keys"}`, otherECKey, nil), "refused"},
		{"header: x5u", with(`{"alg":"ES256","x5u":"https://evil.example/cert"}`, otherECKey, nil), "refused"},
		{"header: x5c", with(`{"alg":"ES256","x5c":["MIIB"]}`, otherECKey, nil), "refused"},
		{"header: jwk", with(`{"alg":"ES256","jwk":`+jsonOf(jwk(otherECKey, nil))+`}`, otherECKey, nil), "refused"},
		{"header: crit", with(`{"alg":"ES256","kid":"ec","crit":["exp"]}`, ecKey, nil), "refused"},
		{"header: b64", with(`{"alg":"ES256","kid":"ec","b64":true}`, ecKey, nil), "refused"},
		{"header: duplicate", with(`{"alg":"none","alg":"ES256","kid":"ec"}`, ecKey, nil), "not mine"},
		{"header: text behind it", with(`{"alg":"ES256","kid":"ec"}{}`, ecKey, nil), "not mine"},
		{"JWE", "eyJhbGciOiJkaXIiLCJlbmMiOiJBMTI4R0NNIn0..AAAA.AAAA.AAAA", "not mine"},
		{"two payloads", parts[0] + "." + parts[1] + "." + parts[1] + "." + parts[2], "not mine"},
		{"JSON form", `{"payload":"` + parts[1] + `","protected":"` + parts[0] + `","signature":"` + parts[2] + `"}`, "not mine"},
		{"padding", parts[0] + "==." + parts[1] + "." + parts[2], "not mine"},
		{"blank", good + " ", "not mine"},
		{"blank before", " " + good, "not mine"},
		{"line end within", good[:20] + "\n" + good[20:], "not mine"},
		{"line end in the signature", good[:len(good)-4] + "\r\n" + good[len(good)-4:], "not mine"},
		{"standard base64", parts[0] + "." + base64.RawStdEncoding.EncodeToString([]byte("\xff\xff\xfe")) + "." + parts[2], "not mine"},
		{"bits that are not used", looseBits(t, good), "not mine"},
		{"signature changed", parts[0] + "." + parts[1] + "." + b64([]byte(strings.Repeat("x", 64))), "refused"},
		{"signature in DER", parts[0] + "." + parts[1] + "." + b64(make([]byte, 70)), "refused"},
		{"claims of another token", parts[0] + "." + strings.Split(token(object{"sub": "eve"}), ".")[1] + "." + parts[2], "refused"},
		{"claim twice", raw(`{"sub":"eve",` + rest), "not mine"},
		{"claim twice below", raw(`{"act":{"sub":"a","sub":"b"},` + rest), "not mine"},
		{"claim twice by an escape", raw(`{"s\u0075b":"eve",` + rest), "not mine"},
		{"claims: a list", raw(`[]`), "not mine"},
		{"claims: not UTF-8", raw("{\"x\":\"\xff\"," + rest), "not mine"},
		{"claims: deep", raw(`{"x":` + strings.Repeat("[", 100) + strings.Repeat("]", 100) + `,` + rest), "not mine"},

		{"issuer: slash", token(object{"iss": issuerURL + "/"}), "not mine"},
		{"issuer: other case", token(object{"iss": "https://ID.example.com/tenant"}), "not mine"},
		{"issuer: prefix", token(object{"iss": "https://id.example.com"}), "not mine"},
		{"issuer: none", token(object{"iss": nil}), "not mine"},
		{"issuer: list", token(object{"iss": []string{issuerURL}}), "not mine"},
		{"issuer: other case of the claim", token(object{"iss": nil, "ISS": issuerURL}), "not mine"},

		{"expired", token(object{"exp": now - 31}), "refused"},
		{"not yet valid", token(object{"nbf": now + 40}), "refused"},
		{"issued in the future", token(object{"iat": now + 40}), "refused"},
		{"exp: none", token(object{"exp": nil}), "refused"},
		{"exp: text", token(object{"exp": fmt.Sprint(now + 600)}), "refused"},
		{"exp: null", raw(strings.Replace(jsonOf(claims(nil)), `"exp":`, `"exp":null,"x":`, 1)), "refused"},
		{"exp: 1e400", token(object{"exp": json.Number("1e400")}), "refused"},
		{"exp: 1e300", token(object{"exp": json.Number("1e300")}), "refused"},
		{"exp: negative", token(object{"exp": -1}), "refused"},
		{"exp: negative zero", token(object{"exp": json.Number("-0")}), "refused"},
		{"exp: other case", token(object{"exp": nil, "Exp": now + 600}), "refused"},
		{"nbf: text", token(object{"nbf": "0"}), "refused"},
		{"nobody", token(object{"sub": nil, "client_id": nil}), "refused"},
		{"sub: number", token(object{"sub": 1}), "refused"},
		{"scope: number", token(object{"scope": 1}), "refused"},
		{"scope: list of numbers", token(object{"scope": []int{1}}), "refused"},
		{"bound to a key", token(object{"cnf": object{"jkt": "x"}}), "refused"},
		{"bound to a certificate", token(object{"cnf": object{"x5t#S256": "x"}}), "refused"},
		{"bound in another way", token(object{"cnf": object{"kid": "x"}}), "refused"},
		{"bound to nothing", token(object{"cnf": object{}}), "refused"},
		{"bound to null", token(object{"cnf": []any{}}), "refused"},
	} {
		i := newIssuer()
		i.keys = append(i.keys, jwk(weak, object{"kid": "weak"}))
		identity, err := verify(t, jwtOf(i), bearer(test.token))
		if got := outcome(identity, err); got != test.want {
			t.Errorf("%s: %s, %v", test.name, got, err)
		}
		// A URL of keys in a token has no effect, and a token that is refused by its form, header
		// or claims causes no request to the issuer.
		asks := strings.HasPrefix(test.name, "key:") || strings.HasPrefix(test.name, "kid:") || strings.HasPrefix(test.name, "signature") ||
			test.name == "claims of another token" || strings.HasPrefix(test.name, "alg: that") || strings.HasPrefix(test.name, "alg: ES384") ||
			strings.HasPrefix(test.name, "bound") || test.name == "nobody" || test.name == "sub: number" || strings.HasPrefix(test.name, "scope:")
		if asked := i.asked.Load(); asked > 1 || asked > 0 && !asks {
			t.Errorf("%s: %d fetches", test.name, asked)
		}
	}
}

// looseBits returns a token whose signature has other bits behind its last byte: a decoder that is
// not strict reads the same bytes.
func looseBits(t *testing.T, token string) string {
	t.Helper()
	const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	last := strings.IndexByte(digits, token[len(token)-1])
	other := token[:len(token)-1] + digits[last|1:][:1]
	if last&1 == 1 || len(token) == 0 {
		t.Fatalf("the signature of a token has no bits that are not used: %d", last)
	}
	return other
}

func TestJWTOptions(t *testing.T) {
	keys := []byte(jsonOf(object{"keys": []any{jwk(ecKey, object{"kid": "ec"})}}))
	base := mcpauth.JWTOptions{Issuer: issuerURL, Keys: keys}
	with := func(change func(*mcpauth.JWTOptions)) mcpauth.Verifier {
		o := base
		change(&o)
		return mcpauth.JWT(o)
	}
	for _, test := range []struct {
		name   string
		v      mcpauth.Verifier
		claims object
		want   string
	}{
		{"keys", with(func(*mcpauth.JWTOptions) {}), nil, "taken"},
		{"audience", with(func(o *mcpauth.JWTOptions) { o.Audience = "api://books" }), object{"aud": "api://books"}, "taken"},
		{"audience and resource", with(func(o *mcpauth.JWTOptions) { o.Audience = "api://books" }), nil, "taken"},
		{"another audience", with(func(o *mcpauth.JWTOptions) { o.Audience = "api://books" }), object{"aud": "api://book"}, "refused"},
		{"audience from a claim", with(func(o *mcpauth.JWTOptions) {
			o.AudienceFrom = func(c map[string]any) []string { s, _ := c["resource"].(string); return []string{s} }
		}), object{"aud": "account", "resource": resource}, "taken"},
		{"no audience from a claim", with(func(o *mcpauth.JWTOptions) {
			o.AudienceFrom = func(c map[string]any) []string { return []string{""} }
		}), nil, "refused"},
		{"client", with(func(o *mcpauth.JWTOptions) { o.Clients = []string{"desktop"} }), nil, "taken"},
		{"another client", with(func(o *mcpauth.JWTOptions) { o.Clients = []string{"other"} }), nil, "refused"},
		{"no client", with(func(o *mcpauth.JWTOptions) { o.Clients = []string{"other"} }), object{"client_id": nil}, "refused"},
		{"algorithm", with(func(o *mcpauth.JWTOptions) { o.Algorithms = []string{"RS256"} }), nil, "refused"},
		{"algorithm none", with(func(o *mcpauth.JWTOptions) { o.Algorithms = []string{"none"} }), nil, "unknown"},
		{"algorithm HS256", with(func(o *mcpauth.JWTOptions) { o.Algorithms = []string{"HS256"} }), nil, "unknown"},
		{"no algorithm", with(func(o *mcpauth.JWTOptions) { o.Algorithms = []string{} }), nil, "unknown"},
		{"issuer by http", with(func(o *mcpauth.JWTOptions) { o.Issuer = "http://id.example.com" }), nil, "unknown"},
		{"issuer: no URL", with(func(o *mcpauth.JWTOptions) { o.Issuer = "id.example.com" }), nil, "unknown"},
		{"keys: none", with(func(o *mcpauth.JWTOptions) { o.Keys = []byte(`{"keys":[]}`) }), nil, "unknown"},
		{"keys: symmetric", with(func(o *mcpauth.JWTOptions) { o.Keys = []byte(`{"keys":[{"kty":"oct","k":"AAAA"}]}`) }), nil, "unknown"},
		{"keys: not JSON", with(func(o *mcpauth.JWTOptions) { o.Keys = []byte(`x`) }), nil, "unknown"},
		{"DPoP mode", with(func(o *mcpauth.JWTOptions) { o.DPoP.Mode = 9 }), nil, "unknown"},
		{"short nonce key", with(func(o *mcpauth.JWTOptions) {
			o.DPoP = mcpauth.DPoPOptions{Mode: mcpauth.DPoPRequire, Nonces: true, NonceKey: []byte("x")}
		}), nil, "unknown"},
	} {
		i, err := verify(t, test.v, bearer(token(test.claims)))
		if got := outcome(i, err); got != test.want {
			t.Errorf("%s: %s, %v", test.name, got, err)
		}
	}
	roles := with(func(o *mcpauth.JWTOptions) {
		o.RolesFrom = func(c map[string]any) []string { return []string{c["sub"].(string)} }
	})
	if i, err := verify(t, roles, bearer(token(nil))); err != nil || !slices.Equal(i.Roles, []string{"ada"}) {
		t.Errorf("%+v, %v", i, err)
	}
}

// Tokens for which a user could get more scopes.
func TestJWTMachine(t *testing.T) {
	v := jwtOf(newIssuer())
	for _, test := range []struct {
		claims object
		want   bool
	}{
		{nil, false},
		{object{"sub": "desktop"}, true},
		{object{"sub": "desktop@clients"}, true},
		{object{"sub": nil}, true},
		{object{"idtyp": "app"}, true},
		{object{"gty": "client-credentials"}, true},
		{object{"client_id": nil, "azp": "ada"}, true},
		{object{"client_id": nil, "azp": "other"}, false},
	} {
		i, err := verify(t, v, bearer(token(test.claims)))
		if err != nil || i.Machine != test.want {
			t.Errorf("%v: %+v, %v", test.claims, i, err)
		}
	}
}

// A verified token is cached for a minute, but no longer than it is valid, and for one resource.
func TestJWTKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := jwtOf(newIssuer())
		for _, life := range []time.Duration{10 * time.Minute, 40 * time.Second, -20 * time.Second} {
			text := token(object{"exp": time.Now().Add(life).Unix(), "jti": life.String()})
			began := time.Now()
			first, err := verify(t, v, bearer(text))
			if err != nil {
				t.Fatal(err)
			}
			if again, _ := verify(t, v, bearer(text)); again != first {
				t.Errorf("%v: verified twice", life)
			}
			other := bearer(text)
			other.Resource = "https://mcp.example.com/other"
			if i, err := verify(t, v, other); outcome(i, err) != "refused" {
				t.Errorf("%v: taken for another resource: %v", life, err)
			}
			valid := life + 30*time.Second
			time.Sleep(min(valid, time.Minute) - time.Since(began) - time.Millisecond)
			if again, _ := verify(t, v, bearer(text)); again != first {
				t.Errorf("%v: not kept", life)
			}
			time.Sleep(2 * time.Millisecond)
			i, err := verify(t, v, bearer(text))
			if want := map[bool]string{true: "taken", false: "refused"}[valid > time.Minute]; i == first || outcome(i, err) != want {
				t.Errorf("%v: %s, %v", life, outcome(i, err), err)
			}
			time.Sleep(time.Until(began.Add(valid)))
			if i, err := verify(t, v, bearer(text)); outcome(i, err) != "refused" {
				t.Errorf("%v: taken after its end: %v", life, err)
			}
		}
	})
}

// Other verifiers get the credentials of a request that are not tokens.
func TestJWTOtherSchemes(t *testing.T) {
	v := jwtOf(newIssuer())
	for _, scheme := range []string{mcpauth.SchemeBasic, mcpauth.SchemeKey, mcpauth.SchemeCertificate, ""} {
		c := bearer(token(nil))
		c.Scheme = scheme
		if i, err := verify(t, v, c); outcome(i, err) != "not mine" {
			t.Errorf("%s: %v", scheme, err)
		}
	}
}

// FuzzJWT compares the accepted texts with the rules for the token's form: every change makes a
// token invalid.
func FuzzJWT(f *testing.F) {
	good := token(object{"exp": time.Now().Unix() + 360_000})
	v := mcpauth.JWT(mcpauth.JWTOptions{Issuer: issuerURL, HTTP: &http.Client{Transport: newIssuer()}})
	f.Add(good)
	f.Add(good + "=")
	f.Add(strings.ReplaceAll(good, ".", ".."))
	f.Add("a.b.c")
	f.Add("eyJhbGciOiJub25lIn0.e30.")
	f.Fuzz(func(t *testing.T, text string) {
		i, err := v.Verify(t.Context(), bearer(text))
		if (err == nil) != (text == good) || (i == nil) != (err != nil) {
			t.Fatalf("%q: %v", text, err)
		}
	})
}

// A text with half of a surrogate pair is refused: decoders replace each half by the same
// character.
func TestSurrogates(t *testing.T) {
	v := jwtOf(newIssuer())
	for _, test := range []struct{ subject, want string }{
		{`a\ud83d\ude00`, "a\U0001F600"},
		{`a\uD83D\uDE00\ud83d\ude00`, "a\U0001F600\U0001F600"},
		{`a\\ud800`, `a\ud800`},
		{`\\\\ud800`, `\\ud800`},
		{`\ufffd`, "\uFFFD"},
		{`a\ud800`, ""},
		{`a\udbff`, ""},
		{`\udc00`, ""},
		{`\ude00\ud83d`, ""},
		{`\ud83d\ud83d\ude00`, ""},
		{`\ud83d\\ude00`, ""},
		{`\ud83d\n`, ""},
		{`\ud83dx\ude00`, ""},
		{`\\\ud800`, ""},
		{`\uDFFF\u0041`, ""},
	} {
		payload := strings.Replace(jsonOf(claims(nil)), `"ada"`, `"`+test.subject+`"`, 1)
		i, err := verify(t, v, bearer(sign(ecHeader, payload, ecKey)))
		if test.want == "" && i != nil || test.want != "" && (i == nil || i.Subject != test.want) {
			t.Errorf("%s: %+v, %v", test.subject, i, err)
		}
		_, introspection := introspected(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, strings.Replace(jsonOf(active(nil)), `"ada"`, `"`+test.subject+`"`, 1))
		})
		if i, err := verify(t, introspection, bearer(opaque)); (i != nil) != (test.want != "") {
			t.Errorf("introspected %s: %+v, %v", test.subject, i, err)
		}
	}
	for name, payload := range map[string]string{
		"a name of a member": strings.Replace(jsonOf(claims(nil)), `{`, `{"\ud800":1,`, 1),
		"a nested claim":     strings.Replace(jsonOf(claims(nil)), `{`, `{"act":{"sub":["\udbff"]},`, 1),
	} {
		if i, err := verify(t, v, bearer(sign(ecHeader, payload, ecKey))); i != nil {
			t.Errorf("%s: %+v, %v", name, i, err)
		}
	}
}
