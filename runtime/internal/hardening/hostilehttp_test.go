package hardening_test

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/faulty"
	"github.com/mcpgen/mcpgen/runtime/internal/testbed"
	"github.com/mcpgen/mcpgen/runtime/mcpclient"
	"github.com/mcpgen/mcpgen/runtime/mcphttpclient"
)

// TestHostileResponses has responses to a call that MCP does not define. In each case, the error
// describes the response, nothing is sent to another origin, and the next call works.
func TestHostileResponses(t *testing.T) {
	var elsewhere atomic.Int32
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { elsewhere.Add(1) }))
	defer other.Close()
	result := `{"jsonrpc":"2.0","id":3,"result":{"content":[]}}`
	for name, respond := range map[string]func(w http.ResponseWriter){
		"HTML":            func(w http.ResponseWriter) { answer(w, 200, "text/html", "<p>hello") },
		"no type":         func(w http.ResponseWriter) { answer(w, 200, "", "") },
		"accepted":        func(w http.ResponseWriter) { answer(w, 202, "", "") },
		"no content":      func(w http.ResponseWriter) { w.WriteHeader(204) },
		"500 with result": func(w http.ResponseWriter) { answer(w, 500, "application/json", result) },
		"401":             func(w http.ResponseWriter) { answer(w, 401, "text/plain", "no") },
		"403":             func(w http.ResponseWriter) { answer(w, 403, "text/plain", "no") },
		"503 for ever": func(w http.ResponseWriter) {
			w.Header().Set("Retry-After", "1000000000")
			answer(w, 503, "text/plain", "later")
		},
		"429 for ever": func(w http.ResponseWriter) {
			w.Header().Set("Retry-After", "1000000000")
			answer(w, 429, "text/plain", "later")
		},
		"another origin": func(w http.ResponseWriter) {
			w.Header().Set("Location", other.URL+"/mcp")
			w.WriteHeader(307)
		},
		"a circle": func(w http.ResponseWriter) {
			w.Header().Set("Location", "/mcp")
			w.WriteHeader(308)
		},
	} {
		for _, e := range both {
			t.Run(name+"/"+string(e), func(t *testing.T) {
				testbed.Bound(t)
				server := &faulty.Server{Modern: e == modern}
				front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					body, _ := io.ReadAll(r.Body) // an empty body calls no tool
					if bytes.Contains(body, []byte(`"hostile"`)) {
						respond(w)
						return
					}
					r.Body = io.NopCloser(bytes.NewReader(body))
					server.ServeHTTP(w, r)
				}))
				defer front.Close()
				c, err := mcpclient.Connect(t.Context(), mcphttpclient.Endpoint{URL: front.URL + "/mcp"}, mcpclient.Options{
					Eras: noEras{}, Retry: mcpclient.Retry{Attempts: 3, First: time.Millisecond, Max: 10 * time.Millisecond},
				})
				if err != nil {
					t.Fatal(err)
				}
				defer func() { _ = c.Close() }()
				_, err = c.Call(t.Context(), "hostile", nil)
				_, status := errors.AsType[*mcpclient.StatusError](err)
				_, violation := errors.AsType[*mcpclient.ProtocolViolationError](err)
				if !status && !violation { // such as the timeout, after Retry-After
					t.Errorf("the call: %v (%T)", err, err)
				}
				if r, err := c.Call(t.Context(), "echo", nil); err != nil || r.Text() != "right" {
					t.Errorf("the next call: %v", err)
				}
			})
		}
	}
	if n := elsewhere.Load(); n > 0 {
		t.Errorf("%d requests were sent to another origin", n)
	}
}

func answer(w http.ResponseWriter, status int, contentType, body string) {
	w.Header().Set("Content-Type", contentType)
	w.WriteHeader(status)
	_, _ = io.WriteString(w, body) // the client may have gone
}
