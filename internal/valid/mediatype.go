package valid

import (
	"fmt"
	"strings"
)

// MediaType returns the fault of a media type, or nil. what describes its owner in the message. The
// empty string means no type.
func MediaType(what, s string) *Fault {
	if s == "" || IsMediaType(s) {
		return nil
	}
	return &Fault{fmt.Sprintf("%s has the MIME type %q", what, s), "it must be a type and a subtype, such as image/png"}
}

// IsMediaType reports whether s is a type and a subtype, with parameters or without (RFC 2045,
// 5.1).
func IsMediaType(s string) bool {
	kind, parameters, more := strings.Cut(s, ";")
	kind = strings.TrimRight(kind, " ")
	if kind, subtype, ok := strings.Cut(kind, "/"); !ok || !isToken(kind) || !isToken(subtype) {
		return false
	}
	return !more || validParameters(parameters)
}

// validParameters reports whether s consists of the parameters of a media type: attributes, each
// once, with a token or a quoted string, separated by semicolons. It exists because every client
// would have to link package mime.
func validParameters(s string) bool {
	seen := map[string]bool{}
	for {
		if s = strings.TrimLeft(s, " \t"); s == "" {
			return true // a semicolon may come last
		}
		name, rest, ok := strings.Cut(s, "=")
		name = strings.ToLower(strings.TrimRight(name, " \t"))
		if !ok || !isToken(name) || seen[name] {
			return false
		}
		seen[name] = true
		if s, ok = cutValue(strings.TrimLeft(rest, " \t")); !ok {
			return false
		}
		if s = strings.TrimLeft(s, " \t"); s == "" {
			return true
		}
		if s, ok = strings.CutPrefix(s, ";"); !ok {
			return false
		}
	}
}

// cutValue returns the text after the value of a parameter.
func cutValue(s string) (rest string, ok bool) {
	if !strings.HasPrefix(s, `"`) {
		end := strings.IndexAny(s, "; \t")
		if end < 0 {
			end = len(s)
		}
		return s[end:], isToken(s[:end])
	}
	for i := 1; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"':
			return s[i+1:], true
		case c == '\\' && i+1 < len(s):
			i++
		case c == '\r', c == '\n':
			return "", false
		}
	}
	return "", false
}

// isToken reports whether s is a token (RFC 2045, 5.1).
func isToken(s string) bool {
	for i := range len(s) {
		if c := s[i]; c <= ' ' || c >= 0x7f || strings.IndexByte(`()<>@,;:\"/[]?=`, c) >= 0 {
			return false
		}
	}
	return s != ""
}
