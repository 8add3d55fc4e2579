package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpclient"
	"github.com/mcpgen/mcpgen/runtime/mcphttp"
	"github.com/mcpgen/mcpgen/runtime/mcphttpclient"
)

// httpServer returns the URL of a server with a result for each method, and the status 404 for the
// others.
func httpServer(t *testing.T, results map[string]func() string) string {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var m struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
		}
		if json.NewDecoder(r.Body).Decode(&m) != nil || results[m.Method] == nil {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, results[m.Method]())
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// discovered returns a result of server/discover.
func discovered(capabilities string) func() string {
	return func() string {
		return `{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":` + capabilities + `,"ttlMs":0,"cacheScope":"private"}`
	}
}

// TestListBounds checks the limits of pages, entries and bytes in a list.
func TestListBounds(t *testing.T) {
	page := 0
	url := httpServer(t, map[string]func() string{
		"server/discover": discovered(`{"tools":{}}`),
		"tools/list": func() string {
			page++
			return fmt.Sprintf(`{"resultType":"complete","ttlMs":0,"cacheScope":"private","tools":[{"name":"a"},{"name":"b"}],"nextCursor":"%d"}`, page)
		},
	})
	client, err := mcpclient.Connect(t.Context(), mcphttpclient.Endpoint{URL: url}, mcpclient.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = client.Close() }()
	for _, test := range []struct {
		most  listBounds
		pages int
		want  string
	}{
		{listBounds{pages: 3, items: 100, bytes: 1 << 20}, 3, "tools/list: the list has more than 3 pages"},
		{listBounds{pages: 100, items: 5, bytes: 1 << 20}, 3, "tools/list: the list has more than 5 entries"},
		{listBounds{pages: 100, items: 100, bytes: 300}, 3, "tools/list: the list has more than 300 bytes"},
	} {
		page = 0
		_, err := entries(t.Context(), client, "tools/list", "tools", test.most)
		if err == nil || err.Error() != test.want || page != test.pages {
			t.Errorf("after %d pages: %v, want %q after %d", page, err, test.want, test.pages)
		}
	}
}

// TestListRequests checks that mcpgen list sends no needless request, since requests take most of
// its time.
func TestListRequests(t *testing.T) {
	s := mcp.NewServer(mcp.ServerInfo{Name: "local", Version: "1"}, mcp.WithLogger(slog.New(slog.DiscardHandler)))
	s.Register(mcp.NewTool(mcp.ToolInfo{Name: "tool", InputSchema: `{"type":"object"}`},
		func(context.Context, json.RawMessage) (*mcp.ToolResult, error) { return new(mcp.ToolResult), nil }))
	h := mcphttp.NewHandler(s)
	var mu sync.Mutex
	var requests []string
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		var m struct{ Method string }
		if len(text) > 0 && json.Unmarshal(text, &m) != nil {
			t.Errorf("%s: %s", r.Method, text)
		}
		mu.Lock()
		if r.Method != http.MethodGet { // the stream's request is not waited for
			requests = append(requests, strings.TrimSpace(r.Method+" "+m.Method))
		}
		mu.Unlock()
		r.Body = io.NopCloser(bytes.NewReader(text))
		h.ServeHTTP(w, r)
	}))
	defer web.Close()
	for revision, want := range map[string][]string{
		"2026-07-28": {"POST resources/list", "POST resources/templates/list", "POST server/discover", "POST tools/list"},
		"2025-11-25": {"DELETE", "POST initialize", "POST notifications/initialized", "POST resources/list", "POST resources/templates/list", "POST tools/list"},
	} {
		mu.Lock()
		requests = nil
		mu.Unlock()
		if code, stdout, stderr := runAgainstServer(t, "list", "-revision", revision, web.URL); code != exitDone || !strings.Contains(stdout, "1 tool ") {
			t.Errorf("%s: exit code %d, %q, %q", revision, code, stdout, stderr)
		}
		mu.Lock()
		slices.Sort(requests)
		if !slices.Equal(requests, want) {
			t.Errorf("%s: %q, want %q", revision, requests, want)
		}
		mu.Unlock()
	}
}

// TestServerRow checks that the names of members are compared exactly.
func TestServerRow(t *testing.T) {
	row := newServerRow("tool", json.RawMessage(`{"name":"right","Name":"wrong","INPUTSCHEMA":{"properties":{"x":{"type":"string"}}},
		"annotations":{"readOnlyHint":false,"readonlyhint":true,"destructiveHint":false},"Annotations":{"readOnlyHint":true}}`))
	if row.name != "right" || strings.Contains(row.signature, "x") || strings.Contains(row.hints, "read") {
		t.Errorf("tool: %+v", row)
	}
	row = newServerRow("prompt", json.RawMessage(`{"name":"p","arguments":[{"name":"a","Name":"b","Required":true},7,{"name":"c","required":true}],"Arguments":[]}`))
	if want := "func(a *string,  *string, c string)"; row.name != "p" || row.signature != want {
		t.Errorf("prompt: %+v, want %q", row, want)
	}
	row = newServerRow("resource", json.RawMessage(`{"URI":"x:wrong","uri":7,"mimeType":"text/plain"}`))
	if row.name != "" || row.hints != "text/plain" {
		t.Errorf("resource: %+v", row)
	}
}
