package hardening_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/internal/proof/spec"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

const bom = "\xef\xbb\xbf"

func testMalformed(t *testing.T, v target) {
	good := v.era.text("7", v.era.harmless(), "")
	v.visit(t, setup{}, func(t *testing.T, s *site) {
		c := s.open()
		for _, m := range []struct {
			name, text string
			code       int
		}{
			{"nothing but a brace", `{`, jsonrpc.CodeParse},
			{"cut off", good[:len(good)-1], jsonrpc.CodeParse},
			{"cut off in a text", good[:strings.LastIndex(good, `"`)], jsonrpc.CodeParse},
			{"garbage", `hello`, jsonrpc.CodeParse},
			{"trailing garbage", good + ` x`, jsonrpc.CodeParse},
			{"trailing brace", good + `}`, jsonrpc.CodeParse},
			{"two messages", good + good, jsonrpc.CodeParse},
			{"a comma too many", strings.Replace(good, `}}}`, `,}}}`, 1), jsonrpc.CodeParse},
			{"a BOM", bom + good, jsonrpc.CodeParse},
			{"a comment", good + `// x`, jsonrpc.CodeParse},
			{"single quotes", strings.ReplaceAll(good, `"`, `'`), jsonrpc.CodeParse},
			{"a NUL", good + "\x00", jsonrpc.CodeParse},
			{"a control character", strings.Replace(good, `"id"`, "\"i\td\"", 1), jsonrpc.CodeParse},
			{"a number", `42`, jsonrpc.CodeInvalidRequest},
			{"null", `null`, jsonrpc.CodeInvalidRequest},
			{"a text", `"ping"`, jsonrpc.CodeInvalidRequest},
			{"an empty object", `{}`, jsonrpc.CodeInvalidRequest},
			{"an empty batch", `[]`, jsonrpc.CodeInvalidRequest},
			{"jsonrpc 1.0", strings.Replace(good, `"2.0"`, `"1.0"`, 1), jsonrpc.CodeInvalidRequest},
			{"jsonrpc 2", strings.Replace(good, `"2.0"`, `2`, 1), jsonrpc.CodeInvalidRequest},
			{"jsonrpc missing", strings.Replace(good, `"jsonrpc":"2.0",`, ``, 1), jsonrpc.CodeInvalidRequest},
			{"method missing", `{"jsonrpc":"2.0","id":7}`, jsonrpc.CodeInvalidRequest},
			{"method a number", `{"jsonrpc":"2.0","id":7,"method":7}`, jsonrpc.CodeInvalidRequest},
			{"params a text", `{"jsonrpc":"2.0","id":7,"method":"tools/list","params":"x"}`, jsonrpc.CodeInvalidRequest},
			{"id {}", strings.Replace(good, `"id":7`, `"id":{}`, 1), jsonrpc.CodeInvalidRequest},
			{"id []", strings.Replace(good, `"id":7`, `"id":[7]`, 1), jsonrpc.CodeInvalidRequest},
			{"id null", strings.Replace(good, `"id":7`, `"id":null`, 1), jsonrpc.CodeInvalidRequest},
			{"id true", strings.Replace(good, `"id":7`, `"id":true`, 1), jsonrpc.CodeInvalidRequest},
			{"request and response", strings.Replace(good, `"id":7`, `"id":7,"result":{}`, 1), jsonrpc.CodeInvalidRequest},
		} {
			reply, status := c.try(m.text, spec.InvalidField)
			if reply.code() != m.code || !(reply.nameless() || reply.id() == "7") {
				t.Errorf("%s: %v, want code %d", m.name, reply, m.code)
			}
			want := 400
			if v.is(httpSSE) && m.name == "an empty batch" {
				want = 202 // the session refuses it, on its stream
			}
			c.wantStatus(m.name, status, want)
			c.alive(m.name)
		}
		if n := s.calls.Load(); n != 29 {
			t.Errorf("%d calls have run, want those that were well-formed", n)
		}
	})
}

