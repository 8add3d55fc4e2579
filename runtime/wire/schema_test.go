package wire_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/internal/proof/zoo/prove"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// bySchema reads a value as generated code does, as the member v of an object.
func bySchema(text, schema string, o wire.Options) (any, error) {
	s := wire.NewSchema(schema)
	d := wire.NewDecoder([]byte(`{"v":`+text+`}`), o)
	var v any
	for m := d.Object(wire.Fields{{Name: "v", Null: true}}); m.Next(); {
		wire.AnyBySchema(d, &v, s)
	}
	return v, d.Finish()
}

// TestSchemaMessages checks the messages that a model reads.
func TestSchemaMessages(t *testing.T) {
	const shape = `{"type":"object","properties":{"name":{"type":"string","minLength":2},"size":{"type":"integer"}},"required":["name"],"additionalProperties":false}`
	const kinds = `{"oneOf":[{"type":"object","properties":{"kind":{"const":"a"},"n":{"type":"integer"}},"required":["kind","n"]},` +
		`{"type":"object","properties":{"kind":{"const":"b"},"s":{"type":"string"}},"required":["kind","s"]}]}`
	for _, c := range []struct{ schema, text, want string }{
		{`{"type":"string"}`, `5`, "v: must be a string, got a number 5"},
		{`{"type":"integer"}`, `5.5`, "v: must be an integer, got a number 5.5"},
		{`{"type":"array"}`, `{}`, "v: must be an array, got an object"},
		{`{"anyOf":[{"type":"string"},{"type":"integer"},{"type":"null"}]}`, `true`, "v: must be a string, an integer or null, got a boolean true"},
		{`{"anyOf":[{"type":"string","maxLength":2},{"type":"number"}]}`, `"abc"`, "v: must have at most 2 characters, got 3"},
		{`{"enum":["title","year",1,null]}`, `"yaer"`, `v: must be one of "title", "year", 1, null, got "yaer"; did you mean "year"?`},
		{`{"enum":[[1],{"a":"b"}]}`, `[2]`, `v: must be one of [1], {"a":"b"}, got an array`},
		{`{"const":"eq"}`, `"ne"`, `v: must be "eq", got "ne"`},
		{`{"minimum":1}`, `0.5`, "v: must be at least 1, got 0.5"},
		{`{"exclusiveMinimum":1}`, `1`, "v: must be greater than 1, got 1"},
		{`{"maximum":1}`, `2`, "v: must be at most 1, got 2"},
		{`{"exclusiveMaximum":1}`, `1`, "v: must be less than 1, got 1"},
		{`{"multipleOf":0.1}`, `0.25`, "v: must be a multiple of 0.1, got 0.25"},
		{`{"minLength":2}`, `"é"`, "v: must have at least 2 characters, got 1"},
		{`{"pattern":"^a"}`, `"b"`, `v: must match the pattern ^a, got "b"`},
		{`{"format":"date"}`, `"x"`, `v: must be a date such as 2006-01-02, got "x"`},
		{`{"minItems":1}`, `[]`, "v: must have at least 1 item, got 0"},
		{`{"maxItems":1}`, `[1,2]`, "v: must have at most 1 item, got 2"},
		{`{"uniqueItems":true,"items":{"type":"number"}}`, `[1,2,1.0]`, "v: must not have the same item twice, but items 0 and 2 are equal"},
		{`{"items":{"type":"string"}}`, `["a",1,null]`, "v[1]: must be a string, got a number 1; v[2]: must be a string, got null"},
		{`{"minProperties":1}`, `{}`, "v: must have at least 1 entry, got 0"},
		{`{"maxProperties":1}`, `{"a":1,"b":2}`, "v: must have at most 1 entry, got 2"},
		{shape, `{"nmae":"x","size":"1"}`, `v.nmae: unknown field; did you mean "name"? Known: name, size; v.size: must be an integer, got a string "1"; v.name: required, but missing`},
		{`{"additionalProperties":{"type":"integer"}}`, `{"a b":""}`, `v["a b"]: must be an integer, got a string ""`},
		{kinds, `{"kind":"b","n":1}`, "v.s: required, but missing"},
		{kinds, `{"n":1}`, "v: must match one of 2 alternatives; 1: kind: required, but missing; 2: kind: required, but missing"},
		{kinds, `5`, "v: must be an object, got a number 5"},
		{`{"oneOf":[{"multipleOf":2},{"multipleOf":3}]}`, `6`, "v: must match only one of the 2 alternatives of its schema, but matches those with the numbers 1, 2"},
		{`{"type":"number"}`, `1e999`, "v: must be at most 1.7976931348623157e+308, got 1e999"},
	} {
		_, err := bySchema(c.text, c.schema, wire.Options{Help: wire.Advice()})
		if err == nil || err.Error() != c.want {
			t.Errorf("%s by %s:\n got %v\nwant %s", c.text, c.schema, err, c.want)
		}
	}
}

