package analyze

import (
	"go/token"
	"go/types"
	"slices"
	"testing"

	"github.com/mcpgen/mcpgen/generator/internal/diag"
	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// TestCheckVisible checks the positions and the number of hidden characters.
func TestCheckVisible(t *testing.T) {
	const contains, reads = " contains the hidden character U+200B, which a reviewer does not see and a model reads", "\u200b"
	object := &model.Type{Name: "Book", Doc: "doc" + reads}
	object.Elem = object // a type that contains itself
	pkg := types.NewPackage("example.com/x", "x")
	pkg.Scope().Insert(types.NewVar(token.NoPos, pkg, "v", types.Typ[types.Int]))
	tool := func(f *model.Field) *model.Package {
		x := new(model.Tool)
		x.Func = model.Func{Name: "Find", Pkg: pkg}
		x.Input = &model.Input{Object: &model.Type{Fields: []*model.Field{f}}}
		return &model.Package{Tools: []*model.Tool{x}}
	}
	resource := new(model.Resource)
	resource.Title, resource.Value = reads, &model.Static{Name: "Guide"}
	read := new(model.Resource)
	read.Title, read.Func = reads, model.Func{Name: "Read"}
	prompt := new(model.Prompt)
	prompt.Groups, prompt.Func = []string{"a", reads}, model.Func{Name: "Ask"}
	for name, c := range map[string]struct {
		out  *model.Package
		want []string
	}{
		"nothing":    {new(model.Package), nil},
		"server":     {&model.Package{Server: &model.Server{Title: reads}}, []string{"server: the title"}},
		"error":      {&model.Package{Errors: []*model.DeclaredError{{Name: "ErrX", Text: reads}}}, []string{"error ErrX: the text"}},
		"form":       {&model.Package{Forms: []*model.Form{{Type: &model.Type{Go: pkg.Scope().Lookup("v").Type(), Name: "F"}, Fields: []*model.FormField{{Field: new(model.Field), Text: reads}}}}}, []string{"form F: the text"}},
		"resources":  {&model.Package{Resources: []*model.Resource{resource}, Templates: []*model.Resource{read}}, []string{"resource Guide: the title", "resource Read: the title"}},
		"prompt":     {&model.Package{Prompts: []*model.Prompt{prompt}}, []string{"prompt Ask: the group"}},
		"field":      {tool(&model.Field{Name: "q", Description: reads, Rules: model.Rules{Limits: map[string]string{"pattern": reads}}}), []string{"tool Find: the description of q", "tool Find: the pattern of q"}},
		"name":       {tool(&model.Field{Name: "a" + reads + "b", Title: reads}), []string{"tool Find: the name of ab", "tool Find: the title of ab"}},
		"recursion":  {tool(&model.Field{Name: "q", Type: object}), []string{"tool Find: the doc comment of Book"}},
		"file":       {tool(&model.Field{Name: "q", Pos: token.Position{Filename: reads, Line: 7}}), nil},
		"raw":        {tool(&model.Field{Name: "q", Examples: []string{`"` + reads + `\u200b"`}}), []string{"tool Find: the example of q"}},
		"string":     {tool(&model.Field{Name: "q", Examples: []string{`"a\u200bb"`}}), []string{"tool Find: the example of q"}},
		"controls":   {tool(&model.Field{Name: "q", Examples: []string{`"a\u0007\u001b\r"`, `["\u0000"]`}}), nil},
		"visible":    {tool(&model.Field{Name: "q", Examples: []string{`{"a\n":["\u0041",1,null,{"b":true}]}`, `\d+`, `{"a":`}}), nil},
		"elements":   {tool(&model.Field{Name: "q", Examples: []string{`[1,"\u200b","\u200b"]`}}), []string{"tool Find: the example of q"}},
		"members":    {tool(&model.Field{Name: "q", Examples: []string{`{"a":"\u200b","b":"\u200b"}`}}), []string{"tool Find: the example of q"}},
		"member":     {tool(&model.Field{Name: "q", Examples: []string{`{"\u200b":"\u200b"}`}}), []string{"tool Find: the example of q"}},
		"only names": {tool(&model.Field{Name: "q", Examples: []string{`[{"\u200b":1},{"\u200b":1}]`}}), []string{"tool Find: the example of q"}},
		"last":       {tool(&model.Field{Name: "q", Examples: []string{`{"a":[[],{"b":"\u200b"}]}`}}), []string{"tool Find: the example of q"}},
	} {
		a := &analyzer{shared: &shared{diags: new(diag.List), out: c.out}}
		a.checkVisible()
		var got, want []string
		for _, d := range a.diags.All() {
			got = append(got, d.Text())
		}
		for _, w := range c.want {
			want = append(want, w+contains)
		}
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%s:\n got %q\nwant %q", name, got, want)
		}
	}
}
