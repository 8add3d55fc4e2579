package mcpauth

import (
	"encoding/base64"
	"net/http"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/mcpgen/mcpgen/runtime/internal/access"
)

// credentialFields are the header fields that contain credentials, in canonical form.
var credentialFields = []string{"Authorization", "Proxy-Authorization", "Dpop", "Cookie"}

// removeCredentials removes the credentials from a header.
func (g *Guard) removeCredentials(h http.Header) {
	for _, name := range credentialFields {
		delete(h, name)
	}
	if g.o.KeyHeader != "" {
		delete(h, g.o.KeyHeader)
	}
}

// maxPasswordBytes limits the user name and password together.
const maxPasswordBytes = 1 << 10

// credential reads the credential of a request. Without one, its Scheme is "". A request with two
// credentials, or with a malformed one, is refused (RFC 6750, sections 2 and 3.1).
func (g *Guard) credential(r *http.Request) (c Credential, e *refusal) {
	c = Credential{Resource: g.o.Resource, Method: r.Method, leeway: g.o.Leeway, guard: g, path: r.URL.EscapedPath()}
	c.Address = access.Address(r, g.o.TrustedProxy)
	c.setTLS(r.TLS)
	c.proofs = r.Header["Dpop"]
	if g.tokenInQuery(r.URL) {
		return c, g.malformed("the request has a credential in its query")
	}
	fields := r.Header["Authorization"]
	var keys []string
	if g.o.KeyHeader != "" {
		keys = r.Header[g.o.KeyHeader]
	}
	switch {
	case len(fields)+len(keys) > 1:
		return c, g.malformed("the request has more than one credential")
	case len(keys) == 1:
		c.Scheme, c.Token = SchemeKey, strings.Trim(keys[0], " ")
		if len(c.Token) > maxTokenBytes || !isB64Token(c.Token) {
			return c, g.malformed("the header field with the API key is not valid")
		}
		return c, nil
	case len(fields) == 0:
		if len(c.Chains) > 0 {
			c.Scheme = SchemeCertificate
		}
		return c, nil
	}
	scheme, value, _ := strings.Cut(fields[0], " ")
	value = strings.Trim(value, " ")
	switch {
	case strings.EqualFold(scheme, SchemeBearer), strings.EqualFold(scheme, SchemeDPoP):
		c.Scheme, c.Token = SchemeBearer, value
		if len(scheme) == len(SchemeDPoP) {
			c.Scheme = SchemeDPoP
		}
		if len(value) > maxTokenBytes || !isB64Token(value) {
			return c, g.malformed("the token does not have the form of RFC 6750")
		}
	case strings.EqualFold(scheme, SchemeBasic):
		c.Scheme = SchemeBasic
		var ok bool
		if c.User, c.Password, ok = readBasic(value); !ok {
			return c, g.malformed("user name and password do not have the form of RFC 7617")
		}
	default:
		return c, g.invalidCredential("the scheme of the credential is not known", nil)
	}
	return c, nil
}

// readBasic reads the credential of RFC 7617.
func readBasic(value string) (user, password string, ok bool) {
	b, err := base64.StdEncoding.Strict().DecodeString(value)
	if err != nil || len(b) > maxPasswordBytes || strings.ContainsAny(value, "\r\n") {
		return "", "", false
	}
	user, password, ok = strings.Cut(string(b), ":")
	if !ok || user == "" || !utf8.Valid(b) || strings.ContainsFunc(string(b), func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return "", "", false
	}
	return user, password, true
}

// basicText returns the text that a client encodes for RFC 7617.
func basicText(user, password string) string {
	return base64.StdEncoding.EncodeToString([]byte(user + ":" + password))
}

// tokenInQuery reports whether the query contains a credential, which would reach logs and
// histories (RFC 9700, section 4.3.2), or cannot be parsed.
func (g *Guard) tokenInQuery(u *url.URL) bool {
	if u.RawQuery == "" {
		return false
	}
	query, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return true
	}
	for name := range query {
		if strings.EqualFold(name, "access_token") || g.o.KeyHeader != "" && strings.EqualFold(name, g.o.KeyHeader) {
			return true
		}
	}
	return false
}
