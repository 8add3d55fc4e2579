package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/mcphttp"
)

func TestTokens(t *testing.T) {
	owners := parseTokens("s3cret=ada,hidden=bob,=nobody,unowned=")
	server := httptest.NewServer(mcphttp.NewHandler(NewMCPServer(&Notes{}), mcphttp.WithPrincipal(owners.principal)))
	defer server.Close()
	for _, c := range []struct{ authorization, status, notes string }{
		{"Bearer s3cret", "200 OK", `["first"]`},
		{"Bearer s3cret", "200 OK", `["first","first"]`},
		{"Bearer hidden", "200 OK", `["first"]`},
		{"Bearer ", "401 Unauthorized", ""},
		{"Bearer unowned", "401 Unauthorized", ""},
		{"Basic s3cret", "401 Unauthorized", ""},
		{"", "401 Unauthorized", ""},
	} {
		const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add_note","arguments":{"text":"first"},"_meta":{` +
			`"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`
		r, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL, strings.NewReader(body))
		for name, value := range map[string]string{
			"Authorization": c.authorization, "Content-Type": "application/json", "Accept": "application/json, text/event-stream",
			"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "add_note",
		} {
			r.Header.Set(name, value)
		}
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		got, _ := io.ReadAll(response.Body)
		_ = response.Body.Close()
		if response.Status != c.status || !strings.Contains(string(got), c.notes) {
			t.Errorf("%q: %s\n%s", c.authorization, response.Status, got)
		}
	}
}
