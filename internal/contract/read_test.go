package contract

import (
	"strings"
	"testing"
)

const tool = `{"name":"find","inputSchema":{"type":"object"}}`

func TestRead(t *testing.T) {
	const want = `{
  "tools": [
    {
      "name": "find",
      "inputSchema": {"type": "object"}
    }
  ]
}
`
	for name, text := range map[string]string{
		"result":                 `{"tools":[` + tool + `]}`,
		"response":               `{"jsonrpc":"2.0","id":1,"result":{"tools":[` + tool + `],"ttlMs":0}}`,
		"result without version": `{"result":{"tools":[` + tool + `]}}`,
		"bare array":             `[` + tool + `]`,
		"array of responses":     `[{"jsonrpc":"2.0","id":1,"result":{"tools":[` + tool + `]}}]`,
		"lines with a request":   `{"jsonrpc":"2.0","id":1,"method":"tools/list"}` + "\n" + `{"jsonrpc":"2.0","id":1,"result":{"tools":[` + tool + `]}}`,
		"two pages":              `{"tools":[],"nextCursor":"a"} {"tools":[` + tool + `]}`,
		"events":                 "event: message\r\nid: 1\r\ndata: {\"jsonrpc\":\"2.0\",\"id\":1,\r\ndata: \"result\":{\"tools\":[" + tool + "]}}\r\n\r\n: ping\r\n",
		"byte order mark":        "\ufeff" + `{"tools":[` + tool + `]}`,
		"list of the command":    `{"tools":[{"name":"find","inputSchema":{"type":"object"},"symbol":"Find","position":"a.go:1:1","tokens":5}]}`,
		"contract":               want,
	} {
		c, err := Read([]byte(text))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := string(c.Marshal()); got != want {
			t.Errorf("%s: got\n%s", name, got)
		}
		if len(c.Notes()) > 0 {
			t.Errorf("%s: notes %q", name, c.Notes())
		}
	}
}

func TestReadServer(t *testing.T) {
	for name, text := range map[string]string{
		"initialize":      `{"result":{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"shop","version":"1.0"},"instructions":"Search first."}}`,
		"server/discover": `{"serverInfo":{"name":"shop","version":"1.1"},"instructions":"Search first."}`,
		"contract":        `{"server":{"name":"shop","version":"1.2","instructions":"Search first."}}`,
	} {
		c, err := Read([]byte(text))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := string(c.Marshal()); got != "{\n  \"server\": {\"name\": \"shop\", \"instructions\": \"Search first.\"}\n}\n" {
			t.Errorf("%s: got\n%s", name, got)
		}
	}
	// A contract without tools is known to have none, a result is not.
	answer, err := Read([]byte(`{"serverInfo":{"name":"shop"}}`))
	if err != nil {
		t.Fatal(err)
	}
	file, err := Read([]byte(`{"server":{"name":"shop"}}`))
	if err != nil {
		t.Fatal(err)
	}
	tools, err := Read([]byte(`{"tools":[` + tool + `]}`))
	if err != nil {
		t.Fatal(err)
	}
	if d := Compare(answer, tools); len(d.Changes) > 0 || len(d.Notes) != 1 {
		t.Errorf("an answer: %+v", d)
	}
	if d := Compare(file, tools); d.Class() != Compatible || len(d.Notes) != 0 {
		t.Errorf("a contract first: %+v", d)
	}
	if d := Compare(tools, file); d.Class() != Breaking || len(d.Notes) != 0 {
		t.Errorf("a contract: %+v", d)
	}
}

func TestReadErrors(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{``, "there is no list of features in it"},
		{`{}`, "there is no list of features in it"},
		{`{"name":"mcpgen","scripts":{}}`, "there is no list of features in it"},
		{`[]`, "there is no list of features in it"},
		{`[1]`, "an array has an element that is not an object: 1"},
		{`"tools"`, `"tools" is not a JSON object`},
		{"{\"tools\":[\n{\"name\":\"a\",}]}", "line 2: invalid character '}'"},
		{`{"tools":[`, "the JSON ends in the middle"},
		{`{"tools":{}}`, "tools is not an array"},
		{`{"tools":[5]}`, "tools has an element that is not an object: 5"},
		{`{"tools":[{"title":"a"}]}`, `a tool has no name: {"title": "a"}`},
		{`{"tools":[{"name":"a"},{"name":"a"}]}`, "there are two tools a"},
		{`{"tools":[{"name":"a","name":"b"}]}`, `line 1: the member "name" is there twice`},
		{`{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found"}}`, `the answer is an error: {"code": -32601, "message": "Method not found"}`},
		{`{"jsonrpc":"2.0","id":1}`, "the JSON-RPC message has no result"},
		{"{\n<<<<<<< HEAD\n\"tools\":[]}", "there are merge markers in the text"},
		{"\xff\xfe{", "the text is not UTF-8"},
		{`{"tools":` + strings.Repeat("[", 1100) + strings.Repeat("]", 1100) + "}", "nested more than 1000 levels deep"},
	} {
		if _, err := Read([]byte(test.text)); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%.60q: got %v, want %s", test.text, err, test.want)
		}
	}
}

