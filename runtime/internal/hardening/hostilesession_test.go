package hardening_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/faulty"
	"github.com/mcpgen/mcpgen/runtime/internal/testbed"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/mcpclient"
	"github.com/mcpgen/mcpgen/runtime/mcphttpclient"
)

// TestHostileSessions has servers that forget each session: a request opens one new session, and
// then fails. Calls of another tool work.
func TestHostileSessions(t *testing.T) {
	for name, forget := range map[string]func(w http.ResponseWriter){
		"404": func(w http.ResponseWriter) { answer(w, 404, "text/plain", "not found") },
		"400": func(w http.ResponseWriter) {
			answer(w, 400, "application/json", `{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"Bad Request: No valid session ID provided"}}`)
		},
	} {
		t.Run(name, func(t *testing.T) {
			testbed.Bound(t)
			var sessions, calls atomic.Int32
			url := httpServer(t, func(w http.ResponseWriter, r *http.Request, body []byte) bool {
				switch {
				case bytes.Contains(body, []byte(`"initialize"`)):
					sessions.Add(1)
				case bytes.Contains(body, []byte(`"hostile"`)):
					calls.Add(1)
					forget(w)
					return true
				}
				return false
			})
			c, err := mcpclient.Connect(t.Context(), mcphttpclient.Endpoint{URL: url}, mcpclient.Options{
				Eras: noEras{}, Retry: mcpclient.Retry{Attempts: 5, First: time.Millisecond, Max: 10 * time.Millisecond},
			})
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = c.Close() }()
			for range 2 {
				sessions.Store(0)
				calls.Store(0)
				_, err := c.Call(t.Context(), "hostile", nil)
				if e, ok := errors.AsType[*mcpclient.ConnectionError](err); !ok || e.Sent || !strings.Contains(err.Error(), "session") {
					t.Errorf("the call: %v (%T)", err, err)
				}
				if r, err := c.Call(t.Context(), "echo", nil); err != nil || r.Text() != "right" {
					t.Errorf("the next call: %v", err)
				}
				// The second session belongs to the next call.
				if s, n := sessions.Load(), calls.Load(); s != 2 || n != 2 {
					t.Errorf("%d sessions were opened and the call was sent %d times, want 2 and 2", s, n)
				}
			}
		})
	}
}

// TestHostileReconnecting has servers that close each connection soon after it is open, while a
// client watches for changes. It connects again at once, and then after the times of Retry.
func TestHostileReconnecting(t *testing.T) {
	for _, transport := range []string{memory, httpLegacy} {
		t.Run(transport, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { testReconnecting(t, transport) })
		})
	}
}

func testReconnecting(t *testing.T, transport string) {
	const watched = time.Minute
	alive := 10 * time.Millisecond
	if transport == httpLegacy {
		alive = time.Second // the session is open by then
	}
	var opened atomic.Int32
	server := &faulty.Server{Script: func(m *faulty.Message) bool {
		switch m.Method {
		case "initialize":
			opened.Add(1)
		case "resources/subscribe":
			_ = m.Reply("{}")
			if transport == memory {
				time.AfterFunc(alive, func() { _ = m.Close() })
			}
			return true
		}
		return false
	}}
	target := mcpclient.Dialer("memory", func(context.Context) (jsonrpc.Conn, error) {
		client, other := net.Pipe()
		go server.ServeStream(other)
		return jsonrpc.NewLineConn(client, client, 1<<20), nil
	})
	if transport == httpLegacy {
		target = mcphttpclient.Endpoint{URL: "http://memory/mcp", Client: &http.Client{Transport: roundTripper(func(r *http.Request) (*http.Response, error) {
			w := httptest.NewRecorder()
			if r.Method == http.MethodGet {
				time.Sleep(alive)
				answer(w, 404, "text/plain", "session not found")
			} else {
				server.ServeHTTP(w, r)
			}
			return w.Result(), nil
		})}}
	}
	c, err := mcpclient.Connect(t.Context(), target, mcpclient.Options{
		Eras: noEras{}, Retry: mcpclient.Retry{Attempts: 3, First: 100 * time.Millisecond, Max: 10 * time.Second},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	sub, err := c.Subscribe(t.Context(), mcpclient.Filter{URIs: []string{"a:b"}})
	if err != nil {
		t.Fatal(err)
	}
	time.Sleep(watched)
	// The times double from 100 ms to 10 s, less a random half.
	if n := opened.Load(); n < 8 || n > 22 {
		t.Errorf("%d connections in %v", n, watched)
	}
	if err := sub.Close(); err != nil {
		t.Errorf("Close of the subscription: %v", err)
	}
}

// roundTripper answers requests without a network.
type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// httpServer serves legacy streamable HTTP, except for requests that f has answered, and returns
// the URL.
func httpServer(t *testing.T, f func(w http.ResponseWriter, r *http.Request, body []byte) bool) string {
	t.Helper()
	server := new(faulty.Server)
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body) // handle refuses a part of a message
		if f(w, r, body) {
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		server.ServeHTTP(w, r)
	}))
	t.Cleanup(front.Close)
	return front.URL + "/mcp"
}
