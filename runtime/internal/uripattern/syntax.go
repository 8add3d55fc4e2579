package uripattern

import "strings"

// IsURI reports whether s has a scheme, and only characters that a URI may have (RFC 3986).
func IsURI(s string) bool {
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
