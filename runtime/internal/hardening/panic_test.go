package hardening_test

import (
	"context"
	"regexp"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/mcp"
)

var reference = regexp.MustCompile(`reference ([A-Za-z0-9]{6,})`)

// testPanic makes all functions of users panic, while a call of another client and one of the same
// client run.
func testPanic(t *testing.T, v target) {
	intercept := func(next mcp.Handler) mcp.Handler {
		return func(ctx context.Context, req *mcp.Request) (mcp.Reply, error) {
			if req.Name == "panic before" || req.Method == "prompts/list" {
				panic(secret)
			}
			reply, err := next(ctx, req)
			if err != nil && strings.Contains(err.Error(), secret) {
				t.Errorf("the interceptor sees %v", err)
			}
			if req.Name == "typed" {
				panic(secret)
			}
			return reply, err
		}
	}
	c := setup{
		server: []mcp.Option{mcp.WithInterceptors(intercept), mcp.WithAccess(mcp.Visible(func(_ context.Context, f mcp.FeatureInfo) bool {
			if f.Name == "large" {
				panic(secret)
			}
			return true
		}))},
		register: func(s *site) {
			s.server.Register(mcp.NewTemplate(mcp.TemplateInfo{URITemplate: "list://{x}", Name: "list", List: func(context.Context) ([]mcp.ResourceInfo, error) { panic(secret) }}, func(context.Context, string, map[string]string) (*mcp.ResourceResult, error) { return nil, nil }))
		},
	}
	v.visit(t, c, func(t *testing.T, s *site) {
		one, other := s.open(), s.open()
		mine, others := s.hold("mine"), s.hold("others")
		myID, _ := one.say("tools/call", mine.params())
		otherID, _ := other.say("tools/call", others.params())
		await(s, mine.in, "call")
		await(s, others.in, "call")
		for _, c := range []struct {
			name, method, params string
			code                 int // 0 for isError
		}{
			{"value", "tools/call", call("panics", `{"how":"value"}`), 0},
			{"error", "tools/call", call("panics", `{"how":"error"}`), 0},
			{"index", "tools/call", call("panics", `{"how":"index"}`), 0},
			{"nil", "tools/call", call("panics", `{"how":"nil"}`), 0},
			{"goexit", "tools/call", call("panics", `{"how":"goexit"}`), 0},
			{"interceptor, before", "tools/call", call("panic before", `{}`), 0},
			{"interceptor, after", "tools/call", call("typed", `{}`), 0},
			{"interceptor of a list", "prompts/list", ``, jsonrpc.CodeInternal},
			{"visibility", "tools/call", call("large", `{}`), 0},
			{"visibility of a list", "tools/list", ``, jsonrpc.CodeInternal},
			{"resource", "resources/read", `"uri":"test://panic"`, jsonrpc.CodeInternal},
			{"template", "resources/read", `"uri":"item://panic"`, jsonrpc.CodeInternal},
			{"list of resources", "resources/list", ``, jsonrpc.CodeInternal},
			{"prompt", "prompts/get", `"name":"greet","arguments":{"who":"panic"}`, jsonrpc.CodeInternal},
			{"completion of a prompt", "completion/complete",
				`"ref":{"type":"ref/prompt","name":"greet"},"argument":{"name":"who","value":"panic"}`, jsonrpc.CodeInternal},
			{"completion of a template", "completion/complete",
				`"ref":{"type":"ref/resource","uri":"item://{key}"},"argument":{"name":"key","value":"panic"}`, jsonrpc.CodeInternal},
		} {
			id, d := one.say(c.method, c.params)
			m := one.reply(id)
			one.wantStatus(c.name, one.status(d), v.accepted())
			if !m.failed() || m.code() != c.code {
				t.Errorf("%s: %v, want code %d", c.name, m, c.code)
			}
			if strings.Contains(m.raw, secret) || strings.Contains(m.raw, "goroutine") {
				t.Errorf("%s: the reply says %v", c.name, m)
			}
			found := reference.FindStringSubmatch(m.text())
			if found == nil {
				t.Errorf("%s: no reference in %v", c.name, m)
			} else if !strings.Contains(s.log.String(), "reference="+found[1]) {
				t.Errorf("%s: reference %s is not in the log", c.name, found[1])
			}
			one.alive(c.name)
		}
		for _, c := range []struct {
			client *client
			hold   *hold
			id     string
		}{{one, mine, myID}, {other, others, otherID}} {
			c.hold.answer("untouched")
			if m := c.client.reply(c.id); m.text() != "untouched" {
				t.Errorf("the call that ran: %v", m)
			}
		}
		log := s.log.String()
		for _, want := range []string{secret, "fixture_test.go:", "panic_test.go:", "runtime.Goexit called"} {
			if !strings.Contains(log, want) {
				t.Errorf("%q is not in the log", want)
			}
		}
	})
}
