package hardening_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpauth"
)

// registerShowing registers a tool that returns everything that its call contains.
func registerShowing(s *site) {
	s.server.Register(mcp.NewTool(mcp.ToolInfo{Name: "shows"}, func(ctx context.Context, args json.RawMessage) (*mcp.ToolResult, error) {
		var a struct{ How string }
		if err := json.Unmarshal(args, &a); err != nil {
			return nil, err
		}
		c := mcp.CallFrom(ctx)
		identity := *mcpauth.IdentityFromContext(ctx)
		identity.Claims = nil // the test puts the canary into a claim
		text := fmt.Sprintf("%+v %#v %v %v", identity, identity, c.Header(), c.Principal().ID)
		switch a.How {
		case "logs":
			slog.New(slog.NewTextHandler(s.log, nil)).Info("call", "identity", &identity, "header", c.Header(), "text", text)
		case "panics":
			panic(text)
		case "fails":
			return nil, errors.New(text)
		}
		return mcp.TextResult(text), nil
	}))
}

// registerGuarded registers features of each kind: "plain", "write" with the scope books:write, and
// "reset" in the group admin. The template of write contains URIs below the URIs of plain, and
// plain's template matches the resource of reset.
func registerGuarded(s *site) {
	complete := func(context.Context, string, map[string]string) (mcp.Completion, error) {
		return mcp.Candidates([]string{"value"}), nil
	}
	for name, needs := range map[string]struct{ scopes, groups []string }{
		"plain": {}, "write": {scopes: []string{"books:write"}}, "reset": {groups: []string{"admin"}},
	} {
		s.server.Register(mcp.NewTool(mcp.ToolInfo{Name: name, Aliases: []string{name + "_alias"}, Scopes: needs.scopes, Groups: needs.groups},
			func(context.Context, json.RawMessage) (*mcp.ToolResult, error) { return mcp.TextResult("done"), nil }))
		s.server.Register(mcp.TextResource(&mcp.ResourceInfo{URI: "auth:///all/" + name, Name: name, Scopes: needs.scopes, Groups: needs.groups}, "of the resource "+name))
		s.server.Register(mcp.NewTemplate(mcp.TemplateInfo{
			URITemplate: name + ":///{id}", Name: name, Scopes: needs.scopes, Groups: needs.groups,
			Variables: []mcp.TemplateVariable{{Name: "id", Complete: complete}},
		}, func(context.Context, string, map[string]string) (*mcp.ResourceResult, error) {
			return mcp.TextContents("text"), nil
		}))
		s.server.Register(mcp.NewPrompt(mcp.PromptInfo{
			Name: name, Scopes: needs.scopes, Groups: needs.groups, Arguments: []mcp.PromptArgument{{Name: "a", Complete: complete}},
		}, func(context.Context, map[string]string) (*mcp.PromptResult, error) {
			return mcp.PromptText("text"), nil
		}))
	}
}

// authUses are the ways in which a feature is used by its name.
func authUses(v target) [][2]string {
	uses := [][2]string{
		{"tools/call", `"name":"%s","arguments":{}`},
		{"tools/call", `"name":"%s_alias","arguments":{}`},
		{"prompts/get", `"name":"%s"`},
		{"resources/read", `"uri":"auth:///all/%s"`},
		{"resources/read", `"uri":"%s:///x"`},
		{"completion/complete", `"ref":{"type":"ref/prompt","name":"%s"},"argument":{"name":"a","value":""}`},
		{"completion/complete", `"ref":{"type":"ref/resource","uri":"%s:///{id}"},"argument":{"name":"id","value":""}`},
	}
	if v.era == legacy {
		uses = append(uses, [2]string{"resources/subscribe", `"uri":"auth:///all/%s"`})
	}
	return uses
}

