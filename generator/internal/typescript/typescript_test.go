package typescript

import (
	"bytes"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// named returns the plan of a struct with one member.
func named(pkg, name string, member *model.Field) *model.Type {
	obj := types.NewTypeName(token.NoPos, types.NewPackage("example.com/"+pkg, pkg), name, nil)
	return &model.Type{
		Kind: model.Struct, Name: name, Go: types.NewNamed(obj, types.NewStruct(nil, nil), nil), Fields: []*model.Field{member},
	}
}

func field(name string, t *model.Type) *model.Field {
	return &model.Field{Name: name, Type: t, Required: true}
}

// tool returns a tool with arguments and a result.
func tool(name string, argument, result *model.Type) *model.Tool {
	t := &model.Tool{Name: name}
	if argument != nil {
		t.Input = &model.Input{Object: &model.Type{Kind: model.Struct, Fields: []*model.Field{field("value", argument)}}}
	}
	t.Result.Output = result
	return t
}

// text is the plan of a string.
func text() *model.Type { return &model.Type{Kind: model.String} }

// body returns a file without its head and comments.
func body(tools ...*model.Tool) string {
	var b strings.Builder
	for line := range strings.Lines(string(File(tools))) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "/") && !strings.HasPrefix(line, "*") {
			b.WriteString(line + "\n")
		}
	}
	return b.String()
}

func TestNames(t *testing.T) {
	for _, test := range []struct {
		name string
		file string
		want []string
	}{
		{"one type in both directions", body(tool("a", named("p", "Item", field("x", text())), named("p", "Item", field("x", text())))), []string{
			"export interface AArgs {", "value: ItemInput;", "export interface Item {", "export interface ItemInput {", "a: { args: AArgs; result: Item };",
		}},
		{"equal plans of one type", body(
			tool("a", nil, named("p", "Item", field("x", text()))),
			tool("b", nil, named("p", "Item", field("x", text()))),
		), []string{"a: { args: AArgs; result: Item };", "b: { args: BArgs; result: Item };"}},
		{"two types of one name", body(
			tool("a", nil, named("p", "Item", field("x", text()))),
			tool("b", nil, named("q", "Item", field("x", text()))),
		), []string{"export interface PItem {", "export interface QItem {", "result: PItem };", "result: QItem };"}},
		{"two forms of one type", body(
			tool("a", nil, named("p", "Item", field("x", text()))),
			tool("b", nil, named("p", "Item", field("y", text()))),
		), []string{"export interface PItem {", "export interface PItem_2 {"}},
		{"equal types with different parts", body(
			tool("a", nil, named("p", "Item", field("x", named("p", "Part", field("x", text()))))),
			tool("b", nil, named("p", "Item", field("x", named("q", "Part", field("x", text()))))),
		), []string{"x: PPart;", "x: QPart;", "result: PItem };", "result: PItem_2 };"}},
		{"a type named like the arguments of a tool", body(
			tool("get_item", text(), named("p", "GetItemArgs", field("x", text()))),
		), []string{"get_item: { args: GetItemArgs; result: PGetItemArgs };"}},
		{"names of the language", body(tool("3d-view", text(), named("p", "string", field("x", text())))), []string{
			`"3d-view": { args: _3dViewArgs; result: String };`,
		}},
		{"the interface of all tools", body(tool("x", nil, named("p", "Tools", field("x", text())))), []string{"result: Tools_2 };"}},
		{"tools of similar names", body(tool("a_b", text(), nil), tool("a.b", text(), nil)), []string{
			`"a.b": { args: ABArgs; result: undefined };`, "a_b: { args: ABArgs_2; result: undefined };",
		}},
	} {
		for _, want := range test.want {
			if !strings.Contains(test.file, want) {
				t.Errorf("%s: %q is not in\n%s", test.name, want, test.file)
			}
		}
	}
}

func TestOrderOfTools(t *testing.T) {
	tools := []*model.Tool{
		tool("a", named("p", "Item", field("x", text())), nil),
		tool("b", nil, named("q", "Item", field("x", text()))),
		tool("c", nil, named("p", "Item", field("y", text()))),
	}
	first := File(tools)
	slices.Reverse(tools)
	if second := File(tools); !bytes.Equal(first, second) {
		t.Errorf("in the other order:\n%s\nbefore:\n%s", second, first)
	}
}

