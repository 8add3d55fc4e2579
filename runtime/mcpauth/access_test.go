package mcpauth_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpauth"
	"github.com/mcpgen/mcpgen/runtime/mcphttp"
)

// shop is a guarded server. Each kind has a feature for all callers, one that needs the scope
// books:write, and one in the group admin.
func shop(t *testing.T, change func(*mcpauth.Options)) *site {
	s := newSite(t, func(o *mcpauth.Options) {
		o.AuditGrants = false
		if change != nil {
			change(o)
		}
	})
	server := mcp.NewServer(mcp.ServerInfo{Name: "shop", Version: "1"}, mcp.WithLogger(s.log.logger()))
	complete := func(context.Context, string, map[string]string) (mcp.Completion, error) {
		return mcp.Candidates([]string{"value"}), nil
	}
	for name, needs := range map[string]struct{ scopes, groups []string }{
		"open": {}, "write": {scopes: []string{"books:write"}}, "reset": {groups: []string{"admin"}},
	} {
		server.Register(mcp.NewTool(mcp.ToolInfo{Name: name, Aliases: []string{name + "_alias"}, Scopes: needs.scopes, Groups: needs.groups},
			func(context.Context, json.RawMessage) (*mcp.ToolResult, error) { return mcp.TextResult("done"), nil }))
		server.Register(mcp.TextResource(&mcp.ResourceInfo{URI: "test://" + name, Name: name, Scopes: needs.scopes, Groups: needs.groups}, "text"))
		server.Register(mcp.NewTemplate(mcp.TemplateInfo{
			URITemplate: name + ":///{id}", Name: name, Scopes: needs.scopes, Groups: needs.groups,
			Variables: []mcp.TemplateVariable{{Name: "id", Complete: complete}},
		}, func(context.Context, string, map[string]string) (*mcp.ResourceResult, error) {
			return mcp.TextContents("text"), nil
		}))
		server.Register(mcp.NewPrompt(mcp.PromptInfo{
			Name: name, Scopes: needs.scopes, Groups: needs.groups, Arguments: []mcp.PromptArgument{{Name: "a", Complete: complete}},
		}, func(context.Context, map[string]string) (*mcp.PromptResult, error) {
			return mcp.PromptText("text"), nil
		}))
	}
	h := mcphttp.NewHandler(server, s.guard.HTTP()...)
	t.Cleanup(func() { _ = h.Close() })
	s.Handler, s.server = h, server
	return s
}

// send sends a request of revision 2026-07-28 and returns status, header and body.
func (s *site) send(t *testing.T, credential, method, params string) (*http.Response, string) {
	t.Helper()
	body := `{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":{` + params +
		`"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`
	fields := []string{
		"Content-Type: application/json", "Accept: application/json, text/event-stream",
		"Mcp-Protocol-Version: 2026-07-28", "Mcp-Method: " + method, "Authorization: Bearer " + credential,
	}
	var named struct{ Name, URI string }
	_ = json.Unmarshal([]byte("{"+strings.TrimSuffix(params, ",")+"}"), &named)
	if name := named.Name + named.URI; name != "" {
		fields = append(fields, "Mcp-Name: "+name)
	}
	resp := s.do(t, request("POST", resource, body, fields...))
	return resp, string(must(io.ReadAll(resp.Body)))
}

// uses lists the requests that use a feature by name, and the list that contains the feature.
var uses = []struct{ list, method, params string }{
	{"tools/list", "tools/call", `"name":"%s","arguments":{},`},
	{"tools/list", "tools/call", `"name":"%s_alias","arguments":{},`},
	{"prompts/list", "prompts/get", `"name":"%s",`},
	{"resources/list", "resources/read", `"uri":"test://%s",`},
	{"resources/templates/list", "resources/read", `"uri":"%s:///x",`},
	{"prompts/list", "completion/complete", `"ref":{"type":"ref/prompt","name":"%s"},"argument":{"name":"a","value":""},`},
	{"resources/templates/list", "completion/complete", `"ref":{"type":"ref/resource","uri":"%s:///{id}"},"argument":{"name":"id","value":""},`},
}

// Roles decide which features exist: by name, in another case, through completion and by templates.
func TestRoles(t *testing.T) {
	roles := mcpauth.RoleMap{
		"staff": {Deny: []string{"group:admin"}}, "admin": {Allow: []string{"*"}}, "none": {Allow: []string{"nothing"}},
	}
	s := shop(t, func(o *mcpauth.Options) { o.Roles = roles })
	for _, test := range []struct {
		roles any
		want  bool // reset
		open  bool
	}{
		{[]string{"staff"}, false, true}, {[]string{"admin"}, true, true}, {[]string{"staff", "admin"}, true, true}, {"staff", false, true},
		{[]string{"Admin"}, false, false}, {[]string{"unknown"}, false, false}, {nil, false, false}, {[]string{"none"}, false, false},
	} {
		text := token(object{"roles": test.roles})
		for _, use := range uses {
			_, list := s.send(t, text, use.list, "")
			if got := strings.Contains(list, `"name":"reset"`); got != test.want || strings.Contains(list, `"name":"open"`) != test.open {
				t.Errorf("%v, %s: %s", test.roles, use.list, list)
			}
			for name, want := range map[string]bool{"reset": test.want, "open": test.open} {
				_, body := s.send(t, text, use.method, fmt.Sprintf(use.params, name))
				_, other := s.send(t, text, use.method, fmt.Sprintf(use.params, "never"))
				if got := !strings.Contains(body, `"error":`); got != want || !want && strings.ReplaceAll(other, "never", name) != body {
					t.Errorf("%v, %s of %s: %s", test.roles, use.method, name, body)
				}
			}
		}
		if resp, body := s.send(t, text, "tools/call", `"name":"RESET","arguments":{},`); !strings.Contains(body, `"error":`) {
			t.Errorf("other case: %d %s", resp.StatusCode, body)
		}
	}
	if records := s.audit.String(); !strings.Contains(records, `reason="no role of the caller may see it" method=tools/call feature=reset`) {
		t.Error(records)
	}
}

