package access

import "testing"

// Each character that a name, a port or a scheme may contain, and the neighbors of these
// characters.
func TestParseHost(t *testing.T) {
	for text, want := range map[string]host{
		"a-b.example":        {"a-b.example", ""},
		"a_b.example":        {"a_b.example", ""},
		"09.example":         {"09.example", ""},
		"AZaz.example:80":    {"AZaz.example", "80"},
		"example.com.:65535": {"example.com", "65535"},
		"example.com:0080":   {"example.com", "80"},
		"[::1]:1":            {"[::1]", "1"},
	} {
		if got, ok := parseHost(text); !ok || got != want {
			t.Errorf("%q: %+v, %t, want %+v", text, got, ok, want)
		}
	}
	for _, text := range []string{"", ".", "a/b", "a:b", "a@b", "a[b", "a`b", "a{b", "a,b", "a+b", "a%b", "a b", "a:/", "a::", "a:1:", "[]", "[::1", "[1.2.3.4]", "[::1]x", "a:65536", "a:00"} {
		if got, ok := parseHost(text); ok || got != (host{}) {
			t.Errorf("%q: %+v, %t", text, got, ok)
		}
	}
}

func TestParseOrigin(t *testing.T) {
	for text, want := range map[string]string{
		"http://a.example":               "http://a.example",
		"HTTPS://A.example:443":          "https://a.example",
		"http://a.example.:80":           "http://a.example.",
		"chrome-extension://abc":         "chrome-extension://abc",
		"a0+-.9z://a.example:8080":       "a0+-.9z://a.example:8080",
		"AZaz://a.example":               "azaz://a.example",
		"vscode-webview://1-2_3.example": "vscode-webview://1-2_3.example",
	} {
		if got, ok := parseOrigin(text); !ok || got.String() != want {
			t.Errorf("%q: %q, %t, want %q", text, got, ok, want)
		}
	}
	for _, text := range []string{
		"", "http", "http:", "http:/a.example", "a.example", "://a.example", "0http://a.example", "+http://a.example",
		"-http://a.example", ".http://a.example", "ht/tp://a.example", "ht:tp://a.example", "ht*tp://a.example",
		"ht,tp://a.example", "ht@tp://a.example", "ht[tp://a.example", "ht`tp://a.example", "ht{tp://a.example",
		"ht tp://a.example", "httр://a.example", "http://", "http://a.example/", "http://b@a.example",
	} {
		if got, ok := parseOrigin(text); ok || got != (origin{}) {
			t.Errorf("%q: %q, %t", text, got, ok)
		}
	}
}
