package mcphttp_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/mcpclient"
	"github.com/mcpgen/mcpgen/runtime/mcphttp"
)

// TestIdleClients checks what a client over HTTP takes while it does nothing: no goroutine of
// its own, and at most 8 KB. The server keeps nothing of its clients.
func TestIdleClients(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector takes memory of its own")
	}
	const clients, most = 1000, 8 << 10
	for _, revision := range []string{"2026-07-28", "2025-11-25"} {
		t.Run(revision, func(t *testing.T) {
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				var m struct {
					ID     json.RawMessage
					Method string
				}
				_ = json.NewDecoder(r.Body).Decode(&m) // DELETE has no body
				var result string
				switch m.Method {
				case "initialize":
					w.Header().Set("Mcp-Session-Id", "session")
					result = `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}`
				case "server/discover":
					result = `{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"ttlMs":0,"cacheScope":"private"}`
				case "":
					return
				default:
					w.WriteHeader(http.StatusAccepted)
					return
				}
				w.Header().Set("Content-Type", "application/json")
				_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, result)
			}))
			defer s.Close()
			connect := func() *mcpclient.Client {
				c, err := mcpclient.Connect(t.Context(), mcphttp.Endpoint{URL: s.URL}, mcpclient.Options{Revision: revision})
				if err != nil {
					t.Fatal(err)
				}
				return c
			}
			first := connect() // what all have in common
			defer first.Close()
			all := make([]*mcpclient.Client, 0, clients)
			before := memoryInUse()
			for range clients {
				all = append(all, connect())
			}
			each := (memoryInUse() - before) / clients
			t.Logf("%d bytes for each client", each)
			if each > most {
				t.Errorf("%d bytes for each client, of %d", each, most)
			}
			stacks := make([]byte, 8<<20)
			stacks = stacks[:runtime.Stack(stacks, true)]
			if n := strings.Count(string(stacks), "created by github.com/mcpgen/mcpgen/runtime/mcpclient."); n > 0 {
				t.Errorf("%d goroutines of idle clients", n)
			}
			for _, c := range all {
				if err := c.Close(); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// memoryInUse returns the size of the live heap and of the stacks.
func memoryInUse() int64 {
	heap := heapBytes()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return heap + int64(m.StackInuse)
}

// TestOpenListens checks what an open listen takes above a client of net/http that reads the same
// stream: at most 10 KB.
func TestOpenListens(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector takes memory of its own")
	}
	const listens, most = 200, 10 << 10
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var m struct {
			ID     json.RawMessage
			Method string
		}
		if err := json.NewDecoder(r.Body).Decode(&m); err != nil {
			t.Error(err)
		}
		if m.Method == "server/discover" {
			w.Header().Set("Content-Type", "application/json")
			_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{"listChanged":true}},"ttlMs":0,"cacheScope":"private"}}`, m.ID)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = fmt.Fprintf(w, "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/subscriptions/acknowledged\",\"params\":{\"notifications\":{\"toolsListChanged\":true},\"_meta\":{\"io.modelcontextprotocol/subscriptionId\":%s}}}\n\n", m.ID)
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}))
	defer s.Close()
	c, err := mcpclient.Connect(t.Context(), mcphttp.Endpoint{URL: s.URL}, mcpclient.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	listen := func() {
		if _, err := c.Subscribe(t.Context(), mcpclient.Filter{Tools: true}); err != nil {
			t.Fatal(err)
		}
	}
	transport := &http.Transport{MaxIdleConnsPerHost: listens}
	defer transport.CloseIdleConnections()
	bare := func() {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL, strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen"}`))
		if err != nil {
			t.Fatal(err)
		}
		resp, err := transport.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		read := make(chan struct{})
		go func() {
			defer resp.Body.Close()
			lines := bufio.NewReader(resp.Body)
			_, _ = lines.ReadSlice('\n')
			close(read)
			_, _ = lines.ReadSlice('\n')
			_, _ = lines.ReadSlice('\n') // until the test ends
		}()
		<-read
	}
	measure := func(open func()) int64 {
		open()
		before := memoryInUse()
		for range listens {
			open()
		}
		return (memoryInUse() - before) / listens
	}
	by, client := measure(bare), measure(listen)
	t.Logf("%d bytes for each listen, %d for each stream of net/http, with those of the server", client, by)
	if client-by > most {
		t.Errorf("%d bytes for each listen above %d, of %d", client-by, by, most)
	}
	s.CloseClientConnections()
}
