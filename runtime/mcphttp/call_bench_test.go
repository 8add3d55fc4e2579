package mcphttp_test

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcphttp"
	"github.com/mcpgen/mcpgen/runtime/mcpimpl"
	codec "github.com/mcpgen/mcpgen/runtime/wire"
)

// minimalWriter is an http.ResponseWriter that allocates only its header.
type minimalWriter struct {
	header http.Header
	status int
	body   []byte
}

func (w *minimalWriter) Header() http.Header              { return w.header }
func (w *minimalWriter) WriteHeader(status int)           { w.status = status }
func (w *minimalWriter) FlushError() error                { return nil }
func (w *minimalWriter) EnableFullDuplex() error          { return nil }
func (w *minimalWriter) SetReadDeadline(time.Time) error  { return nil }
func (w *minimalWriter) SetWriteDeadline(time.Time) error { return nil }

func (w *minimalWriter) Write(b []byte) (int, error) {
	w.body = append(w.body, b...)
	return len(b), nil
}

func (w *minimalWriter) reset() {
	clear(w.header)
	w.status, w.body = 0, w.body[:0]
}

// body is the body of a request that is read repeatedly.
type body struct{ bytes.Reader }

func (*body) Close() error { return nil }

var (
	infoSum   = mcp.ToolInfo{Name: "sum", Description: "Adds.", Symbol: "Sum", InputSchema: `{"type":"object"}`, OutputSchema: `{"type":"object"}`}
	fieldsSum = codec.Fields{{Must: "numbers"}, {Name: "unit"}}
)

// callSum has the shape of generated code.
func callSum(_ context.Context, req *mcp.Request) (*mcp.ToolResult, error) {
	var args struct {
		numbers []int
		unit    string
	}
	d := mcpimpl.Decoder(req)
	for o := d.Object(fieldsSum); o.Next(); {
		switch o.Name() {
		case "numbers":
			codec.Slice(d, &args.numbers, codec.Int)
		case "unit":
			codec.String(d, &args.unit)
		}
	}
	if err := d.Finish(); err != nil {
		return nil, err
	}
	sum := 0
	for _, n := range args.numbers {
		sum += n
	}
	e := mcpimpl.Encoder(req)
	e.Begin()
	e.Name("sum")
	codec.PutInt(e, &sum)
	e.Name("unit")
	codec.PutString(e, &args.unit)
	e.End()
	return mcpimpl.Structured(req, e)
}

// benchCall is a request that is made repeatedly.
type benchCall struct {
	handler http.Handler
	request *http.Request
	body    *body
	text    []byte
	w       minimalWriter
}

func newBenchCall(t testing.TB, h http.Handler, text string, header ...string) *benchCall {
	a := &benchCall{handler: h, body: new(body), text: []byte(text), w: minimalWriter{header: http.Header{}}}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://localhost/mcp", a.body)
	if err != nil {
		t.Fatal(err)
	}
	r.ContentLength = int64(len(text))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	a.request = r
	return a
}

func (a *benchCall) run() {
	a.w.reset()
	a.body.Reset(a.text)
	a.handler.ServeHTTP(&a.w, a.request)
}

// check makes the request once, and looks for a part of the response.
func (a *benchCall) check(t testing.TB, name, want string) {
	t.Helper()
	if a.run(); a.w.status != http.StatusOK || !strings.Contains(string(a.w.body), want) {
		t.Errorf("%s: status %d: %s", name, a.w.status, a.w.body)
	}
}

// benchCalls returns a small call for each mode of HTTP, and a text that its response contains.
func benchCalls(t testing.TB) (kinds map[string]*benchCall, answer string) {
	s := mcp.NewServer(mcp.ServerInfo{Name: "fixture", Version: "1.0.0"}, mcp.WithLogger(slog.New(slog.DiscardHandler)))
	s.Register(mcpimpl.FuncTool(&infoSum, callSum))
	h, alone := mcphttp.NewHandler(s), mcphttp.NewHandler(s, mcphttp.WithoutSessions())
	t.Cleanup(func() { h.Close(); alone.Close() })
	const (
		meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},` +
			`"io.modelcontextprotocol/clientInfo":{"name":"test","version":"1.0.0"}}`
		arguments = `"name":"sum","arguments":{"numbers":[1,2,3],"unit":"kg"}`
	)
	message := func(params string) string {
		return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{` + params + `}}`
	}
	opening := newBenchCall(t, h, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1.0.0"}}}`)
	opening.check(t, "initialize", "protocolVersion")
	session := opening.w.header.Get("Mcp-Session-Id")
	return map[string]*benchCall{
		"session":    newBenchCall(t, h, message(arguments), "Mcp-Session-Id", session, "Mcp-Protocol-Version", "2025-11-25"),
		"alone":      newBenchCall(t, alone, message(arguments), "Mcp-Protocol-Version", "2025-11-25"),
		"2026-07-28": newBenchCall(t, h, message(arguments+","+meta), "Mcp-Protocol-Version", "2026-07-28", "Mcp-Method", "tools/call", "Mcp-Name", "sum"),
	}, `"structuredContent":{"sum":6,"unit":"kg"}`
}

func BenchmarkCall(b *testing.B) {
	kinds, answer := benchCalls(b)
	for _, name := range []string{"session", "alone", "2026-07-28"} {
		b.Run(name, func(b *testing.B) {
			a := kinds[name]
			a.check(b, name, answer)
			b.ReportAllocs()
			for b.Loop() {
				a.run()
			}
		})
	}
}

// A pooled buffer is used by one request at a time, even if its client disconnects.
func TestAnswersAreNotMixed(t *testing.T) {
	kinds, answer := benchCalls(t)
	a := kinds["2026-07-28"]
	gone, leave := context.WithCancel(t.Context())
	leave()
	for range 200 {
		lost := *a
		lost.request = a.request.WithContext(gone)
		lost.body = new(body)
		lost.request.Body = lost.body
		lost.run()
		a.check(t, "after a client that has gone", answer)
	}
	text, err := io.ReadAll(bytes.NewReader(a.w.body))
	if err != nil || !strings.Contains(string(text), answer) {
		t.Errorf("%s, %v", text, err)
	}
}
