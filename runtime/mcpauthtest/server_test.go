package mcpauthtest_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpauth"
	"github.com/mcpgen/mcpgen/runtime/mcpauthtest"
	"github.com/mcpgen/mcpgen/runtime/mcpclient"
	"github.com/mcpgen/mcpgen/runtime/mcpissuer"
)

// newShop returns a server with a tool for each of two scopes.
func newShop() *mcp.Server {
	s := mcp.NewServer(mcp.ServerInfo{Name: "shop"}, mcp.WithLogger(slog.New(slog.DiscardHandler)))
	for name, scope := range map[string]string{"look": "books:read", "buy": "books:write"} {
		s.Register(mcp.NewTool(mcp.ToolInfo{Name: name, Scopes: []string{scope}}, func(ctx context.Context, _ json.RawMessage) (*mcp.ToolResult, error) {
			return mcp.TextResult(name + " " + mcpauth.IdentityFromContext(ctx).Subject), nil
		}))
	}
	return s
}

var personas = []mcpissuer.Persona{
	{Name: "ada", Scopes: []string{"books:read", "books:write"}},
	{Name: "bob", Scopes: []string{"books:read"}, Claims: map[string]any{"roles": []string{"reader"}}},
}

// call calls a tool with a token, and returns the status and the body.
func call(t *testing.T, url, token, tool string) (int, string) {
	t.Helper()
	body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + tool + `","arguments":{},"_meta":{` +
		`"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{
		"Authorization": "Bearer " + token, "Content-Type": "application/json", "Accept": "application/json, text/event-stream",
		"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": tool,
	} {
		r.Header.Set(name, value)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(text)
}

func TestTokens(t *testing.T) {
	s := mcpauthtest.New(t, newShop(), mcpauthtest.Options{Personas: personas})
	read := []string{"books:read"}
	for name, c := range map[string]struct {
		token  mcpauthtest.Token
		status int
	}{
		"valid":               {mcpauthtest.Token{Scopes: read}, 200},
		"of a persona":        {mcpauthtest.Token{Persona: "bob", Scopes: read}, 200},
		"without the scope":   {mcpauthtest.Token{Scopes: []string{"books:write"}}, 403},
		"for another server":  {mcpauthtest.Token{Scopes: read, Audience: "https://other.example.com/mcp"}, 401},
		"expired":             {mcpauthtest.Token{Scopes: read, Age: time.Hour}, 401},
		"long":                {mcpauthtest.Token{Scopes: read, Age: time.Hour, Lasts: 2 * time.Hour}, 200},
		"of tomorrow":         {mcpauthtest.Token{Scopes: read, Age: -24 * time.Hour}, 401},
		"without an end":      {mcpauthtest.Token{Scopes: read, Claims: map[string]any{"exp": nil}}, 401},
		"of another issuer":   {mcpauthtest.Token{Scopes: read, Claims: map[string]any{"iss": "https://id.example.com"}}, 401},
		"of another key":      {mcpauthtest.Token{Scopes: read, Defect: mcpauthtest.OtherKey}, 401},
		"without a signature": {mcpauthtest.Token{Scopes: read, Defect: mcpauthtest.Unsigned}, 401},
		"changed":             {mcpauthtest.Token{Scopes: read, Defect: mcpauthtest.Changed}, 401},
		"truncated":           {mcpauthtest.Token{Scopes: read, Defect: mcpauthtest.Truncated}, 401},
	} {
		t.Run(name, func(t *testing.T) {
			status, body := call(t, s.URL, s.Token(c.token), "look")
			if status != c.status {
				t.Errorf("status %d, want %d:\n%s", status, c.status, body)
			}
			if who := c.token.Persona; status == 200 && !strings.Contains(body, "look "+who) {
				t.Errorf("%s", body)
			}
		})
	}
}

func TestClient(t *testing.T) {
	for _, revision := range []string{"2025-06-18", "2026-07-28"} {
		t.Run(revision, func(t *testing.T) {
			s := mcpauthtest.New(t, newShop(), mcpauthtest.Options{Personas: personas, Guard: mcpauth.Options{Scopes: []string{"books:read"}}})
			var asked [][]string
			o := mcpclient.Options{Info: mcp.ClientInfo{Name: "test"}, Revision: revision}
			ada := s.Client(mcpauthtest.Person{Persona: "ada", Scopes: func(scopes []string) []string {
				asked = append(asked, slices.Sorted(slices.Values(scopes)))
				return scopes
			}}, o)
			for _, tool := range []string{"look", "buy", "look"} {
				result, err := ada.Call(t.Context(), tool, nil)
				if err != nil {
					t.Fatalf("%s: %v", tool, err)
				}
				if got := result.Text(); got != tool+" ada" {
					t.Errorf("%s: %q", tool, got)
				}
			}
			if want := [][]string{{"books:read"}, {"books:read", "books:write"}}; !slices.EqualFunc(asked, want, slices.Equal) {
				t.Errorf("the page had %v, want %v", asked, want)
			}

			bob := s.Client(mcpauthtest.Person{Persona: "bob"}, o)
			if _, err := bob.Call(t.Context(), "look", nil); err != nil {
				t.Error(err)
			}
			_, err := bob.Call(t.Context(), "buy", nil)
			if err == nil {
				t.Error("bob could buy")
			}
			if e, ok := errors.AsType[*jsonrpc.Error](err); ok && e.Code != jsonrpc.CodeInternal {
				t.Errorf("bob buys: %v", err)
			}
			if _, err := mcpclient.Connect(t.Context(), s.Endpoint(mcpauthtest.Person{Deny: true}), o); err == nil {
				t.Error("a client whose login was denied has connected")
			}
		})
	}
}

// A client whose tokens are bound to its key, and whose proofs need nonces, logs in and refreshes.
func TestClientProofs(t *testing.T) {
	s := mcpauthtest.New(t, newShop(), mcpauthtest.Options{
		Personas: personas, DPoP: mcpauth.DPoPOptions{Mode: mcpauth.DPoPRequire},
		Issuer: func(o *mcpissuer.Options) { o.Nonces, o.TokenTime = true, time.Second },
	})
	logins := 0
	c := s.Client(mcpauthtest.Person{Scopes: func(scopes []string) []string { logins++; return scopes }}, mcpclient.Options{Info: mcp.ClientInfo{Name: "test"}})
	for range 3 { // each token has expired, or is about to
		if result, err := c.Call(t.Context(), "look", nil); err != nil || result.Text() != "look ada" {
			t.Errorf("%v", err)
		}
	}
	if logins != 1 && logins != 2 { // the second one requests the scope
		t.Errorf("%d logins", logins)
	}
}
