package mcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/mcpgen/mcpgen/internal/proof/spec"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpimpl"
)

func panicOf(f func()) (text string) {
	defer func() {
		if p := recover(); p != nil {
			text = fmt.Sprint(p)
		}
	}()
	f()
	return ""
}

// described contains a description for features of every kind.
type described struct {
	icons       []mcp.Icon
	meta        mcp.Meta
	mime        string
	annotations *mcp.Annotations
}

// register adds a feature of a kind with that description.
func (d *described) register(s *mcp.Server, kind mcp.FeatureKind) {
	none := func(context.Context, string) (*mcp.ResourceResult, error) { return nil, nil }
	switch kind {
	case mcp.KindTool:
		s.Register(mcp.NewTool(mcp.ToolInfo{Name: "a", Icons: d.icons, Meta: d.meta}, func(context.Context, json.RawMessage) (*mcp.ToolResult, error) { return nil, nil }))
	case mcp.KindPrompt:
		s.Register(mcp.NewPrompt(mcp.PromptInfo{Name: "a", Icons: d.icons, Meta: d.meta}, func(context.Context, map[string]string) (*mcp.PromptResult, error) { return nil, nil }))
	case mcp.KindResource:
		s.Register(mcp.NewResource(mcp.ResourceInfo{URI: "a:b", Name: "a", Icons: d.icons, Meta: d.meta, MIMEType: d.mime, Annotations: d.annotations}, none))
	case mcp.KindTemplate:
		s.Register(mcp.NewTemplate(mcp.TemplateInfo{URITemplate: "a:b{c}", Name: "a", Icons: d.icons, Meta: d.meta, MIMEType: d.mime, Annotations: d.annotations, List: func(context.Context) ([]mcp.ResourceInfo, error) {
			return []mcp.ResourceInfo{{URI: "a:bd", Icons: d.icons, Meta: d.meta, MIMEType: d.mime, Annotations: d.annotations}}, nil
		}}, func(context.Context, string, map[string]string) (*mcp.ResourceResult, error) { return nil, nil }))
	}
}

var listOf = map[mcp.FeatureKind]string{
	mcp.KindTool: "tools/list", mcp.KindPrompt: "prompts/list", mcp.KindResource: "resources/list", mcp.KindTemplate: "resources/templates/list",
}

// Descriptions of features are checked when they are registered, so that lists never contain
// anything that the specification does not allow.
func TestDescriptions(t *testing.T) {
	spec.Holds(t, "S045", "S046")
	wrong := map[string]described{
		"javascript: as icon":  {icons: []mcp.Icon{{Source: "javascript:x"}}},
		"no icon":              {icons: []mcp.Icon{{}}},
		"a wrong theme":        {icons: []mcp.Icon{{Source: "https://example.com/x", Theme: "grey"}}},
		"a wrong size":         {icons: []mcp.Icon{{Source: "https://example.com/x", Sizes: []string{"big"}}}},
		"a wrong key":          {meta: withMeta("a!", "1")},
		"a reserved key":       {meta: withMeta("io.modelcontextprotocol/x", "1")},
		"a value of no JSON":   {meta: withMeta("a", "x")},
		"a wrong MIME type":    {mime: "json"},
		"a robot as audience":  {annotations: &mcp.Annotations{Audience: []mcp.Role{"robot"}}},
		"a priority too large": {annotations: &mcp.Annotations{Priority: new(2.0)}},
	}
	right := map[string]described{
		"nothing": {},
		"all": {
			icons: []mcp.Icon{{Source: "data:image/png;base64,aGk="}, {Source: "https://example.com/x", Sizes: []string{"any"}, Theme: "light", MIMEType: "image/svg+xml"}},
			meta:  mcp.Meta{"com.example/a": json.RawMessage(" 1\n"), "mx": json.RawMessage(`{"a":1}`)},
			mime:  "text/plain; charset=utf-8", annotations: &mcp.Annotations{Priority: new(1.0)},
		},
	}
	for kind, list := range listOf {
		file := kind == mcp.KindResource || kind == mcp.KindTemplate
		for name, d := range wrong {
			if !file && (d.mime != "" || d.annotations != nil) {
				continue
			}
			_, s := clientIn(t, "2025-11-25")
			if said := panicOf(func() { d.register(s, kind) }); !strings.HasPrefix(said, "mcp: "+string(kind)+` "a": `) {
				t.Errorf("%s with %s: panic %q", kind, name, said)
			}
		}
		for name, d := range right {
			for _, revision := range everyRevision {
				t.Run(fmt.Sprint(kind, " with ", name, " in ", revision), func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						c, s := clientIn(t, revision)
						d.register(s, kind)
						c.dial(t, s)
						defer c.hangUp()
						lists := []string{list}
						if kind == mcp.KindTemplate {
							lists = append(lists, "resources/list") // resources that a function lists
						}
						for _, list := range lists {
							if said := c.ask(list, ""); len(said) != 1 || !strings.Contains(said[0], `"a`) {
								t.Errorf("%s: %q", list, said)
							}
						}
					})
				})
			}
		}
	}
}

