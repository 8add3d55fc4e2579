package valid_test

import (
	"math/rand/v2"
	"mime"
	"testing"

	"github.com/mcpgen/mcpgen/internal/valid"
)

// TestMediaTypeParameters: valid parameters are also valid for package mime, which accepts more: a
// repeated attribute with the same value, and line breaks at the end.
func TestMediaTypeParameters(t *testing.T) {
	for s, want := range map[string]bool{
		"text/plain;charset=utf-8": true, "text/plain; charset=utf-8": true, "text/plain ; charset=utf-8;": true, `text/plain; a="b;c"; d=e`: true,
		`text/plain; a="\""`: true, "text/plain;": true, "text/plain; ": true, "text/plain; a = b": true,
		"text/plain; charset": false, "text/plain; charset=": false, "text/plain; =x": false, "text/plain; a=b c": false, "text/plain; a=b; A=c": false,
		`text/plain; a="b`: false, `text/plain; a="b"c`: false, "text/plain; a=b;;": false, "text/plain; a=b\r\n": false, "text/plain; a=\"b\n\"": false,
		"text/plain; é=x": false,
	} {
		if valid.IsMediaType(s) != want {
			t.Errorf("%q is valid: %v", s, !want)
		}
	}
	parts := []string{";", " ", "a", "b", "=", `"`, `\`, "x/y", "é", "\t"}
	for range 20_000 {
		s := "text/plain; a=b"
		for range rand.N(8) {
			s += parts[rand.N(len(parts))]
		}
		if _, _, err := mime.ParseMediaType(s); err != nil && valid.IsMediaType(s) {
			t.Errorf("%q is valid, and not for package mime: %v", s, err)
		}
	}
}
