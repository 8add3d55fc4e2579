package access_test

import (
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/internal/access"
)

// Local addresses of connections.
var (
	loopback  net.Addr = &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 8080}
	loopback6 net.Addr = &net.TCPAddr{IP: net.IPv6loopback, Port: 8080}
	mapped    net.Addr = &net.TCPAddr{IP: net.ParseIP("::ffff:127.0.0.9"), Port: 8080}
	outside   net.Addr = &net.TCPAddr{IP: net.IPv4(192, 0, 2, 7), Port: 8080}
	socket    net.Addr = &net.UnixAddr{Name: "/run/server.sock", Net: "unix"}
	wrapped   net.Addr = otherAddr("127.0.0.1:8080")
	strange   net.Addr = otherAddr("pipe")
)

type otherAddr string

func (otherAddr) Network() string  { return "other" }
func (a otherAddr) String() string { return string(a) }

// request returns a request as a server receives it.
func request(at net.Addr, host string, origins ...string) *http.Request {
	r := httptest.NewRequest(http.MethodPost, "/mcp", nil)
	r.Host = host
	if len(origins) > 0 {
		r.Header["Origin"] = origins
	}
	if at == nil {
		return r
	}
	return r.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey, at))
}

func policy(t testing.TB, hosts, origins []string) *access.Policy {
	t.Helper()
	p, err := access.New(hosts, origins)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func status(r *access.Refusal) int {
	if r == nil {
		return http.StatusOK
	}
	return r.Status
}

func TestHost(t *testing.T) {
	named := []string{"example.com", "Example.org:8443", "192.0.2.7", "2001:db8::1", "[2001:db8::2]:80", "example.net:443"}
	for _, test := range []struct {
		name  string
		at    net.Addr
		hosts []string
		host  string
		want  int
	}{
		{"name", loopback, nil, "localhost", 200},
		{"name with port", loopback, nil, "localhost:8080", 200},
		{"another port, as behind a forwarded one", loopback, nil, "localhost:9", 200},
		{"letters of any case", loopback, nil, "LocalHost:8080", 200},
		{"dot at the end", loopback, nil, "localhost.:8080", 200},
		{"two dots at the end", loopback, nil, "localhost..", 403},
		{"below localhost", loopback, nil, "app.localhost:8080", 200},
		{"not below localhost", loopback, nil, "applocalhost", 403},
		{"nothing below localhost", loopback, nil, ".localhost", 403},
		{"above localhost", loopback, nil, "localhost.evil.example", 403},
		{"address", loopback, nil, "127.0.0.1:8080", 200},
		{"another loopback address", loopback, nil, "127.8.8.8", 200},
		{"IPv6", loopback, nil, "[::1]:8080", 200},
		{"IPv6 without port", loopback6, nil, "[::1]", 200},
		{"IPv6 of IPv4", loopback, nil, "[::ffff:127.0.0.1]", 200},
		{"IPv6 listener", loopback6, nil, "localhost", 200},
		{"IPv4 in an IPv6 listener", mapped, nil, "evil.example", 403},
		{"address of another type", wrapped, nil, "evil.example", 403},
		{"address that begins like one", loopback, nil, "127.0.0.1.evil.example", 403},
		{"short address", loopback, nil, "127.1", 403},
		{"all interfaces", loopback, nil, "0.0.0.0:8080", 403},
		{"number", loopback, nil, "2130706433", 403},
		{"another address", loopback, nil, "192.0.2.7:8080", 403},
		{"another address of IPv6", loopback, nil, "[2001:db8::1]:8080", 403},
		{"rebound", loopback, nil, "evil.example", 403},
		{"rebound with port", loopback, nil, "evil.example:8080", 403},

		{"none", loopback, nil, "", 400},
		{"only a port", loopback, nil, ":8080", 400},
		{"no port behind the colon", loopback, nil, "localhost:", 200},
		{"port zero", loopback, nil, "localhost:0", 400},
		{"port too large", loopback, nil, "localhost:65536", 400},
		{"port of letters", loopback, nil, "localhost:http", 400},
		{"two ports", loopback, nil, "localhost:80:80", 400},
		{"user", loopback, nil, "localhost@evil.example", 400},
		{"list", loopback, nil, "localhost, evil.example", 400},
		{"blank", loopback, nil, " localhost", 400},
		{"bracket", loopback, nil, "[::1", 400},
		{"IPv4 in brackets", loopback, nil, "[127.0.0.1]", 400},
		{"text behind the bracket", loopback, nil, "[::1]evil.example", 400},
		{"zone", loopback, nil, "[::1%lo]", 400},
		{"not ASCII", loopback, nil, "lo\u0441alhost", 400},
		{"percent", loopback, nil, "%6cocalhost", 400},

		{"elsewhere", outside, nil, "evil.example", 200},
		{"elsewhere, malformed", outside, nil, "%2Frun%2Fserver.sock", 200},
		{"elsewhere, configured", outside, named, "example.com", 200},
		{"elsewhere, configured, any port", outside, named, "example.com:8080", 200},
		{"elsewhere, configured, port", outside, named, "example.org:8443", 200},
		{"elsewhere, configured, another port", outside, named, "example.org", 403},
		{"elsewhere, configured, port that goes without saying", outside, named, "example.net", 200},
		{"elsewhere, configured address", outside, named, "192.0.2.7:8080", 200},
		{"elsewhere, configured IPv6", outside, named, "[2001:db8::1]:8080", 200},
		{"elsewhere, configured IPv6 with port", outside, named, "[2001:db8::2]:80", 200},
		{"elsewhere, configured IPv6 with another port", outside, named, "[2001:db8::2]:81", 403},
		{"elsewhere, not configured", outside, named, "evil.example", 403},
		{"elsewhere, below a configured name", outside, named, "evil.example.com", 403},
		{"elsewhere, a loopback name", outside, named, "localhost", 403},
		{"elsewhere, configured, malformed", outside, named, "example.com/", 400},
		{"elsewhere, anything", outside, []string{"*"}, "evil.example", 200},

		{"socket", socket, nil, "evil.example", 200},
		{"socket without a host", socket, nil, "", 200},
		{"socket, not configured", socket, named, "evil.example", 403},
		{"unknown address", strange, nil, "evil.example", 200},
		{"no address", nil, nil, "evil.example", 200},
		{"no address, not configured", nil, named, "evil.example", 403},

		{"loopback, configured", loopback, named, "example.com", 200},
		{"loopback, still a loopback name", loopback, named, "localhost", 200},
		{"loopback, not configured", loopback, named, "evil.example", 403},
		{"loopback, anything", loopback, []string{"*"}, "evil.example", 200},
		{"loopback, even malformed", loopback, []string{"*"}, "a b", 200},
		{"anything besides names", outside, []string{"example.com", "*"}, "evil.example", 200},
	} {
		t.Run(test.name, func(t *testing.T) {
			refusal := policy(t, test.hosts, nil).Check(request(test.at, test.host))
			if status(refusal) != test.want {
				t.Fatalf("Host %q: %d, want %d (%v)", test.host, status(refusal), test.want, refusal)
			}
			if test.want == 403 && !strings.Contains(refusal.Message, "WithAllowedHosts(") {
				t.Errorf("no option is named: %s", refusal.Message)
			}
		})
	}
}

func TestOrigin(t *testing.T) {
	pages := []string{"http://localhost:3000", "https://App.Example.com", "https://example.com:443", "chrome-extension://abcdef", "http://[::1]:3000"}
	const none = "-"
	for _, test := range []struct {
		name    string
		at      net.Addr
		hosts   []string
		origins []string
		host    string
		origin  string
		want    int
	}{
		{"absent", loopback, nil, nil, "localhost:8080", none, 200},
		{"null", loopback, nil, nil, "localhost:8080", "null", 403},
		{"null elsewhere", outside, nil, nil, "example.com", "null", 403},
		{"null before others", loopback, nil, pages, "localhost:8080", "null", 403},
		{"foreign", loopback, nil, nil, "localhost:8080", "http://evil.example", 403},
		{"foreign elsewhere", outside, nil, nil, "example.com", "http://evil.example", 403},
		{"foreign at a configured host", outside, []string{"example.com"}, nil, "example.com", "http://evil.example", 403},
		{"foreign on a socket", socket, nil, nil, "localhost", "http://evil.example", 403},

		{"own", loopback, nil, nil, "localhost:8080", "http://localhost:8080", 200},
		{"own, letters of any case", loopback, nil, nil, "LOCALHOST:8080", "http://localhost:8080", 200},
		{"own address", loopback, nil, nil, "127.0.0.1:8080", "http://127.0.0.1:8080", 200},
		{"own IPv6", loopback6, nil, nil, "[::1]:8080", "http://[::1]:8080", 200},
		{"own below localhost", loopback, nil, nil, "app.localhost:8080", "http://app.localhost:8080", 200},
		{"own, dot at the end", loopback, nil, nil, "localhost.:8080", "http://localhost.:8080", 200},
		{"own, default port left out", loopback, nil, nil, "localhost:80", "http://localhost", 200},
		{"own, default port said", loopback, nil, nil, "localhost", "http://localhost:80", 200},
		{"own, behind TLS", loopback, nil, nil, "localhost", "https://localhost", 200},
		{"own, behind TLS with port", loopback, nil, nil, "localhost:443", "https://localhost", 200},
		{"another port", loopback, nil, nil, "localhost:8080", "http://localhost:3000", 403},
		{"default port of the other scheme", loopback, nil, nil, "localhost:443", "http://localhost", 403},
		{"another loopback name", loopback, nil, nil, "localhost:8080", "http://127.0.0.1:8080", 403},
		{"another name below localhost", loopback, nil, nil, "localhost:8080", "http://evil.localhost:8080", 403},
		{"another scheme", loopback, nil, nil, "localhost", "ftp://localhost", 403},

		{"rebound on loopback", loopback, nil, nil, "evil.example:8080", "http://evil.example:8080", 403},
		{"rebound elsewhere", outside, nil, nil, "evil.example:8080", "http://evil.example:8080", 403},
		{"rebound on a socket", socket, nil, nil, "evil.example", "http://evil.example", 403},
		{"rebound, address not known", nil, nil, nil, "evil.example", "http://evil.example", 403},
		{"rebound, any host allowed", outside, []string{"*"}, nil, "evil.example", "http://evil.example", 403},
		{"rebound, any host allowed on loopback", loopback, []string{"*"}, nil, "evil.example", "http://evil.example", 403},
		{"rebound, other hosts allowed", outside, []string{"example.com", "*"}, nil, "evil.example", "http://evil.example", 403},
		{"rebound to a loopback name elsewhere", outside, nil, nil, "localhost", "http://localhost", 403},
		{"own, any host allowed on loopback", loopback, []string{"*"}, nil, "localhost:8080", "http://localhost:8080", 200},
		{"own at a configured host", outside, []string{"example.com"}, nil, "example.com:8080", "http://example.com:8080", 200},
		{"own at a configured host, behind TLS", outside, []string{"example.com"}, nil, "example.com", "https://example.com", 200},
		{"own at a configured host, any besides", outside, []string{"*", "example.com"}, nil, "example.com", "https://example.com", 200},
		{"own at a configured host on a socket", socket, []string{"example.com"}, nil, "example.com", "https://example.com", 200},
		{"own at a configured host on loopback", loopback, []string{"example.com"}, nil, "example.com", "https://example.com", 200},

		{"configured", loopback, nil, pages, "localhost:8080", "http://localhost:3000", 200},
		{"configured, elsewhere", outside, nil, pages, "example.com", "http://localhost:3000", 200},
		{"configured, letters of any case", loopback, nil, pages, "localhost:8080", "https://app.example.com", 200},
		{"configured, default port", loopback, nil, pages, "localhost:8080", "https://example.com", 200},
		{"configured extension", loopback, nil, pages, "localhost:8080", "chrome-extension://abcdef", 200},
		{"configured IPv6", loopback, nil, pages, "localhost:8080", "http://[::1]:3000", 200},
		{"configured with another scheme", loopback, nil, pages, "localhost:8080", "http://app.example.com", 403},
		{"configured with another port", loopback, nil, pages, "localhost:8080", "https://app.example.com:8443", 403},
		{"configured name with a dot", loopback, nil, pages, "localhost:8080", "https://example.com.", 403},
		{"configured, at a foreign host", loopback, nil, pages, "evil.example", "http://localhost:3000", 403},
		{"below a configured one", loopback, nil, pages, "localhost:8080", "https://evil.app.example.com", 403},
		{"begins like a configured one", loopback, nil, pages, "localhost:8080", "https://app.example.com.evil.example", 403},
		{"own though others are configured", loopback, nil, pages, "localhost:8080", "http://localhost:8080", 200},

		{"empty", loopback, nil, nil, "localhost:8080", "", 403},
		{"no scheme", loopback, nil, nil, "localhost:8080", "localhost:8080", 403},
		{"two", loopback, nil, nil, "localhost:8080", "http://localhost:8080 http://localhost:8080", 403},
		{"path", loopback, nil, nil, "localhost:8080", "http://localhost:8080/", 403},
		{"user", loopback, nil, nil, "localhost:8080", "http://evil@localhost:8080", 403},
		{"no host", loopback, nil, nil, "localhost:8080", "file://", 403},
		{"scheme of digits", loopback, nil, nil, "localhost:8080", "1http://localhost:8080", 403},
		{"elsewhere, malformed host", outside, nil, nil, "a b", "http://localhost", 403},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := request(test.at, test.host)
			if test.origin != none {
				r = request(test.at, test.host, test.origin)
			}
			refusal := policy(t, test.hosts, test.origins).Check(r)
			if status(refusal) != test.want {
				t.Fatalf("Origin %q at %q: %d, want %d (%v)", test.origin, test.host, status(refusal), test.want, refusal)
			}
			if refusal != nil && !strings.HasPrefix(refusal.Message, "malformed") && !strings.Contains(refusal.Message, "allow") {
				t.Errorf("no option is named: %s", refusal.Message)
			}
		})
	}
}