// A function that lists resources is called for each list: resources with invalid descriptions are
// left out, and logged.
func TestListedDescriptions(t *testing.T) {
	for name, info := range map[string]mcp.ResourceInfo{
		"MIME type":       {MIMEType: "x"},
		"from 0 to 1":     {Annotations: &mcp.Annotations{Priority: new(-1.0)}},
		"https: or data:": {Icons: []mcp.Icon{{Source: "ftp://example.com/x"}}},
		"wrong name":      {Meta: withMeta("a/b/c", "1")},
	} {
		synctest.Test(t, func(t *testing.T) {
			c, s := clientIn(t, "2026-07-28")
			info.URI = "a:bad"
			s.Register(mcp.NewTemplate(mcp.TemplateInfo{URITemplate: "a:{b}", Name: "a", List: func(context.Context) ([]mcp.ResourceInfo, error) {
				return []mcp.ResourceInfo{info, {URI: "a:good"}}, nil
			}}, func(context.Context, string, map[string]string) (*mcp.ResourceResult, error) { return nil, nil }))
			c.dial(t, s)
			defer c.hangUp()
			said := c.ask("resources/list", "")
			if len(said) != 1 || strings.Contains(said[0], "a:bad") || !strings.Contains(said[0], "a:good") {
				t.Errorf("%s: %q", name, said)
			}
			if !strings.Contains(c.logged.String(), name) {
				t.Errorf("the log does not say %q: %s", name, c.logged)
			}
		})
	}
}

func TestSchemasThatAreNone(t *testing.T) {
	spec.Holds(t, "S037", "S039", "S201")
	call := func(context.Context, json.RawMessage) (*mcp.ToolResult, error) { return nil, nil }
	for _, test := range []struct{ input, output, says string }{
		{`[]`, ``, "input schema"}, {`{"type":"string"}`, ``, "input schema"}, {`{"type":"object","properties":{"a":[]}}`, ``, "input schema"},
		{`{"type":"object","required":{}}`, ``, "input schema"}, {`{"type":"object"`, ``, "input schema"}, {`{"type":"object","type":"object"}`, ``, "input schema"},
		{`{"type":"object"}`, `true`, "output schema"}, {`{"type":"object"}`, `[]`, "output schema"}, {`{"type":"object"}`, `{"$schema":{}}`, "output schema"},
		{`{"type":"object"}`, `{`, "output schema"},
	} {
		said := panicOf(func() {
			mcp.NewTool(mcp.ToolInfo{Name: "a", InputSchema: test.input, OutputSchema: test.output}, call)
		})
		if !strings.Contains(said, test.says) {
			t.Errorf("%s, %s: panic %q", test.input, test.output, said)
		}
	}
}

func TestServerThatIsNotWellDescribed(t *testing.T) {
	for _, info := range []mcp.ServerInfo{
		{Website: "example.com"}, {Website: "https://example.com/a b"}, {Icons: []mcp.Icon{{Source: "x"}}}, {Icons: []mcp.Icon{{Source: "file:///x"}}},
	} {
		info.Name = "a"
		if said := panicOf(func() { mcp.NewServer(info) }); !strings.HasPrefix(said, `mcp: info of server "a": `) {
			t.Errorf("%+v: panic %q", info, said)
		}
	}
}

