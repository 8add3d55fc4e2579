package httpfield

import (
	"encoding/base64"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Prefix and suffix of a value in base64, for values that a header field cannot carry directly
// (2026-07-28, streamable HTTP, value encoding).
const (
	Base64Prefix = "=?base64?"
	Base64Suffix = "?="
)

// Decode decodes the value of a header field. It returns false if the text between prefix and
// suffix is not base64 of UTF-8, padded and in canonical form, or if a plain value contains bytes
// that must be encoded.
func Decode(value string) (string, bool) {
	value = Trim(value)
	if len(value) < len(Base64Prefix)+len(Base64Suffix) ||
		!strings.HasPrefix(value, Base64Prefix) || !strings.HasSuffix(value, Base64Suffix) {
		return value, IsPlain(value)
	}
	value = value[len(Base64Prefix) : len(value)-len(Base64Suffix)]
	if strings.ContainsAny(value, "\r\n") {
		return "", false // the decoder would skip line ends
	}
	text, err := base64.StdEncoding.Strict().DecodeString(value)
	if err != nil || !utf8.Valid(text) {
		return "", false
	}
	return string(text), true
}

// Encode encodes the value of a header field, for [Decode]. A value that looks like an encoded one
// is encoded too.
func Encode(s string) string {
	if IsPlain(s) && s == Trim(s) && !(strings.HasPrefix(s, Base64Prefix) && strings.HasSuffix(s, Base64Suffix)) {
		return s
	}
	return Base64Prefix + base64.StdEncoding.EncodeToString([]byte(s)) + Base64Suffix
}

// IsPlain reports whether a value consists of visible ASCII, spaces and tabs.
func IsPlain(value string) bool {
	for i := range len(value) {
		if c := value[i]; (c < ' ' || c > '~') && c != '\t' {
			return false
		}
	}
	return true
}

// Trim returns a value without the blanks around it.
func Trim(s string) string { return strings.Trim(s, " \t") }

// maxQuoted limits the bytes of a value that a message repeats.
const maxQuoted = 64

// Quote returns a value for a message, quoted and truncated.
func Quote(s string) string {
	if len(s) > maxQuoted {
		return strconv.Quote(s[:maxQuoted]) + "..."
	}
	return strconv.Quote(s)
}