// Scopes, roles and expiry come from the current request, not from the request that opened the
// session.
func TestSessionScopes(t *testing.T) {
	s := shop(t, nil)
	send := func(body, bearer string, more ...string) *http.Response {
		return s.do(t, request("POST", resource, body, append([]string{"Content-Type: application/json", "Accept: application/json, text/event-stream", "Authorization: Bearer " + bearer}, more...)...))
	}
	opened := send(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`, token(nil))
	session := []string{"Mcp-Session-Id: " + opened.Header.Get("Mcp-Session-Id"), "Mcp-Protocol-Version: 2025-06-18"}
	const call = `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"write","arguments":{}}}`
	for _, test := range []struct {
		name, bearer string
		status       int
	}{
		{"same", token(nil), 200},
		{"fewer scopes", token(object{"scope": "books:read"}), 403},
		{"part of the name", token(object{"scope": "books:writeall books"}), 403},
		{"renewed", token(object{"jti": "id-2"}), 200},
		{"another principal", token(object{"sub": "eve"}), 404},
		{"expired", token(object{"exp": 1}), 401},
	} {
		if resp := send(call, test.bearer, session...); resp.StatusCode != test.status {
			t.Errorf("%s: status %d: %s", test.name, resp.StatusCode, must(io.ReadAll(resp.Body)))
		}
	}
}

// A stream closes when the token expires.
func TestStreamEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := shop(t, nil)
		text := token(object{"exp": time.Now().Add(10 * time.Minute).Unix()})
		body := `{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true},` +
			`"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`
		r := request("POST", resource, body, "Content-Type: application/json", "Accept: application/json, text/event-stream",
			"Mcp-Protocol-Version: 2026-07-28", "Mcp-Method: subscriptions/listen", "Authorization: Bearer "+text)
		began := time.Now()
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		// The leeway is part of the life of a token.
		if took := time.Since(began); w.Code != 200 || took < 10*time.Minute || took > 11*time.Minute {
			t.Errorf("status %d after %v: %s", w.Code, took, w.Body)
		}
	})
}

// A broken roles file is an error at the start, and changes nothing later.
func TestRolesFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "roles.json")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, text := range []string{
		"", "{", `{}`, `{"roles":{"a":{}}}`, `{"roles":{"a":{"allow":[""]}}}`, `{"roles":{"a":{"deny":["file:///a/../b"]}}}`,
		`{"roles":{"":{"allow":["*"]}}}`, `{"roles":{"a":{"allow":["*"],"denied":["x"]}}}`, `{"roles":{"a":{"allow":["*"]},"a":{"allow":["x"]}}}`,
	} {
		write(text)
		if _, err := guardWith(mcpauth.RolesFile(path), nil); err == nil || !strings.Contains(err.Error(), "read roles") {
			t.Errorf("%s: %v", text, err)
		}
	}
	for _, m := range []mcpauth.RoleMap{{"a": {}}, {"": {Allow: []string{"*"}}}, {"a": {Allow: []string{""}}}} {
		if _, err := guardWith(m, nil); err == nil {
			t.Errorf("%v", m)
		}
	}
	if m := (mcpauth.RoleMap{"a": {Allow: []string{"open"}}, "b": {}}); m.Role("a") == nil || m.Role("b") != nil || m.Role("c") != nil {
		t.Error("Role")
	}
	log := new(record)
	write(`{"roles":{"staff":{"allow":["open"]}}}`)
	roles := mcpauth.RolesFile(path)
	if _, err := guardWith(roles, log); err != nil {
		t.Fatal(err)
	}
	sees := func(name string) bool {
		mcpauth.ForgetLook(roles)
		return roles.Role("staff").Authorize(t.Context(), mcp.FeatureInfo{Kind: mcp.KindTool, Name: name}) == nil
	}
	if !sees("open") || sees("reset") {
		t.Error("first file")
	}
	write(`{"roles":{"staff":{"allow":["open","reset"]}}}`)
	if !sees("reset") {
		t.Error("second file")
	}
	write(`{"roles":{"staff":`)
	if !sees("reset") || !strings.Contains(log.String(), "cannot be read again") {
		t.Errorf("broken file: %s", log)
	}
}

// guardWith returns a guard with roles.
func guardWith(roles mcpauth.RoleSource, log *record) (*mcpauth.Guard, error) {
	o := mcpauth.Options{Resource: resource, Verifiers: []mcpauth.Verifier{jwtOf(newIssuer())}, Roles: roles}
	if log != nil {
		o.Log = log.logger()
	}
	return mcpauth.New(o)
}
