package mcpauth

import (
	"encoding/base64"
	"strings"
)

// maxTokenBytes limits the size of a token.
const maxTokenBytes = 16 << 10

// isB64Token reports whether a text is a b64token (RFC 6750, section 2.1).
func isB64Token(s string) bool {
	s = strings.TrimRight(s, "=")
	if s == "" {
		return false
	}
	for i := range len(s) {
		if c := s[i]; !isAlphanumeric(c) && strings.IndexByte("-._~+/", c) < 0 {
			return false
		}
	}
	return true
}

func isAlphanumeric(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// compact is a JWS in compact form (RFC 7515, section 3.1) whose signature has not been verified.
type compact struct {
	text           string
	alg, kid, typ  string
	header, claims map[string]any
}

// strictBase64 refuses padding and trailing bits, so that one token has one text. It accepts line
// ends, which the form of the text excludes.
var strictBase64 = base64.RawURLEncoding.Strict()

// parseCompact parses a JWT before its signature is verified, much more strictly than the library
// that verifies it: three parts, no blanks, no padding, JSON objects without duplicate members. It
// returns false for anything else. The result is not authenticated.
func parseCompact(s string) (c compact, ok bool) {
	if len(s) > maxTokenBytes {
		return c, false
	}
	for i := range len(s) {
		if b := s[i]; !isAlphanumeric(b) && b != '-' && b != '_' && b != '.' {
			return c, false
		}
	}
	header, rest, ok1 := strings.Cut(s, ".")
	payload, signature, ok2 := strings.Cut(rest, ".")
	if !ok1 || !ok2 || signature == "" || strings.Contains(signature, ".") {
		return c, false
	}
	if _, err := strictBase64.DecodeString(signature); err != nil {
		return c, false
	}
	c.text = s
	if c.header, ok = decodeObject(header); !ok {
		return c, false
	}
	if c.claims, ok = decodeObject(payload); !ok {
		return c, false
	}
	for name, value := range map[string]*string{"alg": &c.alg, "kid": &c.kid, "typ": &c.typ} {
		if *value, ok = text(c.header, name); !ok {
			return c, false
		}
	}
	return c, c.alg != ""
}

func decodeObject(part string) (map[string]any, bool) {
	b, err := strictBase64.DecodeString(part)
	if err != nil {
		return nil, false
	}
	object, err := readObject(b)
	return object, err == nil
}

// maxKeyID limits the length of a key id.
const maxKeyID = 512

// checkHeader refuses header members with which the sender could choose the key or change the
// meaning of the signature (RFC 7515, section 4.1; RFC 7797; RFC 7516).
func (c *compact) checkHeader(mayHaveKey bool) error {
	for _, name := range []string{"crit", "jku", "x5u", "x5c", "b64", "enc", "zip", "epk"} {
		if _, there := c.header[name]; there {
			return refuse("the header of the token has the member %s", name)
		}
	}
	if _, there := c.header["jwk"]; there && !mayHaveKey {
		return refuse("the header of the token has a key")
	}
	// Its claims would belong to another token inside of this one (RFC 7519, section 5.2).
	if cty, there := c.header["cty"]; there {
		if kind, ok := cty.(string); !ok || strings.TrimPrefix(strings.ToLower(kind), "application/") == "jwt" {
			return refuse("the token has another one inside: its header has the member cty")
		}
	}
	if len(c.kid) > maxKeyID {
		return refuse("the key id of the token is too long")
	}
	return nil
}
