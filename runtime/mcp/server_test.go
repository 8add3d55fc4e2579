package mcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/internal/proof/spec"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/mcp"
)

func named(name, symbol string, aliases ...string) mcp.Feature {
	return mcp.NewTool(mcp.ToolInfo{Name: name, Symbol: symbol, Aliases: aliases},
		func(context.Context, json.RawMessage) (*mcp.ToolResult, error) { return mcp.TextResult("done"), nil })
}

// panics returns the value with which f panics.
func panics(f func()) (text string) {
	defer func() { text = fmt.Sprint(recover()) }()
	f()
	return ""
}

func TestRegisterPanics(t *testing.T) {
	spec.Holds(t, "S206")
	for _, test := range []struct {
		says  []string
		tools []mcp.Feature
	}{
		{[]string{`"a"`, "(*Store).A", "OtherA"}, []mcp.Feature{named("a", "(*Store).A"), named("a", "OtherA")}},
		{[]string{`"old"`, "A", "B"}, []mcp.Feature{named("a", "A", "old"), named("old", "B")}},
		{[]string{`"old"`}, []mcp.Feature{named("a", "A", "old", "old")}},
		{[]string{"1 to 128"}, []mcp.Feature{named("", "A")}},
		{[]string{"1 to 128"}, []mcp.Feature{named(strings.Repeat("a", 129), "A")}},
		{[]string{`"a b"`}, []mcp.Feature{named("a b", "A")}},
		{[]string{`"é"`}, []mcp.Feature{named("a", "A", "é")}},
	} {
		s := mcp.NewServer(fixtureInfo())
		got := panics(func() {
			for _, f := range test.tools {
				s.Register(f)
			}
		})
		for _, want := range test.says {
			if !strings.Contains(got, want) {
				t.Errorf("panic %q does not say %s", got, want)
			}
		}
	}
	for _, schema := range []string{`{`, `{"type":"array"}`, `true`, `{"type":["object"]}`} {
		if panics(func() {
			mcp.NewTool(mcp.ToolInfo{Name: "a", InputSchema: schema}, nil)
		}) == "<nil>" {
			t.Errorf("schema %s is taken", schema)
		}
	}
}

func names(s *mcp.Server) []string {
	var n []string
	for _, f := range s.Features() {
		n = append(n, f.Name)
	}
	return n
}

func TestSelectAndPrefix(t *testing.T) {
	s := mcp.NewServer(fixtureInfo())
	math := mcp.Select(s, func(f mcp.FeatureInfo) bool {
		return f.Kind == mcp.KindTool && slices.Contains(f.Groups, "math") && f.Hints.ReadOnly && f.Symbol == "Add" && f.Title == "Addition"
	})
	register(math)
	register(mcp.Prefix(math, "one"))
	register(mcp.Prefix(mcp.Prefix(math, "two"), "three"))
	if got, want := fmt.Sprint(names(s)), "[add one_add two_three_add]"; got != want {
		t.Errorf("registered %s, want %s", got, want)
	}
	client := connect(t, s)
	for _, name := range []string{"one_plus", "two_three_plus", "plus"} {
		if got := client(call(1, name, `{"a":1,"b":1}`)); !strings.Contains(got, `"sum":2`) {
			t.Errorf("%s: %s", name, got)
		}
	}
	if got := client(call(1, "one_add", `{}`)); !strings.Contains(got, "the arguments of one_add:") {
		t.Errorf("the error names another tool: %s", got)
	}
	if !s.Unregister(mcp.KindTool, "one_add") || s.Unregister(mcp.KindTool, "one_plus") || s.Unregister(mcp.KindTool, "plus") {
		t.Error("Unregister")
	}
	if got := client(call(1, "one_plus", `{"a":1,"b":1}`)); !strings.Contains(got, "unknown tool") {
		t.Errorf("after Unregister: %s", got)
	}
	if got := client(request(1, "tools/list", "{}")); strings.Contains(got, "one_add") || !strings.Contains(got, "two_three_add") {
		t.Errorf("list after Unregister: %s", got)
	}
}

// connect returns a function that sends a request and waits for the reply.
func connect(t testing.TB, s *mcp.Server) func(text string) string {
	conn, wait := s.Connect(context.Background())
	conn = spec.NewConn(t, conn)
	t.Cleanup(func() { conn.Close(); wait() })
	ask := func(text string) string {
		if err := conn.Write([]byte(text + "\n")); err != nil {
			t.Fatal(err)
		}
		reply, err := conn.Read()
		if err != nil {
			t.Fatal(err)
		}
		return string(reply)
	}
	ask(initialize("2025-11-25"))
	return ask
}