// testAuthHidden uses features that the caller's roles hide.
func testAuthHidden(t *testing.T, v target) {
	roles := func(_ *authSite, o *mcpauth.Options) {
		o.Roles = mcpauth.RoleMap{"staff": {Deny: []string{"group:admin", "auth:///all/reset"}}, "admin": {Allow: []string{"*"}}}
	}
	c := setup{register: registerGuarded}
	v.visitAuth(t, c, roles, func(t *testing.T, s *authSite) {
		staff, admin := s.openAs(tokenOf(object{"roles": []string{"staff"}})), s.openAs(tokenOf(object{"sub": "root", "roles": []string{"admin"}}))
		for _, use := range authUses(v) {
			if m := admin.ask(use[0], fmt.Sprintf(use[1], "reset")); m.Error != nil {
				t.Errorf("admin: %s: %v", use[0], m)
			}
			s.records()
			hidden, missing := staff.ask(use[0], fmt.Sprintf(use[1], "reset")), staff.ask(use[0], fmt.Sprintf(use[1], "never"))
			without := func(m message) string {
				return strings.NewReplacer("never", "reset", `"id":`+m.id(), "").Replace(m.raw)
			}
			if hidden.Error == nil || without(hidden) != without(missing) {
				t.Errorf("%s: %v, and what does not exist %v", use[0], hidden, missing)
			}
			if records := s.records(); !strings.Contains(records, `reason="no role of the caller may see it" method=`+use[0]) || strings.Count(records, "denied") == 0 {
				t.Errorf("%s: the records are %s", use[0], records)
			}
		}
		for _, test := range [][2]string{
			{"tools/call", `"name":"RESET","arguments":{}`}, {"tools/call", `"name":" reset","arguments":{}`},
			{"resources/read", `"uri":"auth:///all/%72eset"`}, {"resources/read", `"uri":"AUTH:///all/reset"`}, {"resources/read", `"uri":"auth:///all/./reset"`},
			{"resources/read", `"uri":"%72eset:///x"`}, {"resources/read", `"uri":"auth:///all/reset/"`}, {"resources/read", `"uri":"auth:///all/reset?x"`},
		} {
			if m := staff.ask(test[0], test[1]); m.Error == nil {
				t.Errorf("%s %s: %v", test[0], test[1], m)
			}
		}
		for _, list := range []string{"tools/list", "prompts/list", "resources/list", "resources/templates/list"} {
			if m := staff.ask(list, ""); strings.Contains(m.raw, "reset") || !strings.Contains(m.raw, "plain") {
				t.Errorf("%s: %v", list, m)
			}
		}
		if v.era == modern { // a listen to a hidden feature gets nothing
			id, _ := staff.say("subscriptions/listen", `"notifications":{"resourceSubscriptions":["auth:///all/reset"]}`)
			s.settle()
			staff.in.all()
			s.server.ResourceUpdated("auth:///all/reset")
			s.settle()
			for _, m := range staff.in.all() {
				if strings.Contains(m.raw, "reset") {
					t.Errorf("listen %s: %v", id, m)
				}
			}
		}
		s.keeps("hidden", nil)
	})
	// With a prefix the names differ, and the decisions are the same.
	v.visitAuth(t, setup{register: func(s *site) {
		mcp.Prefix(s.server, "shop").Register(mcp.NewTool(mcp.ToolInfo{Name: "reset", Groups: []string{"admin"}},
			func(context.Context, json.RawMessage) (*mcp.ToolResult, error) { return mcp.TextResult("done"), nil }))
	}}, roles, func(t *testing.T, s *authSite) {
		staff, admin := s.openAs(tokenOf(object{"roles": []string{"staff"}})), s.openAs(tokenOf(object{"sub": "root", "roles": []string{"admin"}}))
		var list struct{ Tools []struct{ Name string } }
		if err := json.Unmarshal(admin.ask("tools/list", "").Result, &list); err != nil {
			t.Fatal(err)
		}
		name := ""
		for _, tool := range list.Tools {
			if strings.HasSuffix(tool.Name, "reset") {
				name = tool.Name
			}
		}
		if m := admin.ask("tools/call", call(name, `{}`)); name == "reset" || m.text() != "done" {
			t.Errorf("%s: %v", name, m)
		}
		if m := staff.ask("tools/call", call(name, `{}`)); m.Error == nil {
			t.Errorf("%s: %v", name, m)
		}
	})
}

