package secureurl_test

import (
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/internal/secureurl"
)

func TestCheck(t *testing.T) {
	for text, want := range map[string]string{
		"https://id.example.com":          "",
		"https://id.example.com:8443/a/":  "",
		"http://localhost:8080/mcp":       "",
		"http://127.8.8.8/":               "",
		"http://[::1]:1":                  "",
		"http://[::ffff:127.0.0.1]/":      "",
		"http://shop.localhost./":         "",
		"":                                "must begin with https://",
		"id.example.com":                  "must begin with https://",
		"id.example.com:8443":             "must begin with https://",
		"ftp://id.example.com":            "must begin with https://",
		"https://":                        "has no host",
		"https:///path":                   "has no host",
		"https://:8443/":                  "has no host",
		"https://user@id.example.com":     "must not have a user",
		"https://user:secret@example.com": "must not have a user",
		"https://id.example.com/#":        "must not have a user or a fragment",
		"https://id.example.com/a b":      "has characters",
		"https://id.example.com/ü":        "has characters",
		"http://id.example.com":           "not of this machine",
		"http://localhost.example.com":    "not of this machine",
		"http://10.0.0.1/":                "not of this machine",
		"https://id.example.com/%zz":      "is not a URL",
		"https://[::1":                    "is not a URL",
	} {
		u, err := secureurl.Check(text)
		switch {
		case want == "":
			if err != nil || u.String() != text {
				t.Errorf("%s: %v, %v", text, u, err)
			}
		case err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "secret"):
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}
