package mcp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/internal/proof/spec"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpimpl"
)

// everyRevision contains all revisions that are served.
var everyRevision = []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"}

const fullCapabilities = `{"elicitation":{"form":{},"url":{}},"sampling":{"tools":{},"context":{}},"roots":{}}`

// inRevision is a client of a revision with all capabilities. Like every peer it validates the
// messages that it receives.
type inRevision struct {
	*peer
	revision string
	logged   *bytes.Buffer
	level    string // level of log messages, for requests without a session
	id       int
}

// clientIn returns a client of the revision and the server that it talks to.
func clientIn(t *testing.T, revision string, options ...mcp.Option) (*inRevision, *mcp.Server) {
	logged := new(bytes.Buffer)
	options = append([]mcp.Option{mcp.WithLogger(slog.New(slog.NewTextHandler(logged, &slog.HandlerOptions{Level: slog.LevelDebug})))}, options...)
	s := mcp.NewServer(fixtureInfo(), options...)
	return &inRevision{revision: revision, logged: logged}, s
}

// dial connects it.
func (c *inRevision) dial(t *testing.T, s *mcp.Server) {
	c.peer = dial(t, s, "memory")
	if c.revision < "2026" {
		c.ask("initialize", `"protocolVersion":"`+c.revision+`","capabilities":`+fullCapabilities+`,"clientInfo":{"name":"c","version":"1"}`)
		c.send(initialized + "\n")
		synctest.Wait()
	}
}

// ask sends a request, and returns the messages of the server once it is idle.
func (c *inRevision) ask(method, members string) []string {
	if c.revision >= "2026" {
		meta := `"_meta":{"io.modelcontextprotocol/protocolVersion":"` + c.revision + `","io.modelcontextprotocol/clientCapabilities":` + fullCapabilities + `,"progressToken":"p"`
		if c.level != "" {
			meta += `,"io.modelcontextprotocol/logLevel":"` + c.level + `"`
		}
		meta += "}"
		if members = meta + "," + members; strings.HasSuffix(members, ",") {
			members = meta
		}
	} else if method == "tools/call" {
		members = `"_meta":{"progressToken":"p"},` + members
	}
	c.id++
	text := request(c.id, method, "{"+members+"}")
	c.send(text + "\n")
	synctest.Wait()
	return c.received()
}

// authored is a value that an author sets for a message.
type authored struct {
	name string
	// says is the text in the log, or "" for a value that is sent.
	says string
	// from is the first revision in which the value is sent, or "" for all.
	from    string
	tool    func(ctx context.Context) (*mcp.ToolResult, error)
	prompt  *mcp.PromptResult
	content *mcp.ResourceResult
}

func inTool(c ...mcp.Content) func(context.Context) (*mcp.ToolResult, error) {
	return func(context.Context) (*mcp.ToolResult, error) { return mcp.ContentResult(c...), nil }
}

func withMeta(key, value string) mcp.Meta { return mcp.Meta{key: json.RawMessage(value)} }

