package keyword_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/mcpgen/mcpgen/generator/internal/jsontext"
	"github.com/mcpgen/mcpgen/generator/internal/keyword"
)

// TestSchemaForms compares published schemas with their sources.
func TestSchemaForms(t *testing.T) {
	for text, want := range map[string]string{
		`{"type": "string", "minLength": 2}`:                      `{"type":"string","minLength":2}`,
		`{"type":["string"]}`:                                     `{"type":"string"}`,
		`{"type":["string","null"],"minLength":2,"title":"Word"}`: `{"anyOf":[{"minLength":2,"type":"string"},{"type":"null"}],"title":"Word"}`,
		`{"type":["number","integer"]}`:                           `{"type":"number"}`,
		`{"type":["string","integer"],"minimum":1,"pattern":"a"}`: `{"anyOf":[{"pattern":"a","type":"string"},{"minimum":1,"type":"integer"}]}`,
		`{"type":["string","null"],"enum":["a",null]}`:            `{"anyOf":[{"enum":["a"],"type":"string"},{"type":"null"}]}`,
		`{"type":["string","null"],"enum":["a"]}`:                 `{"enum":["a"],"type":"string"}`,
		`{"type":["string","integer"],"const":5}`:                 `{"const":5,"type":"integer"}`,
		`{"items":{"type":["string","null"]}}`:                    `{"items":{"anyOf":[{"type":"string"},{"type":"null"}]}}`,
		`{"properties":{"a":{"type":["string","null"]}}}`:         `{"properties":{"a":{"anyOf":[{"type":"string"},{"type":"null"}]}}}`,
		`{}`: `{}`,
	} {
		got, err := keyword.ParseSchema(text)
		if err != nil || got != want {
			t.Errorf("%s:\n got %s, %v\nwant %s", text, got, err, want)
		}
	}
	const full = `{"type":"object","title":"a","properties":{"a":{"type":"string","description":"b","minLength":1.0,"default":"x"}},"examples":[{"a":"b"}],"deprecated":true}`
	if got := keyword.EnforcedSchema(full); got != `{"properties":{"a":{"minLength":1,"type":"string"}},"type":"object"}` {
		t.Errorf("enforced: %s", got)
	}
}

// TestSchemaRefused checks the message for each wrong schema.
func TestSchemaRefused(t *testing.T) {
	for _, c := range []struct{ text, want, hint string }{
		{`string`, "the schema is not JSON", "write an object"},
		{`[]`, "the schema is []", "write an object"},
		{`{} {}`, "the schema is not JSON", ""},
		{`{"type":"string","type":"number"}`, "the member type twice", "leave one out"},
		{`{"properties":{"a":{},"a":{}}}`, "the member a twice", "leave one out"},
		{`{"typ":"string"}`, "arguments are not checked by the keyword typ", "did you mean type? The keywords are"},
		{`{"not":{}}`, "not checked by the keyword not", "the keywords are"},
		{`{"$ref":"#"}`, "not checked by the keyword $ref", "the keywords are"},
		{`{"x-mcp-header":"A"}`, "not checked by the keyword x-mcp-header", "the keywords are"},
		{`{"items":{"prefixItems":[]}}`, "at items: arguments are not checked by the keyword prefixItems", "the keywords are"},
		{`{"properties":{"a":{"anyOf":[{},{"allOf":[]}]}}}`, "at properties.a.anyOf[1]: arguments are not checked by the keyword allOf", ""},
		{`{"type":"text"}`, `at type: "text" is not a type`, "the types are string"},
		{`{"type":[]}`, "it has no types", "the types are"},
		{`{"type":["null","null"]}`, `"null" is there twice`, "leave one out"},
		{`{"type":5}`, "5 is not a type", ""},
		{`{"minLength":-1}`, "at minLength: it cannot be -1", "2020-12"},
		{`{"minLength":1.5}`, "it cannot be 1.5", ""},
		{`{"maxItems":1e10}`, "it cannot be 1e10", ""},
		{`{"minimum":"1"}`, `it cannot be "1"`, ""},
		{`{"minimum":9007199254740993}`, "9007199254740993 has more digits than a float64", "json.Number"},
		{`{"enum":[{"a":0.12345678901234567890}]}`, "has more digits", ""},
		{`{"const":1e400}`, "has more digits", ""},
		{`{"enum":[]}`, "it has no values", ""},
		{`{"enum":[1,1.0]}`, "enum has the value 1.0 twice", ""},
		{`{"enum":"a"}`, `it cannot be "a"`, ""},
		{`{"type":"string","enum":["a",1]}`, "the value 1 is excluded", ""},
		{`{"const":"a","minLength":2}`, `the value "a" is excluded`, ""},
		{`{"pattern":"(?i)a"}`, "inline flag", "spell it out"},
		{`{"format":"phone"}`, `the format "phone" is not checked`, "the formats are"},
		{`{"type":"string","minimum":1}`, "minimum does not apply to the type string", "leave it out"},
		{`{"type":["string","null"],"items":{}}`, "items does not apply to the type string or null", ""},
		{`{"minimum":2,"maximum":1}`, "no value is allowed by minimum 2 and maximum 1", "swap"},
		{`{"exclusiveMinimum":1,"maximum":1}`, "no value is allowed by exclusiveMinimum 1 and maximum 1", ""},
		{`{"minLength":2,"maxLength":1}`, "no value is allowed by minLength 2 and maxLength 1", ""},
		{`{"multipleOf":0}`, "multipleOf 0 is not positive", ""},
		{`{"uniqueItems":true}`, "uniqueItems is for lists of strings, numbers and booleans", "say in items"},
		{`{"uniqueItems":true,"items":{"type":["string","array"]}}`, "uniqueItems is for lists", ""},
		{`{"uniqueItems":1}`, "it cannot be 1", ""},
		{`{"required":["a"],"additionalProperties":false}`, `"a" is required, but not among the properties`, ""},
		{`{"required":["a","a"]}`, `required has the name "a" twice`, ""},
		{`{"required":[1]}`, "it cannot be [1]", ""},
		{`{"items":true}`, "at items: a schema cannot be true", "write an object"},
		{`{"anyOf":[]}`, "it cannot be []", ""},
		{`{"type":"string","default":5}`, "the default 5 is not valid", ""},
		{`{"items":{"type":"string","examples":[5]}}`, "at items: the example 5 is not valid", ""},
		{strings.Repeat(`{"items":`, 40) + `{}` + strings.Repeat(`}`, 40), "nest deeper than 32", "flatter"},
	} {
		_, err := keyword.ParseSchema(c.text)
		var e *keyword.SchemaError
		if !errors.As(err, &e) || !strings.Contains(e.Error(), c.want) || !strings.Contains(e.Hint(), c.hint) || e.Hint() == "" {
			t.Errorf("%s:\n got %v\nwant %s | %s", c.text, err, c.want, c.hint)
			if e != nil {
				t.Log(e.Hint())
			}
		}
	}
}