// A page that came over plain HTTP may have been changed on the way.
func TestOriginOfPlainPageAtEncryptedServer(t *testing.T) {
	for origin, want := range map[string]int{"https://localhost:8080": 200, "http://localhost:8080": 403} {
		r := request(loopback, "localhost:8080", origin)
		r.TLS = new(tls.ConnectionState)
		if refusal := policy(t, nil, nil).Check(r); status(refusal) != want {
			t.Errorf("%s: %d, want %d (%v)", origin, status(refusal), want, refusal)
		}
	}
}

func TestHeadersThatComeTwice(t *testing.T) {
	p := policy(t, []string{"*"}, []string{"http://localhost:3000"})
	if refusal := p.Check(request(loopback, "localhost", "http://localhost", "http://localhost")); status(refusal) != 403 {
		t.Errorf("two Origin headers: %v", refusal)
	}
	for _, hosts := range [][]string{{"evil.example"}, {"localhost", "localhost"}} {
		r := request(loopback, "localhost")
		r.Header["Host"] = hosts
		if refusal := p.Check(r); status(refusal) != 400 {
			t.Errorf("Host headers %q: %v", hosts, refusal)
		}
	}
	r := request(loopback, "localhost")
	r.Header["Host"] = []string{"localhost"} // as HTTP/2 allows beside :authority
	if refusal := p.Check(r); refusal != nil {
		t.Errorf("the same Host header: %v", refusal)
	}
}