// Values of authors that a revision does not allow are refused, whatever carries them, and allowed
// values are sent as the official schemas require.
func TestAuthored(t *testing.T) {
	spec.Holds(t, "S214", "S237", "S238", "S239", "S240", "S247")
	note := func(a mcp.Annotations) mcp.Content { return mcp.Text{Text: "x", Annotations: &a} }
	link := func(change func(*mcp.ResourceLink)) mcp.Content {
		l := mcp.ResourceLink{URI: "file:///a", Name: "a"}
		change(&l)
		return l
	}
	embedded := func(uri, mime string) mcp.Content { return mcp.EmbeddedResource{URI: uri, MIMEType: mime, Text: "x"} }
	var cases []authored
	block := func(name, says string, c mcp.Content) {
		cases = append(cases,
			authored{name: name + " of a tool", says: says, tool: inTool(mcp.Text{Text: "before"}, c)},
			authored{name: name + " of a prompt", says: says, prompt: mcp.PromptMessages(mcp.FromUser(c))})
	}
	block("an embedded resource without a URI", "has no URI", embedded("", "text/plain"))
	block("an embedded resource with a word", "not an absolute URI", embedded("word", "text/plain"))
	block("an embedded resource with a space", "percent-encoded", embedded("file:///a b", "text/plain"))
	block("an embedded resource with a wrong host", "authority", embedded("http://[::x]/", "text/plain"))
	block("an embedded resource of no type", "MIME type", embedded("file:///a", "picture"))
	block("an embedded resource without a type", "", embedded("file:///a", ""))
	block("an embedded blob without a type", "", mcp.EmbeddedResource{URI: "file:///a", Blob: []byte{}})
	block("an embedded resource with parameters", "", embedded("ui://a", "text/html;profile=mcp-app"))
	block("a long data: URI", "", embedded("data:text/plain,"+strings.Repeat("x", 20_000), "text/plain; charset=utf-8"))
	block("a link to a word", "not an absolute URI", link(func(l *mcp.ResourceLink) { l.URI = "not a uri" }))
	block("a link without a name", "no name", link(func(l *mcp.ResourceLink) { l.Name = "" }))
	block("a link of no type", "MIME type", link(func(l *mcp.ResourceLink) { l.MIMEType = "text/" }))
	block("a link", "", link(func(l *mcp.ResourceLink) { l.MIMEType, l.Size = "text/x-rust", -1 }))
	for says, icon := range map[string]mcp.Icon{
		"has no URI":                {},
		"https: or data:":           {Source: "javascript:alert(1)"},
		"an icon has the MIME type": {Source: "https://example.com/a", MIMEType: "png"},
		"the size":                  {Source: "https://example.com/a", Sizes: []string{"48"}},
		"the theme":                 {Source: "https://example.com/a", Theme: "blue"},
		"":                          {Source: "data:image/png;base64,aGk=", MIMEType: "image/png", Sizes: []string{"any", "48x48"}, Theme: "dark"},
	} {
		block("a link with an icon "+says, says, link(func(l *mcp.ResourceLink) { l.Icons = []mcp.Icon{icon} }))
	}
	block("a block that was received", `of type "hologram" was received`, mcp.RawContent{Type: "hologram", JSON: json.RawMessage(`{"type":"hologram"}`)})
	block("an embedded resource with metadata", "", mcp.EmbeddedResource{URI: "file:///a", Meta: withMeta("com.example/a", "1"), ResourceMeta: withMeta("com.example/b", "2")})
	cases = append(cases, authored{
		name: "an embedded resource with a wrong key", says: "wrong name", from: "2025-06-18",
		tool: inTool(mcp.EmbeddedResource{URI: "file:///a", ResourceMeta: withMeta("a!", "1")}),
	})
	block("a picture of no type", "MIME type", mcp.Image{MIMEType: "picture"})
	block("a picture with a line", "MIME type", mcp.Image{MIMEType: "image/png\n"})
	block("a picture", "", mcp.Image{Data: []byte("x"), MIMEType: "image/svg+xml"})
	block("a picture without a type", "", mcp.Image{Data: []byte("x")})
	block("a sound of no type", "MIME type", mcp.Audio{MIMEType: "audio"})
	block("a sound", "", mcp.Audio{Data: []byte("x"), MIMEType: "audio/ogg; codecs=opus"})
	block("a robot as audience", "neither user nor assistant", note(mcp.Annotations{Audience: []mcp.Role{"robot"}}))
	block("a priority above", "from 0 to 1", note(mcp.Annotations{Priority: new(1.5)}))
	block("a priority below", "from 0 to 1", note(mcp.Annotations{Priority: new(-0.5)}))
	block("no number as priority", "from 0 to 1", note(mcp.Annotations{Priority: new(math.NaN())}))
	block("an infinite priority", "from 0 to 1", note(mcp.Annotations{Priority: new(math.Inf(1))}))
	block("a far year", "four digits", note(mcp.Annotations{LastModified: time.Date(10_000, 1, 1, 0, 0, 0, 0, time.UTC)}))
	block("annotations", "", note(mcp.Annotations{Audience: []mcp.Role{mcp.RoleUser, mcp.RoleAssistant}, Priority: new(0.25), LastModified: time.Unix(0, 0)}))
	cases = append(cases, authored{name: "no content of a prompt", says: "message without content", prompt: mcp.PromptMessages(mcp.FromUser(nil))})
	for _, role := range []mcp.Role{"system", "User", "user "} {
		cases = append(cases, authored{name: "a prompt of " + string(role), says: "neither user nor assistant",
			prompt: mcp.PromptMessages(mcp.PromptMessage{Role: role, Content: mcp.Text{Text: "x"}})})
	}
	contents := func(name, says string, c mcp.ResourceContents) {
		cases = append(cases, authored{name: name, says: says, content: &mcp.ResourceResult{Contents: []mcp.ResourceContents{c}}})
	}
	contents("contents of a word", "not an absolute URI", mcp.ResourceContents{URI: "word"})
	contents("contents of no type", "MIME type", mcp.ResourceContents{MIMEType: "json"})
	contents("contents", "", mcp.ResourceContents{URI: "file:///part", MIMEType: "application/json", Text: "{}"})

	good := []mcp.Meta{
		withMeta("com.example/trace", "1"), withMeta("com.example.mcp/a", "1"), withMeta("x-1.y/", `"x"`), withMeta("mcp/a", "1"), withMeta("ui", "{}"),
		withMeta("a_b.c-d", "[]"), withMeta("traceparent", `"00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01"`), withMeta("tracestate", `"a=b, c=d"`),
		withMeta("mcp.dev/a", "1"), withMeta("com.example/x", " [1,\n2] "),
	}
	bad := []struct {
		says string
		meta mcp.Meta
	}{
		{"has a wrong prefix", withMeta("-bad-/key", "1")},
		{"has a wrong prefix", withMeta("com..example/x", "1")},
		{"has a wrong prefix", withMeta("/x", "1")},
		{"has a wrong prefix", withMeta("com.1example/x", "1")},
		{"has a wrong name", withMeta("com.example/key!", "1")},
		{"has a wrong name", withMeta("com.example/a/b", "1")},
		{"has a wrong name", withMeta("_x", "1")},
		{"belongs to the protocol", withMeta("io.modelcontextprotocol/serverInfo", "{}")},
		{"belongs to the protocol", withMeta("progressToken", "1")},
		{"the specification reserves", withMeta("io.modelcontextprotocol/x", "1")},
		{"the specification reserves", withMeta("dev.mcp/x", "1")},
		{"the specification reserves", withMeta("com.MCP.tools/x", "1")},
		{"the value of", withMeta("com.example/x", "{")},
		{"the value of", withMeta("com.example/x", "")},
		{"the form of W3C", withMeta("traceparent", `"00-0-0-00"`)},
		{"the form of W3C", withMeta("baggage", "5")},
		{"the form of W3C", withMeta("tracestate", `"é=1"`)},
	}
	metas := func(says string, m mcp.Meta) {
		key := fmt.Sprint(m)
		// Before revision 2025-06-18, blocks and contents have no metadata.
		cases = append(cases,
			authored{name: "a result with " + key, says: says, tool: func(context.Context) (*mcp.ToolResult, error) {
				return &mcp.ToolResult{Content: []mcp.Content{mcp.Text{}}, Meta: m}, nil
			}},
			authored{name: "a prompt with " + key, says: says, prompt: &mcp.PromptResult{Messages: []mcp.PromptMessage{mcp.FromUser(mcp.Text{})}, Meta: m}},
			authored{name: "a resource with " + key, says: says, content: &mcp.ResourceResult{Meta: m}},
			authored{name: "a block with " + key, says: says, from: "2025-06-18", tool: inTool(mcp.Text{Meta: m})},
			authored{name: "contents with " + key, says: says, from: "2025-06-18", content: &mcp.ResourceResult{Contents: []mcp.ResourceContents{{Meta: m}}}})
	}
	for _, m := range good {
		metas("", m)
	}
	for _, b := range bad {
		metas(b.says, b.meta)
	}
	structured := func(name, says, value string) {
		cases = append(cases, authored{name: name, says: says, tool: func(context.Context) (*mcp.ToolResult, error) {
			return &mcp.ToolResult{Structured: json.RawMessage(value)}, nil
		}})
	}
	structured("a key twice", "structured content", `{"a":1,"a":2}`)
	structured("no JSON", "structured content", `{`)
	structured("JSON on lines", "", "{\n\"a\": [1]\n}")
	structured("an array", "", `[1]`)

	for _, revision := range everyRevision {
		t.Run(revision, func(t *testing.T) {
			for _, a := range cases {
				if a.from > revision {
					continue
				}
				t.Run(a.name, func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) { testAuthored(t, revision, &a) })
				})
			}
		})
	}
}

