package toolschema_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/internal/toolschema"
)

func TestHeaderName(t *testing.T) {
	for name, want := range map[string]string{
		"Region": "Mcp-Param-Region", "REGION": "Mcp-Param-Region", "dry-run": "Mcp-Param-Dry-Run", "x": "Mcp-Param-X",
		"a_b.C": "Mcp-Param-A_b.c", "--a": "Mcp-Param---A", "1a": "Mcp-Param-1a", "": "", "a b": "", "a:": "", "a\n": "", "\u00e4": "", "a\x00": "", "(a)": "",
	} {
		header, ok := toolschema.HeaderName(name)
		if ok != (want != "") || ok && header != want {
			t.Errorf("%q: %q, %v, want %q", name, header, ok, want)
		}
	}
}

// FuzzHeaderName compares the canonical form with the form of net/http, by which fields are looked
// up.
func FuzzHeaderName(f *testing.F) {
	for c := range 256 {
		f.Add(string([]byte{byte(c)}))
		f.Add(string([]byte{'a', byte(c), 'b', 'C'}))
	}
	f.Fuzz(func(t *testing.T, name string) {
		header, ok := toolschema.HeaderName(name)
		if !ok {
			if name != "" && strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.!#$%&'*+^`|~") == "" {
				t.Fatalf("%q is refused", name)
			}
			return
		}
		if want := http.CanonicalHeaderKey("Mcp-Param-" + name); header != want {
			t.Fatalf("%q: %q, want %q", name, header, want)
		}
	})
}