// TestSchemaProblems checks that the usual limit applies, and that later syntax errors and
// duplicate names are found.
func TestSchemaProblems(t *testing.T) {
	list := "[" + strings.Repeat("1,", 50) + "1]"
	_, err := bySchema(list, `{"items":{"type":"string"}}`, wire.Options{Help: wire.Advice()})
	var problems *wire.ArgumentsError
	if !errors.As(err, &problems) || len(problems.Problems) != 20 || !problems.More || problems.Problems[19].Path != "v[19]" {
		t.Errorf("%v", err)
	}
	d := wire.NewDecoder([]byte(`[`+list+`,{"a":1,"a":2}]`), wire.Options{Help: wire.Advice()})
	var v []any
	wire.Slice(d, &v, func(d *wire.Decoder, v *any) { wire.AnyBySchema(d, v, wire.NewSchema(`{"items":{"type":"string"}}`)) })
	var syntax *wire.SyntaxError
	if err := d.Finish(); !errors.As(err, &syntax) || !syntax.Duplicate {
		t.Errorf("%v", err)
	}
}

// TestSchemaLenient checks the values that lenient mode accepts beyond the schema.
func TestSchemaLenient(t *testing.T) {
	for _, c := range []struct{ schema, text, want string }{
		{`{"type":"integer","minimum":5}`, `"5"`, `5`},
		{`{"type":"integer"}`, `"5.0"`, `5`},
		{`{"type":"integer"}`, `"5.5"`, ``},
		{`{"type":"integer"}`, `"5 "`, ``},
		{`{"type":"integer","minimum":5}`, `"4"`, ``},
		{`{"type":"boolean"}`, `"true"`, `true`},
		{`{"type":"null"}`, `"null"`, ``},
		{`{"anyOf":[{"type":"string"},{"type":"integer"}]}`, `"5"`, `"5"`},
		{`{"anyOf":[{"type":"integer"},{"type":"null"}]}`, `"5"`, `5`},
		{`{"type":"array","items":{"type":"string"}}`, `"prod"`, `["prod"]`},
		{`{"type":"array","items":{"type":"integer"}}`, `"5"`, `[5]`},
		{`{"type":"array","items":{"type":"integer"}}`, `"[1,\"2\"]"`, `[1,2]`},
		{`{"type":"array","items":{"type":"integer"}}`, `"a"`, ``},
		{`{"type":"array","items":{"type":"integer"}}`, `"1, 2"`, `[1,2]`},
		{`{"type":"array","items":{"type":"integer"}}`, `"1,x"`, ``},
		{`{"type":"array","items":{"type":"integer"},"maxItems":1}`, `"1,2"`, ``},
		{`{"type":"array","items":{"enum":["a","b"]}}`, `"a,b"`, `["a","b"]`},
		{`{"type":"array","items":{"enum":["a","b"]}}`, `"a"`, `["a"]`},
		{`{"type":"array","items":{"enum":["a","b"]}}`, `"a,c"`, ``},
		{`{"type":"array","items":{"enum":["a,b","c"]}}`, `"a,b"`, `["a,b"]`},
		{`{"type":"array","items":{"type":"string"}}`, `"Paris, France"`, `["Paris, France"]`},
		{`{"type":"array"}`, `"a,b"`, `["a,b"]`},
		{`{"anyOf":[{"type":"array","items":{"type":"boolean"}},{"type":"null"}]}`, `"true,false"`, `[true,false]`},
		{`{"type":"string"}`, `50`, `"50"`},
		{`{"enum":["50"]}`, `50`, `"50"`},
		{`{"type":"string"}`, `1.5`, ``}, // 1.50 may have been sent
		{`{"type":"string"}`, `9007199254740993`, ``},
		{`{"anyOf":[{"type":"string"},{"type":"integer"}]}`, `5`, `5`},
		{`{"type":"array","items":{"type":"array","items":{"type":"string"}}}`, `"a"`, ``},
		{`{"type":"array","items":{"type":"array","items":{"type":"string"}}}`, `["a"]`, `[["a"]]`},
		{`{"type":"object","properties":{"n":{"type":"integer"}}}`, `"{\"n\":\"1\"}"`, `{"n":1}`},
		{`{"type":"object"}`, `"{\"n\":1,\"n\":2}"`, ``},
		{`{"type":"object"}`, `"{"`, ``},
		{`{"type":"object","additionalProperties":{"type":"number"}}`, `{"a":"1"}`, `{"a":1}`},
		// An empty string counts as a missing optional member.
		{`{"type":"integer"}`, `""`, `null`},
		{`{"enum":["a","b"]}`, `""`, `null`},
		{`{"type":"object"}`, `""`, ``},
		{`{"type":"string","minLength":1}`, `""`, ``},
		{`{"type":"string"}`, `""`, `""`},
	} {
		v, err := bySchema(c.text, c.schema, wire.Options{Help: wire.Leniency()})
		got, _ := json.Marshal(v)
		if c.want == "" && err == nil || c.want != "" && (err != nil || string(got) != c.want) {
			t.Errorf("%s by %s: %s, %v", c.text, c.schema, got, err)
		}
	}
}

