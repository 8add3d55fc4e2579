package reference

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/mcpgen/mcpgen/internal/proof/zoo"
	"github.com/mcpgen/mcpgen/internal/proof/zoo/prove"
)

// zooTools returns the tools of the zoo: types and constraints of every kind.
func zooTools(t *testing.T) (all []json.RawMessage, call func(params string) string) {
	t.Helper()
	client, wait := zoo.NewMCPServer().Connect(context.Background())
	t.Cleanup(func() {
		_ = client.Close()
		_ = wait()
	})
	const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
	ask := func(method, params string) string {
		if err := client.Write([]byte(`{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":{` + params + meta + "}}\n")); err != nil {
			t.Fatal(err)
		}
		answer, err := client.Read()
		if err != nil {
			t.Fatal(err)
		}
		return string(answer)
	}
	for cursor := ""; ; {
		var reply struct {
			Result struct {
				Tools      []json.RawMessage
				NextCursor string
			}
		}
		if err := json.Unmarshal([]byte(ask("tools/list", cursor)), &reply); err != nil {
			t.Fatal(err)
		}
		all = append(all, reply.Result.Tools...)
		if reply.Result.NextCursor == "" {
			break
		}
		cursor = fmt.Sprintf("%q:%q,", "cursor", reply.Result.NextCursor)
	}
	return all, func(params string) string {
		inside := strings.TrimSuffix(strings.TrimPrefix(strings.ReplaceAll(params, "\n", " "), "{"), "}")
		return ask("tools/call", inside+",")
	}
}

// The example call of every tool is valid: by the schema, as another library reads it, and for the
// generated decoder.
func TestExampleCalls(t *testing.T) {
	tools, call := zooTools(t)
	none := 0
	for _, listing := range tools {
		v, err := parse(listing)
		if err != nil {
			t.Fatal(err)
		}
		name, input := v.Str("name"), v.Get("inputSchema")
		text := exampleCall(name, input)
		if text == "" {
			none++
			t.Logf("%s has no example", name)
			continue
		}
		s, err := prove.Compile(compact(input))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		params, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Validate(params.(map[string]any)["arguments"]); err != nil {
			t.Errorf("%s: %v\n%s\n%s", name, err, text, compact(input))
		}
		if answer := call(text); strings.Contains(answer, `"error":`) || strings.Contains(answer, "invalid arguments") {
			t.Errorf("%s: %s\n%s", name, answer, text)
		}
	}
	if len(tools) < 50 || none*20 > len(tools) {
		t.Errorf("%d of %d tools have no example", none, len(tools))
	}
}

// Examples that follow from single constraints.
func TestExample(t *testing.T) {
	for schemaText, want := range map[string]string{
		`{"type":"integer"}`: "1", `{"type":"integer","minimum":5}`: "5", `{"type":"integer","exclusiveMinimum":5}`: "6",
		`{"type":"integer","maximum":-3}`: "-3", `{"type":"integer","multipleOf":7}`: "7", `{"type":"integer","minimum":8,"multipleOf":7}`: "14",
		`{"type":"number","minimum":0.25,"maximum":0.5}`: "0.375", `{"type":"number","exclusiveMinimum":0,"exclusiveMaximum":1}`: "0.5", `{"type":"number","multipleOf":0.1}`: "1",
		`{"type":"integer","minimum":3,"maximum":2}`: "", `{"type":"string"}`: `"text"`, `{"type":"string","minLength":6}`: `"textxx"`,
		`{"type":"string","maxLength":2}`: `"te"`, `{"type":"string","pattern":"^[A-Z]{3}-\\d+$"}`: `"AAA-0"`,
		`{"type":"string","pattern":"^a+$","minLength":4}`: `"aaaa"`, `{"type":"string","pattern":"^(?=a)b$"}`: "",
		`{"type":"string","enum":["x","y"]}`: `"x"`, `{"type":["null","string"]}`: `"text"`, `{"const":3}`: "3", `{"default":null}`: "null",
		`{"examples":["e"],"default":"d"}`: `"e"`, `{"type":"array","items":{"type":"integer"}}`: "[1]",
		`{"type":"array","minItems":3,"uniqueItems":true,"items":{"type":"integer"}}`:          "[1,2,3]",
		`{"type":"array","minItems":3,"uniqueItems":true,"items":{"type":"boolean"}}`:          "",
		`{"type":"array","maxItems":0}`:                                                        "[]",
		`{"type":"object","properties":{"a":{"type":"null"},"b":{"not":{}}},"required":["a"]}`: `{"a":null}`,
		`{"type":"object","required":["a"]}`:                                                   "",
		`{"$ref":"#/$defs/a","$defs":{"a":{"type":"boolean"}}}`:                                "true",
		`{"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/a"}}}`:                              `"text"`,
		`{"$ref":"#/$defs/b"}`: "",
		`{"anyOf":[{"type":"null"},{"type":"string","format":"date"}]}`:                         `"2026-01-01"`,
		`{"oneOf":[{"type":"string"}],"minLength":9}`:                                           "",
		`{"type":"object","properties":{"a":{"$ref":"#"}},"required":["a"]}`:                    "",
		`{"type":"string","format":"uuid"}`:                                                     `"123e4567-e89b-12d3-a456-426614174001"`,
		`{"type":"string","contentEncoding":"base64"}`:                                          `"dGV4dA=="`,
		`{"type":"array","minItems":2,"uniqueItems":true,"items":{"enum":["x","y"],"type":[]}}`: `["x","y"]`,
	} {
		v, err := parse(json.RawMessage(schemaText))
		if err != nil {
			t.Fatal(err)
		}
		made, ok := example(schema{v, v}, 0, 0)
		got := ""
		if ok {
			got = compact(made)
		}
		if got != want {
			t.Errorf("%s: %s, want %s", schemaText, got, want)
		}
	}
}

