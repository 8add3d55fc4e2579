package mcpclient

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/internal/proof/spec"
	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// formOf returns the form with these properties.
func formOf(t *testing.T, properties string) *Form {
	t.Helper()
	f, err := (&Elicitation{Schema: json.RawMessage(`{"type":"object","properties":{` + properties + `}}`)}).Form()
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// Every shape that a revision allows becomes a field.
func TestFormFields(t *testing.T) {
	colors := []mcp.FormChoice{{Value: "r", Title: "Red"}, {Value: "g", Title: "Green"}}
	plain := []mcp.FormChoice{{Value: "r"}, {Value: "g"}}
	for text, want := range map[string]mcp.FormField{
		`{"type":"string"}`: {Kind: mcp.StringField},
		`{"type":"string","title":"T","description":"D","minLength":1,"maxLength":0,"format":"email","pattern":"^a","default":"x"}`: {
			Kind: mcp.StringField, Title: "T", Description: "D", MinLength: 1, MaxLength: 0, Format: "email", Default: `"x"`,
		},
		`{"type":"integer","minimum":-1,"maximum":9007199254740993,"default":3}`:                {Kind: mcp.IntegerField, Minimum: "-1", Maximum: "9007199254740993", Default: "3"},
		`{"type":"number","minimum":0.5,"default":1}`:                                           {Kind: mcp.NumberField, Minimum: "0.5", Default: "1"},
		`{"type":"boolean","default":false}`:                                                    {Kind: mcp.BooleanField, Default: "false"},
		`{"type":"string","enum":["r","g"],"default":"g"}`:                                      {Kind: mcp.ChoiceField, Choices: plain, Default: `"g"`},
		`{"type":"string","enum":["r","g"],"enumNames":["Red","Green"]}`:                        {Kind: mcp.ChoiceField, Choices: colors},
		`{"type":"string","enum":["r","g"],"enumNames":["Red"]}`:                                {Kind: mcp.ChoiceField, Choices: []mcp.FormChoice{{Value: "r", Title: "Red"}, {Value: "g"}}},
		`{"type":"string","oneOf":[{"const":"r","title":"Red"},{"const":"g","title":"Green"}]}`: {Kind: mcp.ChoiceField, Choices: colors},
		`{"type":"array","items":{"type":"string","enum":["r","g"]},"minItems":1,"maxItems":2,"default":["r"]}`: {
			Kind: mcp.ChoicesField, Choices: plain, MinItems: 1, MaxItems: 2, Default: `["r"]`,
		},
		`{"type":"array","items":{"anyOf":[{"const":"r","title":"Red"},{"const":"g","title":"Green"}]}}`: {Kind: mcp.ChoicesField, Choices: colors},
		`{"type":"array","items":{"oneOf":[{"const":"r","title":"Red"},{"const":"g","title":"Green"}]}}`: {Kind: mcp.ChoicesField, Choices: colors},
		`{"type":"string","format":"color","default":null,"x-extra":{"a":[]},"uniqueItems":true}`:        {Kind: mcp.StringField, Format: "color"},
	} {
		f := formOf(t, `"a":`+text)
		got := f.Fields[0].FormField
		want.Name = "a"
		if !reflect.DeepEqual(got, want) || (f.Fields[0].Pattern != "") != strings.Contains(text, "pattern") {
			t.Errorf("%s\nis %+v\nwant %+v", text, got, want)
		}
	}
}

func TestFormOrder(t *testing.T) {
	f, err := (&Elicitation{Mode: "form", Schema: json.RawMessage(`{"$schema":"x","required":["a","m"],"properties":{"z":{"type":"string"},"a":{"type":"boolean","title":"A?"},"m":{"type":"integer"}},"type":"object"}`)}).Form()
	if err != nil {
		t.Fatal(err)
	}
	got := ""
	for i := range f.Fields {
		got += fmt.Sprint(f.Fields[i].Label(), f.Fields[i].Required, " ")
	}
	if got != "zfalse A?true mtrue " {
		t.Error(got)
	}
}

// A form that the specification does not allow is an error that names the field.
func TestFormRefused(t *testing.T) {
	field := func(s string) string { return `{"type":"object","properties":{"a":` + s + `}}` }
	many := func(n int, s string) string {
		all := make([]string, n)
		for i := range all {
			all[i] = fmt.Sprintf(`"f%d":%s`, i, s)
		}
		return `{"type":"object","properties":{` + strings.Join(all, ",") + `}}`
	}
	choices := `{"type":"string","enum":[` + strings.Repeat(`"x",`, 99) + `"y"]}`
	for schema, want := range map[string]string{
		``:                                  "requestedSchema: ",
		`{}`:                                "type: required, but missing",
		`{"type":"object"}`:                 "properties: required, but missing",
		`{"type":"array","properties":{}}`:  "type: must be",
		`{"type":"object","properties":[]}`: "properties: must be an object",
		`{"type":"object","properties":{},"required":["b"]}`:                           `the required field "b" is missing`,
		`{"type":"object","properties":{},"required":"b"}`:                             "required: must be an array",
		`{"type":"object","properties":{"a":{"type":"string"},"a":{"type":"string"}}}`: `duplicate key "a"`,
		field(`true`): `field "a": must be an object`,
		field(`{}`):   `field "a": type: required, but missing`,
		field(`{"type":"object","properties":{"b":{"type":"string"}}}`): `field "a": type: must be`,
		field(`{"type":["string","null"]}`):                             `field "a": type: must be`,
		field(`{"type":"null"}`):                                        `field "a": type: must be`,
		field(`{"anyOf":[{"type":"string"},{"type":"null"}]}`):          `field "a": anyOf: `,
		field(`{"$ref":"#/$defs/b"}`):                                   `field "a": $ref: `,
		field(`{"type":"string","allOf":[]}`):                           `field "a": allOf: `,
		field(`{"type":"array"}`):                                       `field "a": an array must have items`,
		field(`{"type":"array","items":{"type":"string"}}`):             `field "a": there is nothing to choose`,
		field(`{"type":"array","items":{"type":"object"}}`):             `field "a": items.type: must be`,
		field(`{"type":"array","items":{"type":"array","items":{}}}`):   `field "a": items.type: must be`,
		field(`{"type":"array","items":[]}`):                            `field "a": items: must be an object`,
		field(`{"type":"string","enum":[]}`):                            `field "a": there is nothing to choose`,
		field(`{"type":"string","enum":[1]}`):                           `field "a": enum[0]: must be a string`,
		field(`{"type":"string","oneOf":[{"title":"b"}]}`):              `field "a": oneOf[0].const: required`,
		field(`{"type":"integer","enum":["1"]}`):                        `field "a": a choice must be of type string, got integer`,
		field(`{"type":"integer","default":"1"}`):                       `field "a": default: must be an integer`,
		field(`{"type":"integer","default":1.5}`):                       `field "a": default: must be an integer`,
		field(`{"type":"boolean","default":{}}`):                        `field "a": default: must be a boolean`,
		field(`{"type":"string","enum":["b"],"default":"c"}`):           `field "a": default: must be`,
		field(`{"type":"string","minLength":"1"}`):                      `field "a": minLength: must be an integer`,
		field(`{"type":"number","minimum":"1"}`):                        `field "a": minimum: must be a number`,
		many(1001, `{"type":"string"}`):                                 "more than 1000 fields",
		many(10_000, `{"type":"string"}`):                               "more than 1000 fields",
		many(101, choices):                                              "more than 10000 choices",
	} {
		f, err := (&Elicitation{Schema: json.RawMessage(schema)}).Form()
		if err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "requestedSchema: ") {
			t.Errorf("%.200s: %v, %v, want %s", schema, f, err, want)
		}
	}
	if _, err := (&Elicitation{Mode: "url", URL: "https://example.com"}).Form(); err == nil {
		t.Error("a link has a form")
	}
	if _, err := parseForm([]byte(many(1000, `{"type":"string"}`))); err != nil {
		t.Error(err)
	}
	if _, err := parseForm([]byte(many(100, choices))); err != nil {
		t.Error(err)
	}
}

