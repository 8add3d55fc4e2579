package mcpws_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/mcpgen/mcpgen/runtime/internal/testbed"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcphttp"
	"github.com/mcpgen/mcpgen/runtime/mcpws"
)

func TestSubprotocol(t *testing.T) {
	serve(t, setup{}, func(t *testing.T, s *testServer) {
		for _, test := range []struct {
			field  string
			status int
			chosen string
		}{
			{"Sec-WebSocket-Protocol: mcp", 101, "mcp"},
			{"Sec-WebSocket-Protocol: graphql-ws, mcp", 101, "mcp"},
			{"+Sec-WebSocket-Protocol: other", 101, "mcp"},
			{"-Sec-WebSocket-Protocol", 101, ""},
			{"Sec-WebSocket-Protocol: graphql-ws", 400, ""},
			{"Sec-WebSocket-Protocol: mcp2,xmcp", 400, ""},
			{"Sec-WebSocket-Protocol: ", 400, ""},
		} {
			status, text, header := s.refused(test.field)
			if status != test.status || header.Get("Sec-WebSocket-Protocol") != test.chosen {
				t.Errorf("%s: status %d, %q, subprotocol %q", test.field, status, text, header.Get("Sec-WebSocket-Protocol"))
			}
			if status == 400 && !strings.Contains(text, `"mcp"`) {
				t.Errorf("%s: %q does not say what is spoken", test.field, text)
			}
		}
		c := s.open("-Sec-WebSocket-Protocol")
		c.send(testbed.Ping(1))
		c.want(pong(1))
	})
}

func TestWhatIsNoUpgrade(t *testing.T) {
	serve(t, setup{}, func(t *testing.T, s *testServer) {
		for _, test := range []struct {
			field  string
			status int
			header string
		}{
			{"POST /mcp HTTP/1.1", 405, "Allow: GET"},
			{"OPTIONS /mcp HTTP/1.1", 405, "Allow: GET"},
			{"-Upgrade", 426, "Upgrade: websocket"},
			{"-Connection", 426, "Upgrade: websocket"},
			{"Sec-WebSocket-Version: 8", 400, "Sec-Websocket-Version: 13"},
			{"-Sec-WebSocket-Key", 400, ""},
			{"Sec-WebSocket-Key: short", 400, ""},
		} {
			status, text, header := s.refused(test.field)
			name, value, _ := strings.Cut(test.header, ": ")
			if status != test.status || header.Get(name) != value {
				t.Errorf("%s: status %d, %q, %v", test.field, status, text, header)
			}
		}
	})
}