// A refusal names the option that allows the request, and the option does.
func TestMessagesNameWhatHelps(t *testing.T) {
	for _, test := range []struct {
		at             net.Addr
		host, origin   string
		hosts, origins []string
		message        string
	}{
		{loopback, "evil.example:80", "", []string{"evil.example"}, nil,
			`host "evil.example:80" is not a loopback name, but the connection is a loopback one: allow it with WithAllowedHosts("evil.example") or by the flag -allow-host`},
		{loopback, "localhost:8080", "http://localhost:3000", nil, []string{"http://localhost:3000"},
			`origin "http://localhost:3000" is not allowed: allow it with WithAllowedOrigins("http://localhost:3000") or by the flag -allow-origin`},
		{loopback, "localhost:8080", "localhost:3000", nil, nil, `malformed Origin header "localhost:3000"`},
		{loopback, "localhost:8080", "null", nil, nil,
			`origin "null" is not allowed: sandboxed pages and files send it; serve the page from an origin of its own, and allow that with WithAllowedOrigins("http://...") or by the flag -allow-origin`},
		{outside, "example.com", "https://example.com", []string{"example.com"}, nil,
			`origin "https://example.com" is equal to the Host header, which proves nothing before the name is known to be this server's: allow it with WithAllowedHosts("example.com") or by the flag -allow-host; or allow it with WithAllowedOrigins("https://example.com") or by the flag -allow-origin`},
		{outside, "example.com", "https://example.com", nil, []string{"https://example.com"},
			`origin "https://example.com" is equal to the Host header, which proves nothing before the name is known to be this server's: allow it with WithAllowedHosts("example.com") or by the flag -allow-host; or allow it with WithAllowedOrigins("https://example.com") or by the flag -allow-origin`},
	} {
		r := request(test.at, test.host)
		if test.origin != "" {
			r = request(test.at, test.host, test.origin)
		}
		if refusal := policy(t, nil, nil).Check(r); refusal == nil || refusal.Message != test.message {
			t.Errorf("%+v\nwant %s", refusal, test.message)
		}
		if test.hosts == nil && test.origins == nil {
			continue // no option allows it
		}
		if refusal := policy(t, test.hosts, test.origins).Check(r); refusal != nil {
			t.Errorf("does not help: %+v", refusal)
		}
	}
	refusal := policy(t, nil, nil).Check(request(loopback, strings.Repeat("a", 5000)))
	if refusal == nil || len(refusal.Message) > 400 {
		t.Errorf("too long: %v", refusal)
	}
}