// Names of extensions are keys with a prefix, including reserved prefixes.
func TestExtensionNames(t *testing.T) {
	spec.Holds(t, "S078")
	for name, ok := range map[string]bool{
		"com.example/x": true, "io.modelcontextprotocol/ui": true, "x/y": true, "a-b.c1/x_y.z-1": true,
		"-bad-/key!": false, "com..example/x": false, "com.example/": false, "/x": false, "x": false, "com.example/x/y": false,
		"1com/x": false, "com.example-/x": false, "com.example/_x": false, "com.exämple/x": false, ".com/x": false,
	} {
		if said := panicOf(func() { mcp.WithExtension(mcp.Extension{Name: name}) }); (said == "") != ok {
			t.Errorf("%s: panic %q", name, said)
		}
	}
}

// Keys below a reserved prefix are allowed only for servers with an extension that has the prefix.
func TestKeysOfExtensions(t *testing.T) {
	for _, test := range []struct {
		extension, key string
		sent           bool
	}{
		{"io.modelcontextprotocol/ui", "io.modelcontextprotocol/view", true},
		{"io.modelcontextprotocol/ui", "io.modelcontextprotocol/serverInfo", false},
		{"io.modelcontextprotocol/ui", "io.modelcontextprotocol.api/view", false},
		{"com.example/ui", "io.modelcontextprotocol/view", false},
	} {
		synctest.Test(t, func(t *testing.T) {
			c, s := clientIn(t, "2026-07-28", mcp.WithExtension(mcp.Extension{Name: test.extension}))
			s.Register(mcpimpl.FuncTool(empty("try", false), func(context.Context, *mcp.Request) (*mcp.ToolResult, error) {
				return &mcp.ToolResult{Content: []mcp.Content{mcp.Text{Meta: withMeta(test.key, "1")}}}, nil
			}))
			c.dial(t, s)
			defer c.hangUp()
			if said := c.ask("tools/call", `"name":"try"`); strings.Contains(said[0], test.key+`":1`) != test.sent {
				t.Errorf("%s of %s: %s", test.key, test.extension, said[0])
			}
		})
	}
}

const identity = `"io.modelcontextprotocol/serverInfo":{"name":"fixture","title":"Fixture","version":"1.2.3"}`

// Results that authors compose, of methods of extensions and of interceptors, contain the members
// of every result, once, and no members that are not allowed.
func TestResultsByHand(t *testing.T) {
	spec.Holds(t, "S005", "S045", "S046", "S053")
	for _, test := range []struct{ object, sent string }{
		{``, `{"resultType":"complete","_meta":{` + identity + `}}`},
		{`{"a":1}`, `{"a":1,"resultType":"complete","_meta":{` + identity + `}}`},
		{`{"_meta":{}}`, `{"resultType":"complete","_meta":{` + identity + `}}`},
		{`{"_meta":{"com.example/x":[ ]},"a":1}`, `{"a":1,"resultType":"complete","_meta":{` + identity + `,"com.example/x":[]}}`},
		{`{"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"other","version":"2"}}}`, `{"resultType":"complete","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"other","version":"2"}}}`},
		{`{"resultType":"task"}`, `{"resultType":"task","_meta":{` + identity + `}}`},
		{`{"\u005fmeta":{"com.example/x":1}}`, `{"resultType":"complete","_meta":{` + identity + `,"com.example/x":1}}`},
		{`{"_meta":{"-bad-/key!":1}}`, ``},
		{`{"_meta":{"io.modelcontextprotocol/serverInfo":1}}`, ``},
		{`{"_meta":{"io.modelcontextprotocol/subscriptionId":1}}`, ``},
		{`{"_meta":[]}`, ``}, {`{"_meta":null}`, ``}, {`{"resultType":1}`, ``}, {`{"resultType":"input_required"}`, ``},
		{`[]`, ``}, {`null`, ``}, {`{"a":1,"a":2}`, ``}, {`{"_meta":{"a":1,"a":2}}`, ``}, {`{`, ``}, {"{}\n{}", ``},
	} {
		for _, way := range []string{"extension", "interceptor"} {
			synctest.Test(t, func(t *testing.T) {
				object := json.RawMessage(test.object)
				c, s := clientIn(t, "2026-07-28",
					mcp.WithExtension(mcp.Extension{Name: "com.example/x", Methods: map[string]mcp.ExtensionFunc{
						"search/run": func(context.Context, *mcp.Request) (json.RawMessage, error) { return object, nil },
					}}),
					mcp.WithInterceptors(func(next mcp.Handler) mcp.Handler {
						return func(ctx context.Context, req *mcp.Request) (mcp.Reply, error) {
							if way == "interceptor" {
								return &mcp.RawReply{JSON: object}, nil
							}
							return next(ctx, req)
						}
					}))
				c.dial(t, s)
				defer c.hangUp()
				said := c.ask("search/run", "")
				if len(said) != 1 {
					t.Fatalf("the server has said %q", said)
				}
				if test.sent == "" {
					if !strings.Contains(said[0], "internal error, reference") {
						t.Errorf("%s by an %s: %s", test.object, way, said[0])
					}
					return
				}
				if want := `{"jsonrpc":"2.0","id":1,"result":` + test.sent + `}`; said[0] != want {
					t.Errorf("%s by an %s:\n%s\nwant\n%s", test.object, way, said[0], want)
				}
			})
		}
	}
}

