package httpaddr_test

import (
	"errors"
	"net"
	"strconv"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/internal/httpaddr"
	"github.com/mcpgen/mcpgen/internal/proof/spec"
)

func TestParse(t *testing.T) {
	spec.Holds(t, "S093")
	for text, want := range map[string]string{
		"8080":             "127.0.0.1:8080",
		":8080":            "127.0.0.1:8080",
		"0":                "127.0.0.1:0",
		":0":               "127.0.0.1:0",
		"00080":            "127.0.0.1:80",
		"65535":            "127.0.0.1:65535",
		"127.0.0.1:8080":   "127.0.0.1:8080",
		"0.0.0.0:8080":     "0.0.0.0:8080",
		"localhost:8080":   "localhost:8080",
		"my-host.lan:80":   "my-host.lan:80",
		"bücher.example:1": "bücher.example:1",
		"[::1]:8080":       "[::1]:8080",
		"[::]:8080":        "[::]:8080",
		"[fe80::1%eth0]:1": "[fe80::1%eth0]:1",
	} {
		got, err := httpaddr.Parse(text)
		if err != nil || got != want {
			t.Errorf("Parse(%q) = %q, %v; want %q", text, got, err, want)
		}
	}
}

func TestParseWrong(t *testing.T) {
	for _, test := range []struct{ text, problem, hint string }{
		{"", "is empty", "8080"},
		{"localhost", "has no port", "write localhost:8080"},
		{"10.0.0.1", "has no port", "write 10.0.0.1:8080"},
		{"::1", "has no port", "write [::1]:8080"},
		{"[::1]", "has no port", "write [::1]:8080"},
		{"localhost:", "has a port that is not a number", "host:port"},
		{":http", "has a port that is not a number", "host:port"},
		{"localhost:-1", "has a port that is not a number", "host:port"},
		{"65536", "has a port out of range", "65535"},
		{":99999999999999999999", "has a port out of range", "65535"},
		{"*:8080", "has no host", "0.0.0.0"},
		{"http://localhost:8080/mcp", "is a URL", "write localhost:8080"},
		{"http://localhost/mcp", "is a URL", "host:port"},
		{"unix:///run/x.sock", "is a URL", "host:port"},
		{"/run/x.sock", "looks like a path", "host:port"},
		{"./bookstore", "looks like a path", "8080"},
		{".", "looks like a path", "8080"},
		{"a b:80", "has an invalid host", "host:port"},
		{"[a:b]:80", "has an invalid host", "host:port"},
		{"1:2:3", "cannot be read", "[::1]:8080"},
		{"[::1:80", "cannot be read", "brackets"},
	} {
		got, err := httpaddr.Parse(test.text)
		wrong, ok := errors.AsType[*httpaddr.Error](err)
		if !ok || got != "" || wrong.Problem == "" || !strings.HasPrefix(wrong.Problem, test.problem) || !strings.Contains(wrong.Hint, test.hint) {
			t.Errorf("Parse(%q) = %q, %v; want %s: %s", test.text, got, err, test.problem, test.hint)
		}
	}
}

// FuzzParse checks that the result has a host and a port, and that parsing it again does not change
// it.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{"8080", ":8080", "[::1]:8080", "[fe80::1%e]:0", "a:1", "http://a:1/", "", "[]:1", "[%]:1"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := httpaddr.Parse(text)
		if err != nil {
			if wrong, ok := errors.AsType[*httpaddr.Error](err); !ok || wrong.Hint == "" || got != "" {
				t.Errorf("Parse(%q) = %q, %v", text, got, err)
			}
			return
		}
		host, port, err := net.SplitHostPort(got)
		if err != nil || host == "" {
			t.Fatalf("Parse(%q) = %q: %v", text, got, err)
		}
		if _, err := strconv.ParseUint(port, 10, 16); err != nil {
			t.Errorf("Parse(%q) = %q: %v", text, got, err)
		}
		if again, err := httpaddr.Parse(got); err != nil || again != got {
			t.Errorf("Parse(%q) = %q, and that is read as %q, %v", text, got, again, err)
		}
	})
}