// harm is a message with a part that must not get through.
type harm struct {
	name, text string
	says       string // in the error
}

// harmful sends messages to a server: each is refused, runs nothing, and does not disturb other
// requests. mark tells whether they violate the schema.
func harmful(t *testing.T, s *site, mark string, all []harm) {
	t.Helper()
	c := s.open()
	for _, m := range all {
		before := s.calls.Load()
		reply, status := c.try(m.text, mark)
		if !reply.failed() {
			t.Errorf("%s: accepted: %v", m.name, reply)
		}
		if !strings.Contains(reply.text(), m.says) {
			t.Errorf("%s: %v, want %q", m.name, reply, m.says)
		}
		if s.target.http && status != 400 && status != 200 && status != 202 {
			t.Errorf("%s: status %d", m.name, status)
		}
		if n := s.calls.Load() - before; n != 0 {
			t.Errorf("%s: a tool has run", m.name)
		}
		c.alive(m.name)
	}
}

func testInvalidUTF8(t *testing.T, v target) {
	spec.Holds(t, "S084")
	e := v.era
	v.visit(t, setup{}, func(t *testing.T, s *site) {
		var all []harm
		for name, bytes := range map[string]string{
			"a byte": "a\xffb", "a continuation": "\x80", "an overlong slash": "\xc0\xaf", "a cut sequence": "\xe2\x82",
			"a surrogate": "\xed\xa0\x80", "beyond Unicode": "\xf4\x90\x80\x80",
			"a high surrogate, escaped": `\ud800`, "a low one": `\udc00`, "both the wrong way round": `\udc00\ud800`, "a high one and a letter": `\ud83dx`,
		} {
			all = append(all,
				harm{name + " in arguments", e.text("7", "tools/call", call("echo", `{"s":"`+bytes+`"}`)), ""},
				harm{name + " in read arguments", e.text("7", "tools/call", call("typed", `{"s":"`+bytes+`"}`)), ""},
				harm{name + " in a key of arguments", e.text("7", "tools/call", call("echo", `{"`+bytes+`":1}`)), ""},
				harm{name + " in the params", e.text("7", "tools/call", call("echo", `{}`)+`,"x":"`+bytes+`"`), ""},
				harm{name + " in the name", e.text("7", "prompts/get", `"name":"`+bytes+`"`), ""},
				harm{name + " in an argument of a prompt", e.text("7", "prompts/get", `"name":"greet","arguments":{"who":"`+bytes+`"}`), ""},
				harm{name + " in the method", fmt.Sprintf(`{"jsonrpc":"2.0","id":7,"method":"%s"}`, bytes), ""},
				harm{name + " in the id", fmt.Sprintf(`{"jsonrpc":"2.0","id":"%s","method":%q}`, bytes, e.harmless()), ""},
				harm{name + " in another member", fmt.Sprintf(`{"jsonrpc":"2.0","id":7,"method":%q,"x":"%s"}`, e.harmless(), bytes), ""},
			)
		}
		harmful(t, s, spec.InvalidField, all)
	})
}

