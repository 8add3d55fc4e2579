package mcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/internal/proof/spec"
	"github.com/mcpgen/mcpgen/runtime/mcp"
)

func TestPeerAndTool(t *testing.T) {
	var peers, tools []string
	s := newFixture(quiet, mcp.WithInterceptors(func(next mcp.Handler) mcp.Handler {
		return func(ctx context.Context, req *mcp.Request) (mcp.Reply, error) {
			peers = append(peers, req.Peer())
			before, ok := req.Tool()
			reply, err := next(ctx, req)
			if after, ok2 := req.Tool(); after.Name != before.Name || ok != ok2 {
				t.Errorf("%s was %s before", after.Name, before.Name)
			}
			tools = append(tools, fmt.Sprint(before.Name, before.Groups, ok))
			return reply, err
		}
	}))
	first, second := connect(t, s), connect(t, s)
	peers, tools = nil, nil
	first(call(1, "plus", `{"a":1,"b":2}`))
	first(call(1, "none", `{}`))
	second(request(1, "ping", `{}`))
	second(request(2, "prompts/get", `{"name":"plus"}`)) // only tools/call concerns a tool, whatever the name is
	if got := strings.Join(tools, " "); got != "add[math] true [] false [] false [] false" {
		t.Errorf("tools %s", got)
	}
	if peers[0] != peers[1] || peers[0] == peers[2] || !strings.HasPrefix(peers[0], "connection ") {
		t.Errorf("peers %q", peers)
	}
	for _, id := range []string{"ada", "ada", "bob"} {
		ctx := mcp.CallerContext(context.Background(), mcp.Principal{ID: id}, nil)
		conn, wait := s.Connect(ctx)
		conn = spec.NewConn(t, conn)
		_ = conn.Write([]byte(request(1, "ping", "{}") + "\n"))
		_, _ = conn.Read()
		conn.Close()
		_ = wait()
	}
	if got := fmt.Sprint(peers[4:]); got != "[principal ada principal ada principal bob]" {
		t.Errorf("peers %s", got)
	}
}

// A ping needs no session, even if interceptors see it.
func TestPingWithoutASession(t *testing.T) {
	var client mcp.ClientInfo
	s := mcp.NewServer(fixtureInfo(), quiet, mcp.WithInterceptors(func(next mcp.Handler) mcp.Handler {
		return func(ctx context.Context, req *mcp.Request) (mcp.Reply, error) {
			client = mcp.CallFrom(ctx).Client()
			return next(ctx, req)
		}
	}))
	if got := asker(t, s)(request(1, "ping", "{}")); !strings.Contains(got, `"result":{`) || client != (mcp.ClientInfo{}) {
		t.Errorf("%s, the client is %v", got, client)
	}
}

// Names that are not registered are not returned, and aliases are returned as the published name.
func TestRegistered(t *testing.T) {
	var got []string
	s := newFixture(quiet, mcp.WithExtension(mcp.Extension{Name: "com.example/x", Methods: map[string]mcp.ExtensionFunc{
		"x/echo": func(context.Context, *mcp.Request) (json.RawMessage, error) { return nil, nil },
	}}), mcp.WithInterceptors(func(next mcp.Handler) mcp.Handler {
		return func(ctx context.Context, req *mcp.Request) (mcp.Reply, error) {
			if req.IsRun() {
				t.Error("a request is a run")
			}
			method, feature := req.Registered()
			reply, err := next(ctx, req)
			if method2, feature2 := req.Registered(); method2 != method || feature2 != feature {
				t.Errorf("%s %s was %s %s before", method2, feature2, method, feature)
			}
			code := 0
			if err != nil {
				code = req.ErrorCode(err)
			}
			got = append(got, fmt.Sprint(method, " ", feature, " ", code))
			return reply, err
		}
	}))
	s.Register(mcp.NewPrompt(mcp.PromptInfo{Name: "plan"}, func(context.Context, map[string]string) (*mcp.PromptResult, error) {
		return nil, errors.New("no")
	}))
	client := connect(t, s)
	got = nil
	for _, test := range []struct{ method, params, want string }{
		{"tools/call", `{"name":"plus","arguments":{"a":1,"b":2}}`, "tools/call add 0"},
		{"tools/call", `{"name":"secret","arguments":{}}`, "tools/call  -32602"},
		{"tools/call", `{"name":7}`, "tools/call  -32602"},
		{"prompts/get", `{"name":"plan"}`, "prompts/get plan -32603"},
		{"prompts/get", `{"name":"secret"}`, "prompts/get  -32602"},
		{"completion/complete", `{"ref":{"type":"ref/prompt","name":"plan"},"argument":{"name":"a","value":""}}`, "completion/complete plan -32601"},
		{"completion/complete", `{"ref":{"type":"ref/resource","uri":"plan"},"argument":{"name":"a","value":""}}`, "completion/complete  -32601"},
		{"completion/complete", `{"ref":7}`, "completion/complete  -32601"},
		{"resources/read", `{"uri":"secret:x"}`, "resources/read  -32002"},
		{"x/echo", `{}`, "x/echo  0"},
		{"secret/method", `{}`, "  -32601"},
		{"server/discover", `{}`, "  -32601"}, // of a later revision
		{"ping", `{}`, "ping  0"},
	} {
		text := request(1, test.method, test.params)
		if strings.Contains(test.params, `:7}`) {
			text = spec.Invalid(text)
		}
		client(text)
		if last := got[len(got)-1]; last != test.want {
			t.Errorf("%s %s: %q, want %q", test.method, test.params, last, test.want)
		}
	}
}
