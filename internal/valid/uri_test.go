package valid_test

import (
	"testing"

	"github.com/mcpgen/mcpgen/internal/valid"
)

func TestIsURI(t *testing.T) {
	for text, want := range map[string]bool{
		"x:a": true, "file:///a%20b": true, "A+b-c.1:x": true, "urn:isbn:1": true, "http://[::1]/": true,
		"": false, "x": false, "x:": false, ":a": false, "1x:a": false, "x_y:a": false, "x:a b": false, "x:%2": false, "x:%zz": false,
		"x:\u00e4": false, "x:a\n": false, "x:{a}": false, `x:\`: false, "x:a\x7f": false,
	} {
		if got := valid.IsURI(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}
