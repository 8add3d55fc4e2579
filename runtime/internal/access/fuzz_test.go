package access_test

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/internal/access"
)

// local reports whether a name is a loopback name, by another algorithm than the policy.
func local(name string) bool {
	name = strings.TrimSuffix(strings.ToLower(name), ".")
	if a, err := netip.ParseAddr(name); err == nil {
		return a.Unmap().IsLoopback()
	}
	return name == "localhost" || strings.HasSuffix(name, ".localhost")
}

// FuzzCheck compares the requests that pass with the results of net/url for the same headers.
func FuzzCheck(f *testing.F) {
	for _, host := range []string{
		"localhost:8080", "127.0.0.1", "[::1]:80", "evil.example", "example.com", "LOCALHOST.", "app.localhost:1", "a b", "", "[::1%25lo]", "127.0.0.1.",
	} {
		for _, origin := range []string{"", "null", "http://localhost:8080", "https://localhost", "http://[::1]", "http://evil.example", "https://example.com:443", "HTTP://LOCALHOST:8080", "http://127.0.0.1."} {
			f.Add(host, origin, true)
			f.Add(host, origin, false)
		}
	}
	f.Fuzz(func(t *testing.T, hostHeader, originHeader string, onLoopback bool) {
		at := outside
		if onLoopback {
			at = loopback
		}
		r := request(at, hostHeader)
		if originHeader != "" {
			r.Header["Origin"] = []string{originHeader}
		}
		checkDefault(t, r, onLoopback)
		checkConfigured(t, r)
	})
}

// checkDefault checks the requests that a policy without options allows.
func checkDefault(t *testing.T, r *http.Request, onLoopback bool) {
	refusal := new(access.Policy).Check(r)
	if refusal != nil {
		if refusal.Status != 400 && refusal.Status != 403 && refusal.Status != 431 || refusal.Message == "" || strings.ContainsAny(refusal.Message, "\r\n\x00") {
			t.Fatalf("refusal %+v", refusal)
		}
		return
	}
	name := r.Host
	if h, _, err := net.SplitHostPort(r.Host); err == nil {
		name = h
	}
	if onLoopback && !local(strings.Trim(name, "[]")) {
		t.Fatalf("Host %q passes", r.Host)
	}
	text := r.Header.Get("Origin")
	if text == "" {
		return
	}
	u, err := url.Parse(text)
	if err != nil || !onLoopback || u.Path != "" || u.User != nil || !local(u.Hostname()) {
		t.Fatalf("Origin %q at Host %q passes: %v", text, r.Host, err)
	}
	own, err := url.Parse(u.Scheme + "://" + r.Host)
	if err != nil {
		t.Fatalf("Origin %q at Host %q passes: %v", text, r.Host, err)
	}
	if whole(u) != whole(own) {
		t.Fatalf("Origin %q at Host %q passes: %s, %s", text, r.Host, whole(u), whole(own))
	}
}

// whole writes an origin with its port.
func whole(u *url.URL) string {
	port := strings.TrimLeft(u.Port(), "0")
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[strings.ToLower(u.Scheme)]
	}
	return strings.ToLower(u.Scheme+"|"+strings.TrimSuffix(u.Hostname(), ".")) + "|" + port
}

// checkConfigured checks that a configured origin passes in any spelling, and that others do not.
func checkConfigured(t *testing.T, r *http.Request) {
	text := r.Header.Get("Origin")
	p, err := access.New([]string{"*"}, []string{text})
	if err != nil {
		return
	}
	if refusal := p.Check(r); refusal != nil {
		t.Fatalf("configured Origin %q is refused: %+v", text, refusal)
	}
	if origin, cross := p.Origin(r); origin != text || !cross {
		t.Fatalf("configured Origin %q: %q, %v", text, origin, cross)
	}
	for _, other := range []string{text + "0", text + ".evil.example", "x" + text, text + ":1"} {
		r.Header["Origin"] = []string{other}
		if refusal := p.Check(r); refusal == nil {
			if u, err := url.Parse(other); err != nil || !local(u.Hostname()) {
				if v, err2 := url.Parse(text); err2 == nil && err == nil && whole(u) == whole(v) {
					continue
				}
				t.Fatalf("Origin %q passes where only %q is configured", other, text)
			}
		}
	}
}
