package mcp

import (
	"fmt"
	"strings"

	"github.com/mcpgen/mcpgen/internal/uritemplate"
	"github.com/mcpgen/mcpgen/internal/valid"
)

// maxURI limits the URI in a request, in bytes.
const maxURI = valid.MaxURI

// ExpandURI fills in a URI template (RFC 6570) with pairs of a variable and its value, for the
// links and listings that lead to a template's resources:
//
//	ExpandURI("book://{isbn}", "isbn", "978-3")
//
// Characters that URIs do not allow are percent-encoded. Variables without a value are left out; a
// variable that is given more than once is a list, and only the exploded form {/path*} uses more
// than its first value. It panics on an invalid template.
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

// escapeSegments escapes the segments of a path for a URI.
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
