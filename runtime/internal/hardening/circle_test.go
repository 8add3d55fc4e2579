package hardening_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpimpl"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// twig is a value that may contain itself.
type twig struct {
	Twigs []*twig
	Any   any
}

// putTwig has the form of generated code for twig.
func putTwig(e *wire.Encoder, v *twig) {
	if !e.Enter() {
		return
	}
	e.Begin()
	e.Name("twigs")
	wire.PutSlice(e, v.Twigs, func(e *wire.Encoder, v **twig) { wire.PutPtr(e, *v, putTwig) })
	e.Name("any")
	wire.PutAny(e, &v.Any)
	e.End()
	e.Leave()
}

// endless returns values that contain themselves, nest without end, or exceed the limit of a
// result, each in another way. They are not stored: each garbage collection would visit them all.
func endless() map[string]*twig {
	self := &twig{}
	self.Twigs = []*twig{self, self}
	list := []any{nil, nil}
	list[0], list[1] = list, list
	object := map[string]any{}
	object["a"], object["b"] = object, []any{object}
	deep := &twig{}
	for range 10_000 {
		deep = &twig{Twigs: []*twig{deep}}
	}
	var deepAny any
	for range 10_000 {
		deepAny = []any{deepAny}
	}
	// Few values, without a circle, but with 2^60 paths through them.
	wide := &twig{}
	for range 60 {
		wide = &twig{Twigs: []*twig{wide, wide}, Any: nil}
	}
	var wideAny any = "x"
	for range 60 {
		wideAny = []any{wideAny, wideAny}
	}
	return map[string]*twig{
		"self": self, "list": {Any: list}, "object": {Any: object}, "by reflection": {Any: self},
		"deep": deep, "deep list": {Any: deepAny}, "deep by reflection": {Any: deep},
		"wide": wide, "wide list": {Any: wideAny}, "wide by reflection": {Any: []*twig{wide}},
		"escapes": {Any: strings.Repeat("\x01", 300_000)}, "long": {Any: strings.Repeat("x", 1_500_000)},
		"raw":   {Any: json.RawMessage("[" + strings.Repeat("[", 3000) + strings.Repeat("]", 3000) + "]")},
		"panic": {Any: panicking{}},
	}
}

// panicking panics when it is written.
type panicking struct{}

func (panicking) MarshalJSON() ([]byte, error) { panic(secret) }

// logged is endless: each of its values is a group of further values.
type logged struct{}

func (l logged) LogValue() slog.Value { return slog.GroupValue(slog.Any("", l), slog.Any("a", l)) }

// testCircles returns and logs endless values, while a call of another client and one of the same
// client run.
func testCircles(t *testing.T, v target) {
	values := endless()
	circle := map[string]any{}
	circle["self"] = circle
	c := setup{
		server: []mcp.Option{mcp.WithLimits(mcp.Limits{ResultBytes: 1 << 20, ResourceBytes: 1 << 20})},
		register: func(s *site) {
			s.server.Register(mcpimpl.FuncTool(&mcp.ToolInfo{Name: "endless", InputSchema: `{"type":"object"}`, OutputSchema: `{}`}, func(_ context.Context, req *mcp.Request) (*mcp.ToolResult, error) {
				e := mcpimpl.Encoder(req)
				putTwig(e, values[how(req)])
				return mcpimpl.Structured(req, e)
			}))
			s.server.Register(mcpimpl.FuncTool(&mcp.ToolInfo{Name: "endless_items", InputSchema: `{"type":"object"}`, OutputSchema: `{}`}, func(ctx context.Context, req *mcp.Request) (*mcp.ToolResult, error) {
				items := func(yield func(twig) bool) {
					for yield(twig{Twigs: []*twig{{}}}) && yield(*values[how(req)]) {
					}
				}
				return mcpimpl.Stream(ctx, req, items, putTwig)
			}))
			s.server.Register(mcp.NewTool(mcp.ToolInfo{Name: "logs"}, func(ctx context.Context, _ json.RawMessage) (*mcp.ToolResult, error) {
				l := mcp.Logger(ctx).With("before", circle)
				l.Error("x", "circle", circle, "group", slog.GroupValue(slog.Any("in", values["self"]), slog.Any("deep", values["deep"])))
				l.Error("x", "endless", logged{}, "panic", panicking{})
				return mcp.TextResult("logged"), nil
			}))
			s.server.Register(mcp.NewTool(mcp.ToolInfo{Name: "panics_around"}, func(context.Context, json.RawMessage) (*mcp.ToolResult, error) {
				panic(circle)
			}))
			s.server.Register(mcpimpl.FuncResource(&mcp.ResourceInfo{URI: "test://endless", Name: "endless"}, func(_ context.Context, req *mcp.Request) (*mcp.ResourceResult, error) {
				e := mcpimpl.Encoder(req)
				putTwig(e, values["self"])
				return mcpimpl.JSONContents(req, e)
			}))
			s.server.Register(mcp.NewPrompt(mcp.PromptInfo{Name: "endless"}, func(context.Context, map[string]string) (*mcp.PromptResult, error) {
				return mcp.PromptText(strings.Repeat("\x01", 300_000)), nil
			}))
		},
	}
	v.visit(t, c, func(t *testing.T, s *site) {
		one, other := s.open(), s.open()
		mine, others := s.hold("mine"), s.hold("others")
		myID, _ := one.say("tools/call", mine.params())
		otherID, _ := other.say("tools/call", others.params())
		await(s, mine.in, "call")
		await(s, others.in, "call")
		fails := func(name, method, params string, code int) {
			id, _ := one.say(method, params)
			if m := one.reply(id); !m.failed() || m.code() != code || len(m.raw) > 10_000 || strings.Contains(m.raw, secret) {
				t.Errorf("%s: %.300v, want code %d", name, m, code)
			}
		}
		for name := range values {
			fails(name, "tools/call", call("endless", `{"how":"`+name+`"}`), 0)
			fails("items, "+name, "tools/call", call("endless_items", `{"how":"`+name+`"}`), 0)
		}
		fails("resource", "resources/read", `"uri":"test://endless"`, jsonrpc.CodeInternal)
		fails("prompt", "prompts/get", `"name":"endless"`, jsonrpc.CodeInternal)
		fails("panic", "tools/call", call("panics_around", `{}`), 0)
		id, _ := one.say("tools/call", call("logs", `{}`))
		if m := one.reply(id); m.text() != "logged" {
			t.Errorf("logs: %v", m)
		}
		one.alive("values without end")
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
	})
}

// how returns the argument of the tool.
func how(req *mcp.Request) string {
	var a struct{ How string }
	_ = json.Unmarshal(req.Arguments, &a)
	return a.How
}
