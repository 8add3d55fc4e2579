//go:build !race

package hardening_test

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/coder/websocket"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/mcpclient"
	"github.com/mcpgen/mcpgen/runtime/mcphttpclient"
	"github.com/mcpgen/mcpgen/runtime/mcpnet"
	"github.com/mcpgen/mcpgen/runtime/mcpws"
)

// quickReply appends the reply to a message, with almost no allocation: the result of the method as
// a text. It appends nothing for a notification.
func quickReply(to, message []byte) []byte {
	_, id, ok := bytes.Cut(message, []byte(`"id":`))
	if !ok {
		return to
	}
	id = id[:bytes.IndexAny(id, ",}")]
	result := `{"resultType":"complete","content":[{"type":"text","text":"book"}],"structuredContent":{"title":"The Sea"}}`
	switch {
	case bytes.Contains(message, []byte(`"server/discover"`)):
		result = `{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"ttlMs":0,"cacheScope":"private"}`
	case bytes.Contains(message, []byte(`"initialize"`)):
		result = `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"quick","version":"1"}}`
	case bytes.Contains(message, []byte(`"tools/list"`)):
		result = `{"resultType":"complete","tools":[{"name":"x","inputSchema":{"type":"object"}}],"ttlMs":3600000,"cacheScope":"private"}`
	}
	to = append(to, `{"jsonrpc":"2.0","id":`...)
	to = append(to, id...)
	to = append(to, `,"result":`...)
	to = append(to, result...)
	return append(to, '}', '\n')
}

// serveLines replies to the lines of a connection.
func serveLines(r io.Reader, w io.Writer) {
	lines, reply := bufio.NewReader(r), []byte(nil)
	for {
		line, err := lines.ReadSlice('\n')
		if err != nil {
			return // the client has gone
		}
		if reply = quickReply(reply[:0], line); len(reply) > 0 {
			if _, err := w.Write(reply); err != nil {
				return
			}
		}
	}
}

// quickHTTP replies over streamable HTTP, with sessions or without.
func quickHTTP(session string) http.Handler {
	buffers := sync.Pool{New: func() any { return new(bytes.Buffer) }}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		b := buffers.Get().(*bytes.Buffer)
		defer buffers.Put(b)
		b.Reset()
		_, _ = b.ReadFrom(r.Body) // the client may have gone
		if session != "" {
			w.Header().Set("Mcp-Session-Id", session)
		}
		reply := quickReply(b.AvailableBuffer(), b.Bytes())
		if len(reply) == 0 {
			w.WriteHeader(http.StatusAccepted)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(reply)
	})
}

func quickWebSocket(w http.ResponseWriter, r *http.Request) {
	c, err := websocket.Accept(w, r, &websocket.AcceptOptions{Subprotocols: []string{"mcp"}})
	if err != nil {
		return
	}
	defer func() { _ = c.CloseNow() }()
	for {
		_, message, err := c.Read(context.Background())
		if err != nil {
			return
		}
		if reply := quickReply(nil, message); len(reply) > 0 && c.Write(context.Background(), websocket.MessageText, reply) != nil {
			return
		}
	}
}

// TestClientCallAllocations limits the allocations of a call on each transport, including the
// allocations of net/http and of a minimal server in the same process.
func TestClientCallAllocations(t *testing.T) {
	site := func(h http.Handler) string {
		s := httptest.NewServer(h)
		t.Cleanup(s.Close)
		return s.URL
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go serveLines(c, c)
		}
	}()
	memory := mcpclient.Dialer("memory", func(context.Context) (jsonrpc.Conn, error) {
		toServer, fromClient := io.Pipe()
		toClient, fromServer := io.Pipe()
		go serveLines(toServer, fromServer)
		return jsonrpc.NewLineConn(toClient, fromClient, 0), nil
	})
	for _, row := range []struct {
		name     string
		target   mcpclient.Target
		revision string
		most     float64
	}{
		{"stream in memory", memory, "2026-07-28", 28},
		{"stream in memory, session", memory, "2025-11-25", 28},
		{"TCP", mcpnet.Endpoint{Network: "tcp", Address: l.Addr().String()}, "2026-07-28", 28},
		{"WebSocket", mcpws.Endpoint{URL: "ws" + strings.TrimPrefix(site(http.HandlerFunc(quickWebSocket)), "http")}, "2026-07-28", 36},
		{"HTTP", mcphttpclient.Endpoint{URL: site(quickHTTP(""))}, "2026-07-28", 145},
		{"HTTP, session", mcphttpclient.Endpoint{URL: site(quickHTTP("session"))}, "2025-11-25", 145},
	} {
		t.Run(row.name, func(t *testing.T) {
			c, err := mcpclient.Connect(t.Context(), row.target, mcpclient.Options{Revision: row.revision})
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = c.Close() }()
			if _, err := c.Tools(t.Context()); err != nil {
				t.Fatal(err)
			}
			arguments := map[string]any{"query": "sea"}
			n := testing.AllocsPerRun(200, func() {
				r, err := c.Call(t.Context(), "x", arguments)
				if err != nil || r.Text() != "book" {
					t.Fatal(err)
				}
			})
			t.Logf("%v allocations", n)
			if n > row.most {
				t.Errorf("%v allocations, of %v", n, row.most)
			}
		})
	}
}