// The message for a value in place of a list contains the list to send, if possible.
func TestSchemaListToSend(t *testing.T) {
	for _, c := range []struct{ schema, text, want string }{
		{`{"type":"array","items":{"enum":["a","b"]}}`, `"a,b"`, `v: must be an array, got a string "a,b"; send ["a","b"]`},
		{`{"type":"array","items":{"enum":["a","b"]}}`, `"a,c"`, `v: must be an array, got a string "a,c"`},
		{`{"type":"array","items":{"type":"string"}}`, `"a, b"`, `v: must be an array, got a string "a, b"; send ["a, b"]`},
		{`{"type":"array","items":{"type":"string"}}`, `5`, `v: must be an array, got a number 5; send ["5"]`},
		{`{"type":"array","items":{"type":"number"}}`, `5`, `v: must be an array, got a number 5; send [5]`},
		{`{"type":"array","items":{"type":"number"}}`, `null`, `v: must be an array, got null`},
		{`{"properties":{"n":{"type":"array","items":{"type":"number"}}}}`, `{"n":"1,2"}`, `v.n: must be an array, got a string "1,2"; send [1,2]`},
	} {
		_, err := bySchema(c.text, c.schema, wire.Options{Help: wire.Advice()})
		if got := fmt.Sprint(err); got != c.want {
			t.Errorf("%s by %s: %s, want %s", c.text, c.schema, got, c.want)
		}
	}
}

// TestSchemaValidator compares results with a validator, for random schemas and values.
func TestSchemaValidator(t *testing.T) {
	n := wire.Tries(1000)
	r := rand.New(rand.NewPCG(1, 2))
	accepted := 0
	for range n {
		schema := randomSchema(r, 3)
		text, _ := json.Marshal(schema)
		validator, err := prove.Compile(string(text))
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		for range 12 {
			v := randomValue(r, 3, schema)
			value, _ := json.Marshal(v)
			want := validator.Validate(v) == nil
			got, err := bySchema(string(value), string(text), wire.Options{Help: wire.Advice()})
			if (err == nil) != want {
				t.Fatalf("%s by %s: %v, the validator says %v", value, text, err, validator.Validate(v))
			}
			var problems *wire.ArgumentsError
			if err != nil && (!errors.As(err, &problems) || len(problems.Problems) == 0) {
				t.Fatalf("%s by %s: no problem: %v", value, text, err)
			}
			if err == nil {
				accepted++
				if back, _ := json.Marshal(got); string(back) != string(value) {
					t.Fatalf("%s is %s", value, back)
				}
			}
		}
	}
	if accepted < n || accepted > 11*n {
		t.Errorf("%d values are accepted, of %d", accepted, 12*n)
	}
}

var words = []any{"", "a", "bb", "ccc", "2024-02-29", "é"}

func pick[T any](r *rand.Rand, list ...T) T { return list[r.IntN(len(list))] }

