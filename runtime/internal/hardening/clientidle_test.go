//go:build !race

package hardening_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/internal/testbed"
	"github.com/mcpgen/mcpgen/runtime/mcpclient"
	"github.com/mcpgen/mcpgen/runtime/mcphttpclient"
)

// TestIdleClientStream limits the resources of an idle client with a session whose GET stream is
// open, compared with a client of net/http that reads the same stream: goroutines, and bytes of
// heap and stacks.
func TestIdleClientStream(t *testing.T) {
	if !alone(t) {
		return
	}
	const clients, mostBytes, mostGoroutines = 200, 10 << 10, 1
	posts := quickHTTP("session")
	var open atomic.Int64
	changed := make(chan struct{}, 1)
	count := func(n int64) {
		open.Add(n)
		select {
		case changed <- struct{}{}:
		default:
		}
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.Method {
		case http.MethodGet:
			w.Header().Set("Content-Type", "text/event-stream")
			w.WriteHeader(http.StatusOK)
			w.(http.Flusher).Flush()
			count(1)
			<-r.Context().Done()
			count(-1)
		case http.MethodDelete:
			w.WriteHeader(http.StatusNoContent)
		default:
			posts.ServeHTTP(w, r)
		}
	}))
	defer s.Close()
	transport := &http.Transport{MaxIdleConnsPerHost: 2 * clients}
	defer transport.CloseIdleConnections()
	bare := func() (end func()) {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL, nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := transport.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		go func() { _, _ = bufio.NewReader(resp.Body).ReadSlice('\n') }() // until the end of the test
		return func() { _ = resp.Body.Close() }
	}
	client := func() (end func()) {
		c, err := mcpclient.Connect(t.Context(), mcphttpclient.Endpoint{URL: s.URL, Client: &http.Client{Transport: transport}}, mcpclient.Options{Revision: "2025-11-25", OnNotification: func(string, json.RawMessage) {}})
		if err != nil {
			t.Fatal(err)
		}
		return func() { _ = c.Close() }
	}
	await := func(n int64) {
		for open.Load() != n {
			<-changed
		}
	}
	// measure returns the bytes for each client, and the number of goroutines that this module
	// started for it.
	measure := func(connect func() func()) (bytes, goroutines float64) {
		ends := []func(){connect()} // parts that all clients share
		await(1)
		before, ours := testbed.MemoryInUse(), ownGoroutines()
		for range clients {
			ends = append(ends, connect())
		}
		await(clients + 1)
		bytes, goroutines = float64(testbed.MemoryInUse()-before)/clients, float64(ownGoroutines()-ours)/clients
		for _, end := range ends {
			end()
		}
		await(0)
		return bytes, goroutines
	}
	by, _ := measure(bare)
	took, goroutines := measure(client)
	t.Logf("%.0f bytes for each client with a stream, %.0f for each stream of net/http, with those of the server; %.2f goroutines", took, by, goroutines)
	if took-by > mostBytes || goroutines > mostGoroutines {
		t.Errorf("%.0f bytes for each client above %.0f, of %d, and %.2f goroutines, of %d", took-by, by, mostBytes, goroutines, mostGoroutines)
	}
}

// ownGoroutines returns the number of goroutines that the runtime of this module has started.
func ownGoroutines() int {
	stacks := make([]byte, 16<<20)
	stacks = stacks[:runtime.Stack(stacks, true)]
	n := 0
	for line := range bytes.Lines(stacks) {
		if text := string(line); strings.HasPrefix(text, "created by github.com/mcpgen/mcpgen/runtime/") && !strings.Contains(text, "/hardening_test.") {
			n++
		}
	}
	return n
}