func TestNewRefuses(t *testing.T) {
	for _, host := range []string{"", "http://example.com", "example.com/", "*.example.com", "example.com:*", "a b", "b\u00fccher.example", "[::1", "a:0"} {
		if _, err := access.New([]string{host}, nil); err == nil || !strings.Contains(err.Error(), "parse allowed host") {
			t.Errorf("host %q: %v", host, err)
		}
	}
	for _, origin := range []string{"", "*", "null", "example.com", "https://", "https://example.com/", "https://*.example.com", "https://a@b", "https://a:b"} {
		if _, err := access.New(nil, []string{origin}); err == nil || !strings.Contains(err.Error(), "parse allowed origin") {
			t.Errorf("origin %q: %v", origin, err)
		}
	}
}

func TestOriginForCrossOriginAnswers(t *testing.T) {
	p := policy(t, nil, []string{"https://example.com"})
	for _, test := range []struct {
		origins []string
		origin  string
		cross   bool
	}{
		{nil, "", false},
		{[]string{"https://example.com"}, "https://example.com", true},
		{[]string{"https://evil.example"}, "https://evil.example", false},
		{[]string{"http://localhost"}, "http://localhost", false},
		{[]string{"null"}, "null", false},
		{[]string{"https://example.com", "https://example.com"}, "", false},
	} {
		origin, cross := p.Origin(request(loopback, "localhost", test.origins...))
		if origin != test.origin || cross != test.cross {
			t.Errorf("%q: %q, %v", test.origins, origin, cross)
		}
	}
	var none *access.Policy
	if _, cross := none.Origin(request(loopback, "localhost", "https://example.com")); cross || none.HasOrigins() || !p.HasOrigins() {
		t.Error("nil policy has origins, or the other has none")
	}
}

