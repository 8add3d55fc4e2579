package cli

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/mcpclient"
	"github.com/mcpgen/mcpgen/runtime/mcphttp"
)

// httpServer returns the URL of a server with a result for each method, and the status 404 for
// the others.
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

// discovered is a result of server/discover.
func discovered(capabilities string) func() string {
	return func() string {
		return `{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":` + capabilities + `,"ttlMs":0,"cacheScope":"private"}`
	}
}

// TestListBounds: a list of a server is bounded in pages, entries and bytes.
func TestListBounds(t *testing.T) {
	page := 0
	url := httpServer(t, map[string]func() string{
		"server/discover": discovered(`{"tools":{}}`),
		"tools/list": func() string {
			page++
			return fmt.Sprintf(`{"resultType":"complete","ttlMs":0,"cacheScope":"private","tools":[{"name":"a"},{"name":"b"}],"nextCursor":"%d"}`, page)
		},
	})
	client, err := mcpclient.Connect(t.Context(), mcphttp.Endpoint{URL: url}, mcpclient.Options{})
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

// TestServerRow: the names of members are compared exactly.
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
