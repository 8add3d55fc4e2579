package schema

import (
	"go/types"
	"strings"
	"testing"
)

// TestStreamMethods covers types with methods of encoding/json/v2, which exist only in some
// versions of Go: it checks that each is refused in the direction without another method.
func TestStreamMethods(t *testing.T) {
	const (
		to    = "func (%) MarshalJSONTo(*jsontext.Encoder) error { return nil }\n"
		from  = "func (*%) UnmarshalJSONFrom(*jsontext.Decoder) error { return nil }\n"
		json  = "func (%) MarshalJSON() ([]byte, error) { return nil, nil }\nfunc (*%) UnmarshalJSON([]byte) error { return nil }\n"
		text  = "func (%) MarshalText() ([]byte, error) { return nil, nil }\nfunc (*%) UnmarshalText([]byte) error { return nil }\n"
		money = "type Money struct{ Cents int64 }\n"
	)
	methods := func(name string, list ...string) string { return strings.ReplaceAll(strings.Join(list, ""), "%", name) }
	both := methods("Money", to, from)
	const read, written = "has UnmarshalJSONFrom without UnmarshalJSON", "has MarshalJSONTo without MarshalJSON"
	for name, tt := range map[string]struct{ text, argument, result string }{
		"struct":              {money + both + "type X = Money", "type Money " + read, "type Money " + written},
		"with MarshalJSON":    {money + both + methods("Money", json) + "type X = Money", "", ""},
		"with text methods":   {money + both + methods("Money", text) + "type X = Money", "type Money " + read, "type Money " + written},
		"written only":        {money + methods("Money", to) + "type X = Money", "", "type Money " + written},
		"read only":           {money + methods("Money", from) + "type X = Money", "type Money " + read, ""},
		"integer":             {"type Money int\n" + both + "type X = Money", "type Money " + read, "type Money " + written},
		"pointer":             {money + both + "type X = *Money", "type Money " + read, "type Money " + written},
		"elements":            {money + both + "type X map[string][]*Money", "type Money " + read, "type Money " + written},
		"bytes":               {"type Money byte\n" + both + "type X []Money", "type Money " + read, "type Money " + written},
		"field":               {money + both + "type X struct{ M *Money }", "field M: type Money " + read, "field M: type Money " + written},
		"embedded":            {money + both + "type X struct{ Money; Lost int }", "type X " + read, "type X " + written},
		"embedded pointer":    {money + both + "type X struct{ *Money }", "type X " + read, "type X " + written},
		"unnamed struct":      {money + both + "type X = struct{ Money }", "type struct{Money} " + read, "type struct{Money} " + written},
		"own over promoted":   {money + both + "type X struct{ Money }\n" + methods("X", json), "", ""},
		"promoted under own":  {money + methods("Money", json) + "type X struct{ Money }\n" + methods("X", to, from), "type X " + read, "type X " + written},
		"generic":             {"type M[T any] struct{ V T }\nfunc (M[T]) MarshalJSONTo(*jsontext.Encoder) error { return nil }\ntype X = M[int]", "", "type M[int] " + written},
		"type argument":       {money + both + "type M[T any] struct{ V T }\ntype X = M[Money]", "field V: type Money " + read, "field V: type Money " + written},
		"union":               {"type X interface{ is() }\n" + money + both + "func (Money) is() {}", "field (Money): type Money " + read, "field (Money): type Money " + written},
		"of another package":  {"type X = dep.Money", "type dep.Money " + read, "type dep.Money " + written},
		"promoted from there": {"type X struct{ dep.Money }", "type X " + read, "type X " + written},
		"hidden":              {"type X struct{ H dep.Holder }", "field H.M: type dep.hidden " + read, "field H.M: type dep.hidden " + written},
		"inside of hidden":    {"type X struct{ H dep.Outer }", "field H.L: type []dep.list contains type dep.Money, which " + read, "field H.L: type []dep.list contains type dep.Money, which " + written},
		"map key":             {"type Key string\n" + methods("Key", to, from) + "type X map[Key]int", "", ""},
		"other parameters":    {money + "func (Money) MarshalJSONTo(*jsontext.Encoder, int) error { return nil }\ntype X = Money", "", ""},
		"value":               {money + "func (Money) MarshalJSONTo(jsontext.Encoder) error { return nil }\ntype X = Money", "", ""},
		"no error":            {money + "func (Money) MarshalJSONTo(*jsontext.Encoder) {}\ntype X = Money", "", ""},
		"other type":          {money + "type Encoder struct{}\nfunc (Money) MarshalJSONTo(*Encoder) error { return nil }\ntype X = Money", "", ""},
	} {
		for _, path := range []string{"encoding/json/jsontext", "github.com/go-json-experiment/json/jsontext"} {
			files := map[string]string{
				"a.go":             "package main\nimport (\n\t\"" + path + "\"\n\t\"example.com/dep\"\n)\nvar _ jsontext.Encoder\nvar _ dep.Money\n" + tt.text,
				path + "/coder.go": "package jsontext\ntype (\n\tEncoder struct{}\n\tDecoder struct{}\n)",
				"dep/dep.go": "package dep\nimport \"" + path + "\"\n" + money + both + "type hidden struct{}\n" + methods("hidden", to, from) +
					"type Holder struct{ M hidden }\ntype list struct{ M *Money }\ntype Outer struct{ L []list }",
			}
			for use, want := range map[Use]string{Argument: tt.argument, Result: tt.result} {
				s := checkSource(t, files)
				plan := s.Type(s.pkg.Types.Scope().Lookup("X").Type(), use, s.place("X"))
				got := s.printed()
				if (plan == nil) != (want != "") || want != "" && !strings.Contains(got, "tool X: "+want+", so its JSON form would depend on the version of Go\n") {
					t.Errorf("%s, %v: got %s\nwant %q", name, use, got, want)
				}
				if want != "" && !strings.Contains(got, "\thint: ") {
					t.Errorf("%s: no hint: %s", name, got)
				}
			}
		}
	}
}

// TestStreamMethodsWithSchema checks that a schema does not help, since it does not determine which
// of two forms is written, and that the hint names a remedy.
func TestStreamMethodsWithSchema(t *testing.T) {
	s := checkSource(t, map[string]string{
		"a.go": "package main\nimport \"encoding/json/jsontext\"\n" +
			"type Money struct{ Cents int64 }\nfunc (Money) MarshalJSONTo(*jsontext.Encoder) error { return nil }\n",
		"encoding/json/jsontext/coder.go": "package jsontext\ntype Encoder struct{}",
	})
	obj := s.pkg.Types.Scope().Lookup("Money").(*types.TypeName)
	s.SetForm(obj, &Form{Schema: &SchemaForm{JSON: `{"type":"integer"}`}})
	const want = "a.go:3:6: tool X: type Money has MarshalJSONTo without MarshalJSON, so its JSON form would depend on the version of Go\n" +
		"\thint: give it MarshalJSON as well; or write an //mcp:encode function for it\n"
	if plan := s.Type(obj.Type(), Result, s.place("Money")); plan != nil || s.printed() != want {
		t.Errorf("got\n%s\nwant\n%s", s.printed(), want)
	}
}
