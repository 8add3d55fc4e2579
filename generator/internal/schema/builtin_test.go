package schema

import (
	"go/token"
	"go/types"
	"path"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/generator/internal/diag"
	"github.com/mcpgen/mcpgen/generator/internal/keyword"
	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// TestKnownSchemas checks that a directive could set every schema of the built-in table, and that
// values of its kind can be read and written.
func TestKnownSchemas(t *testing.T) {
	s := check(t, "")
	for name, k := range table {
		n := 0
		for _, set := range []bool{k.plan.Kind != model.Invalid, k.value != "", k.by != model.Invalid} {
			if set {
				n++
			}
		}
		if n != 1 {
			t.Errorf("%s: not one of plan, value and by", name)
		}
		if k.plan.Schema != "" {
			form := &SchemaForm{JSON: k.plan.Schema}
			if !s.goodSchema(site{Place: diag.Place{Subject: name}}, form) {
				t.Errorf("%s: %s", name, s.printed())
			}
			inspectOutput(t, outputText(&k.plan))
		}
		if k.plan.Kind == model.Reflect {
			t.Errorf("%s: kind %d", name, k.plan.Kind)
		}
		if k.form.pattern != "" {
			if err := keyword.CheckPattern(k.form.pattern); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		if k.form.format != "" && keyword.FormatFunc(k.form.format) == "" {
			t.Errorf("%s: unknown format %s", name, k.form.format)
		}
	}
}

func TestTypeKey(t *testing.T) {
	for path, want := range map[string]string{
		"github.com/a/b":                       "github.com/a/b.T",
		"github.com/a/b/v2":                    "github.com/a/b.T",
		"github.com/a/b/v12/sub":               "github.com/a/b/sub.T",
		"k8s.io/apimachinery/pkg/apis/meta/v1": "k8s.io/apimachinery/pkg/apis/meta/v1.T",
		"gopkg.in/guregu/null.v4":              "gopkg.in/guregu/null.T",
		"gopkg.in/guregu/null.v4/zero":         "gopkg.in/guregu/null/zero.T",
		"vendor.example/null.v4":               "vendor.example/null.v4.T",
	} {
		named := types.NewNamed(types.NewTypeName(0, types.NewPackage(path, "p"), "T", nil), types.Typ[types.Int], nil)
		if got := typeKey(named); got != want {
			t.Errorf("%s: got %s, want %s", path, got, want)
		}
	}
}

func TestKnown(t *testing.T) {
	s := check(t, `
import (
	"database/sql"
	"encoding/json"
	"net/url"
)

type S struct {
	URL   url.URL
	Ref   *url.URL
	Name  sql.NullString `+"`jsonschema:\"minLength=2\"`"+`
	Wrap  sql.Null[map[string]int]
	Times []sql.NullTime
	Num   json.Number `+"`json:\",string\"`"+`
	Size  json.Number `+"`jsonschema:\"minimum=1,exclusiveMaximum=1e30\"`"+`
	Bytes []Bit
}

type Bit byte
`)
	const properties = `{"type":"object","properties":{`
	plan := s.plan(t, "S")
	for _, tt := range []struct{ got, want string }{
		{inputText(plan), properties + `"URL":{"type":"string","format":"uri"},"Ref":{"type":"string","format":"uri"},"Name":{"type":"string","minLength":2},` +
			`"Wrap":{"type":"object","additionalProperties":{"type":"integer"}},"Times":{"type":"array","items":{"anyOf":[{"type":"string","format":"date-time"},{"type":"null"}]}},` +
			`"Num":{"type":"string","pattern":"` + strings.ReplaceAll(quotedPattern(&model.Type{Kind: model.Number}), `\`, `\\`) + `"},"Size":{"type":"number","minimum":1,"exclusiveMaximum":1e30},` +
			`"Bytes":{"type":"string","contentEncoding":"base64"}},"required":["URL","Times","Num","Size","Bytes"],"additionalProperties":false}`},
		{outputText(plan), properties + `"URL":{"type":"string"},"Ref":{"type":"string"},"Name":{"type":"string"},` +
			`"Wrap":{"type":"object","additionalProperties":{"type":"integer"}},"Times":{"type":"array","items":{"anyOf":[{"type":"string","format":"date-time"},{"type":"null"}]}},` +
			`"Num":{"type":"string","pattern":"` + strings.ReplaceAll(quotedPattern(&model.Type{Kind: model.Number}), `\`, `\\`) + `"},"Size":{"type":"number"},` +
			`"Bytes":{"type":"string","contentEncoding":"base64"}},"required":["URL","Times","Num","Size","Bytes"]}`},
	} {
		if tt.got != tt.want {
			t.Errorf("got\n%s\nwant\n%s", tt.got, tt.want)
		}
	}
	if report := s.printed(); report != "" {
		t.Error(report)
	}
}

// TestDefs checks that defs shares types that are used several times.
func TestDefs(t *testing.T) {
	s := check(t, `
type Point struct{ X, Y int }
type Line struct{ From, To Point }
`)
	tool := &model.Tool{Defs: true}
	tool.Input = &model.Input{Object: s.plan(t, "Line")}
	const point = `{"type":"object","properties":{"X":{"type":"integer"},"Y":{"type":"integer"}},"required":["X","Y"],"additionalProperties":false}`
	want := `{"type":"object","properties":{"From":{"$ref":"#/$defs/Point"},"To":{"$ref":"#/$defs/Point"}},"required":["From","To"],"additionalProperties":false,"$defs":{"Point":` + point + `}}`
	if got := InputOf(tool); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	tool.Defs = false
	if got := InputOf(tool); strings.Contains(got, "$defs") || strings.Count(got, point) != 2 {
		t.Error(got)
	}
}

// TestRawMessage checks the type that json.RawMessage is an alias for from Go 1.27 on: it keeps its
// name from earlier versions.
func TestRawMessage(t *testing.T) {
	for _, name := range [][2]string{{"encoding/json", "RawMessage"}, {"encoding/json/jsontext", "Value"}} {
		pkg := types.NewPackage(name[0], path.Base(name[0]))
		named := types.NewNamed(types.NewTypeName(token.NoPos, pkg, name[1], nil), types.NewSlice(types.Typ[types.Byte]), nil)
		if known := knownType(named); known == nil || known.Kind != model.RawJSON {
			t.Errorf("%v: %+v", named, known)
		}
		s := check(t, "")
		plan := s.resolve(site{}, named)
		if plan == nil || plan.Kind != model.RawJSON || plan.Name != "RawMessage" {
			t.Fatalf("%v: %+v", named, plan)
		}
		if got := types.TypeString(plan.Go, nil); got != "encoding/json.RawMessage" {
			t.Errorf("%v is spelled %s", named, got)
		}
		if got := s.typeString(named); got != "json.RawMessage" {
			t.Errorf("%v is spelled %s for people", named, got)
		}
	}
}

// TestNames checks the names of types in $defs, in particular those whose spelling in package types
// depends on the version of Go.
func TestNames(t *testing.T) {
	s := check(t, `
import "encoding/json"
type Tree[T any] struct { V T; Kids []Tree[T] }
type Two[A, B any] struct { A A; B B; Next *Two[A, B] }
type Anything = any
type Raw = json.RawMessage
type More = Raw
type (
	Any       struct{ F Tree[any] }
	Named     struct{ F Tree[Anything] }
	Empty     struct{ F Two[interface{}, int] }
	Map       struct{ F Tree[map[string]any] }
	Message   struct{ F Tree[json.RawMessage] }
	Alias     struct{ F Two[Raw, More] }
	Pointer   struct{ F Tree[*json.RawMessage] }
	List      struct{ F Tree[[]json.RawMessage] }
	Nested    struct{ F Two[Tree[any], Tree[json.RawMessage]] }
	Marshaler struct{ F Tree[json.Number] }
)
`)
	for name, want := range map[string]string{
		"Any": "Tree_any", "Named": "Tree_any", "Empty": "Two_interface_int", "Map": "Tree_map_string_any",
		"Message": "Tree_RawMessage", "Alias": "Two_RawMessage_RawMessage", "Pointer": "Tree_RawMessage", "List": "Tree_RawMessage",
		"Nested": "Two_Tree_any_Tree_RawMessage", "Marshaler": "Tree_Number",
	} {
		plan := s.plan(t, name)
		if got := plan.Fields[0].Type.Name; got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
		if text := inputText(plan); !strings.Contains(text, `"$ref":"#/$defs/`+want+`"`) {
			t.Errorf("%s: no reference to %s in %s", name, want, text)
		}
	}
}

// TestRefusedTypes checks that a type which writes other JSON than it reads is refused, in each
// major version.
func TestRefusedTypes(t *testing.T) {
	for _, path := range []string{"github.com/volatiletech/null/v8", "github.com/aarondl/null/v8", "gopkg.in/volatiletech/null.v7"} {
		r := check(t, "")
		named := types.NewNamed(types.NewTypeName(token.NoPos, types.NewPackage(path, "null"), "Bytes", nil), types.NewStruct(nil, nil), nil)
		if r.fillNamed(site{}, &model.Type{}, named) || !strings.Contains(r.printed(), "type null.Bytes reads a string, and writes its bytes as if they were JSON") {
			t.Errorf("%s: %s", path, r.printed())
		}
	}
}

// TestNumbersInStrings checks that numeric bounds are refused for numbers in strings, for which
// JSON Schema would ignore them.
func TestNumbersInStrings(t *testing.T) {
	decimal := &model.Type{
		Kind: model.Converted, Name: "Decimal", Convert: &model.Conversion{Methods: model.Text},
		Elem: &model.Type{Kind: model.String, Limits: map[string]string{"pattern": decimalPattern}},
	}
	for _, plan := range []*model.Type{decimal, {Kind: model.Pointer, Elem: decimal}, {Kind: model.Slice, Elem: decimal}, {Kind: model.Flagged, Elem: decimal}} {
		for _, name := range []string{"minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum", "multipleOf"} {
			_, err := check(t, "").applyRule(&model.Field{Type: plan}, setting{Keyword: keyword.Lookup(name), values: []string{"1"}})
			if want := name + " cannot be used on Decimal, a number that is written as a string"; err == nil || err.Error() != want {
				t.Errorf("%v, want %s", err, want)
			}
		}
		if _, err := check(t, "").applyRule(&model.Field{Type: plan}, setting{Keyword: keyword.Lookup("maxLength"), values: []string{"9"}}); err != nil {
			t.Error(err)
		}
	}
}