func TestReadPages(t *testing.T) {
	c, err := Read([]byte(`{"tools":[` + tool + `],"nextCursor":"b"}`))
	if err != nil || len(c.Notes()) != 1 || !strings.Contains(c.Notes()[0], "tools has further pages") {
		t.Errorf("%v, notes %q", err, c.Notes())
	}
}

func TestReplaceable(t *testing.T) {
	for text, want := range map[string]bool{
		"": true, "\n": true,
		`{"server":{"name":"a"}}`:                             true,
		"{\n  \"server\": {\"name\": \"a\"},\n<<<<<<< HEAD\n": true,
		`{"name":"package"}`:                                  false,
		`{"tools":[]}`:                                        false, // a saved result
		"package main\n":                                      false,
		"<<<<<<< HEAD\npackage a\n":                           false,
	} {
		if Replaceable([]byte(text)) != want {
			t.Errorf("%q: got %v", text, !want)
		}
	}
}

func TestAdd(t *testing.T) {
	c, err := New([]byte(`{"name":"shop","version":"3"}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range []struct {
		kind    Kind
		listing string
	}{
		{Prompt, `{"name":"b"}`}, {Prompt, `{"name":"a"}`}, {Tool, `{"name":"t"}`},
		{Resource, `{"uri":"a:b","name":"b"}`}, {Template, `{"uriTemplate":"a:{b}","name":"b"}`},
	} {
		if err := c.Add(f.kind, []byte(f.listing)); err != nil {
			t.Error(err)
		}
	}
	c.Alias("t", "old")
	c.Alias("none", "old")
	c.Alias("t")
	c.ArgumentAliases("t", "a.b=c")
	c.ArgumentAliases("none", "a=c")
	c.ArgumentAliases("t")
	want := `{
  "server": {"name": "shop"},
  "tools": [
    {"name": "t", "aliases": ["old"], "argumentAliases": ["a.b=c"]}
  ],
  "resources": [
    {"uri": "a:b", "name": "b"}
  ],
  "resourceTemplates": [
    {"uriTemplate": "a:{b}", "name": "b"}
  ],
  "prompts": [
    {"name": "a"},
    {"name": "b"}
  ]
}
`
	if got := string(c.Marshal()); got != want {
		t.Errorf("got\n%s", got)
	}
	if c.Count(Prompt) != 2 {
		t.Errorf("%d prompts", c.Count(Prompt))
	}
	for _, err := range []error{c.Add(Tool, []byte(`{"name":"t"}`)), c.Add(Tool, []byte(`{}`)), c.Add(Tool, []byte(`1`))} {
		if err == nil {
			t.Error("no error")
		}
	}
	if _, err := New([]byte(`[]`)); err == nil {
		t.Error("no error for an identity that is no object")
	}
}

// FuzzRead checks that a contract that can be read is unchanged after writing and reading it, does
// not differ from itself, and can be compared.
func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"tools":[`+tool+`]}`), []byte(`{"server":{},"prompts":[{"name":"a","arguments":[{"name":"x","required":true},5]}]}`))
	f.Add([]byte(`{"tools":[{"name":"a","inputSchema":{"$ref":"#/$defs/a","$defs":{"a":{"anyOf":[{"$ref":"#/$defs/a"},{"type":"null"}]}}}}]}`),
		[]byte(`{"tools":[{"name":"a","inputSchema":{"$ref":"#","allOf":[{"$ref":"#"}],"minimum":1e999999999}}]}`))
	f.Add([]byte(`{"tools":[{"name":"a","inputSchema":{"oneOf":[true,false,{"enum":[1.0,"a",null,[],{}]}],"not":{},"if":true,"then":{},"unevaluatedProperties":false}}]}`),
		[]byte(`{"tools":[{"name":"a","inputSchema":{"properties":{"a":{"const":{}}},"required":["a"],"patternProperties":{"(":{}},"dependencies":{"a":["b"],"b":{}}},"outputSchema":[]}]}`))
	f.Fuzz(func(t *testing.T, a, b []byte) {
		before, err := Read(a)
		if err != nil {
			return
		}
		text := before.Marshal()
		if again, err := Read(text); err != nil {
			t.Fatalf("cannot be read again: %v\n%s", err, text)
		} else if d := Compare(before, again); len(d.Changes)+len(d.Notes) > 0 {
			t.Fatalf("differs from itself: %v\n%s", d.Lines(), text)
		} else if got := string(again.Marshal()); got != string(text) {
			t.Fatalf("written again is\n%s\nfirst was\n%s", got, text)
		}
		if after, err := Read(b); err == nil {
			there, back := Compare(before, after), Compare(after, before)
			if (len(there.Changes) == 0) != (len(back.Changes) == 0) {
				t.Fatalf("there %v, back %v", there.Lines(), back.Lines())
			}
		}
	})
}
