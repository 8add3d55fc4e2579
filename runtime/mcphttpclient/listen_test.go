package mcphttpclient_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/testbed"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpclient"
	"github.com/mcpgen/mcpgen/runtime/mcphttpclient"
)

// A server drops questions that it has no event stream for, so no call is sent before the stream is
// open.
func TestClientListensBeforeCalls(t *testing.T) { synctest.Test(t, testListensBeforeCalls) }

func testListensBeforeCalls(t *testing.T) {
	var open atomic.Bool
	network := testbed.NewPipes(nil)
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			if r.Method != http.MethodGet {
				w.WriteHeader(http.StatusMethodNotAllowed)
				return
			}
			time.Sleep(400 * time.Millisecond) // in the bubble a call that does not wait would be earlier
			open.Store(true)
			w.Header().Set("Content-Type", "text/event-stream")
			w.(http.Flusher).Flush()
			<-r.Context().Done()
			return
		}
		var m struct {
			ID     json.RawMessage
			Method string
		}
		if err := json.NewDecoder(r.Body).Decode(&m); err != nil {
			t.Error(err)
		}
		var result string
		switch m.Method {
		case "initialize":
			w.Header().Set("Mcp-Session-Id", "s1")
			result = `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}`
		case "tools/call":
			if !open.Load() {
				t.Error("the call has come before the stream")
			}
			result = `{"content":[]}`
		default:
			w.WriteHeader(http.StatusAccepted)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, result)
	})}
	go func() { _ = server.Serve(network) }()
	defer server.Close()
	transport := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) { return network.Dial(ctx) }}
	defer transport.CloseIdleConnections()
	ctx := t.Context()
	endpoint := mcphttpclient.Endpoint{URL: "http://localhost/mcp", Client: &http.Client{Transport: transport}}
	c, err := mcpclient.Connect(ctx, endpoint, mcpclient.Options{
		Revision: "2025-11-25",
		Elicit: func(context.Context, *mcpclient.Elicitation) (mcpclient.ElicitAnswer, error) {
			return mcpclient.Cancel(), nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := c.Call(ctx, "ask", nil); err != nil {
		t.Fatal(err)
	}
}

// Some servers send the progress of a call on the stream of the session. It is passed on when it
// arrives, and not with the next message of the response.
func TestClientProgressElsewhere(t *testing.T) {
	progress, reply := make(chan string), make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.Method {
		case http.MethodGet:
			w.Header().Set("Content-Type", "text/event-stream")
			w.(http.Flusher).Flush()
			for step := 1; step <= 3; step++ {
				select {
				case token := <-progress:
					_, _ = fmt.Fprintf(w, "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progressToken\":%s,\"progress\":%d}}\n\n", token, step)
					w.(http.Flusher).Flush()
				case <-r.Context().Done():
					return
				}
			}
			<-r.Context().Done()
			return
		case http.MethodDelete:
			return
		}
		var m struct {
			ID     json.RawMessage
			Method string
			Params struct {
				Meta struct{ ProgressToken json.RawMessage } `json:"_meta"`
			}
		}
		if err := json.NewDecoder(r.Body).Decode(&m); err != nil {
			t.Error(err)
		}
		var result string
		switch m.Method {
		case "initialize":
			w.Header().Set("Mcp-Session-Id", "s1")
			result = `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}`
		case "tools/call":
			for range 3 {
				select {
				case progress <- string(m.Params.Meta.ProgressToken):
				case <-r.Context().Done():
					return
				}
			}
			select {
			case <-reply:
			case <-r.Context().Done():
				return
			}
			result = `{"content":[]}`
		default:
			w.WriteHeader(http.StatusAccepted)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, result)
	}))
	t.Cleanup(s.Close)
	ctx := t.Context()
	c, err := mcpclient.Connect(ctx, mcphttpclient.Endpoint{URL: s.URL}, mcpclient.Options{
		Revision: "2025-11-25",
		Roots:    func(context.Context) ([]mcp.Root, error) { return nil, nil }, // the stream is for its questions
	})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	var steps []float64
	_, err = c.Call(ctx, "x", nil, mcpclient.WithProgress(func(p mcpclient.Progress) {
		steps = append(steps, p.Done)
		if p.Done == 3 {
			close(reply)
		}
	}))
	if err != nil || len(steps) == 0 || !slices.IsSorted(steps) {
		t.Errorf("progress %v, %v", steps, err)
	}
}
