package keyword_test

import (
	"bytes"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/invopop/jsonschema"

	"github.com/mcpgen/mcpgen/generator/internal/jsontext"
	"github.com/mcpgen/mcpgen/generator/internal/keyword"
	"github.com/mcpgen/mcpgen/generator/internal/model"
)

var update = flag.Bool("update", false, "write the table of the documents")

// TestDocs compares the table in docs/write/types.md with the table that the generator uses.
func TestDocs(t *testing.T) {
	path := filepath.FromSlash("../../../docs/write/types.md")
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok1 := strings.Cut(string(page), "<!-- keywords -->\n")
	_, after, ok2 := strings.Cut(rest, "<!-- end -->\n")
	if !ok1 || !ok2 {
		t.Fatal("docs/write/types.md has no table of keywords")
	}
	var table strings.Builder
	keyword.WriteMarkdown(&table)
	want := []byte(before + "<!-- keywords -->\n" + table.String() + "<!-- end -->\n" + after)
	if *update {
		if err := os.WriteFile(path, want, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if !bytes.Equal(page, want) {
		t.Error("docs/write/types.md is not current: go test ./generator/internal/keyword -update")
	}
}

// TestTable checks that each row is complete.
func TestTable(t *testing.T) {
	wire := exported(t)
	var names []string
	for _, k := range keyword.Table(keyword.Tag | keyword.Arg) {
		switch {
		case slices.Contains(names, k.Name):
			t.Errorf("%s is there twice", k.Name)
		case keyword.Lookup(k.Name) != k:
			t.Errorf("%s is not found", k.Name)
		case k.Instead != "":
			continue
		case k.Help == "" || k.For == "" || strings.HasSuffix(k.Help, "."):
			t.Errorf("%s has no help", k.Name)
		case k.In&keyword.Arg != 0 && (k.Value == keyword.Flag) != (k.Example == ""):
			t.Errorf("%s has the example %q", k.Name, k.Example)
		case !k.IsRule() || k.Value == keyword.List:
			continue
		}
		names = append(names, k.Name)
		if k.Schema == nil || k.Wrong == nil {
			t.Errorf("%s is incomplete", k.Name)
		}
		for kind, fn := range k.Funcs {
			if fn != "" && !strings.Contains(wire, "\nfunc "+fn) {
				t.Errorf("%s, kind %d: runtime/wire has no function %s", k.Name, kind, fn)
			}
		}
	}
}

// exported returns the functions of runtime/wire. The package is not imported, since the generator
// does not depend on the runtime.
func exported(t *testing.T) string {
	t.Helper()
	out, err := exec.Command("go", "doc", "-short", "github.com/mcpgen/mcpgen/runtime/wire").CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return "\n" + string(out)
}

// TestRules sets each constraint in a schema, and checks one value that it allows and one that it
// refuses.
func TestRules(t *testing.T) {
	str := &model.Type{Kind: model.String}
	number := &model.Type{Kind: model.Int, Bits: 64}
	list := &model.Type{Kind: model.Slice, Elem: str}
	object := &model.Type{Kind: model.Map, Key: str, Elem: str}
	for _, c := range rules {
		t.Run(c.name, func(t *testing.T) {
			k := keyword.Lookup(c.name)
			of := map[string]*model.Type{"string": str, "number": number, "list": list, "map": object, "any": {Kind: model.Any}}[c.of]
			limit, hint, err := k.Parse(of, c.text)
			if err != nil {
				t.Fatal(err, hint)
			}
			var s jsonschema.Schema
			k.Schema(&s, limit)
			data, err := s.MarshalJSON()
			if err != nil || string(data) != c.schema {
				t.Errorf("the schema is %s, want %s (%v)", data, c.schema, err)
			}
			if wrong := k.Wrong(decode(t, c.good), limit); wrong != "" {
				t.Errorf("%s is refused: %s", c.good, wrong)
			}
			if wrong := k.Wrong(decode(t, c.bad), limit); wrong != c.wrong {
				t.Errorf("%s: %q, want %q", c.bad, wrong, c.wrong)
			}
			if c.invalid != "" {
				if _, hint, err := k.Parse(of, c.invalid); err == nil || hint == "" {
					t.Errorf("%s=%s is accepted", c.name, c.invalid)
				}
			}
			if _, err := k.Func(&model.Type{Kind: model.Bool}); err == nil {
				t.Error("it applies to a boolean")
			}
		})
	}
	for _, k := range keyword.Rules() {
		if k.Value != keyword.List && !slices.ContainsFunc(rules, func(r rule) bool { return r.name == k.Name }) {
			t.Errorf("%s has no row", k.Name)
		}
	}
}

type rule struct{ name, of, text, schema, good, bad, wrong, invalid string }

var rules = []rule{
	{"choices", "string", "Regions", `{"enum":["\u0000Regions"]}`, `"a"`, `"b"`, "", ""}, // only the program knows the values
	{"schema", "any", `{"type": "string"}`, `{"type":"string"}`, `"a"`, `5`, `5 is not valid by the schema {"type":"string"}`, `{"typ":"string"}`},
	{"minimum", "number", "2", `{"minimum":2}`, `2`, `1`, "1 is less than the minimum 2", "x"},
	{"exclusiveMinimum", "number", "2", `{"exclusiveMinimum":2}`, `3`, `2`, "2 is not more than 2", "1e999"},
	{"maximum", "number", "2.5", `{"maximum":2.5}`, `2`, `3`, "3 is more than the maximum 2.5", ""},
	{"exclusiveMaximum", "number", "2", `{"exclusiveMaximum":2}`, `1`, `2`, "2 is not less than 2", "+1"},
	{"multipleOf", "number", "2", `{"multipleOf":2}`, `4`, `3`, "3 is not a multiple of 2", "two"},
	{"minLength", "string", "2", `{"minLength":2}`, `"éa"`, `"é"`, `"é" is shorter than minLength 2`, "-1"},
	{"maxLength", "string", "02", `{"maxLength":2}`, `"éé"`, `"abc"`, `"abc" is longer than maxLength 2`, "1.5"},
	{"pattern", "string", "^a", `{"pattern":"^a"}`, `"ab"`, `"b"`, `"b" does not match the pattern ^a`, "a{1001}"},
	{"format", "string", "date", `{"format":"date"}`, `"2024-02-29"`, `"2023-02-29"`, `"2023-02-29" is not of the format date`, "day"},
	{"minItems", "list", "1", `{"minItems":1}`, `["a"]`, `[]`, "[] has fewer items than minItems 1", "many"},
	{"maxItems", "list", "1", `{"maxItems":1}`, `["a"]`, `["a","b"]`, `["a","b"] has more items than maxItems 1`, "-1"},
	{"uniqueItems", "list", "true", `{"uniqueItems":true}`, `["a","b"]`, `["a","a"]`, `["a","a"] has "a" twice, against uniqueItems`, ""},
	{"minProperties", "map", "1", `{"minProperties":1}`, `{"a":"b"}`, `{}`, "{} has fewer entries than minProperties 1", "x"},
	{"maxProperties", "map", "0", `{"maxProperties":0}`, `{}`, `{"a":"b"}`, `{"a":"b"} has more entries than maxProperties 0`, "x"},
	{"keyPattern", "map", "^a", `{"propertyNames":{"pattern":"^a"}}`, `{"ab":"c"}`, `{"a":"","c":"","b":""}`,
		`{"a":"","b":"","c":""} has the key "b", which does not match the keyPattern ^a`, "a.{20}b"},
}

func decode(t *testing.T, text string) any {
	t.Helper()
	v, err := jsontext.Decode(text)
	if err != nil {
		t.Fatal(err)
	}
	return v
}