// A nil and a zero Policy are as strict as New(nil, nil).
func TestZeroPolicy(t *testing.T) {
	made := policy(t, nil, nil)
	for _, r := range []*http.Request{
		request(loopback, "localhost"), request(loopback, "evil.example"), request(outside, "example.com"),
		request(loopback, "localhost", "http://localhost"), request(loopback, "localhost", "http://evil.example"),
		request(outside, "localhost", "http://localhost"),
	} {
		want := status(made.Check(r))
		if got := status(new(access.Policy).Check(r)); got != want {
			t.Errorf("zero: %d, want %d", got, want)
		}
		if got := status((*access.Policy)(nil).Check(r)); got != want {
			t.Errorf("nil: %d, want %d", got, want)
		}
	}
}

// The policy uses the local address that net/http provides.
func TestBehindRealListener(t *testing.T) {
	var p access.Policy
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if refusal := p.Check(r); refusal != nil {
			http.Error(w, refusal.Message, refusal.Status)
		}
	}))
	defer server.Close()
	for _, test := range []struct {
		host, origin string
		want         int
	}{
		{"", "", 200}, {"", server.URL, 200}, {"", "http://evil.example", 403}, {"evil.example", "", 403},
	} {
		r, err := http.NewRequest(http.MethodPost, server.URL, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Host = test.host
		if test.origin != "" {
			r.Header.Set("Origin", test.origin)
		}
		answer, err := server.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		io.Copy(io.Discard, answer.Body)
		answer.Body.Close()
		if answer.StatusCode != test.want {
			t.Errorf("%+v: %d", test, answer.StatusCode)
		}
	}
}

