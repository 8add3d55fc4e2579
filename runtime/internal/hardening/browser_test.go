package hardening_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/internal/proof/spec"
)

// visitor is a request of a web page, or of another program.
type visitor struct {
	host, origin string // "" for the value that a client sends by itself, and for none
	passes       bool
	says         string // the option that the answer names
}

// Addresses that are not loopback (RFC 5737).
var lan = &net.TCPAddr{IP: net.IPv4(192, 0, 2, 1), Port: 8080}

const (
	evil       = "http://evil.example"
	anyHosts   = "WithAllowedHosts"
	anyOrigins = "WithAllowedOrigins"
)

func testOrigin(t *testing.T, v target) {
	if v.is(tcp) {
		testBrowserOnTCP(t, v)
		return
	}
	spec.Holds(t, "S097")
	t.Run("loopback", func(t *testing.T) {
		visitors(t, v, setup{}, []visitor{
			{"", "", true, ""},
			{"", evil, false, anyOrigins},
			{"", "null", false, anyOrigins},
			{"evil.example", evil, false, anyHosts},
			{"evil.example:8080", evil + ":8080", false, anyHosts},
			{"", "http://127.0.0.1:8080", true, ""},
			{"localhost:8080", "http://localhost:8080", true, ""},
			{"[::1]:8080", "http://[::1]:8080", true, ""},
			{"app.localhost:8080", "http://app.localhost:8080", true, ""},
			{"", "http://127.0.0.1:9999", false, anyOrigins},
			{"", "http://127.0.0.1", false, anyOrigins},
			{"", "http://localhost:8080", false, anyOrigins}, // Host is another name
			{"", "http://127.0.0.1:8080.evil.example", false, ""},
			{"", "http://127.0.0.1:8080@evil.example", false, ""},
			{"", "http://127.0.0.1:8080/", false, ""},
			{"", "file://", false, ""},
			{"", "chrome-extension://abcdef", false, ""},
			{"", " ", false, ""},
			{"", "http://xn--evil.example\t", false, ""},
		})
	})
	t.Run("configured", func(t *testing.T) {
		c := setup{hosts: []string{"mcp.example"}, origins: []string{"https://app.example"}}
		visitors(t, v, c, []visitor{
			{"", "https://app.example", true, ""},
			{"mcp.example", "https://app.example", true, ""},
			{"", "https://APP.example", true, ""},
			{"", "https://app.example:443", true, ""},
			{"", "http://app.example", false, anyOrigins},
			{"", "https://app.example:8443", false, anyOrigins},
			{"", "https://app.example.evil.example", false, anyOrigins},
			{"", "https://app.example, https://evil.example", false, ""},
			{"", "https://app.example/", false, ""},
			{"", "https://app.example:bad", false, ""},
			{"", "app.example", false, ""},
			{"", "https://evil.example", false, anyOrigins},
			{"", "null", false, anyOrigins},
			{"evil.example", "https://app.example", false, anyHosts},
			{"mcp.example", "http://mcp.example", true, ""},
			{"mcp.example", evil, false, anyOrigins},
			{"evil.example", evil, false, anyHosts},
		})
	})
	// If the name of a page is bound to the server's address after the page was loaded, the browser
	// takes both for the same origin.
	t.Run("rebinding", func(t *testing.T) {
		visitors(t, v, setup{local: lan}, []visitor{
			{"192.0.2.1:8080", "", true, ""},
			{"evil.example:8080", "", true, ""}, // no browser: a client that knows the server by some name
			{"evil.example:8080", "http://evil.example:8080", false, ""},
			{"evil.example", evil, false, ""},
			{"192.0.2.1:8080", evil, false, anyOrigins},
			{"192.0.2.1:8080", "null", false, anyOrigins},
			{"localhost:8080", "http://localhost:8080", false, ""}, // not a name for this listener
		})
	})
	t.Run("rebinding, configured", func(t *testing.T) {
		c := setup{local: lan, hosts: []string{"mcp.example", "192.0.2.1"}, origins: []string{"https://app.example"}}
		visitors(t, v, c, []visitor{
			{"mcp.example:8080", "http://mcp.example:8080", true, ""},
			{"mcp.example:8080", "https://app.example", true, ""},
			{"192.0.2.1:8080", "", true, ""},
			{"evil.example:8080", "", false, anyHosts},
			{"evil.example:8080", "http://evil.example:8080", false, anyHosts},
			{"evil.example:8080", "https://app.example", false, anyHosts},
			{"mcp.example:8080", "http://evil.example:8080", false, anyOrigins},
		})
	})
	t.Run("twice", func(t *testing.T) {
		v.visit(t, setup{origins: []string{"https://app.example"}}, func(t *testing.T, s *site) {
			for _, m := range methodsOf(v) {
				status, _ := s.knock(m, "Origin: https://app.example", "Origin: https://app.example")
				if status != 403 && status != 400 {
					t.Errorf("%s: status %d", m, status)
				}
			}
		})
	})
}

func testHost(t *testing.T, v target) {
	t.Run("loopback", func(t *testing.T) {
		visitors(t, v, setup{}, []visitor{
			{"evil.example", "", false, anyHosts},
			{"evil.example:8080", "", false, anyHosts},
			{"127.0.0.1.evil.example", "", false, anyHosts},
			{"localhost.evil.example:8080", "", false, anyHosts},
			{"192.0.2.1:8080", "", false, anyHosts},
			{"0.0.0.0:8080", "", false, anyHosts},
			{"localhost", "", true, ""},
			{"LOCALHOST:1", "", true, ""},
			{"127.0.0.1", "", true, ""},
			{"127.8.9.10:8080", "", true, ""},
			{"[::1]", "", true, ""},
		})
	})
	t.Run("configured", func(t *testing.T) {
		visitors(t, v, setup{hosts: []string{"mcp.example"}}, []visitor{
			{"mcp.example", "", true, ""},
			{"MCP.example:443", "", true, ""},
			{"evil.example", "", false, anyHosts},
			{"localhost:8080", "", true, ""},
			{"x.mcp.example", "", false, anyHosts},
		})
	})
}

