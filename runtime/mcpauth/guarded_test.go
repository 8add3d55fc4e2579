package mcpauth_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"runtime"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpauth"
	"github.com/mcpgen/mcpgen/runtime/mcphttp"
)

// responseWriter is an http.ResponseWriter that allocates only its header.
type responseWriter struct {
	header http.Header
	status int
	body   []byte
}

func (w *responseWriter) Header() http.Header              { return w.header }
func (w *responseWriter) WriteHeader(status int)           { w.status = status }
func (w *responseWriter) FlushError() error                { return nil }
func (w *responseWriter) EnableFullDuplex() error          { return nil }
func (w *responseWriter) SetReadDeadline(time.Time) error  { return nil }
func (w *responseWriter) SetWriteDeadline(time.Time) error { return nil }

func (w *responseWriter) Write(b []byte) (int, error) {
	w.body = append(w.body, b...)
	return len(b), nil
}

// requestBody is the body of a request that is read repeatedly.
type requestBody struct{ bytes.Reader }

func (*requestBody) Close() error { return nil }

// repeatedCall is a call that is made repeatedly.
type repeatedCall struct {
	handler http.Handler
	request *http.Request
	field   []string // Authorization; the guard removes it
	body    *requestBody
	text    []byte
	w       responseWriter
}

func (a *repeatedCall) run() {
	clear(a.w.header)
	a.w.status, a.w.body = 0, a.w.body[:0]
	a.body.Reset(a.text)
	a.request.Header["Authorization"] = a.field
	a.handler.ServeHTTP(&a.w, a.request)
}

// repeatedCalls returns a call of a tool with a scope in revision 2026-07-28, and one in a session,
// to a server with or without a guard.
func repeatedCalls(t testing.TB, guarded bool) map[string]*repeatedCall {
	server := mcp.NewServer(mcp.ServerInfo{Name: "books", Version: "1"}, mcp.WithLogger(slog.New(slog.DiscardHandler)))
	info := mcp.ToolInfo{Name: "whoami"}
	var options []mcphttp.Option
	if guarded {
		info.Scopes = []string{"books:read"}
		g, err := mcpauth.New(mcpauth.Options{
			Resource: resource, Verifiers: []mcpauth.Verifier{jwtOf(newIssuer())}, Scopes: []string{"books:read"},
			Audit: slog.New(slog.DiscardHandler),
		})
		if err != nil {
			t.Fatal(err)
		}
		options = g.HTTP()
	}
	server.Register(mcp.NewTool(info, func(context.Context, json.RawMessage) (*mcp.ToolResult, error) {
		return mcp.TextResult("done"), nil
	}))
	h := mcphttp.NewHandler(server, append(options, mcphttp.WithAllowedHosts("mcp.example.com"))...)
	t.Cleanup(func() { _ = h.Close() })
	field := []string{"Bearer " + token(nil)}
	call := func(text string, fields ...string) *repeatedCall {
		a := &repeatedCall{handler: h, field: field, body: new(requestBody), text: []byte(text), w: responseWriter{header: http.Header{}}}
		a.request = request("POST", resource, "", append(fields, "Content-Type: application/json", "Accept: application/json, text/event-stream")...)
		a.request.Body, a.request.ContentLength = a.body, int64(len(text))
		if a.run(); a.w.status != http.StatusOK {
			t.Fatalf("status %d: %s", a.w.status, a.w.body)
		}
		return a
	}
	const revision = "Mcp-Protocol-Version: 2025-11-25"
	opening := call(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`)
	return map[string]*repeatedCall{
		"session": call(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"whoami","arguments":{}}}`,
			"Mcp-Session-Id: "+opening.w.header.Get("Mcp-Session-Id"), revision),
		"2026-07-28": call(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"whoami","arguments":{},`+
			`"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`,
			"Mcp-Protocol-Version: 2026-07-28", "Mcp-Method: tools/call", "Mcp-Name: whoami"),
	}
}

// overHTTP returns a function that sends a call over a connection of the operating system.
func overHTTP(t testing.TB, a *repeatedCall) func() {
	server := httptest.NewServer(a.handler)
	t.Cleanup(server.Close)
	r := a.request.Clone(t.Context())
	r.URL, r.RequestURI = must(url.Parse(server.URL+"/mcp")), ""
	r.Header["Authorization"] = a.field
	return func() {
		r.Body = io.NopCloser(bytes.NewReader(a.text))
		resp, err := server.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		if _, err := io.Copy(io.Discard, resp.Body); err != nil || resp.StatusCode != http.StatusOK {
			t.Fatalf("status %d, %v", resp.StatusCode, err)
		}
	}
}

func BenchmarkHTTP(b *testing.B) {
	for _, kind := range []string{"open", "guarded"} {
		b.Run(kind, func(b *testing.B) {
			call := overHTTP(b, repeatedCalls(b, kind == "guarded")["2026-07-28"])
			b.ReportAllocs()
			for b.Loop() {
				call()
			}
		})
	}
}

func BenchmarkCall(b *testing.B) {
	for _, kind := range []string{"open", "guarded"} {
		for name, a := range repeatedCalls(b, kind == "guarded") {
			b.Run(kind+"/"+name, func(b *testing.B) {
				runtime.GC()
				b.ReportAllocs()
				for b.Loop() {
					a.run()
				}
			})
		}
	}
}