// hostile are texts that mean something in Markdown or HTML.
var hostile = []string{
	"<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "[a](javascript:alert(1))", "![a](https://evil.example/x.png)",
	"# heading", "- item", "1. item", "> quote", "```\nfence\n```", "`code`", "a | b\n|---|\n| c", "*a* _b_ **c** ~~d~~",
	"https://evil.example", "www.evil.example", "a@evil.example", "&lt;b&gt;", "\\", "a\\", "<!-- comment", "--> end", "[x]: https://evil.example",
	"a\n===", "a\n---", "    code", "\u202eevil", "\x00\x1b[31m", "$a$", ":tada:", "#1", "</code></pre>", "[^1]", "<https://evil.example>", "|", "``|``",
	"\"><b onmouseover=x>", "]]>", "{{x}}", "---\na: b\n---",
}

// hostileServer contains these texts wherever an author can write one.
func hostileServer(text string) *Server {
	q := func(s string) string {
		b, _ := json.Marshal(s)
		return string(b)
	}
	x := q(text)
	schema := `{"type":"object","properties":{` + x + `:{"type":"string","description":` + x + `,"default":` + x + `,"enum":[` + x + `],"pattern":` + x + `,"examples":[` + x + `]}}}`
	return &Server{
		Identity: json.RawMessage(`{"name":` + x + `,"title":` + x + `,"description":` + x + `,"instructions":` + x + `,"websiteUrl":` + q(text+" ") + `}`),
		Tools: []*Feature{{
			Listing: json.RawMessage(`{"name":` + x + `,"title":"t","description":` + x + `,"inputSchema":` + schema + `,"outputSchema":` + schema + `}`),
			Groups:  []string{text}, Scopes: []string{text}, Aliases: []string{text}, Errors: []string{text},
		}},
		Resources: []*Feature{{Listing: json.RawMessage(`{"name":` + x + `,"uri":` + x + `,"mimeType":` + x + `,"description":` + x + `}`)}},
		Templates: []*Feature{{Listing: json.RawMessage(`{"name":` + x + `,"uriTemplate":` + x + `}`)}},
		Prompts:   []*Feature{{Listing: json.RawMessage(`{"name":` + x + `,"arguments":[{"name":` + x + `,"description":` + x + `}]}`)}},
		Forms:     []*Form{{Name: text, Fields: []*FormField{{Name: text, Description: text, Choices: []string{text}}}}},
		Errors:    []*Error{{Name: text, Text: text}},
	}
}

// A page contains only its own elements, whatever the texts are. The module interop renders the
// Markdown.
func TestHostileHTML(t *testing.T) {
	elements := func(text string) []string {
		page, err := hostileServer(text).HTML()
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for part := range strings.SplitSeq(string(page), "<") {
			name, _, _ := strings.Cut(part, ">")
			name, _, _ = strings.Cut(name, " ")
			if name != "br" && name != "code" && name != "/code" && name != "p" && name != "/p" {
				names = append(names, name)
			}
		}
		return names[1:]
	}
	want := elements("plain")
	for _, text := range hostile {
		if got := elements(text); !slices.Equal(got, want) {
			t.Errorf("%q: %v", text, got)
		}
	}
}

// Different names have different anchors, which need no escapes in a URL.
func TestAnchor(t *testing.T) {
	seen := map[string]string{}
	for _, name := range append(slices.Clone(hostile), "a.b", "a_b", "a-b", "a.2eb", "", "ä", "books://{id}") {
		a := anchor("tool", name)
		if other, twice := seen[a]; twice && other != name {
			t.Errorf("%q and %q have the anchor %s", name, other, a)
		}
		if seen[a] = name; url.PathEscape(a) != a {
			t.Errorf("%q has the anchor %s", name, a)
		}
	}
	if got := anchor("tool", "search_books"); got != "tool-search_books" {
		t.Error(got)
	}
}
