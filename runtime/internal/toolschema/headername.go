package toolschema

import "github.com/mcpgen/mcpgen/internal/valid"

// HeaderName returns the header field, in canonical form, that repeats an argument with the given
// x-mcp-header. ok is false if the name is not a token (RFC 9110, section 5.6.2).
func HeaderName(name string) (header string, ok bool) {
	if !valid.IsHeaderName(name) {
		return "", false
	}
	b := append(make([]byte, 0, 64), "Mcp-Param-"...)
	upper := true
	for i := range len(name) {
		c := name[i]
		switch letter := c|0x20 >= 'a' && c|0x20 <= 'z'; {
		case letter && upper:
			c &^= 0x20
		case letter:
			c |= 0x20
		}
		upper = c == '-'
		b = append(b, c)
	}
	return string(b), true
}
