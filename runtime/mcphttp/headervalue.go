package mcphttp

import (
	"encoding/base64"
	"strings"
	"unicode/utf8"
)

// The prefix and suffix of a value in base64, for values that a header field cannot
// carry as they are (2026-07-28, streamable HTTP, value encoding).
const (
	base64Prefix = "=?base64?"
	base64Suffix = "?="
)

// decodeHeader decodes the value of a header field. It reports false if the text
// between prefix and suffix is not base64 of UTF-8, padded and in canonical form, or if
// a plain value has bytes that must be encoded.
func decodeHeader(value string) (string, bool) {
	value = strings.Trim(value, " \t")
	if len(value) < len(base64Prefix)+len(base64Suffix) ||
		!strings.HasPrefix(value, base64Prefix) || !strings.HasSuffix(value, base64Suffix) {
		return value, isPlain(value)
	}
	value = value[len(base64Prefix) : len(value)-len(base64Suffix)]
	if strings.ContainsAny(value, "\r\n") {
		return "", false // the decoder would skip these
	}
	text, err := base64.StdEncoding.Strict().DecodeString(value)
	if err != nil || !utf8.Valid(text) {
		return "", false
	}
	return string(text), true
}

// encodeHeader encodes the value of a header field, for [decodeHeader]. A value that looks
// like an encoded one is encoded too.
func encodeHeader(s string) string {
	if isPlain(s) && s == strings.Trim(s, " \t") && !(strings.HasPrefix(s, base64Prefix) && strings.HasSuffix(s, base64Suffix)) {
		return s
	}
	return base64Prefix + base64.StdEncoding.EncodeToString([]byte(s)) + base64Suffix
}

// isPlain reports whether a value consists of visible ASCII, spaces and tabs.
func isPlain(value string) bool {
	for i := range len(value) {
		if c := value[i]; (c < ' ' || c > '~') && c != '\t' {
			return false
		}
	}
	return true
}