// methodsOf are the HTTP methods that a transport answers.
func methodsOf(v target) []string {
	switch v.name {
	case webSocket:
		return []string{http.MethodGet}
	case httpSSE:
		return []string{http.MethodGet, http.MethodPost, http.MethodOptions}
	}
	return []string{http.MethodPost, http.MethodGet, http.MethodDelete, http.MethodOptions}
}

// visitors sends the request of each of them with every method.
func visitors(t *testing.T, v target, c setup, all []visitor) {
	t.Helper()
	v.visit(t, c, func(t *testing.T, s *site) {
		for _, who := range all {
			var fields []string
			if who.host != "" {
				fields = append(fields, "Host: "+who.host)
			}
			if who.origin != "" {
				fields = append(fields, "Origin: "+who.origin)
			}
			for _, method := range methodsOf(v) {
				status, text := s.knock(method, fields...)
				name := fmt.Sprintf("%s from %s to %s", method, who.origin, who.host)
				switch {
				case who.passes && status == 403:
					t.Errorf("%s: status %d, %s", name, status, text)
				case who.passes && method == methodsOf(v)[0] && status != 200 && status != 101:
					t.Errorf("%s: status %d, %s", name, status, text)
				case !who.passes && status != 403 && !(who.says == "" && status == 400 && strings.Contains(text, "Origin")):
					t.Errorf("%s: status %d, %s, want 403", name, status, text)
				case !who.passes && !strings.Contains(text, who.says):
					t.Errorf("%s: %q does not name %s", name, text, who.says)
				}
			}
		}
		if n := s.calls.Load(); n != int64(count(all, v)) {
			t.Errorf("%d calls have run", n)
		}
	})
}

// count returns the number of visitors that send the request of a transport.
func count(all []visitor, v target) (n int) {
	if !v.is(httpModern) {
		return 0 // it needs a session first
	}
	for _, who := range all {
		if who.passes {
			n++
		}
	}
	return n
}

// knock sends a request without a client, and returns the answer's status and body.
func (s *site) knock(method string, fields ...string) (int, string) {
	s.t.Helper()
	var body string
	head := http.Header{"Host": {s.addr}}
	if s.target.is(webSocket) {
		setFields(head, []string{
			"Connection: Upgrade", "Upgrade: websocket", "Sec-Websocket-Version: 13", "Sec-Websocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "Sec-Websocket-Protocol: mcp",
		})
	} else {
		head.Set("Accept", "application/json, text/event-stream")
	}
	switch method {
	case http.MethodPost:
		body = s.target.era.text("1", "initialize", initialize)
		if s.target.era == modern {
			body = s.target.era.text("1", "tools/call", call("echo", `{}`))
			head.Set("Mcp-Protocol-Version", "2026-07-28")
			mirror(head, body)
		}
		setFields(head, []string{"Content-Type: application/json", fmt.Sprint("Content-Length: ", len(body))})
	case http.MethodOptions:
		head.Set("Access-Control-Request-Method", "POST")
	}
	setFields(head, fields)
	conn, err := s.net.Dial(s.ctx)
	if err != nil {
		s.t.Fatal(err)
	}
	defer conn.Close()
	request := method + " /mcp HTTP/1.1\r\n"
	for _, name := range slices.Sorted(keysOf(head)) {
		for _, value := range head[name] {
			request += name + ": " + value + "\r\n"
		}
	}
	s.served.Go(func() { _, _ = io.WriteString(conn, request+"\r\n"+body) })
	return readAnswer(s, conn, method)
}

// readAnswer reads an answer, or only its head if it may be endless.
func readAnswer(s *site, conn net.Conn, method string) (int, string) {
	s.t.Helper()
	resp, err := http.ReadResponse(bufio.NewReader(conn), &http.Request{Method: method})
	if err != nil {
		s.t.Fatal(err)
	}
	if resp.StatusCode == http.StatusSwitchingProtocols || strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") {
		return resp.StatusCode, ""
	}
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return resp.StatusCode, string(text)
}

func keysOf(head http.Header) func(func(string) bool) {
	return func(yield func(string) bool) {
		for name := range head {
			if !yield(name) {
				return
			}
		}
	}
}

// testBrowserOnTCP sends the bytes of a browser request: its body contains messages in its lines.
func testBrowserOnTCP(t *testing.T, v target) {
	v.visit(t, setup{}, func(t *testing.T, s *site) {
		body := "\r\n" + v.era.text("1", "initialize", initialize) + "\n" + v.era.text("2", "tools/call", call("echo", `{}`)) + "\n"
		for _, request := range []string{
			"POST / HTTP/1.1\r\nHost: 127.0.0.1:8080\r\nOrigin: " + evil + "\r\nContent-Type: text/plain\r\n\r\n" + body,
			"\r\n\r\nPOST / HTTP/1.1\r\n\r\n" + body,
			"GET /?" + body, "OPTIONS * HTTP/1.1\r\n" + body, "\x16\x03\x01\x02\x00\x01" + body,
		} {
			c := s.connect("")
			_, _ = io.WriteString(c.link.(*lineLink).raw, request)
			c.gone("a request")
			if received := c.in.all(); len(received) > 0 {
				t.Errorf("%q: got %v", request, received)
			}
		}
		if n := s.calls.Load(); n != 0 {
			t.Errorf("%d calls have run", n)
		}
		s.open().alive("browsers")
	})
}
