package emit

import (
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
		case e.Text != "":
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
		if e.Text != "" {
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
		value := id(strconv.Quote(e.Text))
		var condition code
		if e.Type != nil {
			target := "_"
			if e.Text == "" {
				target = g.locals.of("e")
				value = call(id(target).Dot("Error"))
			}
			condition = id(target+", "+g.locals.of("ok")+" :=").
				Add(call(g.std("errors", "AsType").Types(g.typ(e.Type)), err.Clone()), id(";")).Add(g.local("ok"))
		} else {
			if e.Text == "" {
				value = call(g.declared(e.Pkg, e.Name).Dot("Error"))
			}
			condition = call(g.std("errors", "Is"), err.Clone(), g.declared(e.Pkg, e.Name))
		}
		body = append(body, id("if").Add(condition).Block(id("return").Add(value).Op(",").Id("true")))
	}
	body = append(body, id(`return "", false`))
	g.add(name+" "+doc, id("func "+name).Add(list("(", ")", false, err.Clone().Id("error"))).Add(id("(string, bool)")).Block(body...))
}