// Only tools, prompts and resources can answer with questions, and only they themselves.
func TestInterceptorsDoNotAsk(t *testing.T) {
	spec.Holds(t, "S290")
	question := &mcp.InputRequired{Questions: map[string]mcp.Question{"q": mcp.RootsQuestion()}}
	var kept mcp.Reply // of another request
	for _, revision := range everyRevision {
		for _, method := range []string{"tools/list", "tools/call", "prompts/get", "resources/read", "completion/complete", "ping", "server/discover", "no/such"} {
			for name, answer := range map[string]func() (mcp.Reply, error){
				"a reply":       func() (mcp.Reply, error) { return question, nil },
				"an empty one":  func() (mcp.Reply, error) { return &mcp.InputRequired{}, nil },
				"a nil one":     func() (mcp.Reply, error) { return (*mcp.InputRequired)(nil), nil },
				"an error":      func() (mcp.Reply, error) { return nil, fmt.Errorf("ask: %w", question) },
				"one kept from": func() (mcp.Reply, error) { return kept, nil },
			} {
				synctest.Test(t, func(t *testing.T) {
					asks := false
					c, s := clientIn(t, revision, mcp.WithInterceptors(func(next mcp.Handler) mcp.Handler {
						return func(ctx context.Context, req *mcp.Request) (mcp.Reply, error) {
							if asks {
								return answer()
							}
							reply, err := next(ctx, req)
							if asked, ok := reply.(*mcp.InputRequired); ok {
								kept = asked
							}
							return reply, err
						}
					}))
					tool(s, "try", func(context.Context) (string, error) { return "", question })
					c.dial(t, s)
					defer c.hangUp()
					if kept = question; revision == "2026-07-28" {
						c.ask("tools/call", `"name":"try"`)
					}
					asks = true
					said := c.ask(method, `"name":"try","uri":"a:b","ref":{"type":"ref/prompt","name":"try"},"argument":{"name":"a","value":""}`)
					if len(said) != 1 || strings.Contains(said[0], "inputRequests") || strings.Contains(said[0], "requestState") {
						t.Fatalf("%s to %s in %s: %q", name, method, revision, said)
					}
					if !strings.Contains(c.logged.String(), "only functions of tools, prompts and resources can") {
						t.Errorf("%s to %s in %s is not logged: %s, %s", name, method, revision, said, c.logged)
					}
				})
			}
		}
	}
}

// The error names all capabilities that a client lacks for the questions of one round.
func TestAllThatIsMissing(t *testing.T) {
	spec.Holds(t, "S051", "S338", "S339")
	synctest.Test(t, func(t *testing.T) {
		s := mcp.NewServer(fixtureInfo())
		questions := map[string]mcp.Question{
			"form": mcp.FormQuestion[sure]("Sure?"), "link": mcp.URLQuestion("x", "https://example.com"), "roots": mcp.RootsQuestion(),
			"model": &mcp.SampleRequest{Messages: []mcp.SampleMessage{mcp.UserMessage("x")}, Tools: []mcp.SampleTool{{Name: "x"}}, Context: mcp.ContextThisServer},
			"again": mcp.RootsQuestion(),
		}
		var failed error
		tool(s, "try", func(context.Context) (string, error) { return "", &mcp.InputRequired{Questions: questions} })
		tool(s, "wrapped", func(context.Context) (string, error) {
			failed = errors.Join(&mcp.InputRequired{Questions: questions})
			return "", failed
		})
		p := dial(t, s, "memory")
		defer p.hangUp()
		for _, test := range []struct{ has, lacks string }{
			{`{}`, `{"elicitation":{"url":{}},"roots":{},"sampling":{"tools":{},"context":{}}}`},
			{`{"elicitation":{}}`, `{"elicitation":{"url":{}},"roots":{},"sampling":{"tools":{},"context":{}}}`},
			{`{"elicitation":{"form":{},"url":{}},"sampling":{"tools":{}}}`, `{"roots":{},"sampling":{"context":{}}}`},
			{`{"elicitation":{"url":{}},"sampling":{"tools":{},"context":{}},"roots":{}}`, `{"elicitation":{}}`},
		} {
			for _, name := range []string{"try", "wrapped"} {
				p.send(request(1, "tools/call", `{"name":"`+name+`","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":`+test.has+`}}`) + "\n")
				synctest.Wait()
				said := p.received()
				if len(said) != 1 || !strings.Contains(said[0], `"code":-32021`) || !strings.HasSuffix(said[0], `"data":{"requiredCapabilities":`+test.lacks+`}}}`) {
					t.Errorf("%s with %s: %q", name, test.has, said)
				}
			}
		}
	})
}

