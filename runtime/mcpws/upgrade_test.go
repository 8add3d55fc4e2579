package mcpws_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"

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

// A page of another site that embeds a request without Origin is refused.
func TestEmbedded(t *testing.T) {
	serve(t, setup{}, func(t *testing.T, s *testServer) {
		for site, want := range map[string]int{"cross-site": 403, "same-site": 403, "same-origin": 101} {
			status, text, _ := s.refused("Sec-Fetch-Site: " + site)
			if status != want || want == 403 && !strings.Contains(text, "WithAllowed") {
				t.Errorf("%s: status %d, %s; want %d", site, status, text, want)
			}
		}
	})
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

// Each of the two connection limits applies by itself. A negative limit changes nothing.
func TestLimitsOfConnections(t *testing.T) {
	for want, c := range map[string]setup{
		"too many connections\n": {
			server:  []mcp.Option{mcp.WithLimits(mcp.Limits{ClientShare: 100})},
			handler: []mcpws.Option{mcpws.WithLimits(mcpws.Limits{Connections: 2}), mcpws.WithLimits(mcpws.Limits{Connections: -1})},
		},
		"too many connections of this client\n": {handler: []mcpws.Option{mcpws.WithLimits(mcpws.Limits{Connections: 8})}},
	} {
		serve(t, c, func(t *testing.T, s *testServer) {
			s.open()
			s.open()
			if status, text, header := s.refused(); status != 503 || text != want || header.Get("Retry-After") == "" {
				t.Errorf("status %d, %q, want %q; header %v", status, text, want, header)
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

// hidden is middleware that hides the methods of the wrapped writer.
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
