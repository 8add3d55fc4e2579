package jsontext

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// maxDepth limits the nesting of arrays and objects in the JSON reader of servers.
const maxDepth = 512

// NotStrict returns the reason why the JSON reader of servers refuses a valid JSON text, or "" if
// it accepts it: readers of JSON disagree about a name that occurs twice in an object, half a
// surrogate pair, and text that is not UTF-8.
func NotStrict(text string) string {
	if !utf8.ValidString(text) {
		return "is not UTF-8"
	}
	if name := Repeated(text); name != "" {
		return fmt.Sprintf("has the name %q twice in one object", name)
	}
	depth, inString := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			inString = !inString
		case inString && c == '\\':
			escape, size := surrogates(text[i:])
			if escape != "" {
				return "has half a surrogate pair, " + escape
			}
			i += size - 1
		case inString:
		case c == '[', c == '{':
			if depth++; depth > maxDepth {
				return fmt.Sprintf("nests more than %d deep", maxDepth)
			}
		case c == ']', c == '}':
			depth--
		}
	}
	return ""
}

// surrogates returns the length of the escape, or of the pair of escapes, at the beginning of s,
// and the escape if it is half a pair.
func surrogates(s string) (half string, size int) {
	first, ok := unicodeEscape(s)
	switch {
	case !ok:
		return "", 2
	case !utf16.IsSurrogate(first):
		return "", 6
	}
	if second, ok := unicodeEscape(s[6:]); ok && utf16.DecodeRune(first, second) != utf8.RuneError {
		return "", 12
	}
	return s[:6], 6
}

func unicodeEscape(s string) (rune, bool) {
	if len(s) < 6 || !strings.HasPrefix(s, `\u`) {
		return 0, false
	}
	n, err := strconv.ParseUint(s[2:6], 16, 16)
	return rune(n), err == nil
}

// String returns the string that a JSON text represents, or false for other JSON texts.
func String(text string) (string, bool) {
	v, err := Decode(text)
	s, ok := v.(string)
	return s, ok && err == nil
}