// testAuthScope uses features whose scope the token lacks.
func testAuthScope(t *testing.T, v target) {
	if _, err := mcpauth.New(mcpauth.Options{
		Resource: authResource, Verifiers: []mcpauth.Verifier{newAuthIssuer().jwt(mcpauth.DPoPOptions{})},
		ScopeHierarchy: map[string][]string{"a": {"b"}, "b": {"a"}},
	}); err == nil || !strings.Contains(err.Error(), "cycle") {
		t.Errorf("a cycle: %v", err)
	}
	c := setup{register: registerGuarded}
	v.visitAuth(t, c, func(_ *authSite, o *mcpauth.Options) {
		o.ScopeHierarchy = map[string][]string{"books:admin": {"books:write"}}
	}, func(t *testing.T, s *authSite) {
		s.from.Store(&net.TCPAddr{IP: net.IPv4(192, 0, 2, 7), Port: 4000})
		for scopes, may := range map[string]bool{
			"books:read": false, "books:writeall": false, "books": false, "Books:Write": false, "books:write2 xbooks:write": false, "": false,
			"books:write": true, "x books:admin": true,
		} {
			c := s.openAs(tokenOf(object{"scope": scopes}))
			for _, use := range authUses(v) {
				s.records()
				id, d := c.say(use[0], fmt.Sprintf(use[1], "write"))
				m := c.reply(id)
				if got := m.Error == nil; got != may || !may && (m.code() != -32603 || string(m.Error.Data) != `{"reason":"insufficient scope","scopes":["books:write"]}`) {
					t.Errorf("%q: %s: %v", scopes, use[0], m)
				}
				if status := c.status(d); !may && v.is(httpLegacy, httpModern) && status != 403 {
					t.Errorf("%q: %s: status %d", scopes, use[0], status)
				}
				if records := s.records(); !may && (strings.Count(records, "decision=denied") != 1 || !strings.Contains(records, `reason="scopes are missing"`) ||
					!strings.Contains(records, "wanted=books:write") || !strings.Contains(records, "method="+use[0]) || !strings.Contains(records, " remote=192.0.2.7")) {
					t.Errorf("%q: %s: the records are %s", scopes, use[0], records)
				}
				if m := c.ask(use[0], fmt.Sprintf(use[1], "plain")); m.Error != nil {
					t.Errorf("%q: plain: %v", scopes, m)
				}
			}
		}
		if v.era == legacy {
			s.testBatch(tokenOf(object{"scope": "books:read"}))
		}
		s.keeps("scopes", nil)
	})
}

// testBatch sends a batch in which one element is refused (2025-03-26).
func (s *authSite) testBatch(token string) {
	s.t.Helper()
	c := s.connect(token)
	if m := c.ask("initialize", strings.Replace(initialize, "2025-11-25", "2025-03-26", 1)); m.failed() {
		s.t.Fatal(m)
	}
	c.status(c.put(initialized, "MCP-Protocol-Version: 2025-03-26"))
	s.settle()
	c.in.all()
	batch := "[" + legacy.text("71", "tools/call", call("plain", `{}`)) + "," + legacy.text("72", "tools/call", call("write", `{}`)) + "]"
	c.put(batch, "MCP-Protocol-Version: 2025-03-26")
	s.settle()
	all := ""
	for _, m := range c.in.all() {
		all += m.raw
	}
	if !strings.Contains(all, `"id":71,"result":`) || !strings.Contains(all, `"id":72,"error":{"code":-32603`) || !strings.Contains(all, `"scopes":["books:write"]`) {
		s.t.Errorf("batch: %s", all)
	}
}