// randomSchema returns a schema with the keywords that are checked for arguments.
func randomSchema(r *rand.Rand, depth int) map[string]any {
	s := map[string]any{}
	kind := r.IntN(6)
	if depth == 0 {
		kind = r.IntN(3)
	}
	put := func(name string, v any) {
		if r.IntN(3) == 0 {
			s[name] = v
		}
	}
	switch kind {
	case 0:
		s["type"] = "string"
		put("minLength", r.IntN(3))
		put("maxLength", r.IntN(4))
		put("pattern", pick(r, "^a", "b+", "^[^c]*$"))
		put("format", "date")
	case 1:
		s["type"] = pick(r, "integer", "number")
		put("minimum", r.IntN(5)-2)
		put("exclusiveMaximum", float64(r.IntN(9))/2)
		put("multipleOf", pick(r, 2, 0.5, 0.1))
		put("maximum", r.IntN(5))
		put("exclusiveMinimum", -1)
	case 2:
		switch r.IntN(3) {
		case 0:
			s["enum"] = []any{pick(r, words...), r.IntN(4), nil, []any{1}, map[string]any{"a": true}}[:1+r.IntN(5)]
		case 1:
			s["const"] = pick[any](r, "a", 1, nil, true, []any{1})
		default:
			s["type"] = pick(r, "null", "boolean", "array", "object", "string")
		}
	case 3:
		s["type"] = "array"
		put("minItems", r.IntN(3))
		put("maxItems", r.IntN(4))
		if r.IntN(3) == 0 {
			s["items"] = map[string]any{"type": pick(r, "integer", "string")}
			s["uniqueItems"] = true
		} else {
			put("items", randomSchema(r, depth-1))
		}
	case 4:
		put("type", "object")
		properties := map[string]any{}
		for _, name := range []string{"a", "b", "c"}[:r.IntN(4)] {
			properties[name] = randomSchema(r, depth-1)
		}
		put("properties", properties)
		put("required", pick(r, []any{"a"}, []any{"a", "b"}))
		put("additionalProperties", pick[any](r, true, false, randomSchema(r, depth-1)))
		put("minProperties", r.IntN(3))
		put("maxProperties", r.IntN(4))
	default:
		var list []any
		for range 1 + r.IntN(3) {
			list = append(list, randomSchema(r, depth-1))
		}
		s[pick(r, "anyOf", "oneOf")] = list
	}
	return s
}

// randomValue returns a value, often one that the schema mentions.
func randomValue(r *rand.Rand, depth int, s map[string]any) any {
	if s != nil && r.IntN(5) > 0 {
		if list, ok := s["enum"].([]any); ok {
			return pick(r, list...)
		}
		if v, ok := s["const"]; ok {
			return v
		}
		for _, name := range []string{"anyOf", "oneOf"} {
			if list, ok := s[name].([]any); ok {
				part, _ := pick(r, list...).(map[string]any)
				return randomValue(r, depth, part)
			}
		}
	}
	kind := r.IntN(6)
	if s != nil && r.IntN(5) > 0 {
		kind = map[any]int{"string": 0, "integer": 1, "number": 1, "boolean": 2, "null": 3, "array": 4, "object": 5}[s["type"]]
		if s["type"] == nil {
			kind = 5
		}
	}
	if depth == 0 {
		kind = min(kind, 3)
	}
	switch kind {
	case 0:
		return pick(r, words...)
	case 1:
		return float64(r.IntN(17)-4) / pick(r, 1., 1, 2, 10)
	case 2:
		return r.IntN(2) == 0
	case 3:
		return nil
	case 4:
		list := []any{}
		part, _ := s["items"].(map[string]any)
		for range r.IntN(4) {
			list = append(list, randomValue(r, depth-1, part))
		}
		return list
	}
	object := map[string]any{}
	parts, _ := s["properties"].(map[string]any)
	for _, name := range []string{"a", "b", "c", "d"} {
		if r.IntN(2) == 0 {
			part, _ := parts[name].(map[string]any)
			object[name] = randomValue(r, depth-1, part)
		}
	}
	return object
}

func ExampleSchema() {
	var v any
	d := wire.NewDecoder([]byte(`{"field":"","op":"like"}`), wire.Options{Help: wire.Advice()})
	wire.AnyBySchema(d, &v, wire.NewSchema(`{"type":"object","properties":{"field":{"type":"string","minLength":1},"op":{"enum":["eq","ne"]}}}`))
	fmt.Println(d.Finish())
	// Output: field: must have at least 1 character, got 0; op: must be one of "eq", "ne", got "like"
}
