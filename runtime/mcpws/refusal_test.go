package mcpws_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net/http"
	"net/netip"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/testbed"
	"github.com/mcpgen/mcpgen/runtime/internal/unreadbody"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpws"
)

// A request with a body is refused immediately, whether the body arrives or not.
func TestRefusedWithBody(t *testing.T) {
	const (
		host    = "Host: 127.0.0.1\r\n"
		upgrade = host + "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\r\n"
	)
	unknown := mcpws.WithPrincipal(func(*http.Request) (mcp.Principal, error) { return mcp.Principal{}, errors.New("who is it") })
	for _, test := range []struct {
		name, head string
		status     int
		options    []mcpws.Option
		closed     bool
	}{
		{"method", "POST /mcp HTTP/1.1\r\n" + host, 405, nil, false},
		{"Host", "GET /mcp HTTP/1.1\r\n" + strings.Replace(upgrade, "127.0.0.1", "evil.example", 1), 403, nil, false},
		{"Origin", "GET /mcp HTTP/1.1\r\n" + upgrade + "Origin: https://evil.example\r\n", 403, nil, false},
		{"principal", "GET /mcp HTTP/1.1\r\n" + upgrade, 401, []mcpws.Option{unknown}, false},
		{"body", "GET /mcp HTTP/1.1\r\n" + upgrade, 400, nil, false},
		{"no upgrade", "GET /mcp HTTP/1.1\r\n" + host, 400, nil, false},
		{"ending", "GET /mcp HTTP/1.1\r\n" + upgrade, 400, nil, true},
	} {
		for _, arrives := range []bool{false, true} {
			serve(t, setup{handler: test.options}, func(t *testing.T, s *testServer) {
				if test.closed {
					_ = s.handler.Close()
				}
				conn, err := s.network.Dial(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				defer conn.Close()
				text := test.head + "Content-Length: 1000\r\n\r\n"
				if arrives {
					text += strings.Repeat("x", 1000) + "PUT / HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n"
				}
				began := time.Now()
				go func() { _, _ = io.WriteString(conn, text) }()
				lines := bufio.NewReader(conn)
				for i, want := range []int{test.status, 405} {
					if i == 1 && (!arrives || test.closed) {
						break
					}
					resp, err := http.ReadResponse(lines, nil)
					if err != nil {
						t.Fatalf("%s: %v", test.name, err)
					}
					_, _ = io.Copy(io.Discard, resp.Body)
					if took := time.Since(began); resp.StatusCode != want || took > 0 {
						t.Errorf("%s: status %d after %v, want %d at once", test.name, resp.StatusCode, took, want)
					}
				}
				if !arrives && !test.closed {
					// Shutdown does not wait for these bodies.
					if err := s.handler.Shutdown(context.Background()); err != nil || time.Since(began) > 0 {
						t.Errorf("%s: Shutdown: %v after %v", test.name, err, time.Since(began))
					}
				}
				_, _ = io.Copy(io.Discard, lines)
				if took := time.Since(began); took > unreadbody.Time {
					t.Errorf("%s: the connection has ended after %v", test.name, took)
				}
			})
		}
	}
}

// If the function of WithPrincipal panics or ends its goroutine, the client gets an error.
func TestPrincipalFails(t *testing.T) {
	for name, fail := range map[string]func(){"panic": func() { panic("at the disco") }, "runtime.Goexit": runtime.Goexit} {
		identify := mcpws.WithPrincipal(func(r *http.Request) (mcp.Principal, error) {
			if r.Header.Get("X-Test") == "fail" {
				fail()
			}
			return mcp.Principal{ID: "ann"}, nil
		})
		address := mcpws.WithClientAddress(func(r *http.Request) netip.Addr {
			if r.Header.Get("X-Test") == "fail" {
				fail()
			}
			return netip.Addr{}
		})
		for _, option := range []mcpws.Option{identify, address} {
			serve(t, setup{handler: []mcpws.Option{option}}, func(t *testing.T, s *testServer) {
				status, text, _ := s.refused("+X-Test: fail")
				if status != http.StatusInternalServerError || strings.Contains(text, "disco") {
					t.Errorf("%s: status %d, %q", name, status, text)
				}
				if log := s.log.String(); !strings.Contains(log, "refusal_test.go") {
					t.Errorf("%s: no stack in the log: %s", name, log)
				}
				c := s.open()
				c.send(testbed.Ping(1))
				c.want(pong(1))
			})
		}
	}
	serve(t, setup{handler: []mcpws.Option{mcpws.WithPrincipal(func(*http.Request) (mcp.Principal, error) { panic(http.ErrAbortHandler) })}},
		func(t *testing.T, s *testServer) {
			conn, err := s.network.Dial(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			go func() { _, _ = io.WriteString(conn, "GET /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n") }()
			if text, _ := io.ReadAll(conn); len(text) > 0 {
				t.Errorf("what is aborted is answered: %s", text)
			}
		})
}