// The examples of the specification are forms.
func TestFormExamples(t *testing.T) {
	dir := filepath.Join(spec.Dir(t), "2026-07-28", "examples")
	n := 0
	for _, kind := range []string{"StringSchema", "NumberSchema", "BooleanSchema", "TitledSingleSelectEnumSchema", "UntitledSingleSelectEnumSchema", "TitledMultiSelectEnumSchema", "UntitledMultiSelectEnumSchema"} {
		files, err := filepath.Glob(filepath.Join(dir, kind, "*.json"))
		if err != nil || len(files) == 0 {
			t.Fatalf("no examples of %s: %v", kind, err)
		}
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			f := formOf(t, `"a":`+string(data))
			if f.Fields[0].Default == "" {
				continue
			}
			n++
			if content, err := f.Complete(nil); err != nil || !sameJSON(t, content, []byte(`{"a":`+f.Fields[0].Default+`}`)) {
				t.Errorf("%s: %s, %v", file, content, err)
			}
		}
	}
	if n == 0 {
		t.Error("no example has a default")
	}
}

// answer is a struct with which a program answers a form.
type answer struct {
	Name string   `json:"name,omitempty"`
	Age  *int     `json:"age"`
	Tags []string `json:"tags,omitempty"`
}

func TestFormComplete(t *testing.T) {
	f := formOf(t, `"name":{"type":"string","default":"Ann <b>"},"age":{"type":"integer","default":30},"score":{"type":"number","default":95.50},
		"status":{"type":"string","enum":["active","inactive"],"default":"active"},"ok":{"type":"boolean","default":true},
		"tags":{"type":"array","items":{"type":"string","enum":["a","b"]},"default":["a"]},"note":{"type":"string"}`)
	const defaults = `{"name":"Ann <b>","age":30,"score":95.50,"status":"active","ok":true,"tags":["a"]}`
	age := 7
	for _, c := range []struct {
		content any
		want    string
	}{
		{nil, defaults},
		{map[string]any{}, defaults},
		{json.RawMessage(nil), defaults},
		{json.RawMessage(" null "), defaults},
		{json.RawMessage("\n{ }"), defaults},
		{(*answer)(nil), defaults},
		{answer{}, defaults},
		{json.RawMessage(`{"name":null,"note":null}`), defaults},
		{answer{Name: "Bo", Age: &age, Tags: []string{"b", "a"}}, `{"name":"Bo","age":7,"score":95.50,"status":"active","ok":true,"tags":["b","a"]}`},
		{&answer{Age: new(int)}, `{"name":"Ann <b>","age":0,"score":95.50,"status":"active","ok":true,"tags":["a"]}`},
		{map[string]any{"note": "", "ok": false, "tags": []string{}}, `{"name":"Ann <b>","age":30,"score":95.50,"status":"active","ok":false,"tags":[],"note":""}`},
		{json.RawMessage(`{"score": 1e2 ,"age":1.0,"n\u0061me":"\u00e9"}`), `{"name":"\u00e9","age":1.0,"score":1e2,"status":"active","ok":true,"tags":["a"]}`},
	} {
		got, err := f.Complete(c.content)
		if err != nil || string(got) != c.want {
			t.Errorf("%v: %s, %v, want %s", c.content, got, err, c.want)
		}
	}
}

