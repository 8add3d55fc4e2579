package emit

import (
	"go/types"

	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// Tools that hide errors check for every declared one. The others show errors anyway, so they check
// only for errors whose message is replaced.
const (
	declaredFunc = "mcpDeclaredErrors"
	replacedFunc = "mcpReplacedErrors"
)

// errorsFunc returns the name of the function that recognizes the declared errors of a feature, or
// "".
func (g *generator) errorsFunc(hidden bool) string {
	for _, e := range g.p.Errors {
		switch {
		case hidden:
			return declaredFunc
		case e.Text != "" || e.Func:
			return replacedFunc
		}
	}
	return ""
}

// declaredErrors prints these functions, if they are used.
func (g *generator) declaredErrors() {
	used := map[string]bool{}
	for _, t := range g.p.Tools {
		used[g.errorsFunc(t.HideErrors)] = true
	}
	for _, f := range g.features() {
		used[g.errorsFunc(f.HideErrors)] = true
	}
	for _, s := range g.p.Skills {
		if s.Func != nil {
			used[g.errorsFunc(s.Func.HideErrors)] = true
		}
	}
	var all, replaced []*model.DeclaredError
	for _, e := range g.p.Errors {
		all = append(all, e)
		if e.Text != "" || e.Func {
			replaced = append(replaced, e)
		}
	}
	if used[declaredFunc] {
		g.errorTexts(declaredFunc, "returns the text of an error that is meant for clients. It contains the text of the declared error alone, not of errors that wrap it.", all)
	}
	if used[replacedFunc] {
		g.errorTexts(replacedFunc, "returns the text that clients get in place of an error's own.", replaced)
	}
}

func (g *generator) errorTexts(name, doc string, declared []*model.DeclaredError) {
	var body []jen.Code
	for _, e := range declared {
		if e.Type != nil {
			body = append(body, g.errorTypes(e)...)
			continue
		}
		value := jen.Lit(e.Text)
		if e.Text == "" {
			value = g.declared(e.Pkg, e.Name).Dot("Error").Call()
		}
		is := g.std("errors", "Is").Call(g.local("err"), g.declared(e.Pkg, e.Name))
		body = append(body, jen.If(is).Block(jen.Return(value, jen.True())))
	}
	body = append(body, jen.Return(jen.Lit(""), jen.False()))
	g.add(name+" "+doc, jen.Func().Id(name).Params(g.local("err").Error()).Params(jen.String(), jen.Bool()).Block(body...))
}

// errorTypes recognizes errors of a declared type. If its values are errors, it may be returned as
// a value or as a pointer, whichever of them is declared.
func (g *generator) errorTypes(e *model.DeclaredError) []jen.Code {
	local := variable(g.local("e"))
	switch t := types.Unalias(e.Type).(type) {
	case *types.Pointer:
		if types.Implements(t.Elem(), errorInterface) {
			return []jen.Code{g.errorType(e, e.Type, local.value(), e.Func), g.errorType(e, t.Elem(), local.addr(), false)}
		}
	case *types.Named:
		if !types.IsInterface(t) {
			pointed := pointer(local.value()).value()
			return []jen.Code{g.errorType(e, e.Type, local.value(), false), g.errorType(e, types.NewPointer(e.Type), pointed, true)}
		}
	}
	return []jen.Code{g.errorType(e, e.Type, local.value(), e.Func && isPointer(e.Type))}
}

var errorInterface = types.Universe.Lookup("error").Type().Underlying().(*types.Interface)

// errorType recognizes errors of one type; value is such an error as an argument of a function. A
// nil pointer gives no message.
func (g *generator) errorType(e *model.DeclaredError, t types.Type, value code, notNil bool) code {
	local := variable(g.local("e"))
	text, found := jen.Lit(e.Text), g.local("ok")
	switch {
	case e.Func:
		text = g.local("value")
	case e.Text == "":
		text = local.field("Error").value().Call()
	case !notNil:
		local = variable(jen.Id("_"))
	}
	if notNil {
		found = infix("&&", found, local.notNil())
	}
	then := jen.Return(text, jen.True())
	if e.Func {
		ask := text.Clone().Op(":=").Add(g.declared(e.Pkg, e.Name)).Call(value)
		then = jen.If(ask, text.Clone().Op("!=").Lit("")).Block(then)
	}
	as := g.std("errors", "AsType").Types(g.typ(t)).Call(g.local("err"))
	return jen.If(jen.List(local.value(), g.local("ok")).Op(":=").Add(as), found).Block(then)
}

func isPointer(t types.Type) bool {
	_, ok := types.Unalias(t).(*types.Pointer)
	return ok
}