// TestSchemaAllows compares the check of defaults and examples with a validator.
func TestSchemaAllows(t *testing.T) {
	schemas := []string{
		`{}`, `{"type":"string"}`, `{"type":["string","integer","null"]}`, `{"type":"number"}`, `{"type":"integer"}`, `{"type":"boolean"}`,
		`{"enum":["a",1,null,[1],{"a":1.0}]}`, `{"const":[1]}`, `{"minimum":1}`, `{"exclusiveMinimum":1}`, `{"maximum":1}`, `{"exclusiveMaximum":1}`,
		`{"multipleOf":0.5}`, `{"minLength":2.0}`, `{"maxLength":1}`, `{"pattern":"^a"}`, `{"format":"date"}`, `{"items":{"type":"integer"}}`,
		`{"minItems":1}`, `{"maxItems":1}`, `{"uniqueItems":true,"items":{"type":["number","string"]}}`, `{"required":["a"]}`,
		`{"properties":{"a":{"type":"integer"}}}`, `{"properties":{"a":{}},"additionalProperties":false}`, `{"properties":{"b":{}},"additionalProperties":{"type":"string"}}`,
		`{"minProperties":1}`, `{"maxProperties":1}`, `{"anyOf":[{"type":"string"},{"minimum":1}]}`, `{"oneOf":[{"type":"number"},{"minimum":1}]}`,
	}
	values := []string{
		`null`, `true`, `"a"`, `"ab"`, `"é"`, `"2024-02-29"`, `1`, `1.0`, `1.5`, `-1`, `0`, `1e2`, `[]`, `[1]`, `[1.0]`, `[1,1.0]`, `["a","a"]`, `["a",1]`, `[null]`,
		`{}`, `{"a":1}`, `{"a":1.0}`, `{"a":"x"}`, `{"b":1}`, `{"a":1,"b":"y"}`,
	}
	valid := 0
	for _, schema := range schemas {
		doc, err := jsonschema.UnmarshalJSON(strings.NewReader(schema))
		if err != nil {
			t.Fatal(err)
		}
		c := jsonschema.NewCompiler()
		c.AssertFormat()
		if err := c.AddResource("schema.json", doc); err != nil {
			t.Fatal(err)
		}
		validator, err := c.Compile("schema.json")
		if err != nil {
			t.Fatal(err)
		}
		published, err := keyword.ParseSchema(schema)
		if err != nil {
			t.Fatalf("%s: %v", schema, err)
		}
		for _, text := range values {
			v, err := jsontext.Decode(text)
			if err != nil {
				t.Fatal(err)
			}
			want := validator.Validate(v) == nil
			if keyword.SchemaAllows(published, v) != want || keyword.SchemaAllows(keyword.EnforcedSchema(published), v) != want {
				t.Errorf("%s by %s: not %v", text, schema, want)
			}
			if want {
				valid++
			}
		}
	}
	if valid < 100 {
		t.Errorf("%d values are valid", valid)
	}
}
