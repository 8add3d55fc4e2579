package mcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/mcpgen/mcpgen/internal/proof/spec"
	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// resultOf returns the result in a reply, as the server has written it.
func resultOf(t *testing.T, reply string) string {
	t.Helper()
	r := membersOf(t, reply)["result"]
	if r == nil {
		t.Fatalf("no result: %s", reply)
	}
	return string(r)
}

// Lists are the same for every connection, every time, whatever other requests are sent.
func TestListsStayTheSame(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, s := clientIn(t, "2026-07-28")
		addLibrary(s)
		for i := range 20 {
			tool(s, fmt.Sprint("tool", (i*7)%20), func(ctx context.Context) (string, error) { return "", nil })
		}
		first := map[string]string{}
		for n := range 5 {
			c.dial(t, s)
			for _, method := range []string{"tools/list", "resources/list", "resources/templates/list", "prompts/list", "server/discover"} {
				spec.Holds(t, "S198", "S199", "S200", "S219", "S220", "S235", "S236")
				got := resultOf(t, c.one(method, ""))
				if first[method] == "" {
					first[method] = got
				}
				if got != first[method] {
					t.Errorf("%s on connection %d is %s, and was %s", method, n, got, first[method])
				}
				c.ask("tools/call", `"name":"tool1"`)
				c.ask("resources/read", `"uri":"test://motto"`)
				c.ask("prompts/get", `"name":"nothing"`)
			}
			c.hangUp()
		}
		for method, want := range map[string][]string{
			"tools/list": {`"name":"tool0"`, `"name":"tool19"`}, "resources/list": {`"uri":"test://motto"`},
			"resources/templates/list": {`"uriTemplate":"book://{isbn}{?lang}"`}, "prompts/list": {`"name":"greet"`},
			"server/discover": {`"tools":{`, `"resources":{`, `"prompts":{`},
		} {
			for _, w := range want {
				if !strings.Contains(first[method], w) {
					t.Errorf("%s has no %s: %s", method, w, first[method])
				}
			}
		}
	})
}

// Tool names that the specification allows are accepted, and others refused.
func TestNamesOfTools(t *testing.T) {
	register := func(s *mcp.Server, name string) string {
		return panicOf(func() { tool(s, name, func(context.Context) (string, error) { return name, nil }) })
	}
	good := []string{"a", "A", "get_user", "get-user", "admin.tools.list", "DATA_EXPORT_v2", "0", "_", "-", ".", strings.Repeat("x", 128)}
	inEveryRevision(t, func(s *mcp.Server) {
		for _, name := range good {
			if said := register(s, name); said != "" {
				t.Errorf("%q: %s", name, said)
			}
		}
	}, func(t *testing.T, c *inRevision) {
		list := c.one("tools/list", "")
		for _, name := range good {
			spec.Holds(t, "S203")
			if !strings.Contains(list, fmt.Sprintf(`"name":%q`, name)) {
				t.Errorf("%q is not listed", name)
			}
			if said := c.one("tools/call", fmt.Sprintf(`"name":%q`, name)); !strings.Contains(said, fmt.Sprintf(`"text":%q`, name)) {
				t.Errorf("%q answers %s", name, said)
			}
		}
	})
	s := mcp.NewServer(fixtureInfo(), quiet)
	register(s, "taken")
	for _, name := range []string{"", strings.Repeat("x", 129), "a b", "a,b", "a/b", "a:b", "ü", "a\n", "a\x00", "a@b", "(a)", "a\u200bb"} {
		spec.Holds(t, "S202", "S204", "S205")
		if said := register(s, name); said == "" {
			t.Errorf("%q is taken", name)
		}
	}
	spec.Holds(t, "S206")
	if said := register(s, "taken"); !strings.Contains(said, "registered twice") {
		t.Errorf("a name twice: %q", said)
	}
}