func testAuthored(t *testing.T, revision string, a *authored) {
	c, s := clientIn(t, revision)
	var method, params string
	switch {
	case a.tool != nil:
		s.Register(mcpimpl.FuncTool(empty("try", false), func(ctx context.Context, _ *mcp.Request) (*mcp.ToolResult, error) { return a.tool(ctx) }))
		method, params = "tools/call", `"name":"try"`
	case a.prompt != nil:
		s.Register(mcp.NewPrompt(mcp.PromptInfo{Name: "try"}, func(context.Context, map[string]string) (*mcp.PromptResult, error) { return a.prompt, nil }))
		method, params = "prompts/get", `"name":"try"`
	default:
		s.Register(mcp.NewResource(mcp.ResourceInfo{URI: "test://try", Name: "try"}, func(context.Context, string) (*mcp.ResourceResult, error) { return a.content, nil }))
		method, params = "resources/read", `"uri":"test://try"`
	}
	c.dial(t, s)
	defer c.hangUp()
	said := c.ask(method, params)
	if len(said) != 1 {
		t.Fatalf("the server has said %q", said)
	}
	failed := strings.Contains(said[0], `internal error, reference`)
	if sent := a.says == ""; sent == failed {
		t.Errorf("the server has said %s", said[0])
	}
	if a.says != "" && !strings.Contains(strings.ReplaceAll(c.logged.String(), `\"`, `"`), a.says) {
		t.Errorf("the log does not say %q: %s", a.says, c.logged)
	}
}

