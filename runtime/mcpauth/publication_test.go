package mcpauth_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpauth"
	"github.com/mcpgen/mcpgen/runtime/mcphttp"
)

// scopedTool returns a tool that needs scopes.
func scopedTool(name string, reads bool, scopes ...string) mcp.Feature {
	info := mcp.ToolInfo{Name: name, InputSchema: `{"type":"object"}`, Scopes: scopes}
	info.Hints.ReadOnly = reads
	return mcp.NewTool(info, func(context.Context, json.RawMessage) (*mcp.ToolResult, error) { return mcp.TextResult("done"), nil })
}

// said returns the scopes in the metadata, and in the challenge for a request.
func (s *site) said(t *testing.T, fields ...string) (metadata, challenge string) {
	t.Helper()
	var m struct {
		Scopes []string `json:"scopes_supported"`
	}
	if err := json.NewDecoder(s.do(t, request("GET", "https://mcp.example.com/.well-known/oauth-protected-resource/mcp", "")).Body).Decode(&m); err != nil {
		t.Fatal(err)
	}
	field := s.do(t, post("whoami", fields...)).Header.Get("WWW-Authenticate")
	_, rest, _ := strings.Cut(field, `scope="`)
	challenge, _, _ = strings.Cut(rest, `"`)
	return strings.Join(m.Scopes, " "), challenge
}

// A guard publishes the scopes of features of each kind, and its challenge contains the scopes for
// reading.
func TestPublishedScopes(t *testing.T) {
	features := []mcp.Feature{
		scopedTool("search", true, "books:read", "shop"),
		scopedTool("order", false, "books:write", "shop"),
		mcp.TextResource(&mcp.ResourceInfo{URI: "stock://all", Name: "stock", Scopes: []string{"stock"}}, "many"),
		mcp.NewTemplate(mcp.TemplateInfo{URITemplate: "stock://{title}", Name: "one", Scopes: []string{"stock:one"}}, func(context.Context, string, map[string]string) (*mcp.ResourceResult, error) { return nil, nil }),
		mcp.NewPrompt(mcp.PromptInfo{Name: "summary", Scopes: []string{"prompts"}}, func(context.Context, map[string]string) (*mcp.PromptResult, error) { return nil, nil }),
	}
	for _, test := range []struct {
		name                string
		change              func(*mcpauth.Options)
		features            []mcp.Feature
		metadata, challenge string
	}{
		{"none", nil, nil, "", ""},
		{"all kinds", nil, features, "books:read shop books:write stock stock:one prompts", "books:read shop stock stock:one prompts"},
		{"tools that write", nil, features[1:2], "books:write shop", ""},
		{
			"with those of every request", func(o *mcpauth.Options) { o.Scopes = []string{"shop", "own"} }, features[:2],
			"shop own books:read books:write", "shop own books:read",
		},
		{"hidden", func(o *mcpauth.Options) { o.HideScopes = true }, features, "", ""},
		{"hidden but for those of every request", func(o *mcpauth.Options) { o.Scopes, o.HideScopes = []string{"own"}, true }, features, "own", "own"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newSite(t, test.change)
			for _, f := range test.features {
				s.server.Register(f)
			}
			for _, fields := range [][]string{nil, {"Authorization: Bearer " + token(object{"exp": 1})}, {"Authorization: Bearer"}} {
				metadata, challenge := s.said(t, fields...)
				if metadata != test.metadata || challenge != test.challenge {
					t.Errorf("%q: the metadata have %q, the challenge %q; want %q and %q", fields, metadata, challenge, test.metadata, test.challenge)
				}
			}
		})
	}
}

// The publication follows the features of all servers behind the guard.
func TestPublishedScopesChange(t *testing.T) {
	s := newSite(t, nil)
	want := func(metadata, challenge string) {
		t.Helper()
		if gotM, gotC := s.said(t); gotM != metadata || gotC != challenge {
			t.Errorf("the metadata have %q, the challenge %q; want %q and %q", gotM, gotC, metadata, challenge)
		}
	}
	want("", "")
	s.server.Register(scopedTool("search", true, "read"))
	want("read", "read")
	second := mcp.NewServer(mcp.ServerInfo{Name: "second"})
	mcphttp.NewHandler(second, s.guard.HTTP()...)
	second.Register(scopedTool("order", false, "write", "read"))
	want("read write", "read")
	s.server.Unregister(mcp.KindTool, "search")
	want("write read", "")
	denied := mcp.NewServer(mcp.ServerInfo{Name: "third"}, mcp.WithPolicy(mcp.Policy{Deny: []string{"secret"}}))
	mcphttp.NewHandler(denied, s.guard.HTTP()...)
	denied.Register(scopedTool("secret", true, "hush"))
	want("write read", "")
}

// The challenge of a feature contains its scopes and the scopes for reading, so that a client that
// requests only these can continue reading.
func TestStepUpKeepsReading(t *testing.T) {
	s := newSite(t, nil)
	s.server.Register(scopedTool("search", true, "books:read"))
	s.server.Register(scopedTool("order", false, "books:admin"))
	resp := s.do(t, post("order", "Authorization: Bearer "+token(nil)))
	if field := resp.Header.Get("WWW-Authenticate"); resp.StatusCode != 403 || !strings.Contains(field, `scope="books:read books:admin", error="insufficient_scope"`) {
		t.Errorf("status %d, %s", resp.StatusCode, field)
	}
}

// Scopes that are too long for a header field are only in the metadata.
func TestPublishedScopesBound(t *testing.T) {
	s := newSite(t, func(o *mcpauth.Options) { o.Scopes = []string{"own"} })
	var names []string
	for i := range 300 {
		names = append(names, fmt.Sprintf("scope:%d", i))
		s.server.Register(scopedTool(fmt.Sprintf("tool%d", i), true, names[i]))
	}
	if metadata, challenge := s.said(t); metadata != "own "+strings.Join(names, " ") || challenge != "own" {
		t.Errorf("the metadata have %q, the challenge %q", metadata, challenge)
	}
	if !strings.Contains(s.log.String(), "too long for a challenge") {
		t.Errorf("the log has %q", s.log)
	}
}

// A refusal costs the same with many features as with one: strangers cause it.
func TestPublishedScopesAllocations(t *testing.T) {
	var counts []float64
	for _, n := range []int{1, 500} {
		s := newSite(t, nil)
		for i := range n {
			s.server.Register(scopedTool(fmt.Sprintf("tool%d", i), true, "read"))
		}
		metadata := request("GET", "https://mcp.example.com/.well-known/oauth-protected-resource/mcp", "")
		s.ServeHTTP(httptest.NewRecorder(), metadata)
		counts = append(counts, testing.AllocsPerRun(20, func() {
			s.ServeHTTP(httptest.NewRecorder(), metadata)
			if _, err := s.guard.Principal(post("whoami")); err == nil {
				t.Error("a request without a credential is let in")
			}
		}))
	}
	if slices.Max(counts)-slices.Min(counts) > 3 {
		t.Errorf("allocations with 1 and 500 features: %v", counts)
	}
}
