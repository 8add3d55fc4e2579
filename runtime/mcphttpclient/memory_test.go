//go:build !race

package mcphttpclient_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/internal/testbed"
	"github.com/mcpgen/mcpgen/runtime/mcpclient"
	"github.com/mcpgen/mcpgen/runtime/mcphttpclient"
)

// TestIdleClients checks that an idle client over HTTP needs no goroutine, and at most 8 KB. The
// server stores nothing for its clients.
func TestIdleClients(t *testing.T) {
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
				c, err := mcpclient.Connect(t.Context(), mcphttpclient.Endpoint{URL: s.URL}, mcpclient.Options{Revision: revision})
				if err != nil {
					t.Fatal(err)
				}
				return c
			}
			first := connect() // parts that all clients share
			defer first.Close()
			all := make([]*mcpclient.Client, 0, clients)
			before := testbed.MemoryInUse()
			for range clients {
				all = append(all, connect())
			}
			each := (testbed.MemoryInUse() - before) / clients
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
