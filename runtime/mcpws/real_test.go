package mcpws_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/coder/websocket"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpws"
)

// over runs f with a handler at a port of this machine.
func over(t *testing.T, tls bool, options []mcpws.Option, f func(s *site, url string, client *http.Client), limits ...mcp.Option) {
	t.Helper()
	s := &site{t: t}
	s.handler = mcpws.NewHandler(s.fixture(limits...), options...)
	server := httptest.NewUnstartedServer(s.handler)
	if tls {
		server.StartTLS()
	} else {
		server.Start()
	}
	defer server.Close()
	defer s.handler.Close()
	f(s, server.URL, server.Client())
}

func TestOverTCP(t *testing.T) {
	for _, tls := range []bool{false, true} {
		t.Run(fmt.Sprintf("TLS %t", tls), func(t *testing.T) {
			over(t, tls, nil, func(s *site, url string, client *http.Client) {
				var all sync.WaitGroup
				for i := range 4 {
					all.Go(func() { talk(t, url, client, websocket.CompressionDisabled, i) })
				}
				all.Wait()
			})
		})
	}
}

// talk sends calls without waiting for answers, and checks that all are answered.
func talk(t *testing.T, url string, client *http.Client, mode websocket.CompressionMode, seed int) {
	ctx := t.Context()
	c, _, err := websocket.Dial(ctx, url, &websocket.DialOptions{Subprotocols: []string{"mcp"}, CompressionMode: mode, HTTPClient: client})
	if err != nil {
		t.Error(err)
		return
	}
	defer c.CloseNow()
	if c.Subprotocol() != "mcp" {
		t.Errorf("subprotocol %q", c.Subprotocol())
	}
	c.SetReadLimit(-1)
	const n = 80
	go func() {
		for i := range n {
			if err := c.Write(ctx, websocket.MessageText, []byte(call(i, "echo", fmt.Sprintf(`{"x":"%d %d %s"}`, seed, i, strings.Repeat("y", i*i))))); err != nil {
				t.Errorf("write: %v", err)
				return
			}
		}
	}()
	seen := map[int]bool{}
	for range n {
		_, data, err := c.Read(ctx)
		if err != nil {
			t.Errorf("read: %v", err)
			return
		}
		var id int
		if _, err := fmt.Sscanf(string(data), `{"jsonrpc":"2.0","id":%d,`, &id); err != nil || seen[id] ||
			!strings.Contains(string(data), fmt.Sprintf(`\"%d %d %s\"`, seed, id, strings.Repeat("y", id*id))) {
			t.Errorf("heard %.200s", data)
		}
		seen[id] = true
	}
	if err := c.Close(websocket.StatusNormalClosure, ""); err != nil {
		t.Errorf("close: %v", err)
	}
}

func TestCompression(t *testing.T) {
	over(t, false, []mcpws.Option{mcpws.WithCompression()}, func(s *site, url string, client *http.Client) {
		for _, mode := range []websocket.CompressionMode{websocket.CompressionNoContextTakeover, websocket.CompressionContextTakeover, websocket.CompressionDisabled} {
			talk(t, url, client, mode, int(mode))
		}
		// What is small on its way and long when it has arrived is too long.
		ctx := t.Context()
		c, resp, err := websocket.Dial(ctx, url, &websocket.DialOptions{CompressionMode: websocket.CompressionNoContextTakeover})
		if err != nil {
			t.Fatal(err)
		}
		defer c.CloseNow()
		if !strings.Contains(resp.Header.Get("Sec-WebSocket-Extensions"), "permessage-deflate") {
			t.Errorf("extensions %q", resp.Header.Get("Sec-WebSocket-Extensions"))
		}
		if err := c.Write(ctx, websocket.MessageText, make([]byte, 16<<20)); err != nil {
			t.Fatal(err)
		}
		if err := c.Write(ctx, websocket.MessageText, []byte(ping(1))); err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"longer than 2000000 bytes", `"id":1,"result":{}`} {
			if _, data, err := c.Read(ctx); err != nil || !strings.Contains(string(data), want) {
				t.Errorf("heard %s, %v, want %s", data, err, want)
			}
		}
	}, mcp.WithLimits(mcp.Limits{MessageBytes: 2_000_000}))
}

func TestCompressionIsOff(t *testing.T) {
	over(t, false, nil, func(_ *site, url string, _ *http.Client) {
		c, resp, err := websocket.Dial(t.Context(), url, &websocket.DialOptions{CompressionMode: websocket.CompressionContextTakeover})
		if err != nil {
			t.Fatal(err)
		}
		defer c.CloseNow()
		if extensions := resp.Header.Get("Sec-WebSocket-Extensions"); extensions != "" {
			t.Errorf("extensions %q", extensions)
		}
	})
}

// A client that stops reading does not keep the handler from closing.
func TestCloseWithStuckWriter(t *testing.T) {
	over(t, false, nil, func(s *site, url string, client *http.Client) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		c, _, err := websocket.Dial(ctx, url, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer c.CloseNow()
		if err := c.Write(ctx, websocket.MessageText, []byte(call(1, "big", `{"bytes":30000000}`))); err != nil {
			t.Fatal(err)
		}
		// The first bytes are there, so the writer is at it.
		if _, r, err := c.Reader(ctx); err != nil {
			t.Fatal(err)
		} else if _, err := r.Read(make([]byte, 10)); err != nil {
			t.Fatal(err)
		}
		if err := s.handler.Close(); err != nil {
			t.Error(err)
		}
	})
}