// Questions that the specification does not allow are not asked: the function that would ask
// returns an error that names the problem. Allowed questions are asked as the official schemas
// require.
func TestAuthoredQuestions(t *testing.T) {
	spec.Holds(t, "S292", "S321", "S332", "S340", "S341", "S342", "S343", "S344")
	type asked struct {
		name, says, from string
		question         mcp.Question
	}
	var cases []asked
	sample := func(name, says, from string, change func(*mcp.SampleRequest)) {
		r := &mcp.SampleRequest{Messages: []mcp.SampleMessage{mcp.UserMessage("Hello?")}}
		change(r)
		cases = append(cases, asked{name, says, from, r})
	}
	messages := func(name, says string, m ...mcp.SampleMessage) {
		sample(name, says, "2025-11-25", func(r *mcp.SampleRequest) { r.Messages = append(r.Messages, m...) })
	}
	say := func(role mcp.Role, c ...mcp.SampleContent) mcp.SampleMessage {
		return mcp.SampleMessage{Role: role, Content: c}
	}
	use := func(id string) mcp.SampleContent { return mcp.ToolUse{ID: id, Name: "x"} }
	outcome := func(id string) mcp.SampleContent { return mcp.ToolOutcome{ID: id, Result: mcp.TextResult("1")} }
	user, assistant := mcp.RoleUser, mcp.RoleAssistant
	hello := mcp.Text{Text: "hello"}

	sample("system role", "neither user nor assistant", "", func(r *mcp.SampleRequest) { r.Messages[0].Role = "system" })
	sample("no role", "neither user nor assistant", "", func(r *mcp.SampleRequest) { r.Messages[0].Role = "" })
	sample("both roles", "", "", func(r *mcp.SampleRequest) { r.Messages = append(r.Messages, say(assistant, hello)) })
	sample("no number as temperature", "finite number", "", func(r *mcp.SampleRequest) { r.Temperature = new(math.NaN()) })
	sample("an infinite temperature", "finite number", "", func(r *mcp.SampleRequest) { r.Temperature = new(math.Inf(-1)) })
	sample("a wrong priority", "from 0 to 1", "", func(r *mcp.SampleRequest) { r.Preferences = &mcp.ModelPreferences{Speed: new(2.0)} })
	sample("no number as priority", "from 0 to 1", "", func(r *mcp.SampleRequest) { r.Preferences = &mcp.ModelPreferences{Cost: new(math.NaN())} })
	sample("preferences", "", "", func(r *mcp.SampleRequest) {
		r.Preferences = &mcp.ModelPreferences{Hints: []string{"small"}, Cost: new(0.0), Speed: new(1.0), Intelligence: new(0.5)}
		r.Temperature, r.MaxTokens, r.StopSequences = new(0.7), -3, []string{"."}
	})
	sample("a wrong context", "none, thisServer or allServers", "2025-11-25", func(r *mcp.SampleRequest) { r.Context = "mine" })
	sample("a picture of no type", "MIME type", "", func(r *mcp.SampleRequest) { r.Messages[0].Content = []mcp.SampleContent{mcp.Image{MIMEType: "x"}} })
	sample("a received block", `of type "hologram" was received`, "", func(r *mcp.SampleRequest) {
		r.Messages[0].Content = []mcp.SampleContent{mcp.RawContent{Type: "hologram"}}
	})
	messages("metadata", "", mcp.SampleMessage{Role: user, Content: []mcp.SampleContent{hello}, Meta: withMeta("com.example/a", "1")})
	messages("metadata with a wrong key", "wrong name", mcp.SampleMessage{Role: user, Content: []mcp.SampleContent{hello}, Meta: withMeta("a!", "1")})
	sample("a robot as audience", "neither user nor assistant", "", func(r *mcp.SampleRequest) {
		r.Messages[0].Content = []mcp.SampleContent{mcp.Text{Annotations: &mcp.Annotations{Audience: []mcp.Role{"robot"}}}}
	})
	messages("unanswered at the end", "no message with their results follows", say(assistant, use("1")))
	messages("unanswered", `the result of the tool use "1" in the message before is missing`, say(assistant, use("1")), say(user, hello))
	messages("half answered", `"2" in the message before is missing`, say(assistant, use("1"), use("2")), say(user, outcome("1")))
	messages("answered by the assistant", "in a message of the user", say(assistant, use("1")), say(assistant, outcome("1")))
	messages("mixed", "nothing else", say(assistant, use("1")), say(user, outcome("1"), hello))
	messages("unknown", "belongs to none", say(assistant, use("1")), say(user, outcome("1"), outcome("3")))
	messages("of no use", "belongs to none", say(user, outcome("1")))
	messages("late", "belongs to none", say(assistant, use("1")), say(user, outcome("1")), say(user, outcome("1")))
	messages("twice", "there twice", say(assistant, use("1"), use("1")), say(user, outcome("1")))
	messages("answered twice", "there twice", say(assistant, use("1")), say(user, outcome("1"), outcome("1")))
	messages("without an identifier", "no identifier", say(assistant, use("")), say(user, outcome("")))
	messages("used by the user", "only the assistant", say(user, use("1")), say(user, outcome("1")))
	messages("by pointers", "nothing else", say(assistant, &mcp.ToolUse{ID: "1", Name: "x"}), say(user, &mcp.ToolOutcome{ID: "1"}, &mcp.Text{}))
	messages("two rounds", "", say(assistant, hello, use("1"), use("2")), say(user, outcome("2"), outcome("1")), say(assistant, use("1")), say(user, outcome("1")), say(assistant, hello))
	messages("a result with a word as URI", "not an absolute URI", say(assistant, use("1")), say(user, mcp.ToolOutcome{ID: "1", Result: mcp.ContentResult(mcp.ResourceLink{URI: "x", Name: "x"})}))
	messages("a use with a wrong key", "wrong name", say(assistant, mcp.ToolUse{ID: "1", Name: "x", Meta: withMeta("a!", "1")}), say(user, outcome("1")))
	for _, schema := range []string{"[]", "true", `"x"`, "{", "{}", `{"type":"array"}`, `{"type":["object"]}`, `{"type":"object","properties":[]}`,
		`{"type":"object","properties":{"a":1}}`, `{"type":"object","required":"a"}`, `{"type":"object","required":[1]}`, `{"type":"object","$schema":1}`} {
		sample("the schema "+schema, "input schema of tool", "2025-11-25", func(r *mcp.SampleRequest) { r.Tools = []mcp.SampleTool{{Name: "x", InputSchema: schema}} })
	}
	sample("a tool without a name", "has no name", "2025-11-25", func(r *mcp.SampleRequest) { r.Tools = []mcp.SampleTool{{}} })
	sample("a tool twice", "have the name", "2025-11-25", func(r *mcp.SampleRequest) { r.Tools = []mcp.SampleTool{{Name: "x"}, {Name: "x"}} })
	sample("a wrong choice", "auto, required or none", "2025-11-25", func(r *mcp.SampleRequest) { r.ToolChoice = "any" })
	sample("tools", "", "2025-11-25", func(r *mcp.SampleRequest) {
		r.Tools = []mcp.SampleTool{{Name: "x"}, {Name: "y", InputSchema: " {\n\"type\":\"object\",\"properties\":{\"a\":{},\"b\":true,\"c\":false},\"required\":[\"a\"]}"}}
		r.ToolChoice, r.Context = mcp.ToolChoiceRequired, mcp.ContextThisServer
	})

	for _, link := range []struct{ url, says string }{
		{"javascript:alert(1)", "the scheme javascript"}, {"file:///etc/passwd", "the scheme file"}, {"data:text/html,x", "the scheme data"},
		{"vscode://x/y", "the scheme vscode"}, {"", "no URI"}, {"x", "not an absolute URI"}, {"https:x", "no host"}, {"https:///x", "no host"}, {"//example.com", "not an absolute URI"},
		{"http://example.com/", "without TLS"}, {"http://10.0.0.1/", "without TLS"}, {"http://localhost.example.com/", "without TLS"}, {"http://127.0.0.1.example.com", "without TLS"},
		{"https://example.com/a b", "percent-encoded"}, {"HTTPS://example.com/a?b=c#d", ""}, {"http://localhost:8080/a", ""}, {"http://127.9.0.1/", ""}, {"http://[::1]:1/", ""}, {"http://app.localhost/", ""},
	} {
		cases = append(cases, asked{"link " + link.url, link.says, "2025-11-25", mcp.URLQuestion("Open this", link.url)})
	}

	field := func(name, says string, f ...mcp.FormField) {
		cases = append(cases, asked{"field " + name, says, "2025-11-25", mcp.FieldsQuestion("Fill in", &mcp.FormInfo{Fields: f})})
	}
	ab := []mcp.FormChoice{{Value: "a"}, {Value: "b", Title: "B"}}
	field("without a name", "no name", mcp.FormField{})
	field("twice", "have the name", mcp.FormField{Name: "a"}, mcp.FormField{Name: "a"})
	field("of no kind", "no kind of field", mcp.FormField{Name: "a", Kind: 17})
	field("of a negative kind", "no kind of field", mcp.FormField{Name: "a", Kind: -1})
	field("with negative length", "MinLength", mcp.FormField{Name: "a", MinLength: -1})
	field("with crossed lengths", "MinLength", mcp.FormField{Name: "a", MinLength: 3, MaxLength: 2})
	field("with a limit of no number", "not a JSON number", mcp.FormField{Name: "a", Kind: mcp.NumberField, Minimum: "NaN"})
	field("with a limit of text", "not a JSON number", mcp.FormField{Name: "a", Kind: mcp.IntegerField, Maximum: `"1"`})
	field("with a large limit", "not a JSON number", mcp.FormField{Name: "a", Kind: mcp.IntegerField, Maximum: "1e999"})
	field("without choices", "nothing to choose", mcp.FormField{Name: "a", Kind: mcp.ChoiceField})
	field("with a choice twice", "there twice", mcp.FormField{Name: "a", Kind: mcp.ChoicesField, Choices: []mcp.FormChoice{{Value: "a"}, {Value: "a"}}})
	field("with too few choices", "MinItems", mcp.FormField{Name: "a", Kind: mcp.ChoicesField, Choices: ab, MinItems: 3})
	for kind, value := range map[mcp.FieldKind]string{mcp.StringField: "1", mcp.IntegerField: "1.5", mcp.NumberField: `"1"`, mcp.BooleanField: `"true"`, mcp.ChoiceField: `"c"`, mcp.ChoicesField: `["c"]`} {
		field(fmt.Sprintf("of kind %d with the default %s", kind, value), "does not fit", mcp.FormField{Name: "a", Kind: kind, Choices: ab, Default: value})
	}
	field("with a default of no JSON", "does not fit", mcp.FormField{Name: "a", Default: "x"})
	for _, f := range append(byHand.Fields, orderForm.Fields...) {
		field("good "+f.Name, "", f)
	}

	for _, revision := range everyRevision {
		t.Run(revision, func(t *testing.T) {
			for _, a := range cases {
				if a.from > revision {
					continue
				}
				t.Run(a.name, func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						c, s := clientIn(t, revision)
						tool(s, "try", func(context.Context) (string, error) {
							return "", &mcp.InputRequired{Questions: map[string]mcp.Question{"q": a.question}}
						})
						c.dial(t, s)
						defer c.hangUp()
						said := c.ask("tools/call", `"name":"try"`)
						if len(said) != 1 {
							t.Fatalf("the server has said %q", said)
						}
						if a.says == "" {
							if !strings.Contains(said[0], `"method":"sampling/createMessage"`) && !strings.Contains(said[0], `"method":"elicitation/create"`) {
								t.Errorf("nothing is asked: %s", said[0])
							}
							return
						}
						if text := strings.ReplaceAll(said[0], `\"`, `"`); !strings.Contains(text, `"isError":true`) || !strings.Contains(text, a.says) {
							t.Errorf("%s does not say %s", said[0], a.says)
						}
					})
				})
			}
		})
	}
}