// Origin and Host are checked independently.
func TestOriginAndHost(t *testing.T) {
	lan := &net.TCPAddr{IP: net.IPv4(192, 0, 2, 1), Port: 80}
	for _, test := range []struct {
		name    string
		local   net.Addr
		options []mcpws.Option
		fields  []string
		status  int
	}{
		{"no origin", nil, nil, nil, 101},
		{"same origin", nil, nil, []string{"Origin: http://127.0.0.1:8080"}, 101},
		{"loopback name", nil, nil, []string{"Host: localhost:8080", "Origin: http://localhost:8080"}, 101},
		{"evil origin", nil, nil, []string{"Origin: http://evil.example"}, 403},
		{"other port", nil, nil, []string{"Origin: http://127.0.0.1:9090"}, 403},
		{"null origin", nil, nil, []string{"Origin: null"}, 403},
		{"two origins", nil, nil, []string{"Origin: http://127.0.0.1:8080", "+Origin: http://127.0.0.1:8080"}, 403},
		{"embedded", nil, nil, []string{"Sec-Fetch-Site: cross-site"}, 403},
		{"embedded at another port", nil, nil, []string{"Sec-Fetch-Site: same-site"}, 403},
		{"own page", nil, nil, []string{"Sec-Fetch-Site: same-origin"}, 101},
		{"evil host", nil, nil, []string{"Host: evil.example"}, 403},
		{"rebinding", nil, nil, []string{"Host: evil.example", "Origin: http://evil.example"}, 403},
		{"allowed origin, evil host", nil, []mcpws.Option{mcpws.WithAllowedOrigins("https://good.example")},
			[]string{"Host: evil.example", "Origin: https://good.example"}, 403},
		{"allowed origin", nil, []mcpws.Option{mcpws.WithAllowedOrigins("https://good.example")}, []string{"Origin: https://good.example"}, 101},
		{"allowed host", nil, []mcpws.Option{mcpws.WithAllowedHosts("good.example")}, []string{"Host: good.example"}, 101},
		{"network, any host", lan, nil, []string{"Host: any.example"}, 101},
		{"network, evil origin", lan, nil, []string{"Host: any.example", "Origin: http://evil.example"}, 403},
		{"network, rebinding", lan, nil, []string{"Host: evil.example", "Origin: http://evil.example"}, 403},
		{"network, loopback name", lan, nil, []string{"Host: localhost", "Origin: http://localhost"}, 403},
		{"network, own name", lan, []mcpws.Option{mcpws.WithAllowedHosts("good.example")},
			[]string{"Host: good.example", "Origin: http://good.example"}, 101},
		{"network, other name", lan, []mcpws.Option{mcpws.WithAllowedHosts("good.example")}, []string{"Host: evil.example"}, 403},
	} {
		t.Run(test.name, func(t *testing.T) {
			serve(t, setup{local: test.local, handler: test.options}, func(t *testing.T, s *testServer) {
				status, text, _ := s.refused(test.fields...)
				if status != test.status {
					t.Errorf("status %d, %s; want %d", status, text, test.status)
				}
				if status == 403 && !strings.Contains(text, "WithAllowed") && !strings.Contains(text, "more than one") {
					t.Errorf("%q does not say what allows it", text)
				}
			})
		})
	}
}

func TestWrongOptions(t *testing.T) {
	for _, option := range []mcpws.Option{mcpws.WithAllowedHosts("http://x"), mcpws.WithAllowedOrigins("example.com"), mcpws.WithAllowedOrigins("*")} {
		func() {
			defer func() {
				if p, _ := recover().(string); !strings.HasPrefix(p, "mcpws: parse allowed") {
					t.Errorf("panic %q", p)
				}
			}()
			mcpws.NewHandler(mcp.NewServer(mcp.ServerInfo{Name: "x"}), option)
		}()
	}
}

func TestPrincipal(t *testing.T) {
	identify := mcpws.WithPrincipal(func(r *http.Request) (mcp.Principal, error) {
		if user := r.Header.Get("Authorization"); user != "" {
			return mcp.Principal{ID: user, Value: 42}, nil
		}
		if r.Header.Get("X-Test") != "" {
			return mcp.Principal{}, fmt.Errorf("secret: %w", &mcphttp.Refusal{
				Text: "go away", Header: http.Header{"www-authenticate": {"Basic"}},
			})
		}
		return mcp.Principal{}, errors.New("secret reason")
	})
	serve(t, setup{handler: []mcpws.Option{identify}}, func(t *testing.T, s *testServer) {
		status, text, header := s.refused()
		if status != 401 || header.Get("WWW-Authenticate") == "" || strings.Contains(text, "secret") || !strings.Contains(s.log.String(), "secret reason") {
			t.Errorf("status %d, %q; log %s", status, text, s.log.String())
		}
		status, text, header = s.refused("X-Test: 1")
		if status != 401 || text != "go away\n" || header.Get("WWW-Authenticate") != "Basic" {
			t.Errorf("status %d, %q, %v", status, text, header)
		}
		// A request with a wrong Origin is refused before WithPrincipal is called.
		if status, _, _ := s.refused("Origin: null"); status != 403 {
			t.Errorf("status %d", status)
		}
		c := s.open("Authorization: alice", "X-Test: one", "+X-Test: two")
		c.send(testbed.Call(1, "who", "{}"))
		c.want(`"text":"alice 42 [one two] true <nil>"`)
	})
}