func TestRegisterWhileServing(t *testing.T) {
	s := newFixture(quiet)
	client := connect(t, s)
	var adding sync.WaitGroup
	for i := range 4 {
		adding.Go(func() {
			for k := range 50 {
				name := fmt.Sprintf("t%d_%d", i, k)
				s.Register(named(name, ""))
				if k%2 == 0 {
					s.Unregister(mcp.KindTool, name)
				}
			}
		})
	}
	for range 50 {
		if got := client(request(1, "tools/list", "{}")); !json.Valid([]byte(got)) {
			t.Fatal("the list is not JSON")
		}
	}
	adding.Wait()
	got := client(request(1, "tools/list", "{}"))
	if strings.Contains(got, `"t0_0"`) || !strings.Contains(got, `"t3_49"`) {
		t.Error("the list is not the last one")
	}
}

func TestInterceptors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var seen []string
		note := func(name string) mcp.Interceptor {
			return func(next mcp.Handler) mcp.Handler {
				return func(ctx context.Context, req *mcp.Request) (mcp.Reply, error) {
					reply, err := next(ctx, req)
					mu.Lock()
					defer mu.Unlock()
					seen = append(seen, fmt.Sprintf("%s %s %s %T %v", name, req.Method, req.Name, reply, err))
					return reply, err
				}
			}
		}
		refuse := func(next mcp.Handler) mcp.Handler {
			return func(ctx context.Context, req *mcp.Request) (mcp.Reply, error) {
				switch req.Name {
				case "words":
					return nil, mcp.Errorf("not allowed")
				case "fail_tool": // which hides errors
					return nil, fmt.Errorf("secret policy")
				}
				if mcp.CallFrom(ctx).Method() != req.Method || req.Call().ID() == "" {
					t.Error("the context has another call")
				}
				return next(ctx, req)
			}
		}
		s := newFixture(quiet, mcp.WithInterceptors(note("outer"), note("inner")), mcp.WithInterceptors(refuse))
		p := dial(t, s, "memory")
		for _, test := range []struct{ send, says, seen string }{
			{initialize("2025-06-18"), `"protocolVersion"`, "initialize  *mcp.RawReply <nil>"},
			{request(1, "ping", "{}"), `{}`, "ping  *mcp.RawReply <nil>"},
			{request(2, "tools/list", "{}"), `"tools":[`, "tools/list  *mcp.RawReply <nil>"},
			{call(3, "add", `{"a":1,"b":1}`), `"sum":2`, "tools/call add *mcp.ToolResult <nil>"},
			{call(4, "words", `{}`), `"isError":true`, "tools/call words <nil> not allowed"},
			{call(5, "fail_hidden", `{}`), `reference`, "tools/call fail_hidden <nil> secret path"},
			{call(9, "fail_tool", `{}`), `reference`, "tools/call fail_tool <nil> secret policy"},
			{request(6, "no/such", "{}"), `-32601`, "no/such  <nil> method not found: no/such"},
			{request(7, "server/discover", "{"+modernMeta+"}"), `"supportedVersions"`, "server/discover  *mcp.RawReply <nil>"},
			{call(8, "no_such", `{}`), `-32602`, "tools/call no_such <nil> unknown tool: no_such"},
		} {
			p.send(test.send + "\n")
			synctest.Wait()
			if got := p.received(); len(got) != 1 || !strings.Contains(got[0], test.says) {
				t.Errorf("%s: got %v", test.send, got)
			}
			mu.Lock()
			if want := []string{"inner " + test.seen, "outer " + test.seen}; !slices.Equal(seen, want) {
				t.Errorf("%s: seen %q, want %q", test.send, seen, want)
			}
			seen = nil
			mu.Unlock()
		}
		p.hangUp()
	})
}

