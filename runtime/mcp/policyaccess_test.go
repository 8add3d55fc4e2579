package mcp_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// policyServer returns a server with features for a caller with that policy.
func policyServer(p mcp.Policy) *mcp.Server {
	s := mcp.NewServer(mcp.ServerInfo{Name: "shop", Version: "1"}, mcp.WithAccess(mcp.PolicyAccess(p)))
	s.Register(mcp.NewTool(mcp.ToolInfo{Name: "search"}, func(context.Context, json.RawMessage) (*mcp.ToolResult, error) { return mcp.TextResult("done"), nil }))
	s.Register(mcp.NewTool(mcp.ToolInfo{Name: "restart", Groups: []string{"Admin"}, Aliases: []string{"reboot"}},
		func(context.Context, json.RawMessage) (*mcp.ToolResult, error) { return mcp.TextResult("done"), nil }))
	s.Register(mcp.TextResource(&mcp.ResourceInfo{URI: "file:///secret/key", Name: "key"}, "done"))
	s.Register(mcp.NewTemplate(mcp.TemplateInfo{URITemplate: "file:///{+path}", Name: "files", Groups: []string{"files"}},
		func(context.Context, string, map[string]string) (*mcp.ResourceResult, error) {
			return mcp.TextContents("done"), nil
		}))
	return s
}

func TestPolicyAccess(t *testing.T) {
	for _, test := range []struct {
		name           string
		policy         mcp.Policy
		method, params string
		done           bool
	}{
		{"all", mcp.Policy{Allow: []string{"*"}}, "tools/call", `"name":"restart"`, true},
		{"group", mcp.Policy{Deny: []string{"group:admin"}}, "tools/call", `"name":"restart"`, false},
		{"group, alias", mcp.Policy{Deny: []string{"group:admin"}}, "tools/call", `"name":"reboot"`, false},
		{"alias", mcp.Policy{Deny: []string{"REBOOT"}}, "tools/call", `"name":"restart"`, false},
		{"other tool", mcp.Policy{Deny: []string{"group:admin"}}, "tools/call", `"name":"search"`, true},
		{"allowed", mcp.Policy{Allow: []string{"sea*"}}, "tools/call", `"name":"search"`, true},
		{"not allowed", mcp.Policy{Allow: []string{"sea*"}}, "tools/call", `"name":"restart"`, false},
		{"resource", mcp.Policy{Deny: []string{"file:///SECRET/*"}}, "resources/read", `"uri":"file:///secret/key"`, false},
		{"by the template", mcp.Policy{Deny: []string{"file:///secret/*"}}, "resources/read", `"uri":"file:///secret/other"`, false},
		{"percent-encoded", mcp.Policy{Deny: []string{"file:///secret/*"}}, "resources/read", `"uri":"file:///s%65cret/key"`, false},
		{"encoded slash", mcp.Policy{Deny: []string{"file:///secret/*"}}, "resources/read", `"uri":"file:///secret%2Fkey"`, false},
		{"dot segments", mcp.Policy{Deny: []string{"file:///secret/*"}}, "resources/read", `"uri":"file:///public/..%2Fsecret/key"`, false},
		{"another URI", mcp.Policy{Deny: []string{"file:///secret/*"}}, "resources/read", `"uri":"file:///public/key"`, true},
		{"allowed URI", mcp.Policy{Allow: []string{"file:///public/*"}}, "resources/read", `"uri":"file:///public/key"`, true},
		{"URI that is not allowed", mcp.Policy{Allow: []string{"file:///public/*"}}, "resources/read", `"uri":"file:///other"`, false},
		{"allowed by some readings", mcp.Policy{Allow: []string{"file:///public/*"}}, "resources/read", `"uri":"file:///public/..%2Fsecret/key"`, false},
		{"function", mcp.Policy{Select: func(f mcp.FeatureInfo) bool { return f.Name != "restart" }}, "tools/call", `"name":"reboot"`, false},
		{"function, other tool", mcp.Policy{Select: func(f mcp.FeatureInfo) bool { return f.Name != "restart" }}, "tools/call", `"name":"search"`, true},
		{"function and pattern", mcp.Policy{Deny: []string{"search"}, Select: func(mcp.FeatureInfo) bool { return true }}, "tools/call", `"name":"search"`, false},
		{"template by its group", mcp.Policy{Deny: []string{"group:FILES"}}, "resources/read", `"uri":"file:///public/key"`, false},
	} {
		got := ask(policyServer(test.policy), test.method, test.params)
		switch read := test.method == "resources/read"; { // ask returns no contents of resources
		case (got == "done" || read && got == "") != test.done, read && !test.done && !strings.Contains(got, "not found"):
			t.Errorf("%s: %q", test.name, got)
		}
	}
}

// For requests without a single URI, a template with denied URIs does not exist.
func TestPolicyAccessTemplates(t *testing.T) {
	info := mcp.FeatureInfo{Kind: mcp.KindTemplate, Name: "files", URI: "file:///{+path}", Groups: []string{"files"}}
	for _, test := range []struct {
		policy mcp.Policy
		want   bool
	}{
		{mcp.Policy{Allow: []string{"*"}}, true},
		{mcp.Policy{Allow: []string{"group:files"}}, true},
		{mcp.Policy{Allow: []string{"file:///{+path}"}}, true},
		{mcp.Policy{Allow: []string{"file:///public/*"}}, false},
		{mcp.Policy{Deny: []string{"https://example.com/*", "delete_*"}}, true},
		{mcp.Policy{Deny: []string{"FILE:///secret/*"}}, false},
		{mcp.Policy{Deny: []string{"*://secret"}}, false},
	} {
		if got := mcp.PolicyAccess(test.policy).Authorize(t.Context(), info) == nil; got != test.want {
			t.Errorf("%+v: %v", test.policy, got)
		}
	}
	for _, pattern := range []string{"", "group:", "file:///a/../b"} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%q is taken", pattern)
				}
			}()
			mcp.PolicyAccess(mcp.Policy{Deny: []string{pattern}})
		}()
	}
}
