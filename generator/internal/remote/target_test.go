package remote

import "testing"

// The error for an address that is not a package contains its URL as the hint.
func TestMeant(t *testing.T) {
	for operand, want := range map[string]string{
		"127.0.0.1:18080":       "http://127.0.0.1:18080/mcp",
		"127.0.0.1:18080/":      "http://127.0.0.1:18080/mcp",
		"127.0.0.1:18080/sse":   "http://127.0.0.1:18080/sse",
		"127.0.0.1":             "http://127.0.0.1/mcp",
		"localhost:8080":        "http://localhost:8080/mcp",
		"LOCALHOST":             "http://LOCALHOST/mcp",
		"[::1]:8080/mcp":        "http://[::1]:8080/mcp",
		"10.1.2.3:80":           "http://10.1.2.3:80/mcp",
		"mcp.example.com:443":   "https://mcp.example.com:443/mcp",
		"8.8.8.8":               "https://8.8.8.8/mcp",
		"http:/127.0.0.1:1/mcp": "http://127.0.0.1:1/mcp",
		"https:example.com/mcp": "https://example.com/mcp",

		".": "", "./...": "", "..": "", "./127.0.0.1:80": "", "all": "", "std": "", "example.com/books": "", "mcp.example.com/mcp": "",
		`C:\books`: "", "C:/books": "", "c:": "", "note://books/1": "", "search": "", "": "", ":8080": "", "a:b": "", "query=1:2": "", "example.com/a@v1.2.3": "",
	} {
		if got := Meant(operand); got != want {
			t.Errorf("%q: %q, want %q", operand, got, want)
		}
	}
}