// An initialize that an interceptor refuses opens no session, and cannot be cancelled.
func TestInterceptedInitialize(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tries := 0
		s := newFixture(quiet, mcp.WithInterceptors(func(next mcp.Handler) mcp.Handler {
			return func(ctx context.Context, req *mcp.Request) (mcp.Reply, error) {
				time.Sleep(time.Second)
				if tries++; tries == 1 {
					return nil, &mcp.ProtocolError{Code: 401, Message: "who are you?"}
				}
				return next(ctx, req)
			}
		}))
		p := dial(t, s, "memory")
		for _, want := range []string{`"code":401`, `"protocolVersion":"2025-06-18"`} {
			p.send(lines(initialize("2025-06-18"), `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":0}}`))
			time.Sleep(2 * time.Second)
			if got := p.received(); len(got) != 1 || !strings.Contains(got[0], want) {
				t.Errorf("got %v, want %s", got, want)
			}
		}
		p.hangUp()
	})
}

// The version of a server is the version of the build unless it is set.
func TestVersionIsSet(t *testing.T) {
	s := mcp.NewServer(mcp.ServerInfo{Name: "x"}, mcp.WithServerInfo(func(i *mcp.ServerInfo) { i.Title = "T" }))
	if s.Info().Version == "" || s.Info().Title != "T" {
		t.Errorf("info %+v", s.Info())
	}
}

func TestArgumentsOfHandWrittenToolsAreCopies(t *testing.T) {
	s := mcp.NewServer(fixtureInfo())
	var kept []json.RawMessage
	s.Register(mcp.NewTool(mcp.ToolInfo{Name: "keep"}, func(_ context.Context, args json.RawMessage) (*mcp.ToolResult, error) {
		kept = append(kept, args)
		return mcp.TextResult("done"), nil
	}))
	client := connect(t, s)
	for i := range 20 {
		client(call(i, "keep", fmt.Sprintf(`{"n":%d}`, i)))
	}
	for i, args := range kept {
		if string(args) != fmt.Sprintf(`{"n":%d}`, i) {
			t.Errorf("call %d kept %s", i, args)
		}
	}
}

func TestCapabilities(t *testing.T) {
	for capabilities, want := range map[string]string{
		`{}`: "",
		`{"elicitation":{},"sampling":{},"roots":{}}`:                     "elicitation sampling roots",
		`{"elicitation":{"url":{}},"sampling":{"tools":{},"context":{}}}`: "elicitation.url sampling sampling.tools sampling.context",
		`{"elicitation":{"url":{},"form":{}},"roots":null}`:               "elicitation elicitation.url",
	} {
		var got []string
		s := mcp.NewServer(fixtureInfo())
		s.Register(mcp.NewTool(mcp.ToolInfo{Name: "can"}, func(ctx context.Context, _ json.RawMessage) (*mcp.ToolResult, error) {
			for _, c := range []mcp.Capability{mcp.CapabilityElicitation, mcp.CapabilityElicitationURL, mcp.CapabilitySampling, mcp.CapabilitySamplingTools, mcp.CapabilitySamplingContext, mcp.CapabilityRoots} {
				if mcp.CallFrom(ctx).Can(c) {
					got = append(got, string(c))
				}
			}
			return mcp.TextResult("done"), nil
		}))
		text := request(1, "tools/call", `{"name":"can","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",`+
			`"io.modelcontextprotocol/clientCapabilities":`+capabilities+`}}`)
		if strings.Contains(capabilities, "null") {
			spec.Invalid(text)
		}
		connect(t, s)(text)
		if strings.Join(got, " ") != want {
			t.Errorf("%s: can %v, want %s", capabilities, got, want)
		}
	}
	for _, none := range []*mcp.Call{nil, new(mcp.Call)} {
		if none.Can(mcp.CapabilityRoots) || none.ID()+none.Method()+none.Feature()+none.Revision() != "" || none.Meta("x") != nil ||
			none.Client().Name != "" || none.Session()+none.Transport()+none.Principal().ID != "" || none.Header() != nil {
			t.Error("a call that is none says something")
		}
	}
	if mcp.CallFrom(t.Context()) != nil || mcp.Logger(t.Context()) == nil {
		t.Error("outside of a call")
	}
}

func TestServeErrors(t *testing.T) {
	client, server := jsonrpc.Pipe()
	client = spec.NewConn(t, client)
	broken := &failing{Conn: server}
	if err := newFixture(quiet).Serve(t.Context(), broken); err == nil || !strings.Contains(err.Error(), "read message: broken") {
		t.Errorf("Serve: %v", err)
	}
	client.Close()
}

type failing struct{ jsonrpc.Conn }

func (*failing) Read() ([]byte, error) { return nil, fmt.Errorf("broken") }