// Only in 2026-07-28 results contain cache hints, and the hints are correct.
func TestHintsOfCaches(t *testing.T) {
	asked := []struct{ method, params string }{
		{"server/discover", ""}, {"tools/list", ""}, {"prompts/list", ""}, {"resources/list", ""}, {"resources/templates/list", ""},
		{"resources/read", `"uri":"test://motto"`},
	}
	hidden := mcp.WithAccess(mcp.Visible(func(ctx context.Context, f mcp.FeatureInfo) bool {
		return mcp.CallFrom(ctx).Principal().ID != "" || f.Name != "motto"
	}))
	for name, option := range map[string]mcp.Option{"alike for all": quiet, "not alike": hidden} {
		inEveryRevision(t, func(s *mcp.Server) {
			addLibrary(s)
			tool(s, "try", func(context.Context) (string, error) { return "", nil })
		}, func(t *testing.T, c *inRevision) {
			for _, a := range asked {
				if a.method == "server/discover" && c.revision < "2026" || name == "not alike" && a.method == "resources/read" {
					continue
				}
				var r struct {
					TTL   *int64 `json:"ttlMs"`
					Scope string `json:"cacheScope"`
				}
				text := resultOf(t, c.one(a.method, a.params))
				if err := json.Unmarshal([]byte(text), &r); err != nil {
					t.Fatal(err)
				}
				if c.revision < "2026" {
					if r.TTL != nil || r.Scope != "" {
						t.Errorf("%s in %s: %s", a.method, c.revision, text)
					}
					continue
				}
				spec.Holds(t, "S278", "S279", "S280", "S281", "S282", "S283", "S284")
				if r.TTL == nil || *r.TTL < 0 || r.Scope != "public" && r.Scope != "private" {
					t.Errorf("%s: %s", a.method, text)
				}
				// Results that depend on the client are private to it.
				spec.Holds(t, "S286", "S287")
				if name == "not alike" && strings.HasSuffix(a.method, "/list") && r.Scope != "private" {
					t.Errorf("%s of a list that differs: %s", a.method, text)
				}
			}
		}, option)
	}
}

// All pages of a list may be kept by the same caches.
func TestHintsOfPages(t *testing.T) {
	for _, option := range []mcp.Option{quiet, mcp.WithAccess(mcp.Visible(func(context.Context, mcp.FeatureInfo) bool { return true }))} {
		synctest.Test(t, func(t *testing.T) {
			c, s := clientIn(t, "2026-07-28", option, mcp.WithLimits(mcp.Limits{PageSize: 3}))
			for i := range 20 {
				tool(s, fmt.Sprint("tool", i), func(ctx context.Context) (string, error) { return "", nil })
			}
			c.dial(t, s)
			defer c.hangUp()
			scopes, params := map[string]bool{}, ""
			for range 7 {
				var r struct{ CacheScope, NextCursor string }
				if err := json.Unmarshal([]byte(resultOf(t, c.one("tools/list", params))), &r); err != nil {
					t.Fatal(err)
				}
				scopes[r.CacheScope] = true
				params = fmt.Sprintf(`"cursor":%q`, r.NextCursor)
			}
			spec.Holds(t, "S285")
			if len(scopes) != 1 || scopes[""] {
				t.Errorf("the scopes are %v", scopes)
			}
		})
	}
}

// Whatever code an author returns, clients of 2026-07-28 get none that the specification reserves
// for itself or for older revisions.
func TestCodesOfAuthors(t *testing.T) {
	var codes []int
	for code := -32100; code <= -31990; code++ {
		codes = append(codes, code)
	}
	codes = append(codes, -32768, -32700, -32603, -32602, -32601, -32600, -1, 0, 1, 429)
	code := 0
	inEveryRevision(t, func(s *mcp.Server) {
		s.Register(resourceOf("test://fails", func() (*mcp.ResourceResult, error) { return nil, &mcp.ProtocolError{Code: code, Message: "refused"} }))
	}, func(t *testing.T, c *inRevision) {
		for _, code = range codes {
			var e struct{ Code int }
			if err := json.Unmarshal(membersOf(t, c.one("resources/read", `"uri":"test://fails"`))["error"], &e); err != nil {
				t.Fatal(err)
			}
			standard := slices.Contains([]int{-32700, -32600, -32601, -32602, -32603}, e.Code)
			spec.Holds(t, "S025", "S026", "S027", "S028", "S029")
			if c.revision >= "2026" && !standard && e.Code >= -32768 && e.Code <= -32000 {
				t.Errorf("%d becomes %d", code, e.Code)
			}
			if (code > -32000 || code < -32768) && e.Code != code {
				t.Errorf("%d, which is the author's, becomes %d", code, e.Code)
			}
		}
	})
}