func TestExpressions(t *testing.T) {
	number := &model.Type{Kind: model.Int, Bits: 64}
	pointer := &model.Type{Kind: model.Pointer, Elem: number}
	enum := &model.Type{Kind: model.Int, Enum: &model.Enum{Values: []model.EnumValue{{JSON: "1"}, {JSON: "-2"}}}}
	list := func(elem *model.Type) *model.Type { return &model.Type{Kind: model.Slice, Elem: elem} }
	for _, test := range []struct {
		plan    *model.Type
		in, out string
	}{
		{plan: number, in: "number", out: "number"},
		{plan: list(pointer), in: "(number | null)[]", out: "(number | null)[]"},
		{plan: enum, in: "1 | -2", out: "1 | -2 | (number & {})"},
		{plan: list(enum), in: "(1 | -2)[]", out: "(1 | -2 | (number & {}))[]"},
		{plan: &model.Type{Kind: model.Array, Len: 2, Elem: number}, in: "[number, number]", out: "[number, number]"},
		{plan: &model.Type{Kind: model.Array, Len: 0, Elem: number}, in: "[]", out: "[]"},
		{plan: &model.Type{Kind: model.Array, Len: 32, Elem: pointer}, in: "(number | null)[]", out: "(number | null)[]"},
		{plan: &model.Type{Kind: model.Map, Key: text(), Elem: pointer}, in: "{ [key: string]: number | null }", out: "{ [key: string]: number | null }"},
		{plan: &model.Type{Kind: model.Time}, in: "string", out: "string"},
		{plan: &model.Type{Kind: model.Time, Layout: "unix"}, in: "number", out: "number"},
		{plan: &model.Type{Kind: model.Any}, in: "unknown", out: "unknown"},
		{plan: &model.Type{Kind: model.JSON, NullOut: true}, in: "unknown", out: "unknown"},
		{plan: &model.Type{Kind: model.JSON, NullOut: true, Schema: `{"type":"string"}`}, in: "string", out: "string | null"},
	} {
		w := &writer{names: nameAll(nil)}
		if got := w.inner(test.plan, nil, false, "").text; got != test.in {
			t.Errorf("argument: %s, want %s", got, test.in)
		}
		if got := w.inner(test.plan, nil, true, "").text; got != test.out {
			t.Errorf("result: %s, want %s", got, test.out)
		}
	}
}

func TestSchemas(t *testing.T) {
	for schema, want := range map[string]string{
		`{}`:                 "unknown",
		`true`:               "unknown",
		`{"type":"integer"}`: "number",
		`{"type":"null"}`:    "null",
		`{"type":"array"}`:   "unknown[]",
		`{"type":"array","items":{"anyOf":[{"type":"string"},{"type":"null"}]}}`:     "(string | null)[]",
		`{"type":"array","prefixItems":[{"type":"string"}],"items":{"type":"null"}}`: "unknown[]",
		`{"type":"object"}`: "{ [key: string]: unknown }",
		`{"type":"object","additionalProperties":{"type":"string"}}`:                                  "{ [key: string]: string }",
		`{"type":"object","additionalProperties":false}`:                                              "{ [key: string]: never }",
		`{"type":"object","properties":{"a b":{"type":"string"}},"additionalProperties":false}`:       "{\n  \"a b\"?: string;\n}",
		`{"type":"object","properties":{"a":{}},"required":["a"]}`:                                    "{\n  a: unknown;\n  [key: string]: unknown;\n}",
		`{"type":"object","properties":{"a":{}},"additionalProperties":false,"patternProperties":{}}`: "{\n  a?: unknown;\n  [key: string]: unknown;\n}",
		`{"type":"object","anyOf":[{"required":["a"]}]}`:                                              "{ [key: string]: unknown }",
		`{"enum":["a",1,null,true,[1],{"b":2},{}]}`:                                                   `"a" | 1 | null | true | [1] | { b: 2 } | { [key: string]: never }`,
		`{"const":"a"}`: `"a"`,
		`{"oneOf":[{"type":"string"},{"pattern":"x"}]}`:             "unknown",
		`{"allOf":[{"type":"string"}]}`:                             "unknown",
		`{"type":"string","enum":["a\u2028"]}`:                      `"a\u2028"`,
		`{"anyOf":[{"type":"number"},{"type":"string"}],"title":1}`: "number | string",
	} {
		if got := ofSchema(tree(schema), "").text; got != want {
			t.Errorf("%s: %s, want %s", schema, got, want)
		}
	}
}

func TestComments(t *testing.T) {
	long := strings.Repeat("word ", 30)
	for given, want := range map[string]string{
		"":            "",
		" \n ":        "",
		"One.":        "/** One. */\n",
		"A */ b":      "/** A *\\/ b */\n",
		"a\u2028b\rc": "/** a\\u2028b c */\n",
		"a\n\n  b":    "/**\n * a\n *\n *   b\n */\n",
		long:          "/**\n * " + strings.TrimSpace(strings.Repeat("word ", 19)) + "\n * " + strings.TrimSpace(strings.Repeat("word ", 11)) + "\n */\n",
	} {
		if got := comment(given, ""); got != want {
			t.Errorf("%q: %q, want %q", given, got, want)
		}
	}
	if got := comment("", "  ", "@deprecated"); got != "  /** @deprecated */\n" {
		t.Errorf("%q", got)
	}
}

func TestIsGenerated(t *testing.T) {
	file := File([]*model.Tool{tool("a", nil, nil)})
	for _, ours := range [][]byte{file, bytes.ReplaceAll(file, []byte("\n"), []byte("\r\n")), append([]byte("\ufeff"), file...), []byte(header)} {
		if !IsGenerated(ours) {
			t.Errorf("%.50q is not ours", ours)
		}
	}
	for _, other := range []string{"", "export {};\n", "// Code generated by another program. DO NOT EDIT.\n", "\n" + header, " " + header} {
		if IsGenerated([]byte(other)) {
			t.Errorf("%q is ours", other)
		}
	}
}