// testAuthSession uses sessions and tasks that belong to another principal, or to a token that has
// expired.
func testAuthSession(t *testing.T, v target) {
	c := setup{register: registerGuarded}
	v.visitAuth(t, c, nil, func(t *testing.T, s *authSite) {
		until := time.Now().Add(10 * time.Minute)
		ann, fewer := tokenOf(object{"exp": until.Unix()}), tokenOf(object{"scope": "books:read", "jti": "id-2"})
		eve, expired := tokenOf(object{"sub": "eve"}), tokenOf(object{"exp": time.Now().Unix() - 60})
		c := s.openAs(ann)
		status := func(token, params string) int {
			_, d := c.say("tools/call", params, bearer(token))
			defer func() { s.settle(); c.in.all() }()
			return c.status(d)
		}
		switch v.name {
		case httpLegacy:
			for token, want := range map[string]int{ann: 200, fewer: 403, eve: 404, expired: 401, "": 401} {
				if got := status(token, call("write", `{}`)); got != want && (token != "" || got != 400) {
					t.Errorf("%s: status %d, want %d", token, got, want)
				}
			}
			link := c.link.(*httpLink)
			standing := link.get()
			s.settle()
			c.in.all()
			h := s.hold("events")
			called, _ := c.say("tools/call", h.params())
			h.run(func(ctx context.Context) { mcp.Progress(ctx, 1, 2, "") })
			m := c.wait("event id", func(m message) bool { return m.event != "" })
			other := s.openAs(eve)
			d := other.link.(*httpLink).get("Last-Event-Id: " + m.event)
			if got := other.status(d); got != 400 {
				t.Errorf("event id of another: status %d", got)
			}
			d = link.get("Last-Event-Id: "+m.event, bearer(eve))
			if got := c.status(d); got != 404 {
				t.Errorf("event id and session of another: status %d", got)
			}
			h.answer("of ann")
			if m := c.reply(called); m.text() != "of ann" {
				t.Errorf("%v", m)
			}
			time.Sleep(time.Until(until) + 31*time.Second)
			await(s.site, standing.done, "end of the stream")
			if got := status(ann, call("plain", `{}`)); got != 401 {
				t.Errorf("after the end of the token: status %d", got)
			}
			if got := status(tokenOf(object{"jti": "id-3"}), call("plain", `{}`)); got != 200 {
				t.Errorf("a renewed token: status %d", got)
			}
		case httpModern:
			asks := call("asks", `{}`)
			state := stateIn(t, c.ask("tools/call", asks))
			if m := s.openAs(eve).ask("tools/call", yes(asks, state)); m.code() != -32602 {
				t.Errorf("the state of another: %v", m)
			}
			if m := s.openAs(tokenOf(object{"jti": "id-4"})).ask("tools/call", yes(asks, state)); m.text() != "accepttrue" {
				t.Errorf("the state with a renewed token: %v", m)
			}
			id, d := c.say("subscriptions/listen", `"notifications":{"toolsListChanged":true}`)
			time.Sleep(time.Until(until))
			select {
			case <-d.done:
				t.Error("the listen has ended early")
			default:
			}
			time.Sleep(31 * time.Second)
			await(s.site, d.done, "end of the listen")
			if m := c.reply(id); m.Error != nil {
				t.Errorf("the end of the listen: %v", m)
			}
		case httpSSE:
			for token, want := range map[string]int{ann: 202, fewer: 202, eve: 404, expired: 401} {
				if got := status(token, call("plain", `{}`)); got != want {
					t.Errorf("status %d, want %d", got, want)
				}
			}
			id, _ := c.say("tools/call", call("write", `{}`), bearer(fewer))
			if m := c.reply(id); m.code() != -32603 {
				t.Errorf("with fewer scopes: %v", m)
			}
			fallthrough
		default:
			time.Sleep(time.Until(until) + 31*time.Second)
			c.gone("the end of its token")
		}
		s.keeps("sessions", []string{bearer(ann), bearer(eve)})
	})
	// A call that has begun goes on when its token expires.
	v.visitAuth(t, setup{}, nil, func(t *testing.T, s *authSite) {
		h := s.hold("long")
		c := s.openAs(tokenOf(object{"exp": time.Now().Unix() + 60}))
		id, _ := c.say("tools/call", h.params())
		await(s.site, h.in, "call")
		time.Sleep(2 * time.Minute)
		s.settle()
		if v.is(webSocket, httpSSE) {
			return // the connection is closed with the token, and the call with the connection
		}
		h.answer("late")
		if m := c.reply(id); m.text() != "late" {
			t.Errorf("%v", m)
		}
	})
}
