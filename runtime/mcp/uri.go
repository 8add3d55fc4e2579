package mcp

import (
	"fmt"
	"strings"

	"github.com/mcpgen/mcpgen/internal/uritemplate"
)

// maxURI is how long the URI in a request may be, in bytes.
const maxURI = 8 << 10

// ExpandURI fills in a URI template (RFC 6570) with pairs of a variable and its
// value, for the links and listings that lead to a template's resources:
//
//	ExpandURI("book://{isbn}", "isbn", "978-3")
//
// What a URI cannot have is percent-encoded. Variables that are not given are
// left out; one that is given more than once is a list, of which only the
// exploded form {/path*} takes more than the first value. It panics on a template
// that cannot be read.
func ExpandURI(template string, pairs ...string) string {
	t, err := uritemplate.Parse(template)
	if err != nil {
		panic(fmt.Sprintf("mcp: URI template %q: %v", template, err))
	}
	values := map[string]uritemplate.Value{}
	for ; len(pairs) > 1; pairs = pairs[2:] {
		values[pairs[0]] = append(values[pairs[0]], pairs[1])
	}
	return t.Expand(func(name string) uritemplate.Value { return values[name] })
}

// validURI reports whether s is a URI with a scheme, as long as requests may have
// them.
func validURI(s string) bool { return len(s) <= maxURI && validURISyntax(s) }

// validURISyntax reports whether s has a scheme, and only characters that a URI may
// have (RFC 3986).
func validURISyntax(s string) bool {
	scheme, rest, ok := strings.Cut(s, ":")
	if !ok || rest == "" || !isScheme(scheme) {
		return false
	}
	for i := 0; i < len(rest); i++ {
		c := rest[i]
		switch {
		case c == '%':
			if !isTriplet(rest[i:]) {
				return false
			}
		case c <= ' ', c >= 0x7f, strings.IndexByte("\"<>\\^`{|}", c) >= 0:
			return false
		}
	}
	return true
}

func isTriplet(s string) bool {
	return len(s) >= 3 && isHex(s[1]) && isHex(s[2])
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'f'
}

func isScheme(s string) bool {
	for i := 0; i < len(s); i++ {
		c := s[i]
		letter := 'a' <= c|0x20 && c|0x20 <= 'z'
		if !letter && (i == 0 || ('0' > c || c > '9') && strings.IndexByte("+-.", c) < 0) {
			return false
		}
	}
	return s != ""
}

// escapeSegments writes a path of segments as it stands in a URI.
func escapeSegments(path string) string {
	var b strings.Builder
	for i := 0; i < len(path); i++ {
		c := path[i]
		letter := 'a' <= c|0x20 && c|0x20 <= 'z'
		if letter || '0' <= c && c <= '9' || strings.IndexByte("-._~/", c) >= 0 {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}
