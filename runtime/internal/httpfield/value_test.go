package httpfield

import (
	"encoding/base64"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/mcpgen/mcpgen/internal/proof/spec"
)

// encodedByRule encodes a value like a client (2026-07-28, streamable HTTP, value encoding).
func encodedByRule(value string) string {
	plain := strings.Trim(value, " \t") == value &&
		!(strings.HasPrefix(value, "=?base64?") && strings.HasSuffix(value, "?="))
	for _, r := range value {
		plain = plain && (r >= ' ' && r <= '~' || r == '\t')
	}
	if plain {
		return value
	}
	return "=?base64?" + base64.StdEncoding.EncodeToString([]byte(value)) + "?="
}

func TestDecode(t *testing.T) {
	spec.Holds(t, "S140")
	for _, test := range []struct {
		name, value string
		want        string
		ok          bool
	}{
		{"plain", "us-west1", "us-west1", true},
		{"empty", "", "", true},
		{"blanks around it", " \tname  ", "name", true},
		{"blanks inside", "a b\tc", "a b\tc", true},
		{"all that is visible", "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~", "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~", true},
		{"control character", "a\x01b", "", false},
		{"line end", "a\nb", "", false},
		{"delete", "a\x7f", "", false},
		{"not ASCII", "\u4e16", "", false},
		{"Latin-1", "caf\xe9", "", false},

		{"encoded", "=?base64?SGVsbG8=?=", "Hello", true},
		{"encoded text", "=?base64?SGVsbG8sIOS4lueVjA==?=", "Hello, \u4e16\u754c", true},
		{"encoded blanks", "=?base64?IHBhZGRlZCA=?=", " padded ", true},
		{"encoded line end", "=?base64?bGluZTEKbGluZTI=?=", "line1\nline2", true},
		{"encoded sentinel, decoded once", "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?=", "=?base64?literal?=", true},
		{"encoded nothing", "=?base64??=", "", true},
		{"encoded, blanks around it", "  =?base64?SGVsbG8=?=\t", "Hello", true},
		{"encoded NUL", "=?base64?AA==?=", "\x00", true},

		{"no padding", "=?base64?SGVsbG8?=", "", false},
		{"half of the padding", "=?base64?SGVsbA=?=", "", false},
		{"too much padding", "=?base64?SGVsbG8==?=", "", false},
		{"padding only", "=?base64?====?=", "", false},
		{"another alphabet", "=?base64?-_-_?=", "", false},
		{"not base64", "=?base64?SGVs!!!bG8=?=", "", false},
		{"blank inside", "=?base64?SGVs bG8=?=", "", false},
		{"blank around the text", "=?base64? SGVsbG8= ?=", "", false},
		{"line end inside", "=?base64?SGVs\nbG8=?=", "", false},
		{"CRLF inside", "=?base64?SGVs\r\nbG8=?=", "", false},
		{"bits behind the end", "=?base64?SGVsbG9=?=", "", false},
		{"not UTF-8", "=?base64?/w==?=", "", false},
		{"a surrogate", "=?base64?7aCA?=", "", false},

		{"no suffix", "=?base64?SGVsbG8=", "=?base64?SGVsbG8=", true},
		{"no prefix", "SGVsbG8=?=", "SGVsbG8=?=", true},
		{"neither", "SGVsbG8=", "SGVsbG8=", true},
		{"upper case", "=?BASE64?SGVsbG8=?=", "=?BASE64?SGVsbG8=?=", true},
		{"another encoding", "=?q?SGVsbG8=?=", "=?q?SGVsbG8=?=", true},
		{"prefix and suffix share a character", "=?base64?=", "=?base64?=", true},
		{"text before it", "x=?base64?SGVsbG8=?=", "x=?base64?SGVsbG8=?=", true},
		{"text behind it", "=?base64?SGVsbG8=?=x", "=?base64?SGVsbG8=?=x", true},
		{"two", "=?base64?SGVs?==?base64?bG8=?=", "", false},
	} {
		got, ok := Decode(test.value)
		if ok != test.ok || ok && got != test.want {
			t.Errorf("%s: %q: %q, %v, want %q, %v", test.name, test.value, got, ok, test.want, test.ok)
		}
	}
}

// FuzzValue checks that encoding and decoding are inverse, that every value has one encoding, and
// that results are valid.
func FuzzValue(f *testing.F) {
	for _, value := range []string{
		"", "us-west1", " padded ", "Hello, \u4e16\u754c", "line1\nline2", "=?base64?literal?=", "=?base64?SGVsbG8=?=", "=?base64??=",
		"=?base64?SGVsbG8?=", "=?base64?SGVs\nbG8=?=", "=?base64?SGVsbG9=?=", "=?base64?=", "=?base64?/w==?=", "\t", "\x00", "caf\xe9",
	} {
		f.Add(value)
	}
	f.Fuzz(func(t *testing.T, value string) {
		if utf8.ValidString(value) {
			written := encodedByRule(value)
			if got := Encode(value); got != written {
				t.Fatalf("%q is encoded as %q, want %q", value, got, written)
			}
			if !IsPlain(written) {
				t.Fatalf("%q cannot be written", written)
			}
			for _, spelling := range []string{written, " " + written + "\t", "=?base64?" + base64.StdEncoding.EncodeToString([]byte(value)) + "?="} {
				if got, ok := Decode(spelling); !ok || got != value {
					t.Fatalf("%q as %q: %q, %v", value, spelling, got, ok)
				}
			}
		}
		got, ok := Decode(value)
		if !ok {
			return
		}
		trimmed := strings.Trim(value, " \t")
		switch encoded := "=?base64?" + base64.StdEncoding.EncodeToString([]byte(got)) + "?="; {
		case !utf8.ValidString(got):
			t.Fatalf("%q is decoded to %q", value, got)
		case got != trimmed && encoded != trimmed:
			t.Fatalf("%q is decoded to %q, which is %q", value, got, encoded)
		}
	})
}