func testDuplicateKeys(t *testing.T, v target) {
	spec.Holds(t, "S005")
	e := v.era
	v.visit(t, setup{}, func(t *testing.T, s *site) {
		good := e.text("7", e.harmless(), "")
		harmful(t, s, spec.InvalidField, []harm{
			{"id", strings.Replace(good, `"id":7`, `"id":7,"id":8`, 1), "id"},
			{"method", strings.Replace(good, `"id":7`, `"id":7,"method":"tools/list"`, 1), "method"},
			{"method, escaped", strings.Replace(good, `"id":7`, `"id":7,"m\u0065thod":"tools/list"`, 1), "method"},
			{"jsonrpc", strings.Replace(good, `"id":7`, `"id":7,"jsonrpc":"2.0"`, 1), "jsonrpc"},
			{"params", strings.Replace(good, `"id":7`, `"id":7,"params":{}`, 1), "params"},
			{"an unknown one", strings.Replace(good, `"id":7`, `"id":7,"extra":1,"extra":1`, 1), "extra"},
			{"name", e.text("7", "tools/call", `"name":"typed",`+call("echo", `{}`)), "name"},
			{"arguments", e.text("7", "tools/call", `"arguments":{},`+call("echo", `{}`)), "arguments"},
			{"_meta", e.text("7", "tools/call", `"_meta":{},`+call("echo", `{}`)), "_meta"},
			{"a member of _meta", e.with("7", "tools/call", call("echo", `{}`), `"io.modelcontextprotocol/protocolVersion":"2026-07-28",`+modernMeta),
				"io.modelcontextprotocol/protocolVersion"},
			{"an argument", e.text("7", "tools/call", call("echo", `{"key":1,"key":1}`)), "key"},
			{"an argument, escaped", e.text("7", "tools/call", call("echo", `{"key":1,"k\u0065y":1}`)), "key"},
			{"an inner argument", e.text("7", "tools/call", call("echo", `{"a":[{"b":{"key":1,"key":2}}]}`)), "key"},
			{"a read argument", e.text("7", "tools/call", call("typed", `{"n":1,"s":"","n":1}`)), `n`},
			{"a read inner argument", e.text("7", "tools/call", call("typed", `{"o":{"k":1,"k":2}}`)), `k`},
			{"an argument of a prompt", e.text("7", "prompts/get", `"name":"greet","arguments":{"who":"a","who":"b"}`), "who"},
			{"an inner member of a reference", e.text("7", "completion/complete",
				`"ref":{"type":"ref/prompt","name":"greet","name":"x"},"argument":{"name":"who","value":""}`), "name"},
		})
	})
}

// testKeyVariants checks keys that look like others. The members with the correct names are then
// missing.
func testKeyVariants(t *testing.T, v target) {
	e := v.era
	v.visit(t, setup{}, func(t *testing.T, s *site) {
		good := e.text("7", "tools/call", call("echo", `{}`))
		put := func(key, other string) string {
			text := strings.Replace(good, `"`+key+`":`, `"`+other+`":`, 1)
			if text == good {
				t.Fatalf("there is no %s in %s", key, good)
			}
			return text
		}
		harmful(t, s, spec.PerhapsField, []harm{
			{"METHOD", put("method", "METHOD"), "method"},
			{"method and a NUL", put("method", `method\u0000`), "method"},
			{"Jsonrpc", put("jsonrpc", "Jsonrpc"), "jsonrpc"},
			{"Params", put("params", "Params"), ""},
			{"params.Name", put("name", "Name"), "name"},
			{"params.name and a NUL", put("name", `name\u0000`), "name"},
			{"params.name with a long s", strings.Replace(e.text("7", "tools/call", `"name":"typed","arguments":{"ſ":""}`), "x", "x", 1), "ſ"},
			{"read arguments in another case", e.text("7", "tools/call", call("typed", `{"N":1}`)), "N"},
			{"read arguments with a NUL", e.text("7", "tools/call", call("typed", `{"n\u0000":1}`)), "n"},
		})
		// Unknown members are ignored.
		c := s.open()
		if m := c.ask("tools/call", `"name":"echo","Arguments":{"a":1},"ARGUMENTS":{"a":1},"arguments\u0000":{"a":1}`); m.text() != "{}" {
			t.Errorf("Arguments: %v", m)
		}
		// A message without an id is a notification, and gets no reply.
		for _, other := range []string{"ID", `id\u0000`, "Id"} {
			d := c.put(put("id", other), spec.InvalidField)
			c.wantStatus(other, c.status(d), 202)
			c.quiet(other)
		}
		c.alive("keys of other spelling")
	})
}
