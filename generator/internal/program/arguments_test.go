package program_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/generator/internal/model"
	"github.com/mcpgen/mcpgen/generator/internal/program"
)

// input has one argument for each way of reading.
func input() *model.Input {
	text := &model.Type{Kind: model.String}
	number := &model.Type{Kind: model.Int, Bits: 64}
	field := func(name string, t *model.Type) *model.Field { return &model.Field{Name: name, Type: t} }
	quoted := field("quoted", number)
	quoted.Quoted = true
	return &model.Input{Object: &model.Type{Kind: model.Struct, Fields: []*model.Field{
		field("text", text),
		field("int", number),
		field("float", &model.Type{Kind: model.Float, Bits: 64}),
		field("bool", &model.Type{Kind: model.Bool}),
		field("when", &model.Type{Kind: model.Time}),
		field("ptr", &model.Type{Kind: model.Pointer, Elem: number}),
		field("texts", &model.Type{Kind: model.Slice, Elem: text}),
		field("ints", &model.Type{Kind: model.Array, Len: 2, Elem: &model.Type{Kind: model.Pointer, Elem: number}}),
		field("object", &model.Type{Kind: model.Struct}),
		field("map", &model.Type{Kind: model.Map, Elem: number}),
		field("any", &model.Type{Kind: model.Any}),
		quoted,
	}}}
}

func TestArguments(t *testing.T) {
	for _, test := range []struct{ words, want string }{
		{"", `{}`},
		{"text=sea", `{"text":"sea"}`},
		{"text=12", `{"text":"12"}`},
		{"text=", `{"text":""}`},
		{"text=a=b", `{"text":"a=b"}`},
		{`text=<"&>`, `{"text":"<\"&>"}`},
		{"text=null", `{"text":"null"}`},
		{"int=12", `{"int":12}`},
		{"int=-9007199254740993", `{"int":-9007199254740993}`},
		{"int=1e2", `{"int":1e2}`},
		{"int=many", `{"int":"many"}`},
		{"int=012", `{"int":"012"}`},
		{"float=1.50", `{"float":1.50}`},
		{"bool=true", `{"bool":true}`},
		{"bool=yes", `{"bool":"yes"}`},
		{"ptr=3", `{"ptr":3}`},
		{"ptr=null", `{"ptr":null}`},
		{"when=2026-01-02T03:04:05Z", `{"when":"2026-01-02T03:04:05Z"}`},
		{"texts=1", `{"texts":["1"]}`},
		{"texts=a|int=1|texts=b", `{"texts":["a","b"],"int":1}`},
		{`texts=["a", "b"]`, `{"texts":["a","b"]}`},
		{`texts=[a]|texts=b`, `{"texts":["[a]","b"]}`},
		{"ints=1|ints=2", `{"ints":[1,2]}`},
		{`object={"a": 1}`, `{"object":{"a":1}}`},
		{`map={ "b" : 2 , "b" : 3 }`, `{"map":{"b":2,"b":3}}`},
		{"any=1", `{"any":1}`},
		{"any=word", `{"any":"word"}`},
		{"quoted=1", `{"quoted":"1"}`},
		{"unknown=1", `{"unknown":"1"}`},
		{"{\"int\":\n 1}", `{"int":1}`},
		{` {}`, `{}`},
	} {
		got, err := program.Arguments(input(), split(test.words))
		if err != nil || string(got) != test.want {
			t.Errorf("Arguments(%q) = %s, %v; want %s", test.words, got, err, test.want)
		}
	}
}

func TestArgumentsWrong(t *testing.T) {
	for _, test := range []struct{ words, message, hint string }{
		{"text=a|text=b", "argument text is given 2 times", ""},
		{"sea", `"sea" is neither`, "the arguments are any, bool"},
		{"int", `"int" is neither`, "write int=VALUE"},
		{"flaot", `"flaot" is neither`, "write float=VALUE"},
		{"=1", "neither key=value", ""},
		{"object=1,2", "argument object: not valid JSON", "object='{"},
		{`texts=["a"`, "argument texts: not valid JSON", ""},
		{"{", "not valid JSON", ""},
		{"{}|int=1", "not both", ""},
	} {
		_, err := program.Arguments(input(), split(test.words))
		wrong, ok := errors.AsType[*program.ArgumentError](err)
		if !ok || !strings.Contains(wrong.Message, test.message) || !strings.Contains(wrong.Hint, test.hint) {
			t.Errorf("Arguments(%q): %v, want %q with hint %q", test.words, err, test.message, test.hint)
		}
	}
	for _, test := range []struct {
		input *model.Input
		hint  string
	}{
		{nil, "takes no arguments"},
		{&model.Input{Object: &model.Type{Fields: []*model.Field{{Name: "query", Type: &model.Type{Kind: model.String}}}}}, "write 'query=the sea'"},
	} {
		_, err := program.Arguments(test.input, []string{"the sea"})
		wrong, ok := errors.AsType[*program.ArgumentError](err)
		if !ok || !strings.Contains(wrong.Hint, test.hint) {
			t.Errorf("hint of %v: want %q", err, test.hint)
		}
	}
}

// FuzzArguments checks that the result is a JSON object on one line.
func FuzzArguments(f *testing.F) {
	for _, seed := range []string{"text=a", "texts=a|texts=[1]", `{"a": "b"}`, "any=\x00|int=1", "object={\"a\":\n1}", "\xff=\xff"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, words string) {
		got, err := program.Arguments(input(), split(words))
		if err != nil {
			return
		}
		if !json.Valid(got) || got[0] != '{' || strings.ContainsAny(string(got), "\n\r") {
			t.Errorf("Arguments(%q) = %s", words, got)
		}
	})
}

func split(words string) []string {
	if words == "" {
		return nil
	}
	return strings.Split(words, "|")
}
