//go:build cost

package mcphttp_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/internal/testbed"
	"github.com/mcpgen/mcpgen/runtime/mcpclient"
	"github.com/mcpgen/mcpgen/runtime/mcphttpclient"
)

// TestOpenListens checks that an open listen takes at most 10 KB more than a client of net/http
// that reads the same stream.
func TestOpenListens(t *testing.T) {
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
	c, err := mcpclient.Connect(t.Context(), mcphttpclient.Endpoint{URL: s.URL}, mcpclient.Options{})
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
		before := testbed.MemoryInUse()
		for range listens {
			open()
		}
		return (testbed.MemoryInUse() - before) / listens
	}
	by, client := measure(bare), measure(listen)
	t.Logf("%d bytes for each listen, %d for each stream of net/http, with those of the server", client, by)
	if client-by > most {
		t.Errorf("%d bytes for each listen above %d, of %d", client-by, by, most)
	}
	s.CloseClientConnections()
}