// A schema's reference to the network is not followed: neither when the tool is registered, nor
// listed, nor called.
func TestSchemasAreNotFetched(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	asked := make(chan struct{}, 10)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			asked <- struct{}{}
			_ = conn.Close()
		}
	}()
	far := "http://" + l.Addr().String() + "/schema.json"
	s := mcp.NewServer(fixtureInfo(), quiet)
	s.Register(mcp.NewTool(mcp.ToolInfo{
		Name: "far", InputSchema: `{"$schema":"` + far + `","type":"object","properties":{"a":{"$ref":"` + far + `"}}}`,
		OutputSchema: `{"type":"object","$ref":"` + far + `"}`,
	}, func(context.Context, json.RawMessage) (*mcp.ToolResult, error) {
		return &mcp.ToolResult{Structured: json.RawMessage(`{"a":1}`)}, nil
	}))
	client := connect(t, s)
	for _, text := range []string{request(1, "tools/list", "{}"), call(2, "far", `{"a":{}}`)} {
		if got := client(text); !strings.Contains(got, `"result"`) {
			t.Errorf("got %s", got)
		}
	}
	_ = l.Close()
	<-ended
	spec.Holds(t, "S040")
	if len(asked) != 0 {
		t.Errorf("%d connections were made", len(asked))
	}
}

// A text block contains the structured content, too, as the same JSON.
func TestStructuredContentIsText(t *testing.T) {
	for _, revision := range everyRevision[2:] {
		synctest.Test(t, func(t *testing.T) {
			c, s := clientIn(t, revision)
			register(s)
			s.Register(mcp.NewTool(mcp.ToolInfo{Name: "object"}, func(context.Context, json.RawMessage) (*mcp.ToolResult, error) {
				return &mcp.ToolResult{Structured: json.RawMessage(`{"a":1,"b":["<x>"]}`)}, nil
			}))
			c.dial(t, s)
			defer c.hangUp()
			for _, params := range []string{`"name":"object"`, `"name":"add","arguments":{"a":1,"b":2}`, `"name":"words","arguments":{"n":2}`} {
				var r struct {
					Content           []struct{ Type, Text string }
					StructuredContent json.RawMessage
				}
				text := resultOf(t, c.one("tools/call", params))
				if err := json.Unmarshal([]byte(text), &r); err != nil {
					t.Fatal(err)
				}
				spec.Holds(t, "S208")
				if len(r.StructuredContent) == 0 || len(r.Content) != 1 || r.Content[0].Text != string(r.StructuredContent) {
					t.Errorf("%s in %s: %s", params, revision, text)
				}
			}
		})
	}
}

// Completions contain all values of the function in its order; of enumerated values they contain
// the ones that begin with the typed text.
func TestOrderOfCompletions(t *testing.T) {
	inEveryRevision(t, func(s *mcp.Server) {
		s.Register(mcp.NewPrompt(mcp.PromptInfo{Name: "p", Arguments: []mcp.PromptArgument{{Name: "x", Complete: func(_ context.Context, value string, _ map[string]string) (mcp.Completion, error) {
			return mcp.Completion{Values: []string{"best for " + value, "a second", "Zebra", "another"}}, nil
		}}}}, func(context.Context, map[string]string) (*mcp.PromptResult, error) { return mcp.PromptText(""), nil }))
	}, func(t *testing.T, c *inRevision) {
		spec.Holds(t, "S253", "S254")
		got := c.one("completion/complete", `"ref":{"type":"ref/prompt","name":"p"},"argument":{"name":"x","value":"ze"}`)
		if !strings.Contains(got, `"values":["best for ze","a second","Zebra","another"]`) {
			t.Errorf("%s", got)
		}
	})
}

// Log messages of a call reach only the client that has called.
func TestLogsOfOthers(t *testing.T) {
	inEveryRevision(t, func(s *mcp.Server) {}, func(t *testing.T, c *inRevision) {
		other, s := clientIn(t, c.revision)
		tool(s, "say", func(ctx context.Context) (string, error) {
			mcp.Logger(ctx).Error("said")
			return "", nil
		})
		other.dial(t, s)
		defer other.hangUp()
		caller, _ := clientIn(t, c.revision)
		caller.dial(t, s)
		defer caller.hangUp()
		text := request(9, "tools/call", `{"name":"say"}`)
		if c.revision >= "2026" {
			text = request(9, "tools/call", `{"name":"say","_meta":{`+strings.TrimSuffix(strings.TrimPrefix(modernMeta, `"_meta":{`), "}")+`,"io.modelcontextprotocol/logLevel":"debug"}}`)
		}
		caller.send(text + "\n")
		synctest.Wait()
		spec.Holds(t, "S264", "S272")
		if said := caller.received(); len(said) != 2 || !strings.Contains(said[0], `"data":"said"`) {
			t.Errorf("who has called hears %q", said)
		}
		if said := other.received(); len(said) != 0 {
			t.Errorf("another client hears %q", said)
		}
	})
}
