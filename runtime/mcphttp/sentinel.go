package mcphttp

import (
	"encoding/base64"
	"strings"
	"unicode/utf8"
)

// What encloses the base64 text of a value that a header field cannot carry as it
// is (2026-07-28, streamable HTTP, value encoding).
const (
	sentinelPrefix = "=?base64?"
	sentinelSuffix = "?="
)

// decodeHeader returns the value that a mirrored header field stands for. It
// reports false where there is none: between the sentinels is something else than
// base64 of text in UTF-8, padded and in its one spelling, or the field has bytes
// that only the sentinels can carry.
func decodeHeader(value string) (string, bool) {
	value = strings.Trim(value, " \t")
	if len(value) < len(sentinelPrefix)+len(sentinelSuffix) ||
		!strings.HasPrefix(value, sentinelPrefix) || !strings.HasSuffix(value, sentinelSuffix) {
		return value, isPlain(value)
	}
	value = value[len(sentinelPrefix) : len(value)-len(sentinelSuffix)]
	if strings.ContainsAny(value, "\r\n") {
		return "", false // which the decoder would skip
	}
	text, err := base64.StdEncoding.Strict().DecodeString(value)
	if err != nil || !utf8.Valid(text) {
		return "", false
	}
	return string(text), true
}

// isPlain reports whether a value has visible ASCII, blanks and tabs only.
func isPlain(value string) bool {
	for i := range len(value) {
		if c := value[i]; (c < ' ' || c > '~') && c != '\t' {
			return false
		}
	}
	return true
}
