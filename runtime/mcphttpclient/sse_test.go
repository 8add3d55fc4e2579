package mcphttpclient_test

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/internal/dial"
	"github.com/mcpgen/mcpgen/runtime/mcphttpclient"
)

// TestClientSSEWrite: an error for messages that are written together has Sent unset only if no
// message was sent.
func TestClientSSEWrite(t *testing.T) {
	for _, test := range []struct {
		name   string
		status [2]int // of the two messages; 0 for a refused connection
		posts  int
		sent   bool
	}{
		{"first is refused", [2]int{0, 0}, 1, false},
		{"second is refused", [2]int{202, 0}, 2, true},
		{"first, by its status", [2]int{429, 0}, 1, false},
		{"second, by its status", [2]int{202, 404}, 2, true},
		{"first, by a proxy", [2]int{502, 0}, 1, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			posts := 0
			serve := func(w http.ResponseWriter, r *http.Request) {
				if r.Method == http.MethodGet {
					w.Header().Set("Content-Type", "text/event-stream")
					_, _ = io.WriteString(w, "event: endpoint\ndata: /a\n\n")
					w.(http.Flusher).Flush()
					<-r.Context().Done()
					return
				}
				w.WriteHeader(test.status[posts-1])
			}
			transport := &http.Transport{}
			defer transport.CloseIdleConnections()
			endpoint := mcphttpclient.Endpoint{Client: &http.Client{Transport: roundTripper(func(r *http.Request) (*http.Response, error) {
				if r.Method == http.MethodPost {
					if posts++; test.status[posts-1] == 0 {
						r = r.Clone(r.Context())
						r.URL.Host = "127.0.0.1:1" // where no server listens
					}
				}
				return transport.RoundTrip(r)
			})}}
			s, err := requester(t, endpoint, serve).OpenSSE(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			err = s.Write([]byte(strings.Repeat(`{"jsonrpc":"2.0","id":1,"method":"tools/call"}`+"\n", 2)))
			if failed, ok := errors.AsType[*dial.Error](err); !ok || failed.Sent != test.sent {
				t.Errorf("%T, sent %v: %v", err, ok && failed.Sent, err)
			}
			if posts != test.posts {
				t.Errorf("%d messages were posted", posts)
			}
		})
	}
}
