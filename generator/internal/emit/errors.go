package emit

import (
	"go/types"
	"strconv"

	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// Tools that hide errors ask for every declared one. The others show errors
// anyway, so they ask only for those whose text is replaced.
const (
	declaredFunc = "mcpDeclaredErrors"
	replacedFunc = "mcpReplacedErrors"
)

// errorsFunc names the function that recognizes the declared errors of a feature, "" for
// none.
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

// declaredErrors prints those functions, as far as they are used.
func (g *generator) declaredErrors() {
	used := map[string]bool{}
	for _, t := range g.p.Tools {
		used[g.errorsFunc(t.HideErrors)] = true
	}
	for _, f := range g.features() {
		used[g.errorsFunc(f.HideErrors)] = true
	}
	var all, replaced []*model.DeclaredError
	for _, e := range g.p.Errors {
		all = append(all, e)
		if e.Text != "" || e.Func {
			replaced = append(replaced, e)
		}
	}
	if used[declaredFunc] {
		g.errorTexts(declaredFunc, "returns the text of an error that is meant for clients. It is that of the declared error alone, without what was wrapped around it.", all)
	}
	if used[replacedFunc] {
		g.errorTexts(replacedFunc, "returns the text that clients get in place of an error's own.", replaced)
	}
}

func (g *generator) errorTexts(name, doc string, declared []*model.DeclaredError) {
	var body []jen.Code
	err := g.local("err")
	for _, e := range declared {
		if e.Type != nil {
			body = append(body, g.errorTypes(e)...)
			continue
		}
		value := id(strconv.Quote(e.Text))
		if e.Text == "" {
			value = call(g.declared(e.Pkg, e.Name).Dot("Error"))
		}
		body = append(body, id("if").Add(call(g.std("errors", "Is"), err.Clone(), g.declared(e.Pkg, e.Name))).
			Block(id("return").Add(value).Op(",").Id("true")))
	}
	body = append(body, id(`return "", false`))
	g.add(name+" "+doc, id("func "+name).Add(list("(", ")", false, err.Clone().Id("error"))).Add(id("(string, bool)")).Block(body...))
}

// errorTypes recognizes errors of a declared type. Where its values are errors, it may be
// returned as a value or as a pointer, whichever of them is declared.
func (g *generator) errorTypes(e *model.DeclaredError) []jen.Code {
	local := g.locals.of("e")
	switch t := types.Unalias(e.Type).(type) {
	case *types.Pointer:
		if types.Implements(t.Elem(), errorInterface) {
			return []jen.Code{g.errorType(e, e.Type, local, e.Func), g.errorType(e, t.Elem(), "&"+local, false)}
		}
	case *types.Named:
		if !types.IsInterface(t) {
			return []jen.Code{g.errorType(e, e.Type, local, false), g.errorType(e, types.NewPointer(e.Type), "*"+local, true)}
		}
	}
	return []jen.Code{g.errorType(e, e.Type, local, e.Func && isPointer(e.Type))}
}

var errorInterface = types.Universe.Lookup("error").Type().Underlying().(*types.Interface)

// errorType recognizes errors of one type; value is such an error as a function takes it.
// What a nil pointer points to has no text.
func (g *generator) errorType(e *model.DeclaredError, t types.Type, value string, notNil bool) code {
	local := g.locals.of("e")
	text, found := id(strconv.Quote(e.Text)), g.local("ok")
	switch {
	case e.Func:
		text = g.local("value")
	case e.Text == "":
		text = call(id(local).Dot("Error"))
	case !notNil:
		local = "_"
	}
	if notNil {
		found = found.Op("&&").Id(local).Op("!=").Id("nil")
	}
	then := id("return").Add(text).Op(",").Id("true")
	if e.Func {
		then = id("if").Add(text.Clone(), id(":=").Add(call(g.declared(e.Pkg, e.Name), id(value))), id(";"), text.Clone()).Op("!=").Lit("").Block(then)
	}
	as := call(g.std("errors", "AsType").Types(g.typ(t)), g.local("err"))
	return id("if "+local+", ").Add(g.local("ok"), id(":=").Add(as, id(";")), found).Block(then)
}

func isPointer(t types.Type) bool {
	_, ok := types.Unalias(t).(*types.Pointer)
	return ok
}
