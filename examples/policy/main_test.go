package main

import (
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpauth"
	"github.com/mcpgen/mcpgen/runtime/mcptest"
)

func TestPolicy(t *testing.T) {
	for _, c := range []struct{ policy, roles, tools string }{
		{string(policy), "", "list_titles"},
		{string(policy), "owner", "list_titles"},
		{string(policy), "editor", "add_page list_titles"},
		{string(policy), "editor owner", "add_page list_titles remove_page"},
		{`permit (principal == Caller::"key ada", action, resource == Tool::"add_page");`, "", "add_page"},
		{`permit (principal == Caller::"key bob", action, resource);`, "", ""},
		{"", "owner", ""},
		// The forbidding policy fails, since tools do not have this attribute.
		{`permit (principal, action, resource); forbid (principal, action, resource) when { resource.secret };`, "owner", ""},
	} {
		access, err := newAccess([]byte(c.policy))
		if err != nil {
			t.Fatal(err)
		}
		who := &mcpauth.Identity{Method: "key", Subject: "ada", Roles: strings.Fields(c.roles)}
		client := mcptest.New(t, NewMCPServer(&Wiki{}, mcp.WithAccess(access)), mcptest.Options{
			Principal: mcp.Principal{ID: who.ID(), Value: who},
		})
		var names []string
		for _, tool := range client.Tools() {
			names = append(names, tool.Name)
		}
		if got := strings.Join(names, " "); got != c.tools {
			t.Errorf("roles %q by %.60s: %q, want %q", c.roles, c.policy, got, c.tools)
		}
		_, err = client.Start("remove_page", map[string]any{"title": "Emma"}).Result()
		if allowed := strings.Contains(c.tools, "remove_page"); (err == nil) != allowed {
			t.Errorf("roles %q by %.60s: remove_page: %v", c.roles, c.policy, err)
		}
	}
	if _, err := newAccess([]byte("permit (principal)")); err == nil || !strings.Contains(err.Error(), "policy.cedar") {
		t.Errorf("a broken policy: %v", err)
	}
}