// A value that does not fit is an error with the name of the field, and nothing is sent.
func TestFormCompleteRefused(t *testing.T) {
	schema := `{"type":"object","required":["must"],"properties":{"must":{"type":"string"},"name":{"type":"string","minLength":2,"maxLength":3,"pattern":"^[a-z]*$"},
		"age":{"type":"integer","minimum":0,"maximum":150},"score":{"type":"number","minimum":0.5},"ok":{"type":"boolean"},
		"mail":{"type":"string","format":"email"},"site":{"type":"string","format":"uri"},"day":{"type":"string","format":"date"},"at":{"type":"string","format":"date-time"},
		"one":{"type":"string","oneOf":[{"const":"r","title":"Red"}]},"some":{"type":"array","minItems":1,"maxItems":2,"items":{"type":"string","enum":["r","g","b"]}},
		"bad":{"type":"string","pattern":"(unclosed"},"long":{"type":"string","pattern":"` + strings.Repeat("a", 5000) + `"}}}`
	f, err := (&Elicitation{Schema: json.RawMessage(schema)}).Form()
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		`{}`:                               "field must: required, but missing",
		`{"must":null}`:                    "field must: required, but missing",
		`{"must":"","name":"a"}`:           "field name: must have at least 2 characters, got 1",
		`{"must":"","name":"abcd"}`:        "field name: must have at most 3 characters, got 4",
		`{"must":"","name":"ABC"}`:         "field name: must match the pattern ^[a-z]*$",
		`{"must":"","name":7}`:             "field name: must be a string, got a number 7",
		`{"must":"","age":-1}`:             "field age: must be at least 0, got -1",
		`{"must":"","age":151}`:            "field age: must be at most 150, got 151",
		`{"must":"","age":1.5}`:            "field age: must be an integer",
		`{"must":"","age":"30"}`:           "field age: must be an integer, got a string",
		`{"must":"","score":0.25}`:         "field score: must be at least 0.5, got 0.25",
		`{"must":"","ok":"true"}`:          "field ok: must be a boolean",
		`{"must":"","mail":"x"}`:           "field mail: must be an email address",
		`{"must":"","site":"x"}`:           "field site: must be an absolute URI",
		`{"must":"","day":"2025-02-29"}`:   "field day: must be a date",
		`{"must":"","at":"yesterday"}`:     "field at: must be a date and time",
		`{"must":"","one":"Red"}`:          "field one: must be",
		`{"must":"","some":[]}`:            "field some: must have at least 1 item",
		`{"must":"","some":["r","g","b"]}`: "field some: must have at most 2 items",
		`{"must":"","some":["x"]}`:         "field some: [0]: must be",
		`{"must":"","some":"r"}`:           "field some: must be an array",
		`{"must":"","Name":"abc"}`:         `field "Name": the form has no such field`,
		`{"must":"a","must":"b"}`:          `duplicate key "must"`,
		`["a"]`:                            "content of the form: must be an object",
		`"a"`:                              "content of the form: must be an object",
		`{`:                                "content of the form: ",
		``:                                 "content of the form: ",
	} {
		got, err := f.Complete(json.RawMessage(text))
		if err == nil || !strings.Contains(err.Error(), want) || got != nil {
			t.Errorf("%s: %s, %v, want %s", text, got, err, want)
		}
	}
	if _, err := f.Complete(make(chan int)); err == nil {
		t.Error("a channel is content")
	}
	// The server checks patterns that the client cannot check.
	if got, err := f.Complete(json.RawMessage(`{"must":"a","bad":"x","long":"y"}`)); err != nil {
		t.Errorf("%s, %v", got, err)
	}
}

