package mcphttp_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/mcpclient"
	"github.com/mcpgen/mcpgen/runtime/mcphttp"
	"github.com/mcpgen/mcpgen/runtime/mcphttpclient"
)

// TestClientOfServer calls the handlers of this package in every revision.
func TestClientOfServer(t *testing.T) {
	for _, test := range []struct {
		name, revision, want string
		sse                  bool
		mode                 mcphttpclient.SSEMode
	}{
		{"newest", "", "2026-07-28", false, mcphttpclient.SSEAuto},
		{"session", "2025-11-25", "2025-11-25", false, mcphttpclient.SSENever},
		{"session without version header", "2025-03-26", "2025-03-26", false, mcphttpclient.SSEAuto},
		{"HTTP+SSE found", "", "2025-11-25", true, mcphttpclient.SSEAuto},
		{"HTTP+SSE only", "", "2025-11-25", true, mcphttpclient.SSEOnly},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := newFixture(t)
			var h interface {
				http.Handler
				Close() error
			} = mcphttp.NewHandler(f.Server)
			if test.sse {
				h = mcphttp.NewSSEHandler(f.Server)
			}
			s := httptest.NewServer(h)
			defer s.Close()
			defer h.Close()
			var progress []float64
			c, err := mcpclient.Connect(t.Context(), mcphttpclient.Endpoint{URL: s.URL, SSE: test.mode, Header: http.Header{"X-Test": {"1"}}}, mcpclient.Options{
				Revision: test.revision, OnProtocolError: func(err error) { t.Error(err) },
			})
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			if c.Revision() != test.want {
				t.Errorf("revision %s", c.Revision())
			}
			tools, err := c.Tools(t.Context())
			if err != nil || len(tools) < 5 {
				t.Fatalf("%d tools: %v", len(tools), err)
			}
			result, err := c.Call(t.Context(), "steps", map[string]any{"n": 3}, mcpclient.WithProgress(func(p mcpclient.Progress) { progress = append(progress, p.Done) }))
			if err != nil || result.Text() != "done" {
				t.Fatalf("%v: %v", result, err)
			}
			if len(progress) == 0 {
				t.Error("no progress")
			}
			arguments := `{"region":" größer ","count":9007199254740993,"dry":false,"where":{"zone":null}}`
			result, err = c.Call(t.Context(), "mirror", json.RawMessage(arguments))
			if err != nil || result.Text() != arguments {
				t.Fatalf("%v: %v", result, err)
			}
			if err := c.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}