// Errors that are not read by a model are one line.
func TestErrorsOfOneLine(t *testing.T) {
	spec.Holds(t, "S022")
	s := newLibrary(quiet)
	ask := asker(t, s)
	for _, params := range []string{
		`"name":"greet","arguments":{"name":"Ann","times":"9","style":"x"}`, `"name":"greet","arguments":{"name":"Ann","times":"no","style":"a\nb"}`,
		`"name":"greet","arguments":{"a":"1","b":"2"}`,
	} {
		said := ask(request(1, "prompts/get", "{"+modernMeta+","+params+"}"))
		var reply struct {
			Error struct{ Message string }
		}
		if err := json.Unmarshal([]byte(said), &reply); err != nil || reply.Error.Message == "" || strings.Contains(reply.Error.Message, "\n") {
			t.Errorf("%s: %v, %s", params, err, said)
		}
	}
}

// Only file: URIs are roots.
func TestRootsAreFiles(t *testing.T) {
	spec.Holds(t, "S348")
	synctest.Test(t, func(t *testing.T) {
		c, s := clientIn(t, "2025-11-25")
		var got []mcp.Root
		tool(s, "try", func(ctx context.Context) (text string, err error) {
			got, err = mcp.Roots(ctx)
			return "", err
		})
		c.dial(t, s)
		defer c.hangUp()
		c.ask("tools/call", `"name":"try"`)
		c.send(`{"jsonrpc":"2.0","id":1,"result":{"roots":[{"uri":"https://example.com/"},{"uri":"FILE:///b"},{"uri":"x"},{"uri":"file:///a","name":"A"}]}}` + "\n")
		synctest.Wait()
		if len(got) != 2 || got[0].URI != "FILE:///b" || got[1] != (mcp.Root{URI: "file:///a", Name: "A"}) {
			t.Errorf("the roots are %v", got)
		}
	})
}

// Keys that only revision 2025-06-18 reserves are left out there, in every place.
func TestKeysThatWereReserved(t *testing.T) {
	for _, revision := range everyRevision {
		for key, reserved := range map[string]bool{"mcp.dev/a": true, "com.example.mcp.tools/a": true, "com.example.mcp/a": false, "mcp/a": false} {
			synctest.Test(t, func(t *testing.T) {
				c, s := clientIn(t, revision)
				info := empty("try", false)
				info.Meta = withMeta(key, "1")
				s.Register(mcpimpl.FuncTool(info, func(context.Context, *mcp.Request) (*mcp.ToolResult, error) {
					return &mcp.ToolResult{Content: []mcp.Content{mcp.Text{Text: "x"}}, Meta: mcp.Meta{key: json.RawMessage("1"), "com.example/b": json.RawMessage("2")}}, nil
				}))
				c.dial(t, s)
				defer c.hangUp()
				said := c.ask("tools/call", `"name":"try"`)[0]
				sent := revision != "2025-06-18" || !reserved
				if strings.Contains(said, key) != sent || !strings.Contains(said, `"com.example/b":2`) {
					t.Errorf("%s in %s: %s", key, revision, said)
				}
				listed := sent && revision >= "2025-06-18" // features have no _meta before
				if said := c.ask("tools/list", "")[0]; strings.Contains(said, key) != listed {
					t.Errorf("%s in %s: %s", key, revision, said)
				}
			})
		}
	}
}