// A terminal checks one field after the other.
func TestFieldCheck(t *testing.T) {
	f, err := parseForm([]byte(`{"type":"object","required":["age","with"],"properties":{"age":{"type":"integer","maximum":9},"with":{"type":"integer","default":1},"name":{"type":"string"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		field int
		value any
		want  string
	}{
		{0, 5, ""},
		{0, json.Number("5"), ""},
		{0, json.RawMessage("5"), ""},
		{0, 10, "field age: must be at most 9, got 10"},
		{0, "5", `field age: must be an integer, got a string "5"`},
		{0, nil, "field age: required, but missing"},
		{0, json.RawMessage("5 6"), "field age: unexpected character '6' after the value at offset 2"},
		{1, nil, ""},
		{2, nil, ""},
		{2, "", ""},
	} {
		text := ""
		if err := f.Fields[c.field].Check(c.value); err != nil {
			text = err.Error()
		}
		if text != c.want {
			t.Errorf("%v: %s, want %s", c.value, text, c.want)
		}
	}
}

// The time to read a form is linear in its length, whatever its patterns.
func TestFormPatterns(t *testing.T) {
	f := formOf(t, `"a":{"type":"string","pattern":"^(a+)+$"},"b":{"type":"string","pattern":"(((((a{1,30}){1,30}){1,30}){1,30}){1,30})x"}`)
	for _, name := range []string{"a", "b"} {
		if _, err := f.Complete(map[string]any{name: strings.Repeat("a", 100_000) + "!"}); err == nil && name == "a" {
			t.Error("no error")
		}
	}
}

// No schema makes a form panic, and a form accepts its own completed content.
func FuzzForm(f *testing.F) {
	f.Add(`{"type":"object","properties":{"a":{"type":"string","pattern":"^a+$","default":"a","format":"email"}},"required":["a"]}`, `{"a":"b"}`)
	f.Add(`{"type":"object","properties":{"a":{"type":"array","items":{"anyOf":[{"const":"x","title":"X"}]},"default":["x"]},"n":{"type":"number","minimum":1e400}}}`, `{"n":1}`)
	f.Add(`{"type":"object","properties":{"":{"type":"string","enum":["a"],"enumNames":[]}}}`, `{"":null}`)
	f.Fuzz(func(t *testing.T, schema, content string) {
		form, err := parseForm([]byte(schema))
		if err != nil {
			return
		}
		for _, c := range []json.RawMessage{nil, json.RawMessage(content)} {
			once, err := form.Complete(c)
			if err != nil {
				continue
			}
			again, err := form.Complete(once)
			if err != nil || string(again) != string(once) || !json.Valid(once) {
				t.Fatalf("%q %q: %s, then %s, %v", schema, c, once, again, err)
			}
		}
	})
}