func TestConnections(t *testing.T) {
	serve(t, setup{handler: []mcpws.Option{mcpws.WithLimits(mcpws.Limits{Connections: 2, ConnectionsPerClient: 2}), mcpws.WithLimits(mcpws.Limits{Connections: -1})}}, func(t *testing.T, s *testServer) {
		first, second := s.open(), s.open()
		status, text, header := s.refused()
		if status != 503 || header.Get("Retry-After") == "" {
			t.Errorf("status %d, %q, %v", status, text, header)
		}
		second.send(testbed.Ping(1))
		second.want(pong(1))
		first.conn.Close()
		synctest.Wait()
		third := s.open()
		third.send(testbed.Ping(1))
		third.want(pong(1))
	})
}

// Each of the two limits of connections holds by itself.
func TestLimitsOfConnections(t *testing.T) {
	for want, options := range map[string][]mcpws.Option{
		"too many connections\n":                {mcpws.WithLimits(mcpws.Limits{Connections: 2, ConnectionsPerClient: 10})},
		"too many connections of this client\n": {mcpws.WithLimits(mcpws.Limits{ConnectionsPerClient: 2}), mcpws.WithLimits(mcpws.Limits{Connections: 100})},
	} {
		serve(t, setup{handler: options}, func(t *testing.T, s *testServer) {
			s.open()
			s.open()
			if status, text, _ := s.refused(); status != 503 || text != want {
				t.Errorf("status %d, %q, want %q", status, text, want)
			}
		})
	}
}

func TestHTTP2(t *testing.T) {
	serve(t, setup{http2: true}, func(t *testing.T, s *testServer) {
		var protocols http.Protocols
		protocols.SetUnencryptedHTTP2(true)
		transport := &http.Transport{Protocols: &protocols, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) { return s.network.Dial(ctx) }}
		defer transport.CloseIdleConnections()
		req, err := http.NewRequest("GET", "http://127.0.0.1:8080/mcp", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Sec-WebSocket-Version", "13")
		resp, err := transport.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		if resp.StatusCode != 400 || resp.ProtoMajor != 2 || !strings.Contains(s.log.String(), "HTTP/1.1, and this is HTTP/2") {
			t.Errorf("%s %s", resp.Proto, resp.Status)
		}
	})
}

// hidden is middleware that hides the methods of what it wraps.
type hidden struct{ w http.ResponseWriter }

func (h hidden) Header() http.Header         { return h.w.Header() }
func (h hidden) Write(p []byte) (int, error) { return h.w.Write(p) }
func (h hidden) WriteHeader(status int)      { h.w.WriteHeader(status) }

type unwrapped struct{ hidden }

func (u unwrapped) Unwrap() http.ResponseWriter { return u.w }

func TestMiddleware(t *testing.T) {
	hide := func(h http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { h.ServeHTTP(hidden{w}, r) })
	}
	serve(t, setup{wrap: hide}, func(t *testing.T, s *testServer) {
		status, text, _ := s.refused()
		if status != 500 || strings.Contains(text, "Hijack") || !strings.Contains(s.log.String(), "without Hijack or Unwrap") {
			t.Errorf("status %d, %q; log %s", status, text, s.log.String())
		}
	})
	unwrap := func(h http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			h.ServeHTTP(unwrapped{hidden{w}}, r.WithContext(context.WithValue(r.Context(), testbed.ContextKey{}, "traced")))
		})
	}
	var seen any
	look := mcp.WithInterceptors(func(next mcp.Handler) mcp.Handler {
		return func(ctx context.Context, req *mcp.Request) (mcp.Reply, error) {
			seen = ctx.Value(testbed.ContextKey{})
			return next(ctx, req)
		}
	})
	serve(t, setup{wrap: unwrap, server: []mcp.Option{look}}, func(t *testing.T, s *testServer) {
		c := s.open()
		c.send(testbed.Ping(1))
		c.want(pong(1))
		if seen != "traced" {
			t.Errorf("the call sees %v of the request's context", seen)
		}
	})
}
