package mcpauth_test

import (
	"testing"

	"github.com/mcpgen/mcpgen/runtime/mcpauth"
)

// TestIDTokens checks the claims by which ID tokens are recognised, and the one configuration in
// which a token without them is accepted.
func TestIDTokens(t *testing.T) {
	i := newIssuer()
	own, client := jwtOf(i), mcpauth.JWT(mcpauth.JWTOptions{Issuer: i.url, HTTP: i.client(), Audience: "desktop"})
	for _, test := range []struct {
		name        string
		claims      object
		own, client string
	}{
		{"access token", nil, "taken", "taken"},
		{"ID token", object{"aud": "desktop"}, "refused", "taken"},
		{"nonce", object{"aud": "desktop", "nonce": ""}, "refused", "refused"},
		{"at_hash", object{"aud": []string{"desktop"}, "at_hash": "x"}, "refused", "refused"},
		{"c_hash", object{"aud": "desktop", "c_hash": "x"}, "refused", "refused"},
		{"s_hash", object{"aud": "desktop", "s_hash": "x"}, "refused", "refused"},
		{"typ", object{"aud": "desktop", "typ": "id"}, "refused", "refused"},
		{"token_use", object{"aud": "desktop", "token_use": "id"}, "refused", "refused"},
	} {
		text := token(test.claims)
		for want, v := range map[*string]mcpauth.Verifier{&test.own: own, &test.client: client} {
			i, err := verify(t, v, bearer(text))
			if got := outcome(i, err); got != *want {
				t.Errorf("%s: %s, %v, want %s", test.name, got, err, *want)
			}
		}
	}
}

// TestNestedTokens checks that a JWT that contains another one is refused, in every form of the
// media type.
func TestNestedTokens(t *testing.T) {
	v := jwtOf(newIssuer())
	for cty, want := range map[string]string{
		`"JWT"`: "refused", `"jwt"`: "refused", `"application/jwt"`: "refused", `"Application/JWT"`: "refused", `7`: "refused", `null`: "refused",
		`"json"`: "taken", `"application/json"`: "taken", `"xjwt"`: "taken", `""`: "taken",
	} {
		i, err := verify(t, v, bearer(sign(`{"alg":"ES256","kid":"ec","cty":`+cty+`}`, jsonOf(claims(nil)), ecKey)))
		if got := outcome(i, err); got != want {
			t.Errorf("cty %s: %s, %v", cty, got, err)
		}
	}
}
