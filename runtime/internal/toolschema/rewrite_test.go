package toolschema_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/mcpgen/mcpgen/runtime/internal/toolschema"
)

// A value fits a schema exactly if its wrapped form fits the wrapped schema.
func TestWrappedSchemas(t *testing.T) {
	values := []string{
		`null`, `1`, `"x"`, `[]`, `[1]`, `["x"]`, `{}`, `{"next":null}`, `{"next":{"next":{}}}`, `{"next":{"next":1}}`,
		`[[["x"]]]`, `[[[1]]]`, `{"a":1,"b":1}`, `{"a":1,"b":"x"}`, `{"$ref":"#"}`, `{"result":1}`,
	}
	for _, schema := range []string{
		`{"type":"array","items":{"type":"string"}}`,
		`{"type":"array","items":{"$ref":"#/$defs/S"},"$defs":{"S":{"type":"string"}}}`,
		`{"anyOf":[{"type":"null"},{"type":"object","properties":{"next":{"$ref":"#"}},"additionalProperties":false}]}`,
		`{"$ref":"#/definitions/N","definitions":{"N":{"type":["object","null"],"properties":{"next":{"$ref":"#/definitions/N"}}}}}`,
		`{"oneOf":[{"type":"string"},{"type":"array","items":{"$ref":"#"}}]}`,
		`{"properties":{"a":{"type":"integer"},"b":{"$ref":"#/properties/a"}}}`,
		`{"$id":"https://example.com/s","type":"array","items":{"$ref":"#/$defs/S"},"$defs":{"S":{"type":"string"}}}`,
		`{"enum":[{"$ref":"#"},1]}`, `{"const":{"$ref":"#"}}`, `{"properties":{"$ref":{"type":"string"}}}`,
		`{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"array","prefixItems":[{"$ref":"#/$defs/S"}],"$defs":{"S":{"type":"integer"}}}`,
		`true`, `{}`, "{\n\t\"type\" : \"integer\"\n}",
	} {
		wrapped := string(toolschema.Append(nil, schema, toolschema.Form{Wrap: true}))
		if strings.Contains(wrapped, "\n") || !strings.HasPrefix(wrapped, `{"type":"object",`) {
			t.Errorf("%s is wrapped as %s", schema, wrapped)
		}
		plain, outer := compile(t, schema), compile(t, wrapped)
		for _, value := range values {
			want := fits(t, plain, value)
			if got := fits(t, outer, `{"result":`+value+`}`); got != want {
				t.Errorf("%s: %s fits %v, wrapped %v by %s", schema, value, want, got, wrapped)
			}
		}
	}
}

func TestDropHeaderKeyword(t *testing.T) {
	for schema, want := range map[string]string{
		`{"type":"object","properties":{"a":{"x-mcp-header":"A","type":"string"},"x-mcp-header":{"type":"string"}}}`:       `{"type":"object","properties":{"a":{"type":"string"},"x-mcp-header":{"type":"string"}}}`,
		`{"properties":{"a":{"const":{"x-mcp-header":1}},"b":{"properties":{"c":{"type":"integer","x-mcp-header":"C"}}}}}`: `{"properties":{"a":{"const":{"x-mcp-header":1}},"b":{"properties":{"c":{"type":"integer"}}}}}`,
		`{"anyOf":[{"x-mcp-header":"A"},true],"default":{"x-mcp-header":1}}`:                                               `{"anyOf":[{},true],"default":{"x-mcp-header":1}}`,
		`{"a":1}`: `{"a":1}`,
	} {
		if got := string(toolschema.Append(nil, schema, toolschema.Form{DropHeaderKeyword: true})); got != want {
			t.Errorf("%s becomes %s, want %s", schema, got, want)
		}
	}
}

// Only the properties of the root become objects. Values that are not schemas stay, and so does
// every schema without true or false among them.
func TestObjectProperties(t *testing.T) {
	for schema, want := range map[string]string{
		`{"type":"object","properties":{"a":true,"b":false,"c":{}}}`:                    `{"type":"object","properties":{"a":{},"b":{"not":{}},"c":{}}}`,
		"{\n\"properties\" : {\n\"a\" :\ttrue }}":                                       `{"properties":{"a":{}}}`,
		`{"prop\u0065rties":{"\"":true}}`:                                               `{"properties":{"\"":{}}}`,
		`{"properties":{"a":true,"properties":{"properties":{"b":true}}}}`:              `{"properties":{"a":{},"properties":{"properties":{"b":true}}}}`,
		`{"properties":{"a":true,"b":{"const":{"properties":{"c":true}}}}}`:             `{"properties":{"a":{},"b":{"const":{"properties":{"c":true}}}}}`,
		`{"properties":{"a":true},"default":{"properties":{"a":true}},"enum":[true]}`:   `{"properties":{"a":{}},"default":{"properties":{"a":true}},"enum":[true]}`,
		`{"properties":{"a":false},"$defs":{"a":false},"patternProperties":{"b":true}}`: `{"properties":{"a":{"not":{}}},"$defs":{"a":false},"patternProperties":{"b":true}}`,
		`{"properties":{"a":true},"additionalProperties":false,"allOf":[true]}`:         `{"properties":{"a":{}},"additionalProperties":false,"allOf":[true]}`,
		`{"properties":{"a": {"default":true}}, "additionalProperties":false}`:          `{"properties":{"a": {"default":true}}, "additionalProperties":false}`,
		`{"additionalProperties":true}`:                                                 `{"additionalProperties":true}`,
		`{"properties":{"additionalProperties":false}}`:                                 `{"properties":{"additionalProperties":{"not":{}}}}`,
		`{"properties":{"additionalProperties":false},"additionalProperties":false}`:    `{"properties":{"additionalProperties":{"not":{}}},"additionalProperties":false}`,
		`true`: `true`,
	} {
		got := string(toolschema.Append(nil, schema, toolschema.Form{ObjectProperties: true}))
		if got != want {
			t.Errorf("%s becomes %s, want %s", schema, got, want)
			continue
		}
		before, after := compile(t, schema), compile(t, got)
		for _, value := range []string{`{}`, `{"a":1}`, `{"b":1}`, `{"c":1}`, `{"\"":1}`, `{"properties":{"b":1}}`, `1`} {
			if fits(t, before, value) != fits(t, after, value) {
				t.Errorf("%s and %s differ on %s", schema, got, value)
			}
		}
	}
	const both = `{"properties":{"a":true,"b":{"x-mcp-header":"B","type":"string"}}}`
	form := toolschema.Form{DropHeaderKeyword: true, ObjectProperties: true}
	if got := string(toolschema.Append(nil, both, form)); got != `{"properties":{"a":{},"b":{"type":"string"}}}` {
		t.Errorf("%s becomes %s", both, got)
	}
	if got := string(toolschema.Append(nil, both, toolschema.Form{})); got != both {
		t.Errorf("%s becomes %s", both, got)
	}
}

func compile(t *testing.T, schema string) *jsonschema.Schema {
	t.Helper()
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(schema))
	if err != nil {
		t.Fatalf("%s: %v", schema, err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("test:///schema.json", value); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("test:///schema.json")
	if err != nil {
		t.Fatalf("%s: %v", schema, err)
	}
	return s
}

func fits(t *testing.T, s *jsonschema.Schema, value string) bool {
	t.Helper()
	if !json.Valid([]byte(value)) {
		t.Fatal(value)
	}
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(value))
	if err != nil {
		t.Fatal(err)
	}
	return s.Validate(v) == nil
}
