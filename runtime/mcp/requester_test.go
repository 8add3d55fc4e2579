package mcp_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/internal/spec"
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
	second(request(2, "prompts/get", `{"name":"plus"}`)) // only tools/call has a tool, whatever the name is
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

// A ping needs no session, also where interceptors see it.
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
