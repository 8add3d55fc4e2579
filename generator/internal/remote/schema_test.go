package remote

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// check checks a value with the part of a schema that Checkable returns.
func check(schema, value string) error {
	var v any
	d := wire.NewDecoder([]byte(value), wire.Options{Help: wire.Advice()})
	wire.AnyBySchema(d, &v, wire.NewSchema(Checkable(json.RawMessage(schema))))
	return d.Finish()
}

func TestCheckable(t *testing.T) {
	for _, test := range []struct{ schema, value, want string }{
		{`{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}`, `{}`, "a: required, but missing"},
		{`{"type":"object","properties":{"a":{"$ref":"#/$defs/n"}},"$defs":{"n":{"type":"integer","minimum":3}}}`, `{"a":2}`, "a: must be at least 3, got 2"},
		{`{"properties":{"a":{"type":["string","null"]}}}`, `{"a":null}`, ""},
		{`{"properties":{"a":{"type":["string","null"]}}}`, `{"a":1}`, "a: "},
		{`{"properties":{"a":{"enum":["x","y"]}}}`, `{"a":"z"}`, "a: "},
		{`{"additionalProperties":false,"patternProperties":{"^x":{}}}`, `{"x1":1}`, ""},
		{`{"additionalProperties":false}`, `{"x1":1}`, "x1: unknown argument; there are no arguments"},
		{`{"properties":{"query":{},"in":{"properties":{"a":{}},"additionalProperties":false}},"additionalProperties":false}`, `{"query":1,"qeury":2}`, `qeury: unknown argument; did you mean "query"? Known: `},
		{`{"properties":{"in":{"properties":{"a":{}},"additionalProperties":false}}}`, `{"in":{"b":1}}`, "in.b: unknown field. Known: a"},
		{`{"properties":{"in":{"items":{"properties":{"a":{}},"additionalProperties":false}}}}`, `{"in":[{"b":1}]}`, "in[0].b: unknown field. Known: a"},
		// Unknown and optional keywords refuse nothing.
		{`{"properties":{"a":{"format":"date"}}}`, `{"a":"no date"}`, ""},
		{`{"properties":{"a":{"not":{}}}}`, `{"a":1}`, ""},
		{`{"properties":{"a":{"oneOf":[{"not":{"type":"string"}},{"type":"string"}]}}}`, `{"a":"x"}`, ""},
		{`{"properties":{"a":{"pattern":"(?<=x)["}}}`, `{"a":"x"}`, ""},
		{`{"properties":{"a":{"minLength":-1,"maxLength":1e300,"minItems":0.5}}}`, `{"a":"x"}`, ""},
		{`{"properties":{"a":{"prefixItems":[{}],"items":false}}}`, `{"a":[1]}`, ""},
		{`{"properties":{"a":{"$ref":"https://example.com/x"}}}`, `{"a":1}`, ""},
		{`{"properties":{"a":{"$ref":"#/$defs/a"}},"$defs":{"a":{"$ref":"#/$defs/a"}}}`, `{"a":1}`, ""},
		{`{"properties":{"a":true,"b":false}}`, `{"a":1,"b":2}`, ""},
		{`{"type":7,"required":[1],"properties":[],"anyOf":{},"enum":1}`, `{}`, ""},
		{`[]`, `{}`, ""}, {``, `{}`, ""}, {`null`, `{}`, ""},
	} {
		got := ""
		if err := check(test.schema, test.value); err != nil {
			got = err.Error()
		}
		if (got == "") != (test.want == "") || !strings.HasPrefix(got, test.want) {
			t.Errorf("%s: %s: %q, want %q", test.schema, test.value, got, test.want)
		}
	}
}

// TestLargeSchemas checks that schemas that grow without end take little time.
func TestLargeSchemas(t *testing.T) {
	deep := strings.Repeat(`{"properties":{"a":`, 10_000) + "{}" + strings.Repeat("}}", 10_000)
	wide := `{"properties":{"a":{"$ref":"#/$defs/a"}},"$defs":{"a":{"properties":{` +
		`"b":{"$ref":"#/$defs/a"},"c":{"$ref":"#/$defs/a"},"d":{"$ref":"#/$defs/a"}}}}}`
	for _, schema := range []string{deep, wide} {
		if err := check(schema, `{"a":{}}`); err != nil {
			t.Error(err)
		}
		_ = Signature(json.RawMessage(schema), json.RawMessage(schema))
		_ = Input(json.RawMessage(schema))
	}
}

func TestSignature(t *testing.T) {
	for _, test := range []struct{ input, output, want string }{
		{`{"type":"object"}`, ``, "func()"},
		{
			`{"properties":{"q":{"type":"string"},"n":{"type":"integer","default":3},"t":{"type":"array","items":{"type":"string"}},"o":{"type":"number"}},"required":["q"]}`,
			``, "func(q string, n int = 3, t []string, o *float64)",
		},
		{
			`{"properties":{"f":{"$ref":"#/$defs/Filter"},"m":{"type":"object","additionalProperties":{"type":"boolean"}},"x":{},` +
				`"e":{"anyOf":[{"type":"null"},{"$ref":"#/$defs/Op"}]}},"required":["f","m","x","e"],"$defs":{"Filter":{"type":"object"},"Op":{"type":"string","enum":["a"]}}}`,
			``, "func(f Filter, m map[string]bool, x any, e *Op)",
		},
		{`{}`, `{"type":"array","items":{"type":"object","properties":{"a":{}}}}`, "func() []struct"},
		{`{}`, `{"type":"object","properties":{"total":{"type":"integer"},"books":{"type":"array","items":{}}}}`, "func() (total int, books []any)"},
	} {
		if got := Signature(json.RawMessage(test.input), json.RawMessage(test.output)); got != test.want {
			t.Errorf("%s, want %s", got, test.want)
		}
	}
}