// A policy decides alike about a Host, whichever it has trusted before.
func TestHostsInTurn(t *testing.T) {
	places := []net.Addr{loopback, outside, nil}
	hosts := []string{"localhost:8080", "127.0.0.1", "example.com", "example.com:1", "evil.example", "", "a b", strings.Repeat("a.", 200) + "localhost"}
	origins := []string{"", "http://localhost:8080", "http://example.com", "https://page.example", "http://evil.example"}
	for _, names := range [][]string{nil, {"example.com"}, {"*"}} {
		for _, trusted := range hosts {
			for _, there := range places {
				p := policy(t, names, []string{"https://page.example"})
				p.Check(request(there, trusted))
				for _, at := range places {
					for _, host := range hosts {
						for _, origin := range origins {
							r := request(at, host)
							if origin != "" {
								r.Header["Origin"] = []string{origin}
							}
							got, want := p.Check(r), policy(t, names, []string{"https://page.example"}).Check(r)
							if (got == nil) != (want == nil) || got != nil && *got != *want {
								t.Errorf("%v: after %q at %v, %q at %v with origin %q: %v, want %v", names, trusted, there, host, at, origin, got, want)
							}
						}
					}
				}
			}
		}
	}
}

func TestAllocations(t *testing.T) {
	p := policy(t, []string{"example.com", "example.org:8443"}, []string{"https://example.com"})
	for _, host := range []string{"localhost:8080", "127.0.0.1:8080", "[::1]:8080", "app.localhost", "example.org:8443"} {
		r := request(loopback, host)
		if n := testing.AllocsPerRun(100, func() {
			if p.Check(r) != nil {
				t.Fatal("refused")
			}
		}); n != 0 {
			t.Errorf("%s: %v allocations", host, n)
		}
	}
}

func BenchmarkCheck(b *testing.B) {
	p := policy(b, nil, nil)
	r := request(loopback, "127.0.0.1:8080")
	b.ReportAllocs()
	for b.Loop() {
		if p.Check(r) != nil {
			b.Fatal("refused")
		}
	}
}

// Requests for embedded content contain no Origin, but the relation of the page to the server. A
// page of another port is same-site.
func TestSecFetchSite(t *testing.T) {
	p, err := access.New([]string{"*"}, []string{"https://page.example"})
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		sites  []string
		origin string
		status int
	}{
		{nil, "", 0},
		{[]string{"none"}, "", 0},
		{[]string{"same-origin"}, "", 0},
		{[]string{"cross-site"}, "", 403},
		{[]string{"same-site"}, "", 403},
		{[]string{"Cross-Site"}, "", 403},
		{[]string{""}, "", 403},
		{[]string{"none", "cross-site"}, "", 403},
		{[]string{"none, cross-site"}, "", 403},
		{[]string{"something-new"}, "", 403},
		{[]string{"cross-site"}, "https://page.example", 0},
		{[]string{"same-site"}, "https://page.example", 0},
		{[]string{"cross-site"}, "https://evil.example", 403},
		{[]string{"same-origin"}, "https://evil.example", 403},
	} {
		for _, at := range []net.Addr{loopback, outside} {
			r := request(at, "127.0.0.1:8080")
			if test.sites != nil {
				r.Header["Sec-Fetch-Site"] = test.sites
			}
			if test.origin != "" {
				r.Header["Origin"] = []string{test.origin}
			}
			status := 0
			if refusal := p.Check(r); refusal != nil {
				status = refusal.Status
			}
			if status != test.status {
				t.Errorf("%q, origin %q: %d, want %d", test.sites, test.origin, status, test.status)
			}
		}
	}
}
