package mcpws_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/coder/websocket"

	"github.com/mcpgen/mcpgen/internal/proof/spec"
	"github.com/mcpgen/mcpgen/runtime/internal/testbed"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpws"
)

// serveReal runs f with a handler on a port of this machine.
func serveReal(t *testing.T, tls bool, options []mcpws.Option, f func(s *testServer, url string, client *http.Client), limits ...mcp.Option) {
	t.Helper()
	s := &testServer{t: t}
	tested, tools := testbed.NewServer(limits...)
	s.tools = tools
	s.handler = mcpws.NewHandler(tested, options...)
	server := httptest.NewUnstartedServer(spec.NewTap(t).WebSocketHandler(s.handler))
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
			serveReal(t, tls, nil, func(s *testServer, url string, client *http.Client) {
				var all sync.WaitGroup
				for i := range 4 {
					all.Go(func() { callConcurrently(t, url, client, websocket.CompressionDisabled, i) })
				}
				all.Wait()
			})
		})
	}
}

// callConcurrently sends calls without waiting for replies, and checks that all are answered.
func callConcurrently(t *testing.T, url string, client *http.Client, mode websocket.CompressionMode, seed int) {
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
			if err := c.Write(ctx, websocket.MessageText, []byte(testbed.Call(i, "echo", fmt.Sprintf(`{"x":"%d %d %s"}`, seed, i, strings.Repeat("y", i*i))))); err != nil {
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
			t.Errorf("received %.200s", data)
		}
		seen[id] = true
	}
	if err := c.Close(websocket.StatusNormalClosure, ""); err != nil {
		t.Errorf("close: %v", err)
	}
}

func TestCompression(t *testing.T) {
	serveReal(t, false, []mcpws.Option{mcpws.WithCompression(true)}, func(s *testServer, url string, client *http.Client) {
		for _, mode := range []websocket.CompressionMode{websocket.CompressionNoContextTakeover, websocket.CompressionContextTakeover, websocket.CompressionDisabled} {
			callConcurrently(t, url, client, mode, int(mode))
		}
		// The limit applies to the decompressed message.
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
		if err := c.Write(ctx, websocket.MessageText, []byte(testbed.Ping(1))); err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"longer than 2000000 bytes", `"id":1,"result":{}`} {
			if _, data, err := c.Read(ctx); err != nil || !strings.Contains(string(data), want) {
				t.Errorf("received %s, %v, want %s", data, err, want)
			}
		}
	}, mcp.WithLimits(mcp.Limits{MessageBytes: 2_000_000}))
}

func TestCompressionIsOff(t *testing.T) {
	serveReal(t, false, nil, func(_ *testServer, url string, _ *http.Client) {
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
