package link

import "strings"

// HeaderParam is an argument of a tool that clients mirror in a header field
// (x-mcp-header; streamable HTTP, request metadata).
type HeaderParam struct {
	Header string   // canonical: Mcp-Param-X
	Path   []string // names of properties, from the arguments down
	Kind   byte     // of its values
}

// Kinds of mirrored values.
const (
	StringParam byte = iota
	IntegerParam
	BooleanParam
)

// ParamHeader returns the header field, in canonical form, that mirrors an argument
// under a name. It reports false unless the name is a token (RFC 9110, section
// 5.6.2).
func ParamHeader(name string) (header string, ok bool) {
	b := append(make([]byte, 0, 64), "Mcp-Param-"...)
	upper := true
	for i := range len(name) {
		c := name[i]
		switch letter := c|0x20 >= 'a' && c|0x20 <= 'z'; {
		case letter && upper:
			c &^= 0x20
		case letter:
			c |= 0x20
		case c >= '0' && c <= '9', strings.IndexByte("!#$%&'*+-.^_`|~", c) >= 0:
		default:
			return "", false
		}
		upper = c == '-'
		b = append(b, c)
	}
	return string(b), name != ""
}
